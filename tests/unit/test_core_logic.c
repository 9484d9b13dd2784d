// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's other pure parts in user space: random runs against models, for
 * the sanitizers. The single cases are in tests/kunit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "kmod/core/pacing.h"
#include "kmod/core/policy.h"
#include "kmod/core/record.h"
#include "kmod/core/sim.h"
#include "kmod/core/sized.h"
#include "kmod/core/wake.h"
#include "kmod/core/widen.h"

#include <cmocka.h>

#define STEPS	100000
#define SEC	(u64)NSEC_PER_SEC

static u64 seed;

static u64 next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static u64 random_bits(unsigned int bits)
{
	return next_random() >> (64 - bits);
}

/* A register of any width, followed for as long as it can be: no count is lost. */
static void widen_follows(void **state)
{
	unsigned int bits;

	(void)state;
	seed = 11;
	for (bits = 8; bits <= 64; bits++) {
		u64 mask = ~0ULL >> (64 - bits);
		u64 rate = 1 + next_random() % 1000000;
		u64 value = next_random(), now = 0;
		struct asc_widen w;
		int i;

		asc_widen_init(&w, bits, rate, value, now);
		for (i = 0; i < 2000; i++) {
			u64 pause = next_random() % min_t(u64, w.safe_ns, 100 * SEC);

			now += pause;
			value += (u64)((unsigned __int128)rate * pause / NSEC_PER_SEC);
			assert_int_equal(asc_widen(&w, value & mask, now), 0);
			assert_true(w.total == value);
		}
	}
}

/* Any two readings at any two times: a verdict, and never a step back.
 * (Each statement takes one random number: the order of two is the compiler's.)
 */
static void widen_takes_anything(void **state)
{
	struct asc_widen w;
	u64 now = 0, last, pause;
	int i;

	(void)state;
	seed = 12;
	for (i = 0; i < STEPS; i++) {
		if (i % 100 == 0) {
			unsigned int bits = 1 + (unsigned int)(next_random() % 48);
			u64 rate = 1 + next_random() % ASC_WIDEN_RATE_MAX;

			now = next_random() % SEC;
			asc_widen_init(&w, bits, rate, next_random() >> 8, now);
		}
		last = w.total;
		pause = next_random();
		now += pause >> (next_random() % 60 + 4);
		switch (asc_widen(&w, next_random(), now)) {
		case 0:
		case -EOVERFLOW:
			assert_true(w.total >= last && w.total - last <= w.mask);
			break;
		case -ERANGE:
			assert_true(w.total == last);
			break;
		default:
			fail();
		}
	}
}

/* Against a model that walks tick by tick. */
static void pacing_against_model(void **state)
{
	int run;

	(void)state;
	seed = 13;
	for (run = 0; run < 500; run++) {
		u64 period = (u64)ASC_PERIOD_MIN + next_random() % (5 * NSEC_PER_MSEC);
		u64 start = random_bits(56), now = start, served = 1, due, k = 0;
		struct asc_pace pace = { .period = 0 };
		int i;

		asc_pace_start(&pace, period, start);
		for (i = 0; i < 200; i++) {
			u64 deadline = asc_pace_deadline(&pace);

			assert_true((deadline - start) % period == 0 && deadline > start + k * period);
			now = max_t(u64, now, deadline) + next_random() % (4 * period);
			asc_pace_tick(&pace, now);
			served++;
			k = pace.tick;
			assert_true(start + k * period <= now);
			assert_true(asc_pace_deadline(&pace) > now);
			assert_true(served + pace.missed + pace.throttled == k + 1);
			asc_pace_cost(&pace, next_random() % (period / 2));
			assert_true(asc_pace_effective(&pace) <= (u64)ASC_PERIOD_MAX);
			assert_true(asc_pace_position(&pace, now) >= k * period);
			assert_true(asc_pace_position(&pace, next_random() % now) >= k * period);
		}
		now += next_random() % (10 * period);
		asc_pace_finish(&pace, now);
		for (due = 0; start + (due + 1) * period <= now; )
			due++;
		assert_true(served + pace.missed + pace.throttled == due + 1);
	}
}

static void sized_roundtrip(void **state)
{
	u8 theirs[64], ours[32], back[64];
	int i;

	(void)state;
	seed = 14;
	for (i = 0; i < STEPS; i++) {
		size_t given = next_random() % 65, size = next_random() % 33, k;
		bool set = false;

		for (k = 0; k < 64; k++)
			theirs[k] = next_random() % 8 ? 0 : (u8)next_random();
		for (k = size; k < given; k++)
			set |= theirs[k] != 0;
		memset(ours, 0xaa, sizeof(ours));
		assert_int_equal(asc_sized_in(ours, size, theirs, given), set ? -E2BIG : 0);
		if (set)
			continue;
		for (k = 0; k < size; k++)
			assert_int_equal(ours[k], k < given ? theirs[k] : 0);
		for (k = size; k < sizeof(ours); k++)
			assert_int_equal(ours[k], 0xaa);
		memset(back, 0xbb, sizeof(back));
		asc_sized_out(back, given, ours, size);
		assert_memory_equal(back, theirs, given);
		for (k = given; k < sizeof(back); k++)
			assert_int_equal(back[k], 0xbb);
	}
}

/* Any request: what is accepted is within every bound. */
static void policy_takes_anything(void **state)
{
	const struct asc_limits limits = {
		.max_ring = 1 << 26, .max_total = 1 << 28, .max_streams = 32, .page = 4096,
	};
	unsigned int accepted = 0;
	int i;

	(void)state;
	seed = 15;
	for (i = 0; i < STEPS; i++) {
		struct ascprof_stream_create req = {
			.flags = random_bits(3),
			.ring_bytes = random_bits(4) % 4 ? 1ULL << random_bits(6) : random_bits(64),
			.watermark = random_bits(24),
			.period_ns = random_bits(31),
		};
		const struct asc_usage usage = {
			.total = random_bits(28),
			.streams = (u32)random_bits(6),
		};
		bool capable = random_bits(1);

		if (asc_policy_stream(&req, capable, &limits, &usage))
			continue;
		accepted++;
		assert_true(req.ring_bytes >= 4096 && req.ring_bytes <= limits.max_ring);
		assert_true((req.ring_bytes & (req.ring_bytes - 1)) == 0);
		assert_true(req.watermark <= req.ring_bytes);
		assert_true(req.period_ns >= (capable ? 100000 : 10000000));
		assert_true(req.period_ns <= 1000000000);
		assert_true(req.flags <= 3 && usage.streams < 32);
		assert_true(req.ring_bytes + usage.total <= limits.max_total);
	}
	assert_true(accepted > 100);
}

/* The numbers of a century: no overflow, no step back. */
static void sim_long_run(void **state)
{
	struct asc_sim_event event;
	u32 i;

	(void)state;
	for (i = 0; i < asc_sim_nr_events(); i++) {
		u64 t, value, last = 0;

		assert_int_equal(asc_sim_event(i, &event), 0);
		for (t = 0; t < 200; t++) {
			value = asc_sim_value(1, i % ASC_SIM_DEVICES, &event, t * 182 * 86400 * SEC);
			if (event.rate)
				assert_true(value >= last);
			last = value;
		}
	}
}

/* The simulated source as the module reads it: through registers of its width. */
static void sim_through_registers(void **state)
{
	struct asc_sim_event event;
	u32 i, step;

	(void)state;
	seed = 17;
	for (i = 0; i < asc_sim_nr_events(); i++) {
		struct asc_widen w;
		u64 t = 0;

		assert_int_equal(asc_sim_event(i, &event), 0);
		if (!event.rate)
			continue;
		asc_widen_init(&w, event.bits, event.rate, asc_sim_value(3, 2, &event, t), 0);
		for (step = 0; step < 3000; step++) {
			u64 value;

			/* from a nanosecond to a second */
			t += 1 + random_bits(step % 30 + 1);
			value = asc_sim_value(3, 2, &event, t);
			assert_int_equal(asc_widen(&w, value & w.mask, asc_sim_time(t)), 0);
			assert_true(w.total == value);
		}
	}
}

static void wake_thresholds(void **state)
{
	int i;

	(void)state;
	seed = 16;
	for (i = 0; i < STEPS; i++) {
		u64 unread = next_random() % 513 * 8, latency = next_random() % 2 * 1000;
		u64 since = next_random() >> 1, now = since + next_random() % 2000;
		u64 mark = 1 + next_random() % 4096;
		struct asc_ring ring = { .size = 4096, .head = unread, .waiting_since = since };
		bool want = unread >= mark || (latency && unread && now - since >= latency);

		assert_int_equal(asc_wake_mask(&ring, ASCPROF_STATE_RUNNING, mark, latency, now),
				 want ? ASC_WAKE_IN : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widen_follows),
		cmocka_unit_test(widen_takes_anything),
		cmocka_unit_test(pacing_against_model),
		cmocka_unit_test(sized_roundtrip),
		cmocka_unit_test(policy_takes_anything),
		cmocka_unit_test(sim_long_run),
		cmocka_unit_test(sim_through_registers),
		cmocka_unit_test(wake_thresholds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
