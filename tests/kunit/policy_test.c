// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policy: the whole truth table, written down as it is meant.
 */
#include "kmod/core/pacing.h"
#include "kmod/core/policy.h"
#include "suites.h"

#define FAST	((u64)ASC_PERIOD_MIN_USER - 1)
#define SLOW	((u64)ASC_PERIOD_MIN_USER)

static const enum asc_exposure exposures[] = {
	ASC_EXPOSE_NOTHING, ASC_EXPOSE_TRAFFIC, ASC_EXPOSE_CORE, ASC_EXPOSE_REFUSED
};

static void policy_capable_may_all_but_the_refused(struct kunit *test)
{
	u32 level;
	size_t i;

	for (level = 0; level <= ASC_PARANOID_MAX; level++) {
		for (i = 0; i < ARRAY_SIZE(exposures); i++) {
			int want = exposures[i] == ASC_EXPOSE_REFUSED ? -EOPNOTSUPP : 0;

			KUNIT_EXPECT_EQ(test, asc_policy_counter(level, true, exposures[i], FAST),
					want);
			KUNIT_EXPECT_EQ(test, asc_policy_counter(level, true, exposures[i], SLOW),
					want);
		}
	}
}

static void policy_others_by_level(struct kunit *test)
{
	/* level, then nothing, traffic, core, refused */
	static const int want[3][4] = {
		{ 0, 0, 0, -EOPNOTSUPP },
		{ 0, 0, -EACCES, -EOPNOTSUPP },
		{ 0, -EACCES, -EACCES, -EOPNOTSUPP },
	};
	u32 level;
	size_t i;

	for (level = 0; level <= ASC_PARANOID_MAX; level++)
		for (i = 0; i < ARRAY_SIZE(exposures); i++)
			KUNIT_EXPECT_EQ(test, asc_policy_counter(level, false, exposures[i], SLOW),
					want[level][i]);
}

static void policy_others_never_fast(struct kunit *test)
{
	u32 level;

	for (level = 0; level <= ASC_PARANOID_MAX; level++) {
		KUNIT_EXPECT_EQ(test, asc_policy_counter(level, false, ASC_EXPOSE_NOTHING, FAST),
				-EACCES);
		KUNIT_EXPECT_EQ(test, asc_policy_counter(level, false, ASC_EXPOSE_TRAFFIC, FAST),
				-EACCES);
		KUNIT_EXPECT_EQ(test, asc_policy_counter(level, false, ASC_EXPOSE_CORE, FAST),
				-EACCES);
	}
}

static void policy_exposure_of_perf_types(struct kunit *test)
{
	static const enum asc_exposure want[] = {
		ASC_EXPOSE_CORE,	/* hardware */
		ASC_EXPOSE_CORE,	/* software */
		ASC_EXPOSE_REFUSED,	/* tracepoint */
		ASC_EXPOSE_CORE,	/* cache */
		ASC_EXPOSE_CORE,	/* raw */
		ASC_EXPOSE_REFUSED,	/* breakpoint */
		ASC_EXPOSE_TRAFFIC,	/* dynamic */
	};
	u32 type;

	for (type = 0; type < ARRAY_SIZE(want); type++)
		KUNIT_EXPECT_EQ(test, asc_policy_exposure(ASCPROF_SOURCE_PERF, type), want[type]);
	KUNIT_EXPECT_EQ(test, asc_policy_exposure(ASCPROF_SOURCE_PERF, U32_MAX),
			ASC_EXPOSE_TRAFFIC);
}

static void policy_exposure_of_kinds(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, asc_policy_exposure(ASCPROF_SOURCE_SIM, 0), ASC_EXPOSE_NOTHING);
	KUNIT_EXPECT_EQ(test, asc_policy_exposure(ASCPROF_SOURCE_PCI, 0), ASC_EXPOSE_NOTHING);
	KUNIT_EXPECT_EQ(test, asc_policy_exposure(ASCPROF_SOURCE_USER, 0), ASC_EXPOSE_TRAFFIC);
	KUNIT_EXPECT_EQ(test, asc_policy_exposure(ASCPROF_SOURCE_MMIO, 0), ASC_EXPOSE_TRAFFIC);
	KUNIT_EXPECT_EQ(test, asc_policy_exposure(0, 0), ASC_EXPOSE_REFUSED);
	KUNIT_EXPECT_EQ(test, asc_policy_exposure(99, 0), ASC_EXPOSE_REFUSED);
}

static void policy_shortest_period(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, asc_policy_min_period(true), 100000ULL);
	KUNIT_EXPECT_EQ(test, asc_policy_min_period(false), 10000000ULL);
}

static const struct asc_limits limits = {
	.max_ring = 1 << 20, .max_total = 1 << 22, .max_streams = 4, .page = 4096,
};

static struct ascprof_stream_create good(void)
{
	return (struct ascprof_stream_create) { .ring_bytes = 1 << 16, .period_ns = SLOW };
}

static int stream(struct ascprof_stream_create req, bool capable)
{
	static const struct asc_usage none;

	return asc_policy_stream(&req, capable, &limits, &none);
}

static void policy_stream_good(struct kunit *test)
{
	struct ascprof_stream_create req = good();

	KUNIT_EXPECT_EQ(test, stream(req, false), 0);
	req.flags = ASCPROF_STREAM_F_TIMES;
	req.ring_bytes = limits.max_ring;
	req.watermark = req.ring_bytes;
	KUNIT_EXPECT_EQ(test, stream(req, false), 0);
	req.ring_bytes = limits.page;
	req.watermark = 1;
	KUNIT_EXPECT_EQ(test, stream(req, false), 0);
}

static void policy_stream_flags(struct kunit *test)
{
	struct ascprof_stream_create req = good();
	int bit;

	for (bit = 2; bit < 32; bit++) {
		req.flags = 1U << bit;
		KUNIT_EXPECT_EQ(test, stream(req, true), -EINVAL);
	}
}

static void policy_stream_ring(struct kunit *test)
{
	static const u64 bad[] = { 0, 1, 2048, 4095, 4097, 12288, (1 << 20) + 4096, 1 << 21,
				   1ULL << 63, U64_MAX };
	struct ascprof_stream_create req = good();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		req.ring_bytes = bad[i];
		KUNIT_EXPECT_EQ(test, stream(req, true), -EINVAL);
	}
}

static void policy_stream_watermark(struct kunit *test)
{
	struct ascprof_stream_create req = good();

	req.watermark = req.ring_bytes + 1;
	KUNIT_EXPECT_EQ(test, stream(req, true), -EINVAL);
	req.watermark = U64_MAX;
	KUNIT_EXPECT_EQ(test, stream(req, true), -EINVAL);
}

static void policy_stream_period(struct kunit *test)
{
	static const struct {
		u64 period;
		int capable;
		int other;
	} want[] = {
		{ 0, -EINVAL, -EINVAL },
		{ 99999, -EINVAL, -EINVAL },
		{ 100000, 0, -EACCES },
		{ 9999999, 0, -EACCES },
		{ 10000000, 0, 0 },
		{ 1000000000, 0, 0 },
		{ 1000000001, -EINVAL, -EINVAL },
		{ U64_MAX, -EINVAL, -EINVAL },
	};
	struct ascprof_stream_create req = good();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		req.period_ns = want[i].period;
		KUNIT_EXPECT_EQ(test, stream(req, true), want[i].capable);
		KUNIT_EXPECT_EQ(test, stream(req, false), want[i].other);
	}
}

static void policy_stream_number(struct kunit *test)
{
	struct ascprof_stream_create req = good();
	struct asc_usage usage = { .streams = 3 };

	KUNIT_EXPECT_EQ(test, asc_policy_stream(&req, true, &limits, &usage), 0);
	usage.streams = 4;
	KUNIT_EXPECT_EQ(test, asc_policy_stream(&req, true, &limits, &usage), -EDQUOT);
}

static void policy_stream_memory(struct kunit *test)
{
	struct ascprof_stream_create req = good();
	struct asc_usage usage = { .total = limits.max_total - req.ring_bytes };

	KUNIT_EXPECT_EQ(test, asc_policy_stream(&req, true, &limits, &usage), 0);
	usage.total += 4096;
	KUNIT_EXPECT_EQ(test, asc_policy_stream(&req, true, &limits, &usage), -ENOMEM);
	/* the limit was lowered below what exists */
	usage.total = limits.max_total + 4096;
	KUNIT_EXPECT_EQ(test, asc_policy_stream(&req, true, &limits, &usage), -ENOMEM);
}

static void policy_pinned(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, asc_policy_pinned(10, 10, 0, false), 0);
	KUNIT_EXPECT_EQ(test, asc_policy_pinned(11, 10, 0, false), -EPERM);
	KUNIT_EXPECT_EQ(test, asc_policy_pinned(11, 10, 1, false), 0);
	KUNIT_EXPECT_EQ(test, asc_policy_pinned(12, 10, 1, false), -EPERM);
	KUNIT_EXPECT_EQ(test, asc_policy_pinned(12, 0, 12, false), 0);
	KUNIT_EXPECT_EQ(test, asc_policy_pinned(1, 0, 0, false), -EPERM);
	KUNIT_EXPECT_EQ(test, asc_policy_pinned(U64_MAX, 0, 0, true), 0);
	/* no limit at all, in pages */
	KUNIT_EXPECT_EQ(test, asc_policy_pinned(1ULL << 40, 0, U64_MAX >> 12, false), 0);
	KUNIT_EXPECT_EQ(test, asc_policy_pinned(5, U64_MAX, 0, false), 0);
}

static void policy_texts(struct kunit *test)
{
	char text[8] = "bytes";

	KUNIT_EXPECT_TRUE(test, asc_policy_text(text, sizeof(text)));
	text[0] = 0;
	KUNIT_EXPECT_FALSE(test, asc_policy_text(text, sizeof(text)));
	memset(text, 0, sizeof(text));
	KUNIT_EXPECT_TRUE(test, asc_policy_text(text, sizeof(text)));
	text[7] = 'x';
	KUNIT_EXPECT_FALSE(test, asc_policy_text(text, sizeof(text)));
	memset(text, 'x', sizeof(text));
	KUNIT_EXPECT_FALSE(test, asc_policy_text(text, sizeof(text)));
	text[7] = 0;
	KUNIT_EXPECT_TRUE(test, asc_policy_text(text, sizeof(text)));
	text[3] = '\n';
	KUNIT_EXPECT_FALSE(test, asc_policy_text(text, sizeof(text)));
	text[3] = (char)0xc3;
	KUNIT_EXPECT_FALSE(test, asc_policy_text(text, sizeof(text)));
}

static void policy_tuple(struct kunit *test)
{
	const struct ascprof_counter_add good = {
		.perf_type = 9, .config = 1, .config1 = 2, .config2 = 3, .cpu = 3,
		.scale_num = 1, .scale_den = 64, .unit = "bytes",
	};
	struct ascprof_counter_add add = good;

	KUNIT_EXPECT_TRUE(test, asc_policy_tuple(&add, 4));
	KUNIT_EXPECT_FALSE(test, asc_policy_tuple(&add, 3));
	add.cpu = 0;
	KUNIT_EXPECT_TRUE(test, asc_policy_tuple(&add, 1));
	add.cpu = -1;
	KUNIT_EXPECT_FALSE(test, asc_policy_tuple(&add, 4));
	add.cpu = S32_MIN;
	KUNIT_EXPECT_FALSE(test, asc_policy_tuple(&add, 4));
	add.cpu = S32_MAX;
	KUNIT_EXPECT_FALSE(test, asc_policy_tuple(&add, 4));
	add = good;
	add.scale_num = 0;
	KUNIT_EXPECT_FALSE(test, asc_policy_tuple(&add, 4));
	add = good;
	add.scale_den = 0;
	KUNIT_EXPECT_FALSE(test, asc_policy_tuple(&add, 4));
	add = good;
	add.unit[0] = 0;
	KUNIT_EXPECT_FALSE(test, asc_policy_tuple(&add, 4));
	memset(add.unit, 'x', sizeof(add.unit));
	KUNIT_EXPECT_FALSE(test, asc_policy_tuple(&add, 4));
}

/* Every byte that only perf counters have makes it another counter, and is refused. */
static void policy_plain(struct kunit *test)
{
	const struct ascprof_counter_add good = {
		.source_id = 7, .config = 5, .cpu = -1, .cookie = 3,
	};
	struct ascprof_counter_add add = good;
	size_t i, at = offsetof(struct ascprof_counter_add, unit);

	KUNIT_EXPECT_TRUE(test, asc_policy_plain(&add));
	add.perf_type = 1;
	KUNIT_EXPECT_FALSE(test, asc_policy_no_perf(&add));
	add = good;
	add.cpu = 0;
	KUNIT_EXPECT_FALSE(test, asc_policy_no_perf(&add));
	add = good;
	add.scale_num = 1;
	KUNIT_EXPECT_FALSE(test, asc_policy_no_perf(&add));
	add = good;
	add.scale_den = 1;
	KUNIT_EXPECT_FALSE(test, asc_policy_no_perf(&add));
	for (i = 0; i < sizeof(add.unit); i++) {
		add = good;
		((u8 *)&add)[at + i] = 'x';
		KUNIT_EXPECT_FALSE(test, asc_policy_no_perf(&add));
		KUNIT_EXPECT_FALSE(test, asc_policy_plain(&add));
	}
	add = good;
	add.config1 = 1;
	KUNIT_EXPECT_TRUE(test, asc_policy_no_perf(&add));
	KUNIT_EXPECT_FALSE(test, asc_policy_plain(&add));
	add = good;
	add.config2 = 1;
	KUNIT_EXPECT_TRUE(test, asc_policy_no_perf(&add));
	KUNIT_EXPECT_FALSE(test, asc_policy_plain(&add));
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE(policy_capable_may_all_but_the_refused),
	KUNIT_CASE(policy_others_by_level),
	KUNIT_CASE(policy_others_never_fast),
	KUNIT_CASE(policy_exposure_of_perf_types),
	KUNIT_CASE(policy_exposure_of_kinds),
	KUNIT_CASE(policy_shortest_period),
	KUNIT_CASE(policy_stream_good),
	KUNIT_CASE(policy_stream_flags),
	KUNIT_CASE(policy_stream_ring),
	KUNIT_CASE(policy_stream_watermark),
	KUNIT_CASE(policy_stream_period),
	KUNIT_CASE(policy_stream_number),
	KUNIT_CASE(policy_stream_memory),
	KUNIT_CASE(policy_pinned),
	KUNIT_CASE(policy_texts),
	KUNIT_CASE(policy_tuple),
	KUNIT_CASE(policy_plain),
	{}
};

struct kunit_suite asc_policy_suite = {
	.name = "ascprof_policy",
	.test_cases = policy_cases,
};
