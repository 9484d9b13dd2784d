// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a process may write into a source of its own.
 */
#include "kmod/core/feed.h"
#include "kmod/core/record.h"
#include "suites.h"

#define NR	3
#define NOW	(1000ULL * NSEC_PER_SEC)

/**
 * struct room - a sample of up to NR values
 * @sample: the sample
 * @value: its values
 */
struct room {
	struct ascprof_user_sample sample;
	u64 value[NR];
};

static struct ascprof_user_create good_source(void)
{
	struct ascprof_user_create create = {
		.device = -1,
		.numa_node = -1,
		.nr_counters = NR,
		.counter_size = sizeof(struct ascprof_event),
		.name = "npu0",
	};

	return create;
}

static void good_events(struct ascprof_event *events)
{
	u32 i;

	memset(events, 0, NR * sizeof(*events));
	for (i = 0; i < NR; i++) {
		events[i].event_class = ASCPROF_CLASS_HBM;
		events[i].config = i;
		events[i].scale_num = 32;
		events[i].scale_den = 1;
		strscpy(events[i].unit, "bytes", sizeof(events[i].unit));
		snprintf(events[i].name, sizeof(events[i].name), "event_%u", i);
	}
	events[2].value_kind = ASCPROF_VALUE_GAUGE;
}

static struct room good_sample(u64 t_raw)
{
	struct room room = {
		.sample.len = sizeof(room),
		.sample.nr = NR,
		.sample.t_raw = t_raw,
		.value = { 10, 20, 30 },
	};

	return room;
}

/* A feed that took one sample at NOW. */
static void begin(struct asc_feed *feed, struct ascprof_event *events, u64 *value)
{
	struct room room = good_sample(NOW);

	good_events(events);
	memset(feed, 0, sizeof(*feed));
	feed->nr = NR;
	feed->events = events;
	feed->value = value;
	asc_feed_take(feed, &room.sample);
}

static void feed_good_source(struct kunit *test)
{
	struct ascprof_user_create create = good_source();

	KUNIT_EXPECT_EQ(test, asc_feed_check_source(&create), 0);
	create.device = ASC_FEED_DEVICES - 1;
	create.numa_node = ASC_FEED_NODES - 1;
	create.nr_counters = ASCPROF_MAX_COUNTERS;
	create.counter_size = 4096;
	KUNIT_EXPECT_EQ(test, asc_feed_check_source(&create), 0);
	create.counter_size = offsetof(struct ascprof_event, unit);
	KUNIT_EXPECT_EQ(test, asc_feed_check_source(&create), 0);
}

static void feed_bad_source(struct kunit *test)
{
	struct ascprof_user_create create;

#define BAD(field, bad) do { \
		create = good_source(); \
		create.field = bad; \
		KUNIT_EXPECT_EQ(test, asc_feed_check_source(&create), -EINVAL); \
	} while (0)

	BAD(flags, 1);
	BAD(device, -2);
	BAD(device, ASC_FEED_DEVICES);
	BAD(numa_node, -2);
	BAD(numa_node, ASC_FEED_NODES);
	BAD(nr_counters, 0);
	BAD(nr_counters, ASCPROF_MAX_COUNTERS + 1);
	BAD(nr_counters, U32_MAX);
	BAD(counter_size, 0);
	BAD(counter_size, 31);
	BAD(counter_size, 4097);
	BAD(name[0], 0);
	BAD(name[1], '\n');
	BAD(name[20], 'x');
#undef BAD

	create = good_source();
	memset(create.name, 'x', sizeof(create.name));
	KUNIT_EXPECT_EQ(test, asc_feed_check_source(&create), -EINVAL);
}

static void feed_good_events(struct kunit *test)
{
	struct ascprof_event events[NR];
	u32 i;

	good_events(events);
	for (i = 0; i < NR; i++)
		KUNIT_EXPECT_EQ(test, asc_feed_check_event(events, i), 0);
	events[1].unit[0] = 0;
	memset(events[1].unit, 0, sizeof(events[1].unit));
	KUNIT_EXPECT_EQ(test, asc_feed_check_event(events, 1), 0);
}

static void feed_bad_events(struct kunit *test)
{
	struct ascprof_event events[NR];

#define BAD(field, bad) do { \
		good_events(events); \
		events[1].field = bad; \
		KUNIT_EXPECT_EQ(test, asc_feed_check_event(events, 1), -EINVAL); \
	} while (0)

	BAD(source_id, 1);
	BAD(index, 1);
	BAD(event_class, 0);
	BAD(event_class, ASCPROF_CLASS_OTHER + 1);
	BAD(value_kind, 2);
	BAD(scale_num, 0);
	BAD(scale_den, 0);
	BAD(unit[0], '\t');
	BAD(unit[ASCPROF_UNIT_LEN - 1], 'x');
	BAD(name[0], 0);
	BAD(name[0], (char)0xc3);
	BAD(config, 0);		/* that of event 0 */
#undef BAD

	good_events(events);
	strscpy(events[2].name, "event_0", sizeof(events[2].name));
	KUNIT_EXPECT_EQ(test, asc_feed_check_event(events, 2), -EINVAL);
}

static void feed_head(struct kunit *test)
{
	struct room room = good_sample(NOW);
	struct ascprof_event events[NR];
	struct asc_feed feed;
	u64 value[NR];

	begin(&feed, events, value);
	KUNIT_EXPECT_EQ(test, asc_feed_len(NR), sizeof(room));
	KUNIT_EXPECT_EQ(test, asc_feed_check_head(&feed, &room.sample, sizeof(room)), 0);
	KUNIT_EXPECT_EQ(test, asc_feed_check_head(&feed, &room.sample, SIZE_MAX), 0);
	KUNIT_EXPECT_EQ(test, asc_feed_check_head(&feed, &room.sample, sizeof(room) - 1), -EINVAL);

	room.sample.nr = NR - 1;
	KUNIT_EXPECT_EQ(test, asc_feed_check_head(&feed, &room.sample, sizeof(room)), -EINVAL);
	room.sample.nr = NR;
	room.sample.len--;
	KUNIT_EXPECT_EQ(test, asc_feed_check_head(&feed, &room.sample, sizeof(room)), -EINVAL);
	room.sample.len = U32_MAX;
	KUNIT_EXPECT_EQ(test, asc_feed_check_head(&feed, &room.sample, SIZE_MAX), -EINVAL);
	/* a length and a number that agree, of another source */
	room.sample.nr = U32_MAX;
	room.sample.len = sizeof(room.sample) - 8;
	KUNIT_EXPECT_EQ(test, asc_feed_check_head(&feed, &room.sample, SIZE_MAX), -EINVAL);
}

static void feed_time_of_first(struct kunit *test)
{
	struct asc_feed feed = { .nr = NR };
	struct room room;

	room = good_sample(NOW);
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW), 0);
	room = good_sample(NOW + 1);
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW), -ERANGE);
	room = good_sample(NOW - ASCPROF_USER_AGE_MAX_NS);
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW), 0);
	room = good_sample(NOW - ASCPROF_USER_AGE_MAX_NS - 1);
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW), -ERANGE);
	room = good_sample(U64_MAX);
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW), -ERANGE);
	room = good_sample(0);
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW), -ERANGE);
}

static void feed_time_goes_on(struct kunit *test)
{
	struct ascprof_event events[NR];
	struct asc_feed feed;
	struct room room;
	u64 value[NR];

	begin(&feed, events, value);
	room = good_sample(NOW);
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW + 5), -ERANGE);
	room = good_sample(NOW - 1);
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW + 5), -ERANGE);
	room = good_sample(NOW + 1);
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW + 5), 0);
}

static void feed_counts_do_not_go_down(struct kunit *test)
{
	struct ascprof_event events[NR];
	struct asc_feed feed;
	struct room room;
	u64 value[NR];

	begin(&feed, events, value);
	room = good_sample(NOW + 1);
	room.value[1] = 19;
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW + 1), -ERANGE);
	room.value[1] = U64_MAX;
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW + 1), 0);
	/* a level may */
	room.value[2] = 0;
	KUNIT_EXPECT_EQ(test, asc_feed_check(&feed, &room.sample, NOW + 1), 0);
}

static void feed_take(struct kunit *test)
{
	struct ascprof_event events[NR];
	struct asc_feed feed;
	struct room room = good_sample(NOW + 7);
	u64 value[NR];

	begin(&feed, events, value);
	KUNIT_EXPECT_EQ(test, feed.samples, 1ULL);
	room.value[0] = 11;
	asc_feed_take(&feed, &room.sample);
	KUNIT_EXPECT_EQ(test, feed.samples, 2ULL);
	KUNIT_EXPECT_EQ(test, feed.t_raw, NOW + 7);
	KUNIT_EXPECT_EQ(test, value[0], 11ULL);
	KUNIT_EXPECT_EQ(test, value[2], 30ULL);
}

static void feed_record(struct kunit *test)
{
	struct {
		struct ascprof_rec_user rec;
		u64 value[2];
	} out;
	struct room room = good_sample(NOW);

	room.sample.t_device = 77;
	memset(&out, 0xa5, sizeof(out));
	asc_rec_user(&out.rec, 9, 4, NOW + 1, &room.sample);
	KUNIT_EXPECT_EQ(test, out.rec.h.len, asc_rec_user_len(0));
	asc_rec_user_add(&out.rec, 5);
	asc_rec_user_add(&out.rec, 6);
	KUNIT_EXPECT_EQ(test, out.rec.h.type, ASCPROF_REC_USER);
	KUNIT_EXPECT_EQ(test, out.rec.h.flags, 0);
	KUNIT_EXPECT_EQ(test, (size_t)out.rec.h.len, sizeof(out));
	KUNIT_EXPECT_EQ(test, out.rec.h.len, asc_rec_user_len(2));
	KUNIT_EXPECT_EQ(test, out.rec.seq, 4ULL);
	KUNIT_EXPECT_EQ(test, out.rec.t_raw, NOW);
	KUNIT_EXPECT_EQ(test, out.rec.t_taken, NOW + 1);
	KUNIT_EXPECT_EQ(test, out.rec.t_device, 77ULL);
	KUNIT_EXPECT_EQ(test, out.rec.source_id, 9U);
	KUNIT_EXPECT_EQ(test, out.rec.nr, 2U);
	KUNIT_EXPECT_EQ(test, out.value[0], 5ULL);
	KUNIT_EXPECT_EQ(test, out.value[1], 6ULL);
}

static struct kunit_case feed_cases[] = {
	KUNIT_CASE(feed_good_source),
	KUNIT_CASE(feed_bad_source),
	KUNIT_CASE(feed_good_events),
	KUNIT_CASE(feed_bad_events),
	KUNIT_CASE(feed_head),
	KUNIT_CASE(feed_time_of_first),
	KUNIT_CASE(feed_time_goes_on),
	KUNIT_CASE(feed_counts_do_not_go_down),
	KUNIT_CASE(feed_take),
	KUNIT_CASE(feed_record),
	{}
};

struct kunit_suite asc_feed_suite = {
	.name = "ascprof_feed",
	.test_cases = feed_cases,
};
