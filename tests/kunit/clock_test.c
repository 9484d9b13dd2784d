// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks: the tightest of three looks, and a page that is odd while it changes.
 */
#include "kmod/core/clock.h"
#include "suites.h"

/* A raw clock that goes by a list of steps, one per look. */
static const u64 *steps;
static u64 raw_now;
static u64 looks;

static u64 fake_raw(void)
{
	raw_now += steps[looks++];
	return raw_now;
}

static u64 fake_mono(void)
{
	return raw_now + 1000000;
}

static u64 fake_real(void)
{
	return raw_now + 2000000;
}

static u64 fake_cycles(void)
{
	return raw_now * 3;
}

static const struct asc_clock_ops fake = {
	.mono = fake_mono,
	.raw = fake_raw,
	.real = fake_real,
	.cycles = fake_cycles,
};

static struct asc_clock look(const u64 *list)
{
	/* what was there is no look: it would be the tightest of all */
	struct asc_clock clock = { .width = 0 };

	steps = list;
	raw_now = 0;
	looks = 0;
	asc_clock_read(&fake, &clock);
	return clock;
}

static void clock_takes_the_tightest(struct kunit *test)
{
	static const u64 first[] = { 100, 10, 100, 50, 100, 90 };
	static const u64 second[] = { 100, 50, 100, 10, 100, 90 };
	static const u64 third[] = { 100, 50, 100, 90, 100, 10 };

	KUNIT_EXPECT_EQ(test, look(first).raw, 105ULL);
	KUNIT_EXPECT_EQ(test, look(second).raw, 255ULL);
	KUNIT_EXPECT_EQ(test, look(third).raw, 445ULL);
	KUNIT_EXPECT_EQ(test, look(third).width, 10U);
}

static void clock_words_are_of_one_look(struct kunit *test)
{
	static const u64 list[] = { 100, 50, 100, 10, 100, 90 };
	struct asc_clock clock = look(list);

	/* read when the raw clock said 250 */
	KUNIT_EXPECT_EQ(test, clock.mono, 1000250ULL);
	KUNIT_EXPECT_EQ(test, clock.real, 2000250ULL);
	KUNIT_EXPECT_EQ(test, clock.cycles, 750ULL);
}

static void clock_first_of_equals(struct kunit *test)
{
	static const u64 list[] = { 100, 10, 100, 10, 100, 10 };

	KUNIT_EXPECT_EQ(test, look(list).raw, 105ULL);
}

static void clock_width_is_clipped(struct kunit *test)
{
	static const u64 list[] = { 1, 1ULL << 40, 1, 1ULL << 40, 1, 1ULL << 40 };

	KUNIT_EXPECT_EQ(test, look(list).width, U32_MAX);
}

static void clock_page_is_even_after(struct kunit *test)
{
	struct asc_clock clock = { .mono = 1, .raw = 2, .real = 3, .cycles = 4 };
	struct ascprof_producer_page page = { .clock_seq = 0 };
	u32 i;

	for (i = 1; i <= 10; i++) {
		clock.raw = i;
		asc_clock_publish(&page, &clock);
		KUNIT_EXPECT_EQ(test, page.clock_seq, 2 * i);
		KUNIT_EXPECT_EQ(test, page.clk_raw, (u64)i);
	}
	KUNIT_EXPECT_EQ(test, page.clk_mono, 1ULL);
	KUNIT_EXPECT_EQ(test, page.clk_real, 3ULL);
	KUNIT_EXPECT_EQ(test, page.clk_cycles, 4ULL);
}

static void clock_page_recovers_from_odd(struct kunit *test)
{
	struct asc_clock clock = { .mono = 1 };
	struct ascprof_producer_page page = { .clock_seq = 7 };

	asc_clock_publish(&page, &clock);
	KUNIT_EXPECT_EQ(test, page.clock_seq, 8U);
	page.clock_seq = U32_MAX - 1;
	asc_clock_publish(&page, &clock);
	KUNIT_EXPECT_EQ(test, page.clock_seq, 0U);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(clock_takes_the_tightest),
	KUNIT_CASE(clock_words_are_of_one_look),
	KUNIT_CASE(clock_first_of_equals),
	KUNIT_CASE(clock_width_is_clipped),
	KUNIT_CASE(clock_page_is_even_after),
	KUNIT_CASE(clock_page_recovers_from_odd),
	{}
};

struct kunit_suite asc_clock_suite = {
	.name = "ascprof_clock",
	.test_cases = clock_cases,
};
