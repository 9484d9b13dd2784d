// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records: sizes, places, and no byte left as it was.
 */
#include <linux/slab.h>

#include "kmod/core/record.h"
#include "suites.h"

#define POISON	0xa5

static const struct asc_value value = { .count = 11, .enabled = 22, .running = 33 };

/* Builds into poisoned memory; whatever stays poisoned was not written. */
static void *poisoned(struct kunit *test, size_t size)
{
	void *p = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p);
	memset(p, POISON, size);
	return p;
}

static void record_sample_lengths(struct kunit *test)
{
	u32 nr;

	KUNIT_EXPECT_EQ(test, asc_rec_sample_len(0, false), 40U);
	KUNIT_EXPECT_EQ(test, asc_rec_sample_len(1, false), 48U);
	KUNIT_EXPECT_EQ(test, asc_rec_sample_len(1, true), 64U);
	KUNIT_EXPECT_EQ(test, asc_rec_sample_len(ASCPROF_MAX_COUNTERS, true),
			40U + ASCPROF_MAX_COUNTERS * 24U);
	for (nr = 0; nr <= ASCPROF_MAX_COUNTERS; nr++) {
		KUNIT_ASSERT_EQ(test, asc_rec_sample_len(nr, false) % 8, 0U);
		KUNIT_ASSERT_EQ(test, asc_rec_sample_len(nr, true) % 8, 0U);
	}
}

static void record_sample_head(struct kunit *test)
{
	struct ascprof_rec_sample *rec = poisoned(test, asc_rec_sample_len(3, false));

	asc_rec_sample(rec, 3, false, ASCPROF_SAMPLE_F_KICK, 77);
	KUNIT_EXPECT_EQ(test, rec->h.len, 64U);
	KUNIT_EXPECT_EQ(test, rec->h.type, (u16)ASCPROF_REC_SAMPLE);
	KUNIT_EXPECT_EQ(test, rec->h.flags, (u16)ASCPROF_SAMPLE_F_KICK);
	KUNIT_EXPECT_EQ(test, rec->seq, 77ULL);
	KUNIT_EXPECT_EQ(test, rec->nr, (u16)3);
	KUNIT_EXPECT_EQ(test, rec->bad, (u16)0);
}

static void record_sample_is_zeroed(struct kunit *test)
{
	u32 len = asc_rec_sample_len(5, true);
	struct ascprof_rec_sample *rec = poisoned(test, len);

	asc_rec_sample(rec, 5, true, 0, 0);
	rec->h = (struct ascprof_rec) { 0 };
	rec->nr = 0;
	KUNIT_EXPECT_TRUE(test, !memchr_inv(rec, 0, len));
}

static void record_sample_stays_inside(struct kunit *test)
{
	u32 len = asc_rec_sample_len(4, true);
	u8 *room = poisoned(test, len + 8);

	asc_rec_sample((void *)room, 4, true, 0, 0);
	asc_rec_sample_set((void *)room, 3, &value);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(room + len, POISON, 8));
}

static void record_sample_values(struct kunit *test)
{
	struct ascprof_rec_sample *rec = poisoned(test, asc_rec_sample_len(2, false));

	asc_rec_sample(rec, 2, false, 0, 0);
	asc_rec_sample_set(rec, 1, &value);
	KUNIT_EXPECT_EQ(test, rec->value[0], 0ULL);
	KUNIT_EXPECT_EQ(test, rec->value[1], 11ULL);
}

static void record_sample_times(struct kunit *test)
{
	struct ascprof_rec_sample *rec = poisoned(test, asc_rec_sample_len(2, true));

	asc_rec_sample(rec, 2, true, 0, 0);
	KUNIT_EXPECT_EQ(test, rec->h.flags, (u16)ASCPROF_SAMPLE_F_TIMES);
	asc_rec_sample_set(rec, 1, &value);
	KUNIT_EXPECT_EQ(test, rec->value[0], 0ULL);
	KUNIT_EXPECT_EQ(test, rec->value[3], 11ULL);
	KUNIT_EXPECT_EQ(test, rec->value[4], 22ULL);
	KUNIT_EXPECT_EQ(test, rec->value[5], 33ULL);
}

static void record_sample_bad(struct kunit *test)
{
	struct ascprof_rec_sample *rec = poisoned(test, asc_rec_sample_len(3, false));

	asc_rec_sample(rec, 3, false, 0, 0);
	asc_rec_sample_set(rec, 0, &value);
	asc_rec_sample_set(rec, 1, NULL);
	asc_rec_sample_set(rec, 2, NULL);
	KUNIT_EXPECT_EQ(test, rec->bad, (u16)2);
	KUNIT_EXPECT_EQ(test, rec->value[1], 0ULL);
	KUNIT_EXPECT_EQ(test, rec->value[2], 0ULL);
}

static void record_sample_most_counters(struct kunit *test)
{
	u32 len = asc_rec_sample_len(ASCPROF_MAX_COUNTERS, true);
	struct ascprof_rec_sample *rec = poisoned(test, len);

	asc_rec_sample(rec, ASCPROF_MAX_COUNTERS, true, 0, 0);
	asc_rec_sample_set(rec, ASCPROF_MAX_COUNTERS - 1, &value);
	KUNIT_EXPECT_EQ(test, rec->h.len, len);
	KUNIT_EXPECT_EQ(test, rec->value[3 * ASCPROF_MAX_COUNTERS - 1], 33ULL);
}

static void record_lost(struct kunit *test)
{
	struct asc_loss loss = { .records = 1, .samples = 2, .bytes = 3, .t_first = 4,
				 .t_last = 5 };
	struct ascprof_rec_lost *rec = poisoned(test, sizeof(*rec));

	asc_rec_lost(rec, &loss);
	KUNIT_EXPECT_EQ(test, rec->h.len, 48U);
	KUNIT_EXPECT_EQ(test, rec->h.type, (u16)ASCPROF_REC_LOST);
	KUNIT_EXPECT_EQ(test, rec->h.flags, (u16)0);
	KUNIT_EXPECT_EQ(test, rec->records, 1ULL);
	KUNIT_EXPECT_EQ(test, rec->samples, 2ULL);
	KUNIT_EXPECT_EQ(test, rec->bytes, 3ULL);
	KUNIT_EXPECT_EQ(test, rec->t_first, 4ULL);
	KUNIT_EXPECT_EQ(test, rec->t_last, 5ULL);
}

static void record_clock(struct kunit *test)
{
	struct asc_clock clock = { .mono = 1, .raw = 2, .real = 3, .cycles = 4, .width = 5 };
	struct ascprof_rec_clock *rec = poisoned(test, sizeof(*rec));

	asc_rec_clock(rec, &clock);
	KUNIT_EXPECT_EQ(test, rec->h.len, 48U);
	KUNIT_EXPECT_EQ(test, rec->h.type, (u16)ASCPROF_REC_CLOCK);
	KUNIT_EXPECT_EQ(test, rec->mono, 1ULL);
	KUNIT_EXPECT_EQ(test, rec->raw, 2ULL);
	KUNIT_EXPECT_EQ(test, rec->real, 3ULL);
	KUNIT_EXPECT_EQ(test, rec->cycles, 4ULL);
	KUNIT_EXPECT_EQ(test, rec->width_ns, 5U);
	KUNIT_EXPECT_EQ(test, rec->reserved, 0U);
}

static void record_ticks(struct kunit *test)
{
	struct asc_ticks ticks = {
		.samples = 1, .missed = 2, .throttled = 3, .cost = 4, .cost_max = 5,
	};
	struct ascprof_rec_ticks *rec = poisoned(test, sizeof(*rec));

	asc_rec_ticks(rec, &ticks, 6);
	KUNIT_EXPECT_EQ(test, rec->h.len, 48U);
	KUNIT_EXPECT_EQ(test, rec->h.type, (u16)ASCPROF_REC_TICKS);
	KUNIT_EXPECT_EQ(test, rec->h.flags, (u16)0);
	KUNIT_EXPECT_EQ(test, rec->samples, 1ULL);
	KUNIT_EXPECT_EQ(test, rec->missed, 2ULL);
	KUNIT_EXPECT_EQ(test, rec->throttled, 3ULL);
	KUNIT_EXPECT_EQ(test, rec->cost_ns, 4U);
	KUNIT_EXPECT_EQ(test, rec->cost_max_ns, 5U);
	KUNIT_EXPECT_EQ(test, rec->t_raw, 6ULL);
}

static void record_config(struct kunit *test)
{
	struct ascprof_counter_add add = {
		.source_id = 1, .perf_type = 2, .config = 3, .config1 = 4, .config2 = 5,
		.cpu = 6, .scale_num = 7, .scale_den = 8, .slot = 9, .cookie = 10,
		.unit = "asked",
	};
	struct ascprof_event event = {
		.event_class = ASCPROF_CLASS_HBM, .value_kind = ASCPROF_VALUE_GAUGE,
		.scale_num = 32, .scale_den = 1, .unit = "bytes", .name = "hbm0_read",
	};
	struct ascprof_rec_config *rec = poisoned(test, sizeof(*rec));

	asc_rec_config(rec, &add, &event, "sim0");
	KUNIT_EXPECT_EQ(test, rec->h.len, 184U);
	KUNIT_EXPECT_EQ(test, rec->h.type, (u16)ASCPROF_REC_CONFIG);
	KUNIT_EXPECT_EQ(test, rec->source_id, 1U);
	KUNIT_EXPECT_EQ(test, rec->perf_type, 2U);
	KUNIT_EXPECT_EQ(test, rec->config, 3ULL);
	KUNIT_EXPECT_EQ(test, rec->config1, 4ULL);
	KUNIT_EXPECT_EQ(test, rec->config2, 5ULL);
	KUNIT_EXPECT_EQ(test, rec->cpu, 6);
	KUNIT_EXPECT_EQ(test, rec->slot, 9U);
	KUNIT_EXPECT_EQ(test, rec->cookie, 10ULL);
	KUNIT_EXPECT_EQ(test, rec->scale_num, 32U);
	KUNIT_EXPECT_EQ(test, rec->scale_den, 1U);
	KUNIT_EXPECT_EQ(test, rec->value_kind, (u32)ASCPROF_VALUE_GAUGE);
	KUNIT_EXPECT_EQ(test, rec->event_class, (u32)ASCPROF_CLASS_HBM);
	KUNIT_EXPECT_STREQ(test, rec->unit, "bytes");
	KUNIT_EXPECT_STREQ(test, rec->source, "sim0");
	KUNIT_EXPECT_STREQ(test, rec->name, "hbm0_read");
}

static void record_config_texts_end(struct kunit *test)
{
	static const char source[] = "a name that is longer than forty-seven characters, by far";
	struct ascprof_counter_add add = { .source_id = 1 };
	struct ascprof_event event = { .scale_den = 1 };
	struct ascprof_rec_config *rec = poisoned(test, sizeof(*rec));
	size_t i;

	asc_rec_config(rec, &add, &event, source);
	KUNIT_EXPECT_EQ(test, strnlen(rec->source, sizeof(rec->source)),
			(size_t)ASCPROF_NAME_LEN - 1);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(rec->unit, 0, sizeof(rec->unit)));
	KUNIT_EXPECT_TRUE(test, !memchr_inv(rec->name, 0, sizeof(rec->name)));

	asc_rec_config(rec, &add, &event, "x");
	for (i = 1; i < sizeof(rec->source); i++)
		KUNIT_ASSERT_EQ(test, rec->source[i], (char)0);
}

static void record_state(struct kunit *test)
{
	struct ascprof_rec_state *rec = poisoned(test, sizeof(*rec));

	asc_rec_state(rec, ASCPROF_STATE_RUNNING, ASCPROF_WHAT_THROTTLE, 4, 5);
	KUNIT_EXPECT_EQ(test, rec->h.len, 32U);
	KUNIT_EXPECT_EQ(test, rec->h.type, (u16)ASCPROF_REC_STATE);
	KUNIT_EXPECT_EQ(test, rec->state, (u32)ASCPROF_STATE_RUNNING);
	KUNIT_EXPECT_EQ(test, rec->what, (u32)ASCPROF_WHAT_THROTTLE);
	KUNIT_EXPECT_EQ(test, rec->arg, 4ULL);
	KUNIT_EXPECT_EQ(test, rec->t_raw, 5ULL);
}

static struct kunit_case record_cases[] = {
	KUNIT_CASE(record_sample_lengths),
	KUNIT_CASE(record_sample_head),
	KUNIT_CASE(record_sample_is_zeroed),
	KUNIT_CASE(record_sample_stays_inside),
	KUNIT_CASE(record_sample_values),
	KUNIT_CASE(record_sample_times),
	KUNIT_CASE(record_sample_bad),
	KUNIT_CASE(record_sample_most_counters),
	KUNIT_CASE(record_lost),
	KUNIT_CASE(record_clock),
	KUNIT_CASE(record_ticks),
	KUNIT_CASE(record_config),
	KUNIT_CASE(record_config_texts_end),
	KUNIT_CASE(record_state),
	{}
};

struct kunit_suite asc_record_suite = {
	.name = "ascprof_record",
	.test_cases = record_cases,
};
