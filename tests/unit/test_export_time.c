// SPDX-License-Identifier: Apache-2.0
/* Time bases: exact integers, and the steps of the public parser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/timebase.h"

#define S 1000000000LL

static struct control base(void)
{
	return (struct control){
		.version = 1,
		.started = true,
		.begin_us = 1800000000000000,
		.begin_raw_ns = 5000 * S,
	};
}

static void test_nanoseconds(void **state)
{
	struct control c = base();
	struct timebase tb;

	(void)state;
	timebase_init(&tb, &c);
	assert_int_equal(timebase_raw(&tb, 5000 * S), 1800000000 * S);
	assert_int_equal(timebase_host(&tb, 5000 * S + 123), 1800000000 * S + 123);
	assert_int_equal(timebase_host(&tb, 0), 1800000000 * S - 5000 * S);
	assert_int_equal(timebase_parser_host(&tb, 5000 * S + 123), 1800000000 * S + 123);
}

static void test_ticks(void **state)
{
	struct control c = base();
	struct timebase tb;

	(void)state;
	c.host_log = true;
	c.host_rate = (struct control_rate){ 38.4e6, 38400000000000 };
	c.host_ns = 5000 * S;
	c.host_ticks = 123456789000;
	timebase_init(&tb, &c);
	assert_int_equal(timebase_host(&tb, c.host_ticks), 1800000000 * S);
	assert_int_equal(timebase_host(&tb, c.host_ticks + 38400000), 1800000001 * S);
	assert_int_equal(timebase_host(&tb, c.host_ticks - 38400000), 1799999999 * S);
	assert_int_equal(timebase_host(&tb, c.host_ticks + 1), 1800000000 * S + 26); /* 26.04 ns */
	assert_int_equal(timebase_parser_host(&tb, c.host_ticks + 38400000), 1800000001 * S);

	/* cntvct_diff is added as time */
	c.host_ticks_diff = 384;
	timebase_init(&tb, &c);
	assert_int_equal(timebase_host(&tb, c.host_ticks), 1800000000 * S + 10000);

	/* without host_start.log the rate does not count */
	c.host_log = false;
	timebase_init(&tb, &c);
	assert_int_equal(timebase_host(&tb, 5000 * S + 7), 1800000000 * S + 7);
}

static void test_samples(void **state)
{
	struct control c = base();
	struct timebase tb;

	(void)state;
	c.host_log = true;
	c.host_ns = 5000 * S + 250;
	c.device_ns = 7000 * S;
	c.device_ticks = 9000000000;
	c.device_rate = (struct control_rate){ 50e6, 50000000000000 };
	timebase_init(&tb, &c);
	assert_int_equal(timebase_sample(&tb, 20000), 1800000000 * S + 250 + 20000000);
	assert_int_equal(timebase_device(&tb, 9000000000 + 50), 1800000000 * S + 250 + 1000);
	assert_int_equal(timebase_device(&tb, 9000000000 - 50), 1800000000 * S + 250 - 1000);
	/* measured: the start is another 300 ns late, and the clock 20 ppm fast */
	timebase_measured(&tb, 9000000000, 5000 * S + 550, 50001000000000);
	assert_int_equal(timebase_device(&tb, 9000000000), 1800000000 * S + 550);
	assert_int_equal(timebase_device(&tb, 9000000000 + 50001000), 1800000001 * S + 550);
	assert_int_equal(timebase_sample(&tb, 20000), 1800000000 * S + 250 + 20000000);
	/* the parser's wall clock has steps of 256 ns here */
	assert_true(timebase_parser_sample(&tb, 20000) == 1800000000020000256.0);

	c.version = 2;
	timebase_init(&tb, &c);
	assert_int_equal(timebase_sample(&tb, 1800000000 * S + 1), 1800000000 * S + 1);
	assert_true(timebase_parser_sample(&tb, 1800000000 * S + 1) == 1800000000e9);
}

/* Printed by CPython 3.11 with the parser's formula; thousandths of us. */
static void test_parser_steps(void **state)
{
	static const struct {
		uint64_t begin_us, raw_ns, stamp;
		int64_t printed;
	} cases[] = {
		{ 1800000000000000, 5000000000000, 5000000000001, 1800000000000000001 },
		{ 1800000000000000, 5000000000000, 5000000000999, 1800000000000000999 },
		{ 1800000000000000, 5000000000000, 5060000000007, 1800000060000000007 },
		{ 1798712345678913, 5432109876543, 5432109876543, 1798712345678913043 },
		{ 1798712345678913, 5432109876543, 5432109876544, 1798712345678913044 },
		{ 1798712345678913, 5432109876543, 5492109876550, 1798712405678913050 },
		{ 1798712345678913, 25432109876543211, 25432109876543211, 1798712345678913015 },
		{ 1798712345678913, 25432109876543211, 25432109876543212, 1798712345678913015 },
		{ 1798712345678913, 25432109876543211, 25432109876544210, 1798712345678914007 },
		{ 1798712345678913, 25432109876543211, 25432110000000000, 1798712345802369800 },
		{ 1798712345678901, 5432109876250, 5432109876251, 1798712345678901051 },
		{ 1798712345678901, 5432109876250, 5432109877249, 1798712345678902049 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct control c = base();
		struct timebase tb;

		c.begin_us = cases[i].begin_us;
		c.begin_raw_ns = cases[i].raw_ns;
		timebase_init(&tb, &c);
		assert_int_equal(timebase_parser_host(&tb, cases[i].stamp), cases[i].printed);
		/* and the exact time is near */
		assert_in_range(timebase_host(&tb, cases[i].stamp) - cases[i].printed + 200, 0,
				400);
	}
}

/* Values that no clock has end at the limits, not in undefined arithmetic. */
static void test_extremes(void **state)
{
	static const uint64_t values[] = { 0, 1, INT64_MAX, 1ULL << 63, UINT64_MAX };

	(void)state;
	for (int i = 0; i < 5 * 5 * 5; i++) {
		struct control c = base();
		struct timebase tb;

		c.host_log = true;
		c.begin_us = values[i % 5];
		c.begin_raw_ns = values[i / 5 % 5];
		c.host_ns = c.device_ns = values[i / 25 % 5];
		c.host_ticks_diff = INT64_MIN;
		c.host_rate = c.device_rate = (struct control_rate){ 1e-6, 1 };
		timebase_init(&tb, &c);
		for (int j = 0; j < 5; j++) {
			int64_t host = timebase_host(&tb, values[j]);

			assert_true(j == 0 || host >= timebase_host(&tb, values[j - 1]));
			timebase_parser_host(&tb, values[j]);
			timebase_sample(&tb, values[j]);
			timebase_device(&tb, values[j]);
			timebase_parser_sample(&tb, values[j]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nanoseconds),
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_parser_steps),
		cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
