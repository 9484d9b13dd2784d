// SPDX-License-Identifier: GPL-2.0-only
/*
 * News of counters: each change once, in words of the interface.
 */
#include "kmod/core/news.h"
#include "suites.h"

static u32 tell(struct asc_health *told, int error, int cpu, u64 *arg)
{
	struct asc_health now = { .error = error, .cpu = cpu };

	*arg = U64_MAX;
	return asc_news(told, &now, 7, arg);
}

static void news_none(struct kunit *test)
{
	struct asc_health told = { .error = 0, .cpu = 3 };
	u64 arg;

	KUNIT_EXPECT_EQ(test, tell(&told, 0, 3, &arg), 0U);
	KUNIT_EXPECT_EQ(test, tell(&told, 0, 3, &arg), 0U);
	KUNIT_EXPECT_EQ(test, arg, U64_MAX);
}

static void news_failed_once(struct kunit *test)
{
	struct asc_health told = { .error = 0, .cpu = 3 };
	u64 arg;

	KUNIT_EXPECT_EQ(test, tell(&told, -EBUSY, 3, &arg), (u32)ASCPROF_WHAT_COUNTER_FAILED);
	KUNIT_EXPECT_EQ(test, ASCPROF_WHAT_SLOT(arg), 7U);
	KUNIT_EXPECT_EQ(test, ASCPROF_WHAT_DETAIL(arg), (u32)EBUSY);
	KUNIT_EXPECT_EQ(test, tell(&told, -EBUSY, 3, &arg), 0U);
	/* another reason is news */
	KUNIT_EXPECT_EQ(test, tell(&told, -ENODEV, 3, &arg), (u32)ASCPROF_WHAT_COUNTER_FAILED);
	KUNIT_EXPECT_EQ(test, ASCPROF_WHAT_DETAIL(arg), (u32)ENODEV);
}

static void news_back(struct kunit *test)
{
	struct asc_health told = { .error = -EBUSY, .cpu = 3 };
	u64 arg;

	KUNIT_EXPECT_EQ(test, tell(&told, 0, 3, &arg), (u32)ASCPROF_WHAT_COUNTER_BACK);
	KUNIT_EXPECT_EQ(test, arg, 3ULL << 32 | 7);
	KUNIT_EXPECT_EQ(test, tell(&told, 0, 3, &arg), 0U);
}

static void news_back_elsewhere(struct kunit *test)
{
	struct asc_health told = { .error = -ENODEV, .cpu = 3 };
	u64 arg;

	/* on the way it has no CPU worth telling */
	KUNIT_EXPECT_EQ(test, tell(&told, -ENODEV, 5, &arg), 0U);
	KUNIT_EXPECT_EQ(test, tell(&told, 0, 5, &arg), (u32)ASCPROF_WHAT_COUNTER_BACK);
	KUNIT_EXPECT_EQ(test, ASCPROF_WHAT_DETAIL(arg), 5U);
	KUNIT_EXPECT_EQ(test, tell(&told, 0, 5, &arg), 0U);
}

static void news_moved(struct kunit *test)
{
	struct asc_health told = { .error = 0, .cpu = 3 };
	u64 arg;

	KUNIT_EXPECT_EQ(test, tell(&told, 0, 0, &arg), (u32)ASCPROF_WHAT_COUNTER_MOVED);
	KUNIT_EXPECT_EQ(test, arg, 7ULL);
	KUNIT_EXPECT_EQ(test, tell(&told, 0, 0, &arg), 0U);
}

static void news_without_cpu(struct kunit *test)
{
	struct asc_health told = { .error = -ERANGE, .cpu = -1 };
	u64 arg;

	KUNIT_EXPECT_EQ(test, tell(&told, 0, -1, &arg), (u32)ASCPROF_WHAT_COUNTER_BACK);
	KUNIT_EXPECT_EQ(test, ASCPROF_WHAT_DETAIL(arg), U32_MAX);
	KUNIT_EXPECT_EQ(test, ASCPROF_WHAT_SLOT(arg), 7U);
}

static struct kunit_case news_cases[] = {
	KUNIT_CASE(news_none),
	KUNIT_CASE(news_failed_once),
	KUNIT_CASE(news_back),
	KUNIT_CASE(news_back_elsewhere),
	KUNIT_CASE(news_moved),
	KUNIT_CASE(news_without_cpu),
	{}
};

struct kunit_suite asc_news_suite = {
	.name = "ascprof_news",
	.test_cases = news_cases,
};
