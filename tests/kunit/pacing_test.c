// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pacing: no drift, no burst, and accounts that balance.
 */
#include <linux/prandom.h>

#include "kmod/core/pacing.h"
#include "suites.h"

#define MS	((u64)NSEC_PER_MSEC)
#define T0	(1000 * MS)

static struct asc_pace started(u64 period)
{
	struct asc_pace pace = { .period = 0 };

	asc_pace_start(&pace, period, T0);
	return pace;
}

static void pacing_deadlines_are_absolute(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);
	u64 k;

	for (k = 1; k <= 1000; k++) {
		KUNIT_ASSERT_EQ(test, asc_pace_deadline(&pace), T0 + k * 10 * MS);
		/* always somewhat late; the next deadline does not move */
		KUNIT_ASSERT_EQ(test, asc_pace_tick(&pace, T0 + k * 10 * MS + k * 5000), 0ULL);
	}
	KUNIT_EXPECT_EQ(test, pace.missed, 0ULL);
}

static void pacing_late_within_a_period(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);

	KUNIT_EXPECT_EQ(test, asc_pace_tick(&pace, T0 + 20 * MS - 1), 0ULL);
	KUNIT_EXPECT_EQ(test, asc_pace_deadline(&pace), T0 + 20 * MS);
}

static void pacing_late_by_one_period(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);

	KUNIT_EXPECT_EQ(test, asc_pace_tick(&pace, T0 + 20 * MS), 1ULL);
	KUNIT_EXPECT_EQ(test, pace.tick, 2ULL);
	KUNIT_EXPECT_EQ(test, asc_pace_deadline(&pace), T0 + 30 * MS);
}

static void pacing_late_by_many(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);

	KUNIT_EXPECT_EQ(test, asc_pace_tick(&pace, T0 + 10005 * MS), 999ULL);
	KUNIT_EXPECT_EQ(test, pace.missed, 999ULL);
	/* no burst: the next one is in the future */
	KUNIT_EXPECT_EQ(test, asc_pace_deadline(&pace), T0 + 10010 * MS);
}

static void pacing_finish_on_time(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);

	asc_pace_tick(&pace, T0 + 10 * MS);
	asc_pace_finish(&pace, T0 + 19 * MS);
	KUNIT_EXPECT_EQ(test, pace.missed + pace.throttled, 0ULL);
	KUNIT_EXPECT_EQ(test, pace.tick, 1ULL);
}

static void pacing_finish_counts_the_unserved(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);

	asc_pace_finish(&pace, T0 + 35 * MS);
	KUNIT_EXPECT_EQ(test, pace.missed, 3ULL);
	KUNIT_EXPECT_EQ(test, pace.tick, 3ULL);
}

static void pacing_finish_while_throttled(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);

	pace.factor = 4;
	asc_pace_finish(&pace, T0 + 75 * MS);
	KUNIT_EXPECT_EQ(test, pace.missed, 1ULL);
	KUNIT_EXPECT_EQ(test, pace.throttled, 6ULL);
}

static void pacing_throttled_ticks(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);

	pace.factor = 4;
	KUNIT_EXPECT_EQ(test, asc_pace_deadline(&pace), T0 + 40 * MS);
	KUNIT_EXPECT_EQ(test, asc_pace_tick(&pace, T0 + 40 * MS), 0ULL);
	KUNIT_EXPECT_EQ(test, pace.throttled, 3ULL);
	KUNIT_EXPECT_EQ(test, asc_pace_tick(&pace, T0 + 120 * MS), 1ULL);
	KUNIT_EXPECT_EQ(test, pace.missed, 1ULL);
	KUNIT_EXPECT_EQ(test, pace.throttled, 9ULL);
	KUNIT_EXPECT_EQ(test, pace.tick, 12ULL);
}

/* Whatever happens: due = served + missed + throttled. */
static void pacing_accounts_balance(struct kunit *test)
{
	struct rnd_state rnd;
	u32 run;

	prandom_seed_state(&rnd, 20240607);
	for (run = 0; run < 200; run++) {
		u64 period = ASC_PERIOD_MIN + prandom_u32_state(&rnd) % (20 * MS);
		struct asc_pace pace = started(period);
		u64 now = T0, served = 1;
		u32 i;

		for (i = 0; i < 100; i++) {
			now = max(now, asc_pace_deadline(&pace)) +
			      prandom_u32_state(&rnd) % (3 * period);
			asc_pace_tick(&pace, now);
			served++;
			asc_pace_cost(&pace, prandom_u32_state(&rnd) % period);
			now += prandom_u32_state(&rnd) % period;
		}
		now += prandom_u32_state(&rnd) % (5 * period);
		asc_pace_finish(&pace, now);
		KUNIT_ASSERT_EQ(test, served + pace.missed + pace.throttled,
				(now - T0) / period + 1);
	}
}

static void pacing_cost_is_an_average(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);
	int i;

	for (i = 0; i < 100; i++)
		KUNIT_ASSERT_FALSE(test, asc_pace_cost(&pace, MS));
	KUNIT_EXPECT_GT(test, pace.cost, (u32)(MS - MS / 100));
	KUNIT_EXPECT_LE(test, pace.cost, (u32)MS);
}

static void pacing_throttles_above_a_quarter(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);
	int i;

	for (i = 0; i < 100 && !asc_pace_cost(&pace, 3 * MS); i++)
		;
	KUNIT_EXPECT_LT(test, i, 100);
	KUNIT_EXPECT_EQ(test, pace.factor, 2ULL);
	KUNIT_EXPECT_EQ(test, asc_pace_effective(&pace), 20 * MS);
	for (i = 0; i < 100; i++)
		KUNIT_ASSERT_FALSE(test, asc_pace_cost(&pace, 3 * MS));
}

static void pacing_a_quarter_is_allowed(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);
	int i;

	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_FALSE(test, asc_pace_cost(&pace, 10 * MS / 4));
	KUNIT_EXPECT_EQ(test, pace.factor, 1ULL);
}

static void pacing_lone_outlier_does_not_throttle(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);

	KUNIT_EXPECT_FALSE(test, asc_pace_cost(&pace, MS / 10));
	KUNIT_EXPECT_FALSE(test, asc_pace_cost(&pace, 5000 * MS));
	KUNIT_EXPECT_EQ(test, pace.factor, 1ULL);
}

static void pacing_recovers_after_calm(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);
	int ticks;

	pace.factor = 2;
	pace.cost = 3 * MS;
	for (ticks = 1; !asc_pace_cost(&pace, 0) && ticks < 1000; ticks++)
		;
	KUNIT_EXPECT_EQ(test, pace.factor, 1ULL);
	KUNIT_EXPECT_GE(test, ticks, 32);
	KUNIT_EXPECT_LT(test, ticks, 100);
}

static void pacing_calm_must_be_in_a_row(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);
	int i;

	pace.factor = 2;
	pace.cost = MS;
	for (i = 0; i < 1000; i++) {
		pace.cost = i % 32 ? MS : 4 * MS; /* one calm tick short of enough */
		KUNIT_ASSERT_FALSE(test, asc_pace_cost(&pace, pace.cost));
	}
	KUNIT_EXPECT_EQ(test, pace.factor, 2ULL);
}

static void pacing_never_slower_than_the_maximum(struct kunit *test)
{
	struct asc_pace pace = started(400 * MS);
	int i;

	for (i = 0; i < 1000; i++)
		asc_pace_cost(&pace, 5000 * MS);
	KUNIT_EXPECT_EQ(test, pace.factor, 2ULL);
	KUNIT_EXPECT_LE(test, asc_pace_effective(&pace), (u64)ASC_PERIOD_MAX);
	pace = started(ASC_PERIOD_MAX);
	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_FALSE(test, asc_pace_cost(&pace, 5000 * MS));
}

static void pacing_position_between_ticks(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);

	asc_pace_tick(&pace, T0 + 12 * MS);
	KUNIT_EXPECT_EQ(test, asc_pace_position(&pace, T0 + 15 * MS), 15 * MS);
	/* never before the tick that was served, nor after the one that is next */
	KUNIT_EXPECT_EQ(test, asc_pace_position(&pace, T0 + 7 * MS), 10 * MS);
	KUNIT_EXPECT_EQ(test, asc_pace_position(&pace, T0 + 99 * MS), 20 * MS);
}

static void pacing_restart_keeps_totals(struct kunit *test)
{
	struct asc_pace pace = started(10 * MS);

	pace.factor = 2;
	asc_pace_tick(&pace, T0 + 100 * MS);
	asc_pace_finish(&pace, T0 + 105 * MS);
	KUNIT_EXPECT_EQ(test, pace.missed, 4ULL);
	KUNIT_EXPECT_EQ(test, pace.throttled, 5ULL);
	asc_pace_start(&pace, 20 * MS, T0 + 500 * MS);
	KUNIT_EXPECT_EQ(test, pace.missed, 4ULL);
	KUNIT_EXPECT_EQ(test, pace.throttled, 5ULL);
	KUNIT_EXPECT_EQ(test, pace.factor, 1ULL);
	KUNIT_EXPECT_EQ(test, asc_pace_deadline(&pace), T0 + 520 * MS);
}

static struct kunit_case pacing_cases[] = {
	KUNIT_CASE(pacing_deadlines_are_absolute),
	KUNIT_CASE(pacing_late_within_a_period),
	KUNIT_CASE(pacing_late_by_one_period),
	KUNIT_CASE(pacing_late_by_many),
	KUNIT_CASE(pacing_finish_on_time),
	KUNIT_CASE(pacing_finish_counts_the_unserved),
	KUNIT_CASE(pacing_finish_while_throttled),
	KUNIT_CASE(pacing_throttled_ticks),
	KUNIT_CASE(pacing_accounts_balance),
	KUNIT_CASE(pacing_cost_is_an_average),
	KUNIT_CASE(pacing_throttles_above_a_quarter),
	KUNIT_CASE(pacing_a_quarter_is_allowed),
	KUNIT_CASE(pacing_lone_outlier_does_not_throttle),
	KUNIT_CASE(pacing_recovers_after_calm),
	KUNIT_CASE(pacing_calm_must_be_in_a_row),
	KUNIT_CASE(pacing_never_slower_than_the_maximum),
	KUNIT_CASE(pacing_position_between_ticks),
	KUNIT_CASE(pacing_restart_keeps_totals),
	{}
};

struct kunit_suite asc_pacing_suite = {
	.name = "ascprof_pacing",
	.test_cases = pacing_cases,
};
