// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulated counters: the same numbers every time, and plausible ones.
 */
#include "kmod/core/sim.h"
#include "kmod/core/widen.h"
#include "suites.h"

#define MS	((u64)NSEC_PER_MSEC)
#define SEC	((u64)NSEC_PER_SEC)

static u64 llc(u32 slice, u32 code, u64 elapsed)
{
	struct asc_sim_event event;

	if (asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, slice, code), &event))
		return 0;
	return asc_sim_value(1, 0, &event, elapsed);
}

static void sim_offers_what_the_header_says(struct kunit *test)
{
	struct asc_sim_event event;
	u32 i, k, of[ASCPROF_CLASS_OTHER + 1] = { 0 };

	for (i = 0; i < asc_sim_nr_events(); i++) {
		KUNIT_ASSERT_EQ(test, asc_sim_event(i, &event), 0);
		KUNIT_ASSERT_LE(test, event.event.event_class, (u32)ASCPROF_CLASS_OTHER);
		of[event.event.event_class]++;
	}
	KUNIT_EXPECT_EQ(test, of[ASCPROF_CLASS_LLC], 14U * ASCPROF_SIM_LLC_SLICES);
	KUNIT_EXPECT_EQ(test, of[ASCPROF_CLASS_HBM], 2U * ASCPROF_SIM_HBM_UNITS);
	KUNIT_EXPECT_EQ(test, of[ASCPROF_CLASS_SOC], 8U * ASCPROF_SIM_DIES + 6);
	KUNIT_EXPECT_EQ(test, of[ASCPROF_CLASS_ACC], 4U * ASCPROF_SIM_ACCELERATORS);
	KUNIT_EXPECT_EQ(test, asc_sim_event(i, &event), -EINVAL);
	for (k = 0; k < 8; k++) {
		static const u32 read[] = { 0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36 };
		static const u32 write[] = { 0x00, 0x01, 0x03, 0x14, 0x21, 0x23, 0x35, 0x37 };

		KUNIT_EXPECT_EQ(test, asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 1,
								      read[k]), &event), 0);
		KUNIT_EXPECT_EQ(test, asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 1,
								      write[k]), &event), 0);
	}
}

static void sim_finds_what_it_lists(struct kunit *test)
{
	struct asc_sim_event listed, found;
	u32 i;

	for (i = 0; i < asc_sim_nr_events(); i++) {
		asc_sim_event(i, &listed);
		KUNIT_ASSERT_EQ(test, asc_sim_find(listed.event.config, &found), 0);
		KUNIT_EXPECT_EQ(test, memcmp(&listed, &found, sizeof(found)), 0);
	}
}

static void sim_finds_nothing_else(struct kunit *test)
{
	static const u64 bad[] = {
		0, ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 2, 0),
		ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 0, 4),
		ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 4, 0),
		ASCPROF_SIM_CONFIG(ASCPROF_CLASS_SOC, 1, 0x10),
		ASCPROF_SIM_CONFIG(ASCPROF_CLASS_OTHER, 0, 0),
		1ULL << 63 | ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 0, 0), U64_MAX,
	};
	struct asc_sim_event event;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ(test, asc_sim_find(bad[i], &event), -ENOENT);
}

static void sim_names_differ(struct kunit *test)
{
	struct asc_sim_event a, b;
	u32 i, k;

	for (i = 0; i < asc_sim_nr_events(); i++) {
		asc_sim_event(i, &a);
		for (k = 0; k < i; k++) {
			asc_sim_event(k, &b);
			KUNIT_ASSERT_NE(test, strcmp(a.event.name, b.event.name), 0);
		}
	}
}

/* These numbers are a promise: the same seed gives them on every machine. */
static void sim_known_values(struct kunit *test)
{
	struct asc_sim_event event;

	asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, ASCPROF_SIM_HBM_READ), &event);
	KUNIT_EXPECT_EQ(test, asc_sim_value(1, 0, &event, 0), 281474975817021ULL);
	KUNIT_EXPECT_EQ(test, asc_sim_value(1, 0, &event, SEC), 281474996831182ULL);
	KUNIT_EXPECT_EQ(test, asc_sim_value(1, 0, &event, 3600 * SEC), 281549143133658ULL);
}

static void sim_seed_and_device_matter(struct kunit *test)
{
	struct asc_sim_event event;
	u32 i, same = 0;

	for (i = 0; i < asc_sim_nr_events(); i++) {
		u64 value;

		asc_sim_event(i, &event);
		if (!event.rate)
			continue;
		value = asc_sim_value(1, 0, &event, SEC);
		same += value == asc_sim_value(2, 0, &event, SEC);
		same += value == asc_sim_value(1, 1, &event, SEC);
	}
	KUNIT_EXPECT_LT(test, same, 3U);
}

static void sim_counters_only_grow(struct kunit *test)
{
	struct asc_sim_event event;
	u32 i;

	for (i = 0; i < asc_sim_nr_events(); i++) {
		u64 t, last, value;

		asc_sim_event(i, &event);
		if (!event.rate)
			continue;
		last = asc_sim_value(7, 3, &event, 0);
		for (t = 0; t < 8000 * MS; t += 777777) {
			value = asc_sim_value(7, 3, &event, t);
			KUNIT_ASSERT_GE(test, value, last);
			/* ... and never faster than the hardware could */
			KUNIT_ASSERT_LE(test, value - last, event.rate / 1000 + 1);
			last = value;
		}
	}
}

static void sim_rate_does_not_depend_on_the_period(struct kunit *test)
{
	struct asc_sim_event event;
	u64 begin, end, sum = 0, t;

	asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 1, 1), &event);
	begin = asc_sim_value(1, 0, &event, 0);
	end = asc_sim_value(1, 0, &event, 10 * SEC);
	for (t = 0; t < 10 * SEC; t += 20 * MS)
		sum += asc_sim_value(1, 0, &event, t + 20 * MS) - asc_sim_value(1, 0, &event, t);
	KUNIT_EXPECT_EQ(test, sum, end - begin);
}

static void sim_hits_never_exceed_requests(struct kunit *test)
{
	u32 slice;
	u64 t;

	for (slice = 0; slice < ASCPROF_SIM_LLC_SLICES; slice++) {
		for (t = 0; t < 10 * SEC; t += 20 * MS) {
			u64 u = t + 20 * MS;
			u64 hits, requests;

			hits = llc(slice, 0x02, u) - llc(slice, 0x02, t) +
			       llc(slice, 0x13, u) - llc(slice, 0x13, t) +
			       llc(slice, 0x22, u) - llc(slice, 0x22, t) +
			       llc(slice, 0x36, u) - llc(slice, 0x36, t);
			requests = llc(slice, 0x20, u) - llc(slice, 0x20, t) +
				   llc(slice, 0x34, u) - llc(slice, 0x34, t);
			KUNIT_ASSERT_GT(test, hits, 0ULL);
			KUNIT_ASSERT_LE(test, hits, requests);

			hits = llc(slice, 0x03, u) - llc(slice, 0x03, t) +
			       llc(slice, 0x14, u) - llc(slice, 0x14, t) +
			       llc(slice, 0x23, u) - llc(slice, 0x23, t) +
			       llc(slice, 0x37, u) - llc(slice, 0x37, t);
			requests = llc(slice, 0x21, u) - llc(slice, 0x21, t) +
				   llc(slice, 0x35, u) - llc(slice, 0x35, t);
			KUNIT_ASSERT_LE(test, hits, requests);
		}
	}
}

static void sim_bandwidth_is_plausible(struct kunit *test)
{
	struct asc_sim_event event;
	u32 device, unit, rw;

	for (device = 0; device < ASC_SIM_DEVICES; device++) {
		for (unit = 0; unit < ASCPROF_SIM_HBM_UNITS; unit++) {
			for (rw = 0; rw < 2; rw++) {
				u64 mb;

				asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, unit, rw),
					     &event);
				mb = (asc_sim_value(1, device, &event, 10 * SEC) -
				      asc_sim_value(1, device, &event, 0)) * 32 / 10 / 1000000;
				KUNIT_EXPECT_GT(test, mb, 300ULL);
				KUNIT_EXPECT_LT(test, mb, 2000ULL);
			}
		}
	}
}

static void sim_narrow_registers_wrap_soon(struct kunit *test)
{
	struct asc_sim_event event;
	u32 i, wrapped = 0;

	for (i = 0; i < asc_sim_nr_events(); i++) {
		asc_sim_event(i, &event);
		if (event.bits == 48)
			wrapped += (asc_sim_value(1, 0, &event, 0) >> 48) !=
				   (asc_sim_value(1, 0, &event, SEC) >> 48);
	}
	KUNIT_EXPECT_GT(test, wrapped, 0U);
}

static void sim_levels_stay_inside(struct kunit *test)
{
	static const struct {
		u64 config;
		u64 most;
	} gauges[] = {
		{ ASCPROF_SIM_CONFIG(ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_MATA_LEVEL), 7 },
		{ ASCPROF_SIM_CONFIG(ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_L2_LEVEL), 255 },
		{ ASCPROF_SIM_CONFIG(ASCPROF_CLASS_ACC, 2, ASCPROF_SIM_ACC_READ_OST), 63 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gauges); i++) {
		struct asc_sim_event event;
		u64 t, value, low = U64_MAX, high = 0;

		KUNIT_ASSERT_EQ(test, asc_sim_find(gauges[i].config, &event), 0);
		KUNIT_EXPECT_EQ(test, event.event.value_kind, (u32)ASCPROF_VALUE_GAUGE);
		for (t = 0; t < 5 * SEC; t += MS) {
			value = asc_sim_value(1, 0, &event, t);
			low = min(low, value);
			high = max(high, value);
		}
		KUNIT_EXPECT_EQ(test, low, 0ULL);
		KUNIT_EXPECT_EQ(test, high, gauges[i].most);
	}
}

static struct asc_sim_event hbm_read(void)
{
	struct asc_sim_event event;

	if (asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, 0), &event))
		memset(&event, 0, sizeof(event));
	return event;
}

static u64 faulty(const struct asc_sim_fault *fault, u64 elapsed)
{
	struct asc_sim_event event = hbm_read();

	return asc_sim_register(1, 0, &event, fault, elapsed);
}

static void sim_fault_arguments(struct kunit *test)
{
	static const struct {
		u64 kind;
		u64 arg;
		int counter;
		int level;
	} want[] = {
		{ ASCPROF_SIM_FAULT_NONE, 0, 0, 0 },
		{ ASCPROF_SIM_FAULT_NONE, 1, -EINVAL, -EINVAL },
		{ ASCPROF_SIM_FAULT_STUCK, 0, 0, 0 },
		{ ASCPROF_SIM_FAULT_STUCK, U64_MAX, 0, 0 },
		{ ASCPROF_SIM_FAULT_WRAP, 0, -EINVAL, -EINVAL },
		{ ASCPROF_SIM_FAULT_WRAP, 1, -EINVAL, -EINVAL },
		{ ASCPROF_SIM_FAULT_WRAP, 2, 0, -EINVAL },
		{ ASCPROF_SIM_FAULT_WRAP, 1000, -EINVAL, -EINVAL },
		{ ASCPROF_SIM_FAULT_WRAP, 1ULL << 63, 0, -EINVAL },
		{ ASCPROF_SIM_FAULT_BACK, 999999, -EINVAL, -EINVAL },
		{ ASCPROF_SIM_FAULT_BACK, 1000000, 0, -EINVAL },
		{ ASCPROF_SIM_FAULT_BACK, U64_MAX, 0, -EINVAL },
		{ ASCPROF_SIM_FAULT_SLOW, 0, 0, 0 },
		{ ASCPROF_SIM_FAULT_SLOW, 10000000, 0, 0 },
		{ ASCPROF_SIM_FAULT_SLOW, 10000001, -EINVAL, -EINVAL },
		{ 5, 0, -EINVAL, -EINVAL },
		{ 1ULL << 32, 0, -EINVAL, -EINVAL },
		{ U64_MAX, U64_MAX, -EINVAL, -EINVAL },
	};
	struct asc_sim_event counter = hbm_read(), level;
	struct asc_sim_fault fault;
	size_t i;

	asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_L2_LEVEL), &level);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		KUNIT_EXPECT_EQ(test, asc_sim_fault(&counter, want[i].kind, want[i].arg, &fault),
				want[i].counter);
		KUNIT_EXPECT_EQ(test, asc_sim_fault(&level, want[i].kind, want[i].arg, &fault),
				want[i].level);
	}
}

static void sim_no_fault(struct kunit *test)
{
	const struct asc_sim_fault none = { .kind = ASCPROF_SIM_FAULT_NONE };
	const struct asc_sim_fault slow = { .kind = ASCPROF_SIM_FAULT_SLOW, .arg = MS };
	struct asc_sim_event event = hbm_read();
	u64 t;

	KUNIT_EXPECT_EQ(test, asc_sim_bits(&event, &none), event.bits);
	for (t = 0; t < 5 * SEC; t += 33 * MS) {
		KUNIT_EXPECT_EQ(test, faulty(&none, t), asc_sim_value(1, 0, &event, t));
		KUNIT_EXPECT_EQ(test, faulty(&slow, t), asc_sim_value(1, 0, &event, t));
	}
}

static void sim_fault_stuck(struct kunit *test)
{
	const struct asc_sim_fault stuck = { .kind = ASCPROF_SIM_FAULT_STUCK, .arg = SEC };
	struct asc_sim_event event = hbm_read();

	KUNIT_EXPECT_EQ(test, faulty(&stuck, SEC / 2), asc_sim_value(1, 0, &event, SEC / 2));
	KUNIT_EXPECT_EQ(test, faulty(&stuck, SEC), asc_sim_value(1, 0, &event, SEC));
	KUNIT_EXPECT_EQ(test, faulty(&stuck, SEC + 1), faulty(&stuck, SEC));
	KUNIT_EXPECT_EQ(test, faulty(&stuck, 3600 * SEC), faulty(&stuck, SEC));
}

/* Followed often enough, a register that wraps early loses nothing. */
static void sim_fault_wrap(struct kunit *test)
{
	const struct asc_sim_fault wrap = { .kind = ASCPROF_SIM_FAULT_WRAP, .arg = 1 << 24 };
	struct asc_sim_event event = hbm_read();
	struct asc_widen widen;
	u64 t, before, wraps = 0;

	KUNIT_EXPECT_EQ(test, asc_sim_bits(&event, &wrap), 24U);
	asc_widen_init(&widen, 24, event.rate, faulty(&wrap, 0), 0);
	for (t = 0; t < 5 * SEC; t += 10 * MS) {
		before = widen.last;
		KUNIT_ASSERT_EQ(test, asc_widen(&widen, faulty(&wrap, t) & widen.mask, t), 0);
		KUNIT_ASSERT_EQ(test, widen.total, asc_sim_value(1, 0, &event, t));
		wraps += widen.last < before;
	}
	KUNIT_EXPECT_GT(test, wraps, 2ULL);
	/* ... and too seldom, it is found out */
	KUNIT_EXPECT_EQ(test, asc_widen(&widen, faulty(&wrap, t + SEC) & widen.mask, t + SEC),
			-EOVERFLOW);
}

static void sim_fault_wrap_widths(struct kunit *test)
{
	struct asc_sim_event event = hbm_read();
	u32 bit;

	for (bit = 1; bit < 64; bit++) {
		struct asc_sim_fault wrap;

		KUNIT_ASSERT_EQ(test, asc_sim_fault(&event, ASCPROF_SIM_FAULT_WRAP, 1ULL << bit,
						    &wrap), 0);
		KUNIT_EXPECT_EQ(test, asc_sim_bits(&event, &wrap), bit);
	}
}

static void sim_fault_back(struct kunit *test)
{
	const struct asc_sim_fault back = { .kind = ASCPROF_SIM_FAULT_BACK, .arg = SEC };
	struct asc_sim_event event = hbm_read();
	struct asc_widen widen;
	u64 t, errors = 0, last = 0;

	KUNIT_EXPECT_EQ(test, faulty(&back, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, faulty(&back, 3 * SEC), 0ULL);
	KUNIT_EXPECT_EQ(test, faulty(&back, SEC - MS),
			asc_sim_value(1, 0, &event, SEC - MS) - asc_sim_value(1, 0, &event, 0));
	asc_widen_init(&widen, event.bits, event.rate, 0, 0);
	for (t = 0; t < 5 * SEC; t += 10 * MS) {
		int ret = asc_widen(&widen, faulty(&back, t) & widen.mask, t);

		if (ret) {
			KUNIT_EXPECT_EQ(test, ret, -ERANGE);
			KUNIT_EXPECT_EQ(test, widen.total, last);
			errors++;
		}
		KUNIT_ASSERT_GE(test, widen.total, last);
		last = widen.total;
	}
	KUNIT_EXPECT_EQ(test, errors, 4ULL);
}

static struct kunit_case sim_cases[] = {
	KUNIT_CASE(sim_offers_what_the_header_says),
	KUNIT_CASE(sim_finds_what_it_lists),
	KUNIT_CASE(sim_finds_nothing_else),
	KUNIT_CASE(sim_names_differ),
	KUNIT_CASE(sim_known_values),
	KUNIT_CASE(sim_seed_and_device_matter),
	KUNIT_CASE(sim_counters_only_grow),
	KUNIT_CASE(sim_rate_does_not_depend_on_the_period),
	KUNIT_CASE(sim_hits_never_exceed_requests),
	KUNIT_CASE(sim_bandwidth_is_plausible),
	KUNIT_CASE(sim_narrow_registers_wrap_soon),
	KUNIT_CASE(sim_levels_stay_inside),
	KUNIT_CASE(sim_fault_arguments),
	KUNIT_CASE(sim_no_fault),
	KUNIT_CASE(sim_fault_stuck),
	KUNIT_CASE(sim_fault_wrap),
	KUNIT_CASE(sim_fault_wrap_widths),
	KUNIT_CASE(sim_fault_back),
	{}
};

struct kunit_suite asc_sim_suite = {
	.name = "ascprof_sim",
	.test_cases = sim_cases,
};
