// SPDX-License-Identifier: GPL-2.0-only
/*
 * Narrow registers: wraps are followed, and what cannot be known is said.
 */
#include "kmod/core/widen.h"
#include "suites.h"

#define SEC	((u64)NSEC_PER_SEC)

static void widen_begins_with_total(struct kunit *test)
{
	struct asc_widen w;

	asc_widen_init(&w, 32, 1000, 0x500000007ULL, 0);
	KUNIT_EXPECT_EQ(test, w.total, 0x500000007ULL);
	KUNIT_EXPECT_EQ(test, asc_widen(&w, 7, SEC), 0);
	KUNIT_EXPECT_EQ(test, w.total, 0x500000007ULL);
	KUNIT_EXPECT_EQ(test, asc_widen(&w, 9, 2 * SEC), 0);
	KUNIT_EXPECT_EQ(test, w.total, 0x500000009ULL);
}

/* One wrap of a register of every width, just before and just after its end. */
static void widen_one_wrap_of_every_width(struct kunit *test)
{
	unsigned int bits;

	for (bits = 8; bits <= 64; bits++) {
		u64 top = U64_MAX >> (64 - bits);
		struct asc_widen w;

		asc_widen_init(&w, bits, 100, top - 5, 0);
		KUNIT_EXPECT_EQ(test, asc_widen(&w, 4, SEC), 0);
		KUNIT_EXPECT_EQ(test, w.total, top + 5);
	}
}

static void widen_32_bits_many_wraps(struct kunit *test)
{
	const u64 rate = 1000000000;	/* wraps every 4.3 s */
	u64 value = 0xfffffff0, now = 0;
	struct asc_widen w;
	int i;

	asc_widen_init(&w, 32, rate, value, now);
	for (i = 0; i < 1000; i++) {
		value += 3999999999ULL;
		now += 4 * SEC;
		KUNIT_ASSERT_EQ(test, asc_widen(&w, value & 0xffffffff, now), 0);
		KUNIT_ASSERT_EQ(test, w.total, value);
	}
}

static void widen_48_bits(struct kunit *test)
{
	const u64 top = (1ULL << 48) - 1;
	struct asc_widen w;

	asc_widen_init(&w, 48, ASC_WIDEN_RATE_MAX, top, 0);
	KUNIT_EXPECT_EQ(test, asc_widen(&w, 8000000000ULL, SEC), 0);
	KUNIT_EXPECT_EQ(test, w.total, top + 1 + 8000000000ULL);
}

static void widen_64_bits(struct kunit *test)
{
	struct asc_widen w;

	asc_widen_init(&w, 64, ASC_WIDEN_RATE_MAX, U64_MAX - 9, 0);
	KUNIT_EXPECT_EQ(test, asc_widen(&w, 10, SEC), 0);
	KUNIT_EXPECT_EQ(test, w.total, 10ULL);
}

static void widen_upper_bits_do_not_matter(struct kunit *test)
{
	struct asc_widen w;

	asc_widen_init(&w, 32, 1000, 100, 0);
	KUNIT_EXPECT_EQ(test, asc_widen(&w, 0xdead000000000000ULL + 200, SEC), 0);
	KUNIT_EXPECT_EQ(test, w.total, 200ULL);
}

static void widen_safe_time(struct kunit *test)
{
	struct asc_widen w;

	asc_widen_init(&w, 32, 1000000000, 0, 0);
	KUNIT_EXPECT_EQ(test, w.safe_ns, 4294967295ULL);
	asc_widen_init(&w, 32, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, w.safe_ns, 4294967295ULL * SEC);
	asc_widen_init(&w, 64, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, w.safe_ns, U64_MAX);
}

static void widen_two_wraps_are_flagged(struct kunit *test)
{
	const u64 rate = 1000000000;
	struct asc_widen w;

	asc_widen_init(&w, 32, rate, 0, 0);
	/* 9 s at full speed are two wraps and a bit; the register shows the bit */
	KUNIT_EXPECT_EQ(test, asc_widen(&w, (9 * rate) & 0xffffffff, 9 * SEC), -EOVERFLOW);
	KUNIT_EXPECT_LE(test, w.total, 9 * rate);
}

static void widen_goes_on_after_a_flag(struct kunit *test)
{
	struct asc_widen w;
	u64 total;

	asc_widen_init(&w, 32, 1000000000, 0, 0);
	KUNIT_EXPECT_EQ(test, asc_widen(&w, 500, 9 * SEC), -EOVERFLOW);
	total = w.total;
	KUNIT_EXPECT_EQ(test, asc_widen(&w, 600, 10 * SEC), 0);
	KUNIT_EXPECT_EQ(test, w.total, total + 100);
}

static void widen_exactly_the_safe_time(struct kunit *test)
{
	struct asc_widen w;

	asc_widen_init(&w, 32, 1000000000, 0, 0);
	KUNIT_EXPECT_EQ(test, asc_widen(&w, 0xffffffff, w.safe_ns), 0);
	KUNIT_EXPECT_EQ(test, w.total, 0xffffffffULL);
}

static void widen_reset_is_flagged(struct kunit *test)
{
	struct asc_widen w;

	asc_widen_init(&w, 32, 1000, 5000000, 0);
	KUNIT_EXPECT_EQ(test, asc_widen(&w, 3, SEC), -ERANGE);
	KUNIT_EXPECT_EQ(test, w.total, 5000000ULL);
	KUNIT_EXPECT_EQ(test, asc_widen(&w, 503, 2 * SEC), 0);
	KUNIT_EXPECT_EQ(test, w.total, 5000500ULL);
}

static void widen_total_never_goes_back(struct kunit *test)
{
	static const u64 raws[] = { 5, 0xffffffff, 0, 77, 76, 0x80000000, 1, 1 };
	struct asc_widen w;
	u64 last = 0;
	size_t i;

	asc_widen_init(&w, 32, 1000000, 0, 0);
	for (i = 0; i < ARRAY_SIZE(raws); i++) {
		asc_widen(&w, raws[i], i * SEC);
		KUNIT_EXPECT_GE(test, w.total, last);
		last = w.total;
	}
}

static struct kunit_case widen_cases[] = {
	KUNIT_CASE(widen_begins_with_total),
	KUNIT_CASE(widen_one_wrap_of_every_width),
	KUNIT_CASE(widen_32_bits_many_wraps),
	KUNIT_CASE(widen_48_bits),
	KUNIT_CASE(widen_64_bits),
	KUNIT_CASE(widen_upper_bits_do_not_matter),
	KUNIT_CASE(widen_safe_time),
	KUNIT_CASE(widen_two_wraps_are_flagged),
	KUNIT_CASE(widen_goes_on_after_a_flag),
	KUNIT_CASE(widen_exactly_the_safe_time),
	KUNIT_CASE(widen_reset_is_flagged),
	KUNIT_CASE(widen_total_never_goes_back),
	{}
};

struct kunit_suite asc_widen_suite = {
	.name = "ascprof_widen",
	.test_cases = widen_cases,
};
