// SPDX-License-Identifier: Apache-2.0
/*
 * Decimal texts against what CPython 3.11 prints for the same doubles, and
 * properties over many of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/decimal.h"
#include "export/text.h"

static uint64_t random_state = 88172645463325252u;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static const struct text_case {
	double v;
	const char *text;
} reprs[] = {
	{ 0.0, "0.0" },
	{ 0.1, "0.1" },
	{ 1e-05, "1e-05" },
	{ 0.0001, "0.0001" },
	{ 1e+16, "1e+16" },
	{ 1000000000000000.0, "1000000000000000.0" },
	{ 123456789012345.67, "123456789012345.67" },
	{ 0.6666666666666666, "0.6666666666666666" },
	{ 5e-324, "5e-324" },
	{ 1.7976931348623157e+308, "1.7976931348623157e+308" },
	{ -2.5, "-2.5" },
	{ 100.0, "100.0" },
	{ 1234567890.0, "1234567890.0" },
	{ 1e+22, "1e+22" },
	{ 0.30000000000000004, "0.30000000000000004" },
};

static const struct text_case rounded[] = {
	{ 0.0, "0.0" },
	{ 0.0005, "0.001" },
	{ 0.0015, "0.002" },
	{ 2.0005, "2.001" },
	{ 1.0015, "1.002" },
	{ 98.7655, "98.766" },
	{ 123456.7895, "123456.789" },
	{ 0.0625, "0.062" },
	{ 0.1875, "0.188" },
	{ 0.9995, "1.0" },
	{ 199.9, "199.9" },
	{ 593.9364999, "593.936" },
	{ -0.0005, "-0.001" },
	{ -1.2345, "-1.234" },
	{ 1e-07, "0.0" },
	{ 0.00049999, "0.0" },
	{ 999999999999.9996, "1000000000000.0" },
	{ 2.5, "2.5" },
	{ 1000000000000.0, "1000000000000.0" },
	{ 5e-324, "0.0" },
};

static void check_texts(const struct text_case *c, size_t n, char *(*print)(char *to, double v))
{
	char text[DECIMAL_TEXT];

	for (size_t i = 0; i < n; i++) {
		*print(text, c[i].v) = 0;
		assert_string_equal(text, c[i].text);
	}
}

static void test_repr(void **state)
{
	(void)state;
	check_texts(reprs, sizeof(reprs) / sizeof(reprs[0]), decimal_repr);
}

static void test_round3(void **state)
{
	(void)state;
	check_texts(rounded, sizeof(rounded) / sizeof(rounded[0]), decimal_round3);
}

/* The text reads back as the same double, whatever its size. */
static void test_repr_reads_back(void **state)
{
	char text[DECIMAL_TEXT];

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t bits = random_word() & ~(1ULL << 63);
		double v;

		memcpy(&v, &bits, sizeof(v));
		if (!(v < 1e308))
			continue;
		*decimal_repr(text, v) = 0;
		if (strtod(text, NULL) != v)
			fail_msg("%a is written as %s", v, text);
	}
}

/* What the text says, by hand: the second opinion on decimal_fixed(). */
static int128 fixed_of_text(const char *text)
{
	int128 v = 0;
	int decimals = -1;

	for (; *text; text++) {
		if (*text == '.') {
			decimals = 0;
			continue;
		}
		v = v * 10 + (*text - '0');
		decimals += decimals >= 0;
	}
	for (; decimals < DECIMAL_SCALE; decimals++)
		v *= 10;
	return v;
}

static void test_fixed(void **state)
{
	char text[DECIMAL_TEXT];

	(void)state;
	for (int i = 0; i < 200000; i++) {
		double v = (double)(random_word() >> (12 + random_word() % 48)) /
			   (double)(1 + random_word() % 100000);

		if (v < 1 || v > 9e15)
			continue;
		*decimal_repr(text, v) = 0;
		if (decimal_fixed(v) != fixed_of_text(text))
			fail_msg("%s: %lld thousandths", text,
				 (long long)decimal_thousandths(decimal_fixed(v)));
	}
	assert_true(decimal_fixed(0.5) == fixed_of_text("0.5"));
	assert_true(decimal_fixed(-1234.25) == -fixed_of_text("1234.25"));
	assert_true(decimal_fixed(4503599627370496.0) == fixed_of_text("4503599627370496.0"));
	assert_true(decimal_fixed(1e300) == 0);
	assert_true(decimal_fixed(1e-300) == 0);
	assert_true(decimal_fixed(0) == 0);
}

static void test_half_even(void **state)
{
	static const struct {
		int64_t a, b, q;
	} cases[] = {
		{ 5, 2, 2 }, { 7, 2, 4 }, { 15, 10, 2 }, { 25, 10, 2 }, { 26, 10, 3 },
		{ -5, 2, -2 }, { -7, 2, -4 }, { -26, 10, -3 }, { -25, 10, -2 }, { 0, 3, 0 },
		{ INT64_MAX, 1, INT64_MAX }, { INT64_MIN, 1, INT64_MIN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(div_half_even(cases[i].a, cases[i].b) == cases[i].q);
	assert_int_equal(decimal_thousandths(fixed_of_text("0.0005")), 0);
	assert_int_equal(decimal_thousandths(decimal_fixed(1e16)), INT64_MAX);
	assert_int_equal(decimal_thousandths(decimal_fixed(-1e16)), INT64_MIN);
	assert_int_equal(decimal_thousandths(fixed_of_text("0.0015")), 2);
	assert_int_equal(decimal_round_thousandths(0.0625), 62);
	assert_int_equal(decimal_round_thousandths(-0.1875), -188);
}

static void test_llc_rate(void **state)
{
	static const struct {
		uint64_t total;
		double seconds;
		int64_t rate;
	} cases[] = {
		{ 4001, 0.0003125, 781445 },
		{ 0, 0.0003125, 0 },
		{ 1, 1.5625e-11, 3906250000 },
		{ 16384, 0.015625, 64000 },
		{ 8192, 0.015625, 32000 },
		{ 24, 0.015625, 94 },
		{ 8, 10.0, 0 },
		{ 81928, 64.0, 78 },
		{ 123456789, 0.000312504, 24112345464 },
		{ 1099511627776, 0.000312496, 214751113614254 },
		{ 1000000007, 0.3333333333333333, 183105470 },
		{ 1, 0, 0 },
		{ 1, -1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t got = decimal_llc_rate(cases[i].total, cases[i].seconds);

		if (got != cases[i].rate)
			fail_msg("%llu in %g s: %lld, expected %lld",
				 (unsigned long long)cases[i].total, cases[i].seconds,
				 (long long)got, (long long)cases[i].rate);
	}
	assert_int_equal(decimal_llc_rate((uint128)UINT64_MAX * 2, 1e-12), INT64_MAX);
}

/* The fast writers against printf, at all widths. */
static void test_text(void **state)
{
	char text[TEXT_NUMBER + 1], want[64];

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t v = i < 2000 ? (uint64_t)i : random_word() >> (random_word() % 64);
		int64_t s = (int64_t)v;
		uint64_t u = s < 0 ? 0 - (uint64_t)s : (uint64_t)s;

		*text_u64(text, v) = 0;
		snprintf(want, sizeof(want), "%llu", (unsigned long long)v);
		assert_string_equal(text, want);
		*text_i64(text, s) = 0;
		snprintf(want, sizeof(want), "%lld", (long long)s);
		assert_string_equal(text, want);
		*text_thousandths(text, s) = 0;
		snprintf(want, sizeof(want), "%s%llu.%03llu", s < 0 ? "-" : "",
			 (unsigned long long)u / 1000, (unsigned long long)u % 1000);
		assert_string_equal(text, want);
	}
	*text_u64(text, UINT64_MAX) = 0;
	assert_string_equal(text, "18446744073709551615");
	*text_thousandths(text, INT64_MIN) = 0;
	assert_string_equal(text, "-9223372036854775.808");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repr),
		cmocka_unit_test(test_round3),
		cmocka_unit_test(test_repr_reads_back),
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_half_even),
		cmocka_unit_test(test_llc_rate),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
