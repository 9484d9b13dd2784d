// SPDX-License-Identifier: GPL-2.0-only
/*
 * Structures of callers that are older or newer than we are.
 */
#include "kmod/core/sized.h"
#include "suites.h"

static const u64 theirs[4] = { 1, 2, 0, 0 };

static void sized_in_equal(struct kunit *test)
{
	u64 ours[2] = { 9, 9 };

	KUNIT_EXPECT_EQ(test, asc_sized_in(ours, sizeof(ours), theirs, 16), 0);
	KUNIT_EXPECT_EQ(test, ours[0], 1ULL);
	KUNIT_EXPECT_EQ(test, ours[1], 2ULL);
}

static void sized_in_shorter(struct kunit *test)
{
	u64 ours[2] = { 9, 9 };

	KUNIT_EXPECT_EQ(test, asc_sized_in(ours, sizeof(ours), theirs, 8), 0);
	KUNIT_EXPECT_EQ(test, ours[0], 1ULL);
	KUNIT_EXPECT_EQ(test, ours[1], 0ULL);
}

static void sized_in_nothing(struct kunit *test)
{
	u64 ours[2] = { 9, 9 };

	KUNIT_EXPECT_EQ(test, asc_sized_in(ours, sizeof(ours), theirs, 0), 0);
	KUNIT_EXPECT_EQ(test, ours[0] | ours[1], 0ULL);
}

static void sized_in_longer_and_zero(struct kunit *test)
{
	u64 ours[2] = { 9, 9 };

	KUNIT_EXPECT_EQ(test, asc_sized_in(ours, sizeof(ours), theirs, sizeof(theirs)), 0);
	KUNIT_EXPECT_EQ(test, ours[1], 2ULL);
}

static void sized_in_longer_and_set(struct kunit *test)
{
	u8 long_one[32] = { 0 };
	u64 ours[2];
	int i;

	for (i = 16; i < 32; i++) {
		long_one[i] = 0x80;
		KUNIT_EXPECT_EQ(test, asc_sized_in(ours, sizeof(ours), long_one, 32), -E2BIG);
		long_one[i] = 0;
	}
	KUNIT_EXPECT_EQ(test, asc_sized_in(ours, sizeof(ours), long_one, 32), 0);
}

static void sized_out_equal(struct kunit *test)
{
	u64 to[4] = { 9, 9, 9, 9 };

	asc_sized_out(to, sizeof(to), theirs, sizeof(theirs));
	KUNIT_EXPECT_EQ(test, memcmp(to, theirs, sizeof(to)), 0);
}

static void sized_out_shorter(struct kunit *test)
{
	u64 to[4] = { 9, 9, 9, 9 };

	asc_sized_out(to, 8, theirs, sizeof(theirs));
	KUNIT_EXPECT_EQ(test, to[0], 1ULL);
	KUNIT_EXPECT_EQ(test, to[1], 9ULL);
}

static void sized_out_longer(struct kunit *test)
{
	u64 to[4] = { 9, 9, 9, 9 };

	asc_sized_out(to, sizeof(to), theirs, 16);
	KUNIT_EXPECT_EQ(test, to[1], 2ULL);
	KUNIT_EXPECT_EQ(test, to[2] | to[3], 0ULL);
}

/* Each ioctl is the same with a structure of any size, and no other. */
static void sized_ioctls(struct kunit *test)
{
	static const u32 all[] = {
		ASCPROF_IOC_INFO, ASCPROF_IOC_SOURCE_GET, ASCPROF_IOC_EVENT_GET,
		ASCPROF_IOC_STREAM_CREATE, ASCPROF_IOC_USER_CREATE, ASCPROF_IOC_COUNTER_ADD,
		ASCPROF_IOC_START, ASCPROF_IOC_STOP, ASCPROF_IOC_KICK, ASCPROF_IOC_STATS,
		ASCPROF_IOC_USER_STATS,
	};
	u32 i, k, size, bit, other;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		for (size = 0; size <= _IOC_SIZEMASK; size = 2 * size + 1) {
			other = all[i] & ~((u32)_IOC_SIZEMASK << _IOC_SIZESHIFT);
			other |= size << _IOC_SIZESHIFT;
			KUNIT_EXPECT_TRUE(test, asc_sized_same(all[i], other));
		}
		for (bit = 0; bit < 32; bit++)
			KUNIT_EXPECT_EQ(test, asc_sized_same(all[i], all[i] ^ 1U << bit),
					bit >= _IOC_SIZESHIFT && bit < _IOC_DIRSHIFT);
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_FALSE(test, asc_sized_same(all[i], all[k]));
	}
}

static struct kunit_case sized_cases[] = {
	KUNIT_CASE(sized_in_equal),
	KUNIT_CASE(sized_in_shorter),
	KUNIT_CASE(sized_in_nothing),
	KUNIT_CASE(sized_in_longer_and_zero),
	KUNIT_CASE(sized_in_longer_and_set),
	KUNIT_CASE(sized_out_equal),
	KUNIT_CASE(sized_out_shorter),
	KUNIT_CASE(sized_out_longer),
	KUNIT_CASE(sized_ioctls),
	{}
};

struct kunit_suite asc_sized_suite = {
	.name = "ascprof_sized",
	.test_cases = sized_cases,
};
