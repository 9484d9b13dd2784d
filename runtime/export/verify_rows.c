/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "export/rows2.h"
#include "export/verify_parts.h"

#define THREADS 4096u /* whose order is followed */
#define SLACK 1000000000 /* ns that an event may be outside of its session, and 1/1000 that order may differ */

enum fault {
	FAULT_MAGIC,
	FAULT_EVENT,
	FAULT_BACKWARD,
	FAULT_PAYLOAD,
	FAULT_OUTSIDE,
	FAULT_ORDER,
	FAULT_SEGMENT,
	FAULT_TENSORS,
	FAULT_LINE,
	FAULTS
};

static const char *const fault_words[FAULTS] = {
	[FAULT_MAGIC] = "without the marks that every row has",
	[FAULT_EVENT] = "of a type that nobody has defined",
	[FAULT_BACKWARD] = "end before they start",
	[FAULT_PAYLOAD] = "with a payload of 2^63 or more, for which readers refuse the directory",
	[FAULT_OUTSIDE] = "with a time that is not between begin and end of the recording",
	[FAULT_ORDER] = "with a time before that of the row in front of it",
	[FAULT_SEGMENT] = "go on with a message whose begin is not there",
	[FAULT_TENSORS] = "with more tensors than a row has room for",
	[FAULT_LINE] = "that are not <number>:<text>",
};

struct faults {
	struct {
		uint64_t rows, first;
	} of[FAULTS];
};

static void fault(struct faults *f, enum fault what, uint64_t row)
{
	if (!f->of[what].rows++)
		f->of[what].first = row;
}

static void tell(struct verifying *v, const struct prof_part *part, const char *table, const struct faults *f)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/data", part->path);
	for (int i = 0; i < FAULTS; i++)
		if (f->of[i].rows)
			verify_found(v, VERIFY_DAMAGED, path, "%s: %" PRIu64 " %s %s, the first is number %" PRIu64,
				     table, f->of[i].rows,
				     i == FAULT_LINE	  ? "lines"
				     : f->of[i].rows == 1 ? "row"
							  : "rows",
				     fault_words[i], f->of[i].first);
}

/* Begin and end of the recording, wall clock, ns; without an end, no limit. */
static void limits(const struct prof_part *part, int64_t *from, int64_t *to)
{
	const struct control *c = &part->control;

	*from = timebase_raw(&part->time, c->begin_raw_ns);
	*to = c->end_raw_ns ? timebase_raw(&part->time, c->end_raw_ns) : INT64_MAX;
	*from = *from < INT64_MIN + SLACK ? INT64_MIN : *from - SLACK;
	*to = *to > INT64_MAX - SLACK ? INT64_MAX : *to + SLACK;
}

/* ---- annotations ---- */

struct thread_end {
	uint32_t tid; /* 0: free */
	int64_t end;
};

/* A thread reports what it ends in the order in which it ends it. */
static bool in_order(struct thread_end *ends, uint32_t tid, int64_t end)
{
	struct thread_end *e = &ends[(tid * 2654435761u >> 16) % THREADS];
	bool good = e->tid != tid || end >= e->end - SLACK / 1000;

	if (e->tid != tid || end > e->end)
		*e = (struct thread_end){ tid, end };
	return good;
}

static void look_at_annotation(struct faults *f, const struct prof_part *part, const struct row_tx *r, uint64_t i,
			       struct thread_end *ends, uint64_t *mark_id)
{
	int64_t start = timebase_host(&part->time, r->start), end = timebase_host(&part->time, r->end), from, to;

	if (r->magic != ROW_MAGIC || r->magic2 != ROW_MAGIC || r->info_type > ROW_TX_INFO_SEGMENT) {
		fault(f, FAULT_MAGIC, i);
		return;
	}
	limits(part, &from, &to);
	if (r->event > ROW_TX_MARK_EX)
		fault(f, FAULT_EVENT, i);
	if (r->end < r->start)
		fault(f, FAULT_BACKWARD, i);
	if (r->payload >> 63)
		fault(f, FAULT_PAYLOAD, i);
	if (start < from || end > to)
		fault(f, FAULT_OUTSIDE, i);
	if (!in_order(ends, r->report_tid, end))
		fault(f, FAULT_ORDER, i);
	if (r->info_type == ROW_TX_INFO_SEGMENT) {
		/* another runtime's may lie apart */
		if (r->segment && *mark_id != r->mark_id)
			fault(f, FAULT_SEGMENT, i);
		*mark_id = r->mark_id;
	}
}

static void look_at_annotations(struct verifying *v, const struct prof_part *part)
{
	const struct slices *s = &part->table[SLICES_TX];
	struct thread_end *ends = calloc(THREADS, sizeof(*ends));
	uint64_t i = 0, mark_id = 0;
	struct faults f = { 0 };

	for (unsigned int k = 0; ends && k < s->nr; k++) {
		for (size_t at = 0; at + sizeof(struct row_tx) <= s->slice[k].size; at += sizeof(struct row_tx), i++) {
			struct row_tx row;

			memcpy(&row, s->slice[k].map.begin + at, sizeof(row));
			look_at_annotation(&f, part, &row, i, ends, &mark_id);
		}
		/* or large directories would fill the process */
		if (s->slice[k].map.begin)
			madvise(s->slice[k].map.begin, s->slice[k].size, MADV_DONTNEED);
	}
	if (!v->prof->account.exists)
		f.of[FAULT_SEGMENT].rows = f.of[FAULT_ORDER].rows = 0; /* how others order is not known */
	tell(v, part, "annotations", &f);
	free(ends);
}

/* ---- tables of counters, tensors, texts ---- */

static int64_t stamp_of(const struct prof_part *part, enum slices_kind kind, const void *data)
{
	size_t at = 0;
	uint64_t stamp;

	if (part->time.version == 2 && kind != SLICES_SOC)
		at = kind == SLICES_LLC ? offsetof(struct row_llc2, stamp_ns) : offsetof(struct row_hbm2, stamp_ns);
	else if (kind == SLICES_SOC)
		at = offsetof(struct row_soc_acc, cycles);
	memcpy(&stamp, (const char *)data + at, sizeof(stamp));
	return kind == SLICES_SOC ? timebase_device(&part->time, stamp) : timebase_sample(&part->time, stamp);
}

static void look_at_counters(struct verifying *v, const struct prof_part *part, enum slices_kind kind, const char *name)
{
	int64_t last = INT64_MIN, from, to, wall;
	struct slices_cursor c;
	struct faults f = { 0 };
	uint64_t i = 0;
	const void *data;

	limits(part, &from, &to);
	slices_rewind(&c, &part->table[kind]);
	for (; (data = slices_next(&c)); i++) {
		struct row_soc_acc head;

		memcpy(&head, data, offsetof(struct row_soc_acc, zero0));
		if (kind == SLICES_SOC && head.magic != ROW_SOC_MAGIC) {
			fault(&f, FAULT_MAGIC, i);
			continue;
		}
		wall = stamp_of(part, kind, data);
		if (wall < from || wall > to)
			fault(&f, FAULT_OUTSIDE, i);
		if (wall < last)
			fault(&f, FAULT_ORDER, i);
		last = wall;
	}
	tell(v, part, name, &f);
}

static void look_at_tensors(struct verifying *v, const struct prof_part *part)
{
	struct slices_cursor c;
	struct faults f = { 0 };
	uint64_t i = 0;
	const void *data;

	slices_rewind(&c, &part->table[SLICES_TENSORS]);
	for (; (data = slices_next(&c)); i++) {
		struct row_tensors row;

		memcpy(&row, data, sizeof(row));
		if (row.magic != ROW_MAGIC)
			fault(&f, FAULT_MAGIC, i);
		else if (row.nr > ROW_TENSORS)
			fault(&f, FAULT_TENSORS, i);
	}
	tell(v, part, "tensors", &f);
}

static void look_at_texts(struct verifying *v, const struct prof_part *part)
{
	const struct slices *s = &part->table[SLICES_HASH];
	struct faults f = { 0 };
	uint64_t line = 0;

	for (unsigned int k = 0; k < s->nr; k++) {
		const char *at = s->slice[k].map.begin, *end = s->slice[k].size ? at + s->slice[k].size : at;

		for (; at < end; line++) {
			const char *stop = memchr(at, '\n', (size_t)(end - at)), *digit = at;

			stop = stop ? stop : end;
			while (digit < stop && *digit >= '0' && *digit <= '9')
				digit++;
			if (digit == at || digit == stop || *digit != ':')
				fault(&f, FAULT_LINE, line);
			at = stop + 1;
		}
	}
	tell(v, part, "hash_dic", &f);
}

void verify_rows(struct verifying *v, const struct prof_part *part)
{
	if (part->device < 0) {
		look_at_annotations(v, part);
		look_at_tensors(v, part);
		look_at_texts(v, part);
		return;
	}
	look_at_counters(v, part, SLICES_LLC, "llc");
	look_at_counters(v, part, SLICES_HBM, "hbm");
	look_at_counters(v, part, SLICES_SOC, "soc_profile");
}
