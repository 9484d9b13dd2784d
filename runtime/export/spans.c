/* SPDX-License-Identifier: Apache-2.0 */
#include "export/spans.h"

#include <stdlib.h>

int spans_begin(struct spans *t, int64_t from, int64_t to)
{
	*t = (struct spans){ .from = from, .to = to };
	t->span = malloc(SPANS_MOST * sizeof(*t->span));
	t->lane = malloc(SPANS_LANES * sizeof(*t->lane));
	return t->span && t->lane ? 0 : -1;
}

void spans_free(struct spans *t)
{
	free(t->span);
	free(t->lane);
	*t = (struct spans){ 0 };
}

static unsigned int lane_of(struct spans *t, unsigned int prof, uint32_t pid, uint32_t tid)
{
	for (unsigned int i = t->nr_lanes; i--;)
		if (t->lane[i].tid == tid && t->lane[i].pid == pid && t->lane[i].prof == prof)
			return i;
	if (t->nr_lanes == SPANS_LANES) {
		t->shared = true;
		return SPANS_LANES - 1;
	}
	t->lane[t->nr_lanes] = (struct spans_lane){ .prof = prof, .pid = pid, .tid = tid };
	return t->nr_lanes++;
}

/* ---- the longest: a heap with the shortest on top; of equal ones the later is shorter ---- */

static bool shorter(const struct span *a, const struct span *b)
{
	return a->duration != b->duration ? a->duration < b->duration : a->order > b->order;
}

static void swap(struct span *a, struct span *b)
{
	struct span c = *a;

	*a = *b;
	*b = c;
}

static void sink(struct span *heap, size_t nr)
{
	for (size_t i = 0;;) {
		size_t child = 2 * i + 1;

		if (child >= nr)
			return;
		if (child + 1 < nr && shorter(&heap[child + 1], &heap[child]))
			child++;
		if (!shorter(&heap[child], &heap[i]))
			return;
		swap(&heap[child], &heap[i]);
		i = child;
	}
}

static void rise(struct span *heap, size_t i)
{
	for (; i && shorter(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
}

static void thin(struct spans *t, const struct span *s)
{
	uint64_t width = (uint64_t)t->to - (uint64_t)t->from;
	uint64_t bin = (uint64_t)((unsigned __int128)(s->start < 0 ? 0 : s->start) * SPANS_BINS / width);

	t->lane[s->lane].thinned[bin < SPANS_BINS ? bin : SPANS_BINS - 1]++;
}

static void keep(struct spans *t, struct span s)
{
	if (t->nr < SPANS_MOST) {
		t->span[t->nr] = s;
		rise(t->span, t->nr++);
		return;
	}
	if (shorter(t->span, &s)) {
		swap(t->span, &s);
		sink(t->span, t->nr);
	}
	thin(t, &s);
}

/* ---- events ---- */

struct adding {
	struct spans *timeline;
	const struct summary *names;
	const struct prof_part *host;
	unsigned int prof;
};

static int add_event(void *arg, const struct walk_event *e)
{
	const struct adding *a = arg;
	struct spans *t = a->timeline;
	const struct summary_row *name;
	int64_t start;

	if (!walk_wants(a->host, e))
		return 0;
	name = summary_find(a->names, e->kind, e->message, e->len);
	if (!name) /* one of those that found no room */
		name = summary_find(a->names, e->kind, SUMMARY_OTHER, sizeof(SUMMARY_OTHER) - 1);
	if (!name || __builtin_sub_overflow(e->start, t->from, &start))
		return 0;
	keep(t, (struct span){
		.start = start,
		.duration = (uint64_t)e->end - (uint64_t)e->start,
		.order = t->events++,
		.name = (uint32_t)(name - a->names->row),
		.lane = lane_of(t, a->prof, e->row.pid, e->row.tid),
	});
	return 0;
}

int spans_add(struct spans *t, const struct prof *prof, unsigned int index, const struct summary *names)
{
	struct adding a = { t, names, prof_host(prof), index };
	uint64_t bad_rows;

	return walk(a.host, add_event, &a, &bad_rows);
}

static int by_lane(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->duration != y->duration)
		return x->duration > y->duration ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void spans_end(struct spans *t)
{
	if (t->nr)
		qsort(t->span, t->nr, sizeof(*t->span), by_lane);
}
