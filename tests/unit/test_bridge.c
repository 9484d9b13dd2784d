// SPDX-License-Identifier: Apache-2.0
/* The bridge: records of the vendor's channels, and the device's clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/bridge_clock.h"
#include "tools/bridge_decode.h"
#include "tools/bridge_feed.h"

#define S 1000000000ull

static void put(uint8_t *p, size_t offset, size_t size, uint64_t value)
{
	memcpy(p + offset, &value, size);
}

static void expect_one(enum bridge_kind kind, const uint8_t *bytes, uint64_t stamp, struct bridge_value value)
{
	struct bridge_record r;

	assert_true(bridge_decode(kind, bytes, &r));
	assert_int_equal(r.nr, 1);
	assert_int_equal(r.stamp, stamp);
	assert_int_equal(r.value[0].event_class, value.event_class);
	assert_int_equal(r.value[0].unit, value.unit);
	assert_int_equal(r.value[0].event, value.event);
	assert_int_equal(r.value[0].gauge, value.gauge);
	assert_int_equal(r.value[0].amount, value.amount);
}

static void test_simple_records(void **state)
{
	uint8_t hbm1[24] = { 0 }, hbm2[32] = { 0 }, ddr[20] = { 0 }, llc1[24] = { 0 }, llc2[24] = { 0 };

	(void)state;
	put(hbm1, 0, 8, 777);
	put(hbm1, 8, 8, 1ull << 40);
	put(hbm1, 16, 4, 1);
	put(hbm1, 20, 4, 3);
	expect_one(BRIDGE_HBM1, hbm1, 777, (struct bridge_value){ ASCPROF_CLASS_HBM, 3, 1, false, 1ull << 40 });

	put(hbm2, 8, 4, 1);
	put(hbm2, 12, 4, 2);
	put(hbm2, 16, 8, 99);
	put(hbm2, 24, 8, 5 * S);
	expect_one(BRIDGE_HBM2, hbm2, 5 * S, (struct bridge_value){ ASCPROF_CLASS_HBM, 2, 1, false, 99 });

	put(ddr, 0, 4, 0xffffffff);
	put(ddr, 4, 4, 0xfffffffe);
	put(ddr, 12, 4, 1);
	put(ddr, 16, 4, 0xffffffff);
	expect_one(BRIDGE_DDR, ddr, 0xffffffff,
		   (struct bridge_value){ ASCPROF_CLASS_OTHER, 1, 0, false, 0xfffffffe });

	put(llc1, 0, 8, 5);
	put(llc1, 8, 8, 6);
	put(llc1, 16, 4, 0x36);
	put(llc1, 20, 4, 1);
	expect_one(BRIDGE_LLC1, llc1, 5, (struct bridge_value){ ASCPROF_CLASS_LLC, 1, 0x36, false, 6 });

	put(llc2, 4, 4, 7);
	put(llc2, 8, 4, 0x13);
	put(llc2, 12, 4, 1);
	put(llc2, 16, 8, 8);
	expect_one(BRIDGE_LLC2, llc2, 8, (struct bridge_value){ ASCPROF_CLASS_LLC, 1, 0x13, false, 7 });
}

static void test_no_records(void **state)
{
	struct bridge_record r;
	uint8_t bytes[BRIDGE_RECORD_MAX];

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	for (int kind = 0; kind < BRIDGE_KINDS; kind++)
		assert_false(bridge_decode((enum bridge_kind)kind, bytes, &r));
	/* a master's own share */
	memset(bytes, 0, sizeof(bytes));
	assert_false(bridge_decode(BRIDGE_DDR, bytes, &r));
	/* the wrong magic */
	put(bytes, 0, 2, 0x1a);
	put(bytes, 2, 2, 0x6bd2);
	assert_false(bridge_decode(BRIDGE_SOC, bytes, &r));
	put(bytes, 2, 2, 0x6bd3);
	assert_true(bridge_decode(BRIDGE_SOC, bytes, &r));
	/* one that has no counters of ours */
	put(bytes, 0, 2, 0x1d);
	assert_true(bridge_decode(BRIDGE_SOC, bytes, &r));
	assert_int_equal(r.nr, 0);
}

static void test_soc_records(void **state)
{
	struct bridge_record r;
	uint8_t bytes[64] = { 0 };

	(void)state;
	put(bytes, 0, 2, 0x1a);
	put(bytes, 2, 2, 0x6bd3);
	put(bytes, 8, 8, 1234);
	put(bytes, 18, 2, 2);
	for (unsigned int i = 0; i < 4; i++)
		put(bytes, 32 + 8 * i, 8, 10 + i);
	assert_true(bridge_decode(BRIDGE_SOC, bytes, &r));
	assert_int_equal(r.nr, 4);
	assert_int_equal(r.stamp, 1234);
	assert_int_equal(r.value[0].event, ASCPROF_SIM_ACC_WRITE);
	assert_int_equal(r.value[0].amount, 10);
	assert_int_equal(r.value[1].event, ASCPROF_SIM_ACC_READ);
	assert_int_equal(r.value[3].event, ASCPROF_SIM_ACC_READ_OST);
	assert_int_equal(r.value[3].unit, 2);
	assert_true(r.value[3].gauge && !r.value[1].gauge);

	put(bytes, 0, 2, 0x1c);
	put(bytes, 32, 2, 0x7fd); /* levels 5 and 255 */
	assert_true(bridge_decode(BRIDGE_SOC, bytes, &r));
	assert_int_equal(r.nr, 2);
	assert_int_equal(r.value[0].amount, 5);
	assert_int_equal(r.value[1].amount, 255);

	put(bytes, 0, 2, 0x22 << 10 | 0x1b);
	put(bytes, 32, 8, 100);
	put(bytes, 40, 8, 200);
	assert_true(bridge_decode(BRIDGE_SOC, bytes, &r));
	assert_int_equal(r.nr, 2);
	assert_int_equal(r.value[0].event, ASCPROF_SIM_SOC_PCIE_WRITE);
	assert_int_equal(r.value[1].amount, 200);
	put(bytes, 0, 2, 0x3f << 10 | 0x1b);
	assert_true(bridge_decode(BRIDGE_SOC, bytes, &r));
	assert_int_equal(r.value[0].event, ASCPROF_SIM_SOC_LINK_RX);

	put(bytes, 0, 2, 0x19);
	put(bytes, 18, 2, 1);
	for (unsigned int i = 0; i < 8; i++)
		put(bytes, 32 + 4 * i, 4, 50 + i);
	assert_true(bridge_decode(BRIDGE_SOC, bytes, &r));
	assert_int_equal(r.nr, 8);
	assert_int_equal(r.value[7].event, 7);
	assert_int_equal(r.value[7].amount, 57);
	assert_int_equal(r.value[7].unit, 1);
}

static void test_aicore_records(void **state)
{
	struct bridge_record r;
	struct ascprof_event e;
	uint8_t bytes[96] = { 0 };

	(void)state;
	for (unsigned int i = 0; i < 9; i++)
		put(bytes, 8 + 8 * i, 8, 1000 + i);
	put(bytes, 80, 8, 4321);
	put(bytes, 88, 1, 8);
	put(bytes, 89, 1, 17);
	assert_true(bridge_decode(BRIDGE_AICORE, bytes, &r));
	assert_int_equal(r.nr, 9);
	assert_int_equal(r.stamp, 4321);
	assert_int_equal(r.value[8].amount, 1008);
	bridge_describe(BRIDGE_AICORE, &r.value[0], &e);
	assert_string_equal(e.name, "aicore17_vec_busy");
	bridge_describe(BRIDGE_AICORE, &r.value[8], &e);
	assert_string_equal(e.name, "aicore17_task_cycles");
}

/* Whatever a record says, its counter can be described. */
static void test_describe_anything(void **state)
{
	struct bridge_record r;
	uint8_t bytes[BRIDGE_RECORD_MAX];
	unsigned int described = 0;

	(void)state;
	srand(7);
	for (int i = 0; i < 200000; i++) {
		enum bridge_kind kind = (enum bridge_kind)(i % BRIDGE_KINDS);

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)(rand() % 3 ? 0 : rand());
		put(bytes, 2, 2, 0x6bd3);
		if (!bridge_decode(kind, bytes, &r))
			continue;
		assert_true(r.nr <= BRIDGE_VALUES);
		for (unsigned int v = 0; v < r.nr; v++) {
			struct ascprof_event e;

			bridge_describe(kind, &r.value[v], &e);
			assert_true(e.name[0] && e.unit[0] && e.scale_num && e.scale_den);
			assert_int_equal(e.source_id + e.index, 0);
			described++;
		}
	}
	assert_true(described > 1000);
}

/* Records that are late by 1 ms to 20 ms; the device's clock is 40 ppm fast. */
static void test_clock(void **state)
{
	const uint64_t begin = 5000 * S;
	struct bridge_clock c;
	uint64_t last = 0;
	int64_t worst = 0;

	(void)state;
	srand(3);
	bridge_clock_init(&c, 50000000);
	for (uint64_t ms = 10; ms < 120000; ms += 10) {
		uint64_t real = begin + ms * 1000000;
		uint64_t stamp = 123456789 + (ms * 50000) + ms * 50000 / 25000;
		uint64_t arrival = real + 1000000 + (uint64_t)(rand() % 19000000);
		uint64_t host;

		bridge_clock_see(&c, stamp, arrival);
		host = bridge_clock_host(&c, stamp, arrival);
		assert_true(host > last && host <= arrival);
		last = host;
		if (ms > 30000 && llabs((int64_t)(host - real) - 1000000) > worst)
			worst = llabs((int64_t)(host - real) - 1000000);
	}
	/* within a millisecond of the least delay, though single records are 20 late */
	assert_true(worst < 1000000);
	assert_in_range(-bridge_clock_drift(&c), 30000, 50000);
}

static void test_clock_never_goes_back(void **state)
{
	struct bridge_clock c;
	uint64_t now = 77 * S, last = 0, host;

	(void)state;
	srand(5);
	bridge_clock_init(&c, 1000000);
	for (int i = 0; i < 100000; i++) {
		uint64_t stamp = 1000 + (uint64_t)(i * 100 + rand() % 1000 - 500);

		now += (uint64_t)(rand() % 1000000);
		bridge_clock_see(&c, stamp, now);
		host = bridge_clock_host(&c, stamp, now);
		assert_true(!host || (host > last && host <= now));
		if (host)
			last = host;
	}
	/* no time left: two stamps at one moment of the host */
	host = bridge_clock_host(&c, 1ull << 40, now);
	assert_true(!host || host <= now);
	assert_int_equal(bridge_clock_host(&c, (1ull << 40) + 1, now), 0);
}

/* Without a module: the account of what came holds, however it is cut. */
static void test_pieces(void **state)
{
	uint8_t bytes[24 * 40] = { 0 };
	struct bridge_feed whole, cut;

	(void)state;
	for (unsigned int i = 0; i < 40; i++) {
		put(bytes + 24 * i, 0, 8, 1000 * (i / 8 + 1));
		put(bytes + 24 * i, 8, 8, i + 1);
		put(bytes + 24 * i, 16, 4, i % 2);
		put(bytes + 24 * i, 20, 4, i / 2 % 4);
	}
	assert_int_equal(bridge_feed_init(&whole, BRIDGE_HBM1, "hbm", 0, 1000, 1), 0);
	assert_int_equal(bridge_feed_init(&cut, BRIDGE_HBM1, "hbm", 0, 1000, 1), 0);
	assert_int_equal(bridge_feed_take(&whole, -1, bytes, sizeof(bytes), S), 0);
	srand(11);
	for (size_t at = 0; at < sizeof(bytes);) {
		size_t len = 1 + (size_t)rand() % 60;

		if (len > sizeof(bytes) - at)
			len = sizeof(bytes) - at;
		assert_int_equal(bridge_feed_take(&cut, -1, bytes + at, len, S), 0);
		at += len;
	}
	assert_int_equal(whole.records, 40);
	assert_int_equal(cut.records, 40);
	assert_int_equal(whole.nr, 8);
	assert_int_equal(cut.nr, 8);
	for (unsigned int i = 0; i < 8; i++) {
		assert_int_equal(whole.sample->value[i], 5 * (i + 1) + 80);
		assert_int_equal(cut.sample->value[i], whole.sample->value[i]);
	}
	bridge_feed_close(&whole);
	bridge_feed_close(&cut);
}

static void hbm_row(struct bridge_feed *f, uint64_t k, uint32_t event, uint64_t amount)
{
	uint8_t bytes[24] = { 0 };

	put(bytes, 0, 8, 1000 * k);
	put(bytes, 8, 8, amount);
	put(bytes, 16, 4, event);
	assert_int_equal(bridge_feed_take(f, -1, bytes, sizeof(bytes), 100 * S + k * S), 0);
}

static void expect_sample(int fd, uint64_t stamp, uint64_t first, uint64_t second)
{
	uint64_t room[5];
	struct ascprof_user_sample *s = (void *)room;

	assert_int_equal(read(fd, room, sizeof(room)), sizeof(room));
	assert_int_equal(s->len, sizeof(room));
	assert_int_equal(s->nr, 2);
	assert_int_equal(s->t_device, stamp);
	assert_true(s->t_raw > 0);
	assert_int_equal(s->value[0], first);
	assert_int_equal(s->value[1], second);
}

/*
 * Many stamps in one piece, each of which was quicker than all before: every one is a moment of its own, not later
 * than that of the piece.
 */
static void test_many_at_once(void **state)
{
	uint8_t bytes[20 * 2 * 8] = { 0 };
	struct bridge_feed f;
	uint64_t last = 0;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(bridge_feed_init(&f, BRIDGE_DDR, "ddr", 0, 10, 1), 0);
	for (unsigned int i = 0; i < 16; i++) {
		put(bytes + 20 * i, 0, 4, 10000 * (i / 2 + 1)); /* us */
		put(bytes + 20 * i, 4, 4, i + 1);
		put(bytes + 20 * i, 8, 4, i % 2);
		put(bytes + 20 * i, 16, 4, 0xffffffff);
	}
	/* the first comes half a second late, the others 100 ms and more after it; a record is cut */
	assert_int_equal(bridge_feed_take(&f, -1, bytes, 2 * 20, 100 * S + 510000000), 0);
	f.source = fds[1];
	assert_int_equal(bridge_feed_take(&f, -1, bytes + 2 * 20, 7, 100 * S + 510000001), 0);
	assert_int_equal(bridge_feed_take(&f, -1, bytes + 2 * 20 + 7, sizeof(bytes) - 2 * 20 - 7, 100 * S + 515000000), 0);
	assert_int_equal(bridge_feed_finish(&f, -1, 100 * S + 516000000), 0);
	assert_int_equal(f.refused, 0);
	assert_int_equal(f.samples, 8);
	for (unsigned int i = 1; i <= 8; i++) {
		uint64_t room[5];
		struct ascprof_user_sample *s = (void *)room;

		assert_int_equal(read(fds[0], room, sizeof(room)), sizeof(room));
		assert_int_equal(s->t_device, 10000 * i);
		assert_in_range(s->t_raw, last + 1, 100 * S + 516000000);
		last = s->t_raw;
	}
	close(fds[0]);
	bridge_feed_close(&f);
}

/* A sample is written when the next stamp begins; the last only if it is whole. */
static void test_samples(void **state)
{
	struct bridge_feed f;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	for (int whole = 0; whole < 2; whole++) {
		assert_int_equal(bridge_feed_init(&f, BRIDGE_HBM1, "hbm", 0, 1000, 1), 0);
		hbm_row(&f, 1, 0, 5);
		hbm_row(&f, 1, 1, 7);
		f.source = dup(fds[1]);
		hbm_row(&f, 2, 0, 10);
		hbm_row(&f, 2, 1, 20);
		expect_sample(fds[0], 1000, 5, 7);
		hbm_row(&f, 3, 0, 100);
		expect_sample(fds[0], 2000, 15, 27);
		if (whole)
			hbm_row(&f, 3, 1, 200);
		assert_int_equal(bridge_feed_finish(&f, -1, 200 * S), 0);
		if (whole)
			expect_sample(fds[0], 3000, 115, 227);
		assert_int_equal(f.samples, 2 + whole);
		assert_int_equal(f.refused + f.unknown + f.bad, 0);
		bridge_feed_close(&f);
	}
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simple_records),
		cmocka_unit_test(test_no_records),
		cmocka_unit_test(test_soc_records),
		cmocka_unit_test(test_aicore_records),
		cmocka_unit_test(test_describe_anything),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_clock_never_goes_back),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_many_at_once), cmocka_unit_test(test_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
