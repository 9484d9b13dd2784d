/* SPDX-License-Identifier: Apache-2.0 */
#include "export/tx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/filter.h"
#include "export/sort.h"
#include "format/words.h"

#define GROUP UINT32_MAX

#define AHEAD 16 /* events that memory is asked for before they are due */
#define TRIM 1024 /* events between looks at the memory */

struct tx_segment {
	uint64_t mark_id;
	uint32_t slice, row;
	uint32_t index; /* of the segment */
};

struct tx_group {
	size_t first; /* of the segments */
	size_t nr;
	uint32_t slice, row; /* that appeared first */
};

/* Packed, so that it may lie at any address. */
static const struct row_tx *slice_row(const struct slices *s, uint32_t slice, uint32_t row)
{
	return (const struct row_tx *)s->slice[slice].map.begin + row;
}

enum tx_kind tx_event_kind(uint32_t event)
{
	switch (event) {
	case ROW_TX_MARK:
	case ROW_TX_MARK_EX:
		return TX_MARK;
	case ROW_TX_PUSH_POP:
		return TX_PUSH_POP;
	case ROW_TX_RANGE:
		return TX_RANGE;
	default:
		return TX_OTHER;
	}
}

const char *tx_kind_name(enum tx_kind kind)
{
	static const char *const names[TX_KINDS] = { "mark", "push_pop", "range", "other" };

	return names[kind];
}

enum tx_account tx_account_of(const struct row_tx *row)
{
	bool mstx = row->info_type == ROW_TX_INFO_SEGMENT;

	switch (row->event) {
	case ROW_TX_MARK:
		return mstx ? TX_ACCOUNT_MSTX_MARK : TX_ACCOUNT_MARK;
	case ROW_TX_MARK_EX:
		return TX_ACCOUNT_MARK_EX;
	case ROW_TX_PUSH_POP:
		return TX_ACCOUNT_PUSH_POP;
	case ROW_TX_RANGE:
		return mstx ? TX_ACCOUNT_MSTX_RANGE : TX_ACCOUNT_RANGE;
	default:
		return TX_ACCOUNT_OTHER;
	}
}

const char *tx_account_name(enum tx_account account)
{
	static const char *const names[TX_ACCOUNTS] = {
		"mark", "push_pop", "range", "other", "mstx_mark", "mstx_range", "mark_ex",
	};

	return names[account];
}

/* Wall-clock times are positive; what is not sorts first. */
static uint64_t key_of(const struct tx *tx, enum tx_order order, uint64_t start)
{
	int64_t t = order == TX_ORDER_TABLE ? timebase_parser_host(&tx->host->time, start) :
					      timebase_host(&tx->host->time, start);

	return (uint64_t)t ^ 1ULL << 63;
}

static void count(struct tx *tx, const struct row_tx *row)
{
	tx->kinds[tx_event_kind(row->event)]++;
	tx->accounts[tx_account_of(row)]++;
}

static void add_entry(struct tx *tx, enum tx_order order, uint32_t slice, uint32_t row,
		      const struct row_tx *data)
{
	if (!filter_wants_row(tx->host->filter, &tx->host->time, data))
		return;
	count(tx, data);
	tx->entry[tx->nr++] = (struct tx_entry){ key_of(tx, order, data->start), slice, row };
}

/* ---- messages in several rows ---- */

static int add_segment(struct tx *tx, const struct row_tx *head, uint32_t slice, uint32_t row)
{
	if (scratch_grow(&tx->segments, tx->nr_segments, sizeof(*tx->segment)))
		return -1;
	tx->segment = (struct tx_segment *)tx->segments.map.begin;
	tx->segment[tx->nr_segments++] = (struct tx_segment){
		.mark_id = head->mark_id,
		.slice = slice,
		.row = row,
		.index = head->segment,
	};
	return 0;
}

static int by_mark(const void *a, const void *b, void *arg)
{
	const struct tx_segment *x = a, *y = b;

	(void)arg;
	if (x->mark_id != y->mark_id)
		return x->mark_id < y->mark_id ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static uint64_t place(uint32_t slice, uint32_t row)
{
	return (uint64_t)slice << 32 | row;
}

static uint64_t place_of(const struct tx *tx, const struct tx_entry *entry)
{
	const struct tx_group *g;

	if (entry->slice != GROUP)
		return place(entry->slice, entry->row);
	g = &tx->group[entry->row];
	return place(g->slice, g->row);
}

static int by_place(const void *a, const void *b, void *arg)
{
	uint64_t x = place_of(arg, a), y = place_of(arg, b);

	return (x > y) - (x < y);
}

/*
 * The segments from @first to @end are one event. Those of events with several
 * rows stay, at the front of the array.
 */
static int add_group(struct tx *tx, enum tx_order order, size_t first, size_t end, size_t *kept)
{
	const struct tx_segment *s = &tx->segment[first];
	const struct slices *rows = &tx->host->table[SLICES_TX];
	struct tx_group g = { .first = *kept, .nr = end - first, .slice = s->slice, .row = s->row };
	size_t nr = tx->nr;

	if (g.nr == 1) {
		add_entry(tx, order, s->slice, s->row, slice_row(rows, s->slice, s->row));
		return 0;
	}
	add_entry(tx, order, GROUP, (uint32_t)tx->nr_groups, slice_row(rows, s->slice, s->row));
	if (tx->nr == nr)
		return 0;
	if (tx->nr_groups == GROUP || scratch_grow(&tx->groups, tx->nr_groups, sizeof(g)))
		return -1;
	for (size_t i = first; i < end; i++) {
		const struct tx_segment seg = tx->segment[i];

		if (place(seg.slice, seg.row) < place(g.slice, g.row)) {
			g.slice = seg.slice;
			g.row = seg.row;
		}
		tx->segment[(*kept)++] = seg;
	}
	tx->group = (struct tx_group *)tx->groups.map.begin;
	tx->group[tx->nr_groups++] = g;
	if (g.nr > tx->longest)
		tx->longest = g.nr;
	return 0;
}

/* Rows of one mark id are one event; the first of them to appear says when. */
static int make_groups(struct tx *tx, enum tx_order order)
{
	size_t simple = tx->nr, kept = 0, end;

	if (sort_records(tx->segment, tx->nr_segments, sizeof(*tx->segment), by_mark, NULL))
		return -1;
	for (size_t i = 0; i < tx->nr_segments; i = end) {
		uint64_t mark_id = tx->segment[i].mark_id;

		for (end = i + 1; end < tx->nr_segments && tx->segment[end].mark_id == mark_id; end++)
			;
		if (add_group(tx, order, i, end, &kept))
			return -1;
		if (!(i % TRIM))
			guard_trim();
	}
	if (sort_records(tx->entry + simple, tx->nr - simple, sizeof(*tx->entry), by_place, tx))
		return -1;
	tx->joined = malloc(tx->longest * sizeof(((struct row_tx *)0)->message) + 1);
	return tx->joined ? 0 : -1;
}

/* ---- all ---- */

static int load_rows(struct tx *tx, enum tx_order order)
{
	const struct slices *s = &tx->host->table[SLICES_TX];

	for (uint32_t i = 0; i < s->nr; i++) {
		uint32_t rows = (uint32_t)(s->slice[i].size / sizeof(struct row_tx));

		for (uint32_t j = 0; j < rows; j++) {
			const struct row_tx *row = slice_row(s, i, j);
			uint16_t info_type = row->info_type;

			if (!(j % TRIM))
				guard_trim();
			if (row->magic != ROW_MAGIC || row->magic2 != ROW_MAGIC || info_type > 1)
				tx->bad_rows++;
			else if (!info_type)
				add_entry(tx, order, i, j, row);
			else if (add_segment(tx, row, i, j))
				return -1;
		}
	}
	return 0;
}

/* Among equal starts the longest first, so that slices nest. */
static void order_equal(struct tx *tx)
{
	struct tx_event a, b;

	for (size_t i = 1; i < tx->nr; i++) {
		struct tx_entry moving = tx->entry[i];
		size_t j = i;

		if (!(i % TRIM))
			guard_trim();
		if (moving.key != tx->entry[i - 1].key)
			continue;
		tx_get(tx, i, &a);
		for (; j && i - j < 64 && tx->entry[j - 1].key == moving.key; j--) {
			tx_get(tx, j - 1, &b);
			if (b.row.end >= a.row.end)
				break;
			tx->entry[j] = tx->entry[j - 1];
			tx->entry[j - 1] = moving;
		}
	}
}

static void keep_named(struct tx *tx, const struct filter *f)
{
	struct tx_event e;
	size_t nr = 0;

	memset(tx->kinds, 0, sizeof(tx->kinds));
	memset(tx->accounts, 0, sizeof(tx->accounts));
	for (size_t i = 0; i < tx->nr; i++) {
		tx_get(tx, i, &e);
		if (!filter_wants_name(f, e.message, e.message_len))
			continue;
		count(tx, &e.row);
		tx->entry[nr++] = tx->entry[i];
	}
	tx->nr = nr;
}

int tx_load(struct tx *tx, const struct prof_part *host, enum tx_order order, struct diag *diag)
{
	*tx = (struct tx){ .host = host };
	if (!host || !host->table[SLICES_TX].rows)
		return 0;
	if (scratch_resize(&tx->entries, host->table[SLICES_TX].rows * sizeof(*tx->entry)))
		return diag_fail(diag, "%s: no room to sort annotations: %s", host->path, strerror(errno));
	tx->entry = (struct tx_entry *)tx->entries.map.begin;
	if (load_rows(tx, order) || (tx->nr_segments && (make_groups(tx, order) || names_load(&tx->domains, host))))
		return diag_fail(diag, "%s: out of memory", host->path);
	if (host->filter && host->filter->nr_names)
		keep_named(tx, host->filter);
	if (sort_entries(tx->entry, tx->nr))
		return diag_fail(diag, "%s: no room to sort annotations: %s", host->path, strerror(errno));
	if (order == TX_ORDER_TRACE)
		order_equal(tx);
	if (tx->bad_rows)
		diag_warn(diag, "%s: %llu annotation rows are damaged and left out", host->path,
			  (unsigned long long)tx->bad_rows);
	return 0;
}

void tx_free(struct tx *tx)
{
	scratch_free(&tx->entries);
	scratch_free(&tx->segments);
	scratch_free(&tx->groups);
	names_free(&tx->domains);
	free(tx->joined);
	*tx = (struct tx){ 0 };
}

/*
 * Rows come in the order of time, which is not that of the file. Inlined in any case: compilers
 * take a function that does nothing but this for one without effects, and drop its calls.
 */
static inline __attribute__((always_inline)) void prefetch(const struct tx *tx, size_t i)
{
	const struct tx_entry *entry = &tx->entry[i];
	const char *row;

	if (i >= tx->nr || entry->slice == GROUP)
		return;
	row = (const char *)slice_row(&tx->host->table[SLICES_TX], entry->slice, entry->row);
#pragma GCC unroll 8
	for (size_t at = 0; at < sizeof(struct row_tx); at += 64)
		__builtin_prefetch(row + at);
}

#define SHORT 32 /* bytes of most messages, and of a message that are looked at here */

/* As strnlen(), without a call for short ones. */
static inline size_t message_len(const struct row_tx *row)
{
	for (size_t at = 0; at < SHORT; at += sizeof(bytes16)) {
		const words2 zero = (words2)(sixteen_at(row->message + at) == 0);

		if (zero[0])
			return at + (size_t)__builtin_ctzll(zero[0]) / 8;
		if (zero[1])
			return at + sizeof(uint64_t) + (size_t)__builtin_ctzll(zero[1]) / 8;
	}
	return SHORT + strnlen(row->message + SHORT, sizeof(row->message) - SHORT);
}

static __attribute__((noinline)) void get_domain(const struct tx *tx, struct tx_event *e)
{
	e->domain = names_find(&tx->domains, e->row.domain, &e->domain_len);
	if (!e->domain) {
		e->domain = "invalid";
		e->domain_len = strlen("invalid");
	}
}

static void join_messages(const struct tx *tx, const struct tx_group *g, struct tx_event *e)
{
	char *to = tx->joined;

	for (size_t i = 0; i < g->nr; i++) {
		const struct tx_segment *s = &tx->segment[g->first + i];
		const struct row_tx *row = slice_row(&tx->host->table[SLICES_TX], s->slice, s->row);
		size_t n = message_len(row);

		memcpy(to, row->message, n);
		to += n;
	}
	e->message = tx->joined;
	e->message_len = (size_t)(to - tx->joined);
}

static inline void get_head(const struct row_tx *row, struct tx_event *e)
{
	memcpy(&e->row, row, offsetof(struct row_tx, message));
	e->kind = tx_event_kind(e->row.event);
	e->extended = e->row.info_type == ROW_TX_INFO_SEGMENT;
	e->domain = NULL;
	e->domain_len = 0;
}

static __attribute__((noinline)) void get_group(const struct tx *tx, const struct tx_group *g, struct tx_event *e)
{
	const struct tx_segment *first = &tx->segment[g->first];

	get_head(slice_row(&tx->host->table[SLICES_TX], first->slice, first->row), e);
	join_messages(tx, g, e);
	get_domain(tx, e);
}

void tx_get(struct tx *tx, size_t i, struct tx_event *e)
{
	const struct tx_entry *entry = &tx->entry[i];
	const struct row_tx *row;

	if (__builtin_expect(!(++tx->gets % TRIM), 0))
		guard_trim();
	prefetch(tx, i + AHEAD);
	if (__builtin_expect(entry->slice == GROUP, 0)) {
		get_group(tx, &tx->group[entry->row], e);
		return;
	}
	row = slice_row(&tx->host->table[SLICES_TX], entry->slice, entry->row);
	get_head(row, e);
	e->message = row->message;
	e->message_len = message_len(row);
	if (e->extended)
		get_domain(tx, e);
}
