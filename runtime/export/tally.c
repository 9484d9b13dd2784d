/* SPDX-License-Identifier: Apache-2.0 */
#include "export/tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/rows2.h"
#include "export/samples.h"
#include "export/stored.h"

static struct tally_row *row_of(struct tally *t, const char *kind, int device)
{
	struct tally_row *grown;

	for (unsigned int i = 0; i < t->nr; i++)
		if (t->row[i].device == device && !strcmp(t->row[i].kind, kind))
			return &t->row[i];
	if (t->nr == t->room) {
		t->room = t->room ? 2 * t->room : 16;
		grown = realloc(t->row, t->room * sizeof(*grown));
		if (!grown)
			return NULL;
		t->row = grown;
	}
	grown = &t->row[t->nr++];
	*grown = (struct tally_row){ .device = device, .first = INT64_MAX, .last = INT64_MIN };
	snprintf(grown->kind, sizeof(grown->kind), "%s", kind);
	return grown;
}

static void include(struct tally_row *r, int64_t first, int64_t last)
{
	if (first < r->first)
		r->first = first;
	if (last > r->last)
		r->last = last;
}

/* @all: the three kinds of stamps are shown also when there are none of them */
static int count_tx(struct tally *t, const struct walk_seen *seen, bool all)
{
	for (int i = 0; i < TX_ACCOUNTS; i++) {
		struct tally_row *r;

		if (!seen->events[i] && (i >= TX_ACCOUNT_OTHER || !all))
			continue;
		r = row_of(t, tx_account_name(i), -1);
		if (!r)
			return -1;
		r->counted = true;
		r->rows = seen->events[i];
		if (seen->events[i])
			include(r, seen->first[i], seen->last[i]);
	}
	return 0;
}

static int64_t stamp_of(const struct prof_part *p, enum slices_kind kind, const void *data)
{
	size_t at = 0;
	uint64_t stamp;

	if (kind == SLICES_TENSORS)
		at = offsetof(struct row_tensors, stamp);
	else if (kind == SLICES_SOC)
		at = offsetof(struct row_soc_acc, cycles);
	else if (p->time.version == 2)
		at = kind == SLICES_LLC ? offsetof(struct row_llc2, stamp_ns) :
					  offsetof(struct row_hbm2, stamp_ns);
	memcpy(&stamp, (const char *)data + at, sizeof(stamp));
	if (kind == SLICES_TENSORS)
		return timebase_host(&p->time, stamp);
	return kind == SLICES_SOC ? timebase_device(&p->time, stamp) :
				    timebase_sample(&p->time, stamp);
}

static const char *table_name(enum slices_kind kind)
{
	static const char *const names[SLICES_KINDS] = {
		[SLICES_LLC] = "llc", [SLICES_HBM] = "hbm", [SLICES_SOC] = "soc_profile",
		[SLICES_TENSORS] = "tensor_info",
	};

	return names[kind];
}

static int count_table(struct tally *t, const struct prof_part *p, enum slices_kind kind)
{
	struct slices_cursor c;
	struct tally_row *r;
	const void *data;

	if (!table_name(kind) || !p->table[kind].nr)
		return 0;
	r = row_of(t, table_name(kind), p->device);
	if (!r)
		return -1;
	r->counted = true;
	r->rows = p->table[kind].rows;
	r->row_bytes = p->table[kind].row_size;
	slices_rewind(&c, &p->table[kind]);
	while ((data = slices_next(&c))) {
		int64_t wall = stamp_of(p, kind, data);

		include(r, wall, wall);
	}
	return 0;
}

/* @p is the host part, or has none of them */
static int count_samples(struct tally *t, const struct prof_part *p, enum slices_kind kind)
{
	struct tally_row *r;
	struct samples s;

	if (!samples_kind(kind) || !p->table[kind].nr)
		return 0;
	samples_count(p, kind, &s);
	r = row_of(t, samples_kind(kind), -1);
	if (!r)
		return -1;
	r->counted = true;
	r->rows = s.nr;
	if (s.nr)
		include(r, timebase_raw(&p->time, s.first_ns), timebase_raw(&p->time, s.last_ns));
	return 0;
}

/* Calls and events of frameworks lie in one file. */
static int count_calls(struct tally *t, const struct prof_part *p)
{
	struct slices_cursor c;
	const void *data;

	slices_rewind(&c, &p->table[SLICES_CALLS]);
	while (p->table[SLICES_CALLS].nr && (data = slices_next(&c))) {
		struct row_api row;
		struct tally_row *r;
		int64_t wall;

		memcpy(&row, data, sizeof(row));
		r = row_of(t, row.end == ROW_API_EVENT ? "event" : "api", ACCOUNT_HOST);
		if (!r)
			return -1;
		wall = timebase_host(&p->time, row.start);
		r->counted = true;
		r->rows++;
		include(r, wall, wall);
	}
	return 0;
}

struct counting {
	struct tally *t;
	const struct prof_part *p;
};

static int count_stored(void *arg, const struct stored_count *c)
{
	struct counting *n = arg;
	struct tally_row *r;

	for (int k = SLICES_LLC; k <= SLICES_SOC; k++)
		if (n->p->table[k].nr && !strcmp(table_name(k), c->slice.kind))
			return 0; /* its rows were looked at */
	r = row_of(n->t, c->slice.kind, n->p->device);
	if (!r)
		return -1;
	r->counted = true;
	r->rows += c->slice.in_bytes ? c->bytes : c->rows;
	r->row_bytes = 1;
	if (c->first <= c->last)
		include(r, timebase_host(&n->p->time, c->first), timebase_host(&n->p->time, c->last));
	return 0;
}

static bool is_counted(const struct account_kind *a)
{
	static const char *const kinds[] = { "mark", "push_pop", "range", "mstx_mark",
					     "mstx_range", "mark_ex", "tensor_info", "llc",
					     "hbm", "soc_profile", "api", "event", "compact", "additional" };
	const char *kind = a->name;

	if (*a->file && a->row_bytes)
		return true;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i], kind))
			return true;
	for (int k = 0; k < SLICES_KINDS; k++)
		if (samples_kind(k) && !strcmp(samples_kind(k), kind))
			return true;
	return false;
}

/* The runtime's own first and last times go before those seen in the files. */
static void use_account(struct tally_row *r, const struct prof *prof, const struct account_kind *k)
{
	const struct timebase *tb = &prof->part[0].time;

	r->account = k;
	r->counted = is_counted(k);
	if (k->first_ns || k->last_ns) {
		r->first = timebase_raw(tb, k->first_ns);
		r->last = timebase_raw(tb, k->last_ns);
	}
}

int tally_make(struct tally *t, const struct prof *prof, const struct walk_seen *seen)
{
	const struct account *a = &prof->account;
	bool final = a->exists && !a->running;
	struct tally_row *r;

	*t = (struct tally){ 0 };
	if (count_tx(t, seen, a->exists))
		return -1;
	for (unsigned int i = 0; i < prof->nr_parts; i++)
		for (int k = 0; k < SLICES_KINDS; k++)
			if (count_table(t, &prof->part[i], k) || count_samples(t, &prof->part[i], k))
				return -1;
	for (unsigned int i = 0; i < prof->nr_parts; i++) {
		struct counting n = { t, &prof->part[i] };

		if (count_calls(t, n.p) || stored_each(prof, n.p, count_stored, &n))
			return -1;
	}
	for (unsigned int i = 0; final && i < a->nr_kinds; i++) {
		r = row_of(t, a->kind[i].name, a->kind[i].device);
		if (!r)
			return -1;
		use_account(r, prof, &a->kind[i]);
	}
	/* What the accounting leaves out is as if it said 0. */
	for (unsigned int i = 0; final && i < t->nr; i++) {
		static const struct account_kind none;

		if (!t->row[i].account && t->row[i].rows)
			t->row[i].account = &none;
	}
	return 0;
}

void tally_free(struct tally *t)
{
	free(t->row);
	*t = (struct tally){ 0 };
}

uint64_t tally_written(const struct tally_row *r)
{
	return r->account ? r->account->written : r->rows;
}

bool tally_mismatch(const struct tally_row *r, char *why, size_t size)
{
	const struct account_kind *a = r->account;
	uint64_t sum, there;

	if (!a)
		return false;
	there = a->bytes ? r->rows * r->row_bytes : r->rows;
	if (r->counted && a->written != there) {
		snprintf(why, size,
			 "%" PRIu64 " %s in the slice files, but written says %" PRIu64, there,
			 a->bytes ? "bytes" : "rows", a->written);
		return true;
	}
	if (__builtin_add_overflow(a->written, a->dropped, &sum) || sum != a->produced) {
		snprintf(why, size, "produced %" PRIu64 " is not written %" PRIu64
			 " + dropped %" PRIu64, a->produced, a->written, a->dropped);
		return true;
	}
	return false;
}
