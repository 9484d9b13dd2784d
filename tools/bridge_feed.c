/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/bridge_feed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/drm.h"

#define SETTLE_PERIODS 4

int bridge_feed_init(struct bridge_feed *f, enum bridge_kind kind, const char *name, int device,
		     unsigned int period_ms, uint64_t hz)
{
	static const uint64_t stamp_hz[] = {
		[BRIDGE_STAMP_US] = 1000000, [BRIDGE_STAMP_US32] = 1000000, [BRIDGE_STAMP_NS] = 1000000000,
	};
	enum bridge_stamp stamp = bridge_stamp_of(kind);

	memset(f, 0, sizeof(*f));
	f->kind = kind;
	f->device = device;
	f->source = -1;
	f->settle_ns = SETTLE_PERIODS * 1000000ull * period_ms;
	snprintf(f->name, sizeof(f->name), "npu%d-%s", device, name);
	bridge_clock_init(&f->clock, stamp == BRIDGE_STAMP_TICKS ? hz : stamp_hz[stamp]);
	f->events = calloc(ASCPROF_MAX_COUNTERS, sizeof(*f->events));
	f->sample = calloc(1, sizeof(*f->sample) + ASCPROF_MAX_COUNTERS * sizeof(uint64_t));
	if (f->events && f->sample)
		return 0;
	bridge_feed_close(f);
	return -1;
}

void bridge_feed_close(struct bridge_feed *f)
{
	if (f->source >= 0)
		close(f->source);
	f->source = -1;
	free(f->events);
	free(f->sample);
	f->events = NULL;
	f->sample = NULL;
}

/* Where a counter is among the totals; -1: it has no place any more. */
static int slot_of(struct bridge_feed *f, const struct bridge_value *v)
{
	uint64_t config = ASCPROF_SIM_CONFIG(v->event_class, v->unit, v->event);

	for (unsigned int i = 0; i < f->nr; i++)
		if (f->events[i].config == config)
			return (int)i;
	if (f->source >= 0 || f->nr == ASCPROF_MAX_COUNTERS)
		return -1;
	bridge_describe(f->kind, v, &f->events[f->nr]);
	if (f->scale)
		f->events[f->nr].scale_num = f->scale;
	return (int)f->nr++;
}

static int make_source(struct bridge_feed *f, int control)
{
	struct ascprof_user_create req = {
		.device = f->device,
		.numa_node = -1,
		.nr_counters = f->nr,
		.counter_size = sizeof(*f->events),
		.counters = (uintptr_t)f->events,
	};

	memcpy(req.name, f->name, sizeof(req.name));
	f->source = drm_ioctl(control, ASCPROF_IOC_USER_CREATE, &req);
	return f->source < 0 ? errno : 0;
}

static void write_sample(struct bridge_feed *f, uint64_t now_ns)
{
	struct ascprof_user_sample *s = f->sample;

	s->nr = f->nr;
	s->len = (uint32_t)(sizeof(*s) + f->nr * sizeof(s->value[0]));
	s->t_device = f->stamp;
	s->t_raw = bridge_clock_host(&f->clock, f->stamp, now_ns);
	if (s->t_raw && write(f->source, s, s->len) == (ssize_t)s->len)
		f->samples++;
	else
		f->refused++;
}

/* All records of a stamp are there. */
static int complete(struct bridge_feed *f, int control, uint64_t now_ns)
{
	int err;

	f->open = false;
	f->values_before = f->values;
	f->values = 0;
	if (f->source < 0) {
		if (!f->nr || now_ns - f->first_ns < f->settle_ns)
			return 0;
		err = make_source(f, control);
		if (err)
			return err;
	}
	write_sample(f, now_ns);
	return 0;
}

int bridge_feed_finish(struct bridge_feed *f, int control, uint64_t now_ns)
{
	if (!f->open || f->values < f->values_before)
		return 0;
	return complete(f, control, now_ns);
}

static void add_up(struct bridge_feed *f, const struct bridge_record *r)
{
	f->values += r->nr;
	for (unsigned int i = 0; i < r->nr; i++) {
		const struct bridge_value *v = &r->value[i];
		int slot = slot_of(f, v);
		uint64_t *total;

		if (slot < 0) {
			f->unknown++;
			continue;
		}
		total = (uint64_t *)&f->sample->value[slot];
		*total = v->gauge ? v->amount : *total + v->amount;
	}
}

/* Stamps of 32 bits go on where they wrap. */
static uint64_t whole_stamp(const struct bridge_feed *f, uint64_t stamp)
{
	if (bridge_stamp_of(f->kind) != BRIDGE_STAMP_US32 || !f->first_ns)
		return stamp;
	return f->stamp + (uint64_t)(int32_t)((uint32_t)stamp - f->stamp32);
}

/*
 * Of what came at one moment the last took the least time, and tells most of the clock. Known before
 * the others are placed: or the first could be placed at that moment, and nothing would be left for those behind it.
 */
static void see_last(struct bridge_feed *f, const uint8_t *bytes, size_t len, uint64_t now_ns)
{
	size_t size = bridge_record_bytes(f->kind), first = f->have ? size - f->have : 0;
	struct bridge_record r;

	if (!f->first_ns || len < first)
		return;
	for (size_t n = (len - first) / size; n; n--) {
		if (!bridge_decode(f->kind, bytes + first + (n - 1) * size, &r) || !r.nr)
			continue;
		bridge_clock_see(&f->clock, whole_stamp(f, r.stamp), now_ns);
		return;
	}
}

static int take_record(struct bridge_feed *f, int control, const uint8_t *bytes, uint64_t now_ns)
{
	struct bridge_record r;
	uint64_t whole;
	int err;

	if (!bridge_decode(f->kind, bytes, &r)) {
		f->bad++;
		return 0;
	}
	f->records++;
	if (!r.nr)
		return 0;
	whole = whole_stamp(f, r.stamp);
	f->stamp32 = (uint32_t)r.stamp;
	r.stamp = whole;
	if (f->open && r.stamp != f->stamp) {
		err = complete(f, control, now_ns);
		if (err)
			return err;
	}
	if (!f->first_ns)
		f->first_ns = now_ns;
	if (!f->open)
		bridge_clock_see(&f->clock, r.stamp, now_ns);
	f->open = true;
	f->stamp = r.stamp;
	add_up(f, &r);
	return 0;
}

int bridge_feed_take(struct bridge_feed *f, int control, const uint8_t *bytes, size_t len, uint64_t now_ns)
{
	size_t size = bridge_record_bytes(f->kind), more;
	int err;

	see_last(f, bytes, len, now_ns);
	while (len) {
		if (!f->have && len >= size) {
			err = take_record(f, control, bytes, now_ns);
			bytes += size;
			len -= size;
		} else {
			more = size - f->have < len ? size - f->have : len;
			memcpy(f->part + f->have, bytes, more);
			f->have += more;
			bytes += more;
			len -= more;
			if (f->have < size)
				return 0;
			f->have = 0;
			err = take_record(f, control, f->part, now_ns);
		}
		if (err)
			return err;
	}
	return 0;
}
