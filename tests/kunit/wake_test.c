// SPDX-License-Identifier: GPL-2.0-only
/*
 * What poll() says, in every state, around every threshold.
 */
#include "kmod/core/wake.h"
#include "suites.h"

#define MARK	1000
#define LATENCY	500

/* A ring with that many unread bytes, waiting since 100. */
static struct asc_ring ring(u64 unread)
{
	return (struct asc_ring) { .size = 4096, .head = 8192 + unread, .tail = 8192,
				   .waiting_since = 100 };
}

static unsigned int mask(u64 unread, u32 state, u64 latency, u64 now)
{
	struct asc_ring r = ring(unread);

	return asc_wake_mask(&r, state, MARK, latency, now);
}

static void wake_at_the_watermark(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mask(0, ASCPROF_STATE_RUNNING, 0, 200), 0U);
	KUNIT_EXPECT_EQ(test, mask(MARK - 8, ASCPROF_STATE_RUNNING, 0, 200), 0U);
	KUNIT_EXPECT_EQ(test, mask(MARK, ASCPROF_STATE_RUNNING, 0, 200),
			(unsigned int)ASC_WAKE_IN);
	KUNIT_EXPECT_EQ(test, mask(4096, ASCPROF_STATE_RUNNING, 0, 200),
			(unsigned int)ASC_WAKE_IN);
}

static void wake_after_the_latency(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mask(8, ASCPROF_STATE_RUNNING, LATENCY, 599), 0U);
	KUNIT_EXPECT_EQ(test, mask(8, ASCPROF_STATE_RUNNING, LATENCY, 600),
			(unsigned int)ASC_WAKE_IN);
	KUNIT_EXPECT_EQ(test, mask(0, ASCPROF_STATE_RUNNING, LATENCY, 99999), 0U);
	KUNIT_EXPECT_EQ(test, mask(8, ASCPROF_STATE_RUNNING, 0, U64_MAX), 0U);
}

static void wake_idle(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mask(0, ASCPROF_STATE_IDLE, LATENCY, 99999), 0U);
}

static void wake_stopped(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mask(8, ASCPROF_STATE_STOPPED, 0, 200),
			(unsigned int)ASC_WAKE_IN);
	KUNIT_EXPECT_EQ(test, mask(0, ASCPROF_STATE_STOPPED, 0, 200),
			(unsigned int)ASC_WAKE_HUP);
}

static void wake_revoked(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mask(8, ASCPROF_STATE_REVOKED, 0, 200),
			(unsigned int)(ASC_WAKE_IN | ASC_WAKE_HUP));
	KUNIT_EXPECT_EQ(test, mask(0, ASCPROF_STATE_REVOKED, 0, 200),
			(unsigned int)ASC_WAKE_HUP);
}

static void wake_fault(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mask(8, ASCPROF_STATE_FAULT, 0, 200),
			(unsigned int)ASC_WAKE_ERR);
	KUNIT_EXPECT_EQ(test, mask(0, ASCPROF_STATE_FAULT, 0, 200),
			(unsigned int)ASC_WAKE_ERR);
}

static void wake_time_left(struct kunit *test)
{
	struct asc_ring r = ring(8);

	KUNIT_EXPECT_EQ(test, asc_wake_after(&r, LATENCY, 100), (u64)LATENCY);
	KUNIT_EXPECT_EQ(test, asc_wake_after(&r, LATENCY, 400), 200ULL);
	KUNIT_EXPECT_EQ(test, asc_wake_after(&r, LATENCY, 600), 0ULL);
	KUNIT_EXPECT_EQ(test, asc_wake_after(&r, LATENCY, 9999), 0ULL);
	KUNIT_EXPECT_EQ(test, asc_wake_after(&r, 0, 9999), U64_MAX);
	r.tail = r.head;
	KUNIT_EXPECT_EQ(test, asc_wake_after(&r, LATENCY, 9999), U64_MAX);
}

static struct kunit_case wake_cases[] = {
	KUNIT_CASE(wake_at_the_watermark),
	KUNIT_CASE(wake_after_the_latency),
	KUNIT_CASE(wake_idle),
	KUNIT_CASE(wake_stopped),
	KUNIT_CASE(wake_revoked),
	KUNIT_CASE(wake_fault),
	KUNIT_CASE(wake_time_left),
	{}
};

struct kunit_suite asc_wake_suite = {
	.name = "ascprof_wake",
	.test_cases = wake_cases,
};
