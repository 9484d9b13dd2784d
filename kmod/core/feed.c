// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a process may say that feeds a source. It has a privilege, and is not
 * believed all the same: what it writes ends up in the rings of others, so that
 * it has to have the form and the order that they count on.
 */
#include "feed.h"
#include "policy.h"

static bool number_or_none(s32 value, s32 end)
{
	return value >= -1 && value < end;
}

/**
 * asc_feed_check_source() - may a source be made so?
 * @create: as it was asked for
 *
 * Return: 0 or -EINVAL.
 */
int asc_feed_check_source(const struct ascprof_user_create *create)
{
	/* the same for 32-bit callers */
	BUILD_BUG_ON(sizeof(*create) != 80);
	BUILD_BUG_ON(sizeof(struct ascprof_user_sample) != 24);
	BUILD_BUG_ON(sizeof(struct ascprof_user_stats) != 24);

	if (create->flags)
		return -EINVAL;
	if (!number_or_none(create->device, ASC_FEED_DEVICES) ||
	    !number_or_none(create->numa_node, ASC_FEED_NODES))
		return -EINVAL;
	if (!create->nr_counters || create->nr_counters > ASCPROF_MAX_COUNTERS)
		return -EINVAL;
	/* older structures end behind the scale at the earliest, newer ones on a page */
	if (create->counter_size < offsetof(struct ascprof_event, unit) ||
	    create->counter_size > 4096)
		return -EINVAL;
	if (!create->name[0] || !asc_policy_text(create->name, sizeof(create->name)))
		return -EINVAL;
	return 0;
}

/**
 * asc_feed_check_event() - may a counter be described so?
 * @events: all counters of the source, those before @index checked
 * @index: which one
 *
 * Return: 0 or -EINVAL.
 */
int asc_feed_check_event(const struct ascprof_event *events, u32 index)
{
	const struct ascprof_event *event = &events[index];
	u32 i;

	if (event->source_id || event->index)
		return -EINVAL;
	if (event->event_class < ASCPROF_CLASS_LLC || event->event_class > ASCPROF_CLASS_OTHER)
		return -EINVAL;
	if (event->value_kind > ASCPROF_VALUE_GAUGE)
		return -EINVAL;
	if (!event->scale_num || !event->scale_den)
		return -EINVAL;
	if (!asc_policy_text(event->unit, sizeof(event->unit)) ||
	    !asc_policy_text(event->name, sizeof(event->name)) || !event->name[0])
		return -EINVAL;
	for (i = 0; i < index; i++)
		if (events[i].config == event->config || !strcmp(events[i].name, event->name))
			return -EINVAL;
	return 0;
}

/**
 * asc_feed_check_head() - is this the head of a sample of this source?
 * @feed: the source
 * @head: without its values
 * @given: bytes that were written, head included
 *
 * Return: 0 or -EINVAL.
 */
int asc_feed_check_head(const struct asc_feed *feed, const struct ascprof_user_sample *head,
			size_t given)
{
	if (head->nr != feed->nr || head->len != asc_feed_len(feed->nr) || head->len > given)
		return -EINVAL;
	return 0;
}

/**
 * asc_feed_check() - does this sample follow the one before?
 * @feed: the source
 * @sample: complete, its head checked
 * @now: CLOCK_MONOTONIC_RAW, ns
 *
 * Return: 0; -ERANGE for a time that is not after the last one, in the future or
 * too old, and for a count that goes down.
 */
int asc_feed_check(const struct asc_feed *feed, const struct ascprof_user_sample *sample,
		   u64 now)
{
	u32 i;

	if (sample->t_raw > now || now - sample->t_raw > ASCPROF_USER_AGE_MAX_NS)
		return -ERANGE;
	if (!feed->samples)
		return 0;
	if (sample->t_raw <= feed->t_raw)
		return -ERANGE;
	for (i = 0; i < feed->nr; i++)
		if (feed->events[i].value_kind == ASCPROF_VALUE_COUNT &&
		    sample->value[i] < feed->value[i])
			return -ERANGE;
	return 0;
}

/**
 * asc_feed_take() - it is the newest sample
 * @feed: the source
 * @sample: checked
 */
void asc_feed_take(struct asc_feed *feed, const struct ascprof_user_sample *sample)
{
	memcpy(feed->value, sample->value, feed->nr * sizeof(u64));
	feed->t_raw = sample->t_raw;
	feed->samples++;
}
