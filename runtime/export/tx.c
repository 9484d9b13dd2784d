/* SPDX-License-Identifier: Apache-2.0 */
#include "export/tx.h"

#include <stdlib.h>
#include <string.h>

#include "export/sort.h"

#define GROUP UINT32_MAX

struct tx_segment {
	uint64_t mark_id;
	const char *row;
	size_t order; /* of appearance */
	uint32_t index; /* of the segment */
};

struct tx_group {
	size_t first; /* of the segments */
	size_t nr;
	size_t order;
};

struct tx_domain {
	uint64_t hash;
	const char *name;
	size_t len;
};

static const char *slice_row(const struct slices *s, uint32_t slice, uint32_t row)
{
	return s->slice[slice].map.begin + (size_t)row * sizeof(struct row_tx);
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

static void add_entry(struct tx *tx, enum tx_order order, uint32_t slice, uint32_t row,
		      const char *data)
{
	struct row_tx head;

	memcpy(&head, data, offsetof(struct row_tx, message));
	tx->kinds[tx_event_kind(head.event)]++;
	tx->accounts[tx_account_of(&head)]++;
	tx->entry[tx->nr++] = (struct tx_entry){ key_of(tx, order, head.start), slice, row };
}

/* ---- messages in several rows ---- */

static int add_segment(struct tx *tx, const struct row_tx *head, const char *row)
{
	struct tx_segment *grown = tx->segment;

	if (tx->nr_segments == tx->room) {
		tx->room = tx->room ? 2 * tx->room : 64;
		grown = realloc(grown, tx->room * sizeof(*grown));
		if (!grown)
			return -1;
		tx->segment = grown;
	}
	tx->segment[tx->nr_segments] = (struct tx_segment){
		.mark_id = head->mark_id,
		.row = row,
		.order = tx->nr_segments,
		.index = head->segment,
	};
	tx->nr_segments++;
	return 0;
}

static int by_mark(const void *a, const void *b)
{
	const struct tx_segment *x = a, *y = b;

	if (x->mark_id != y->mark_id)
		return x->mark_id < y->mark_id ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b)
{
	const struct tx_group *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* Rows of one mark id are one event; the first of them to appear says when. */
static int make_groups(struct tx *tx, enum tx_order order)
{
	size_t longest = 0;

	if (!tx->nr_segments)
		return 0;
	qsort(tx->segment, tx->nr_segments, sizeof(*tx->segment), by_mark);
	tx->group = malloc(tx->nr_segments * sizeof(*tx->group));
	if (!tx->group)
		return -1;
	for (size_t i = 0; i < tx->nr_segments; i++) {
		const struct tx_segment *s = &tx->segment[i];
		struct tx_group *g;

		if (!i || s->mark_id != s[-1].mark_id)
			tx->group[tx->nr_groups++] = (struct tx_group){ i, 0, s->order };
		g = &tx->group[tx->nr_groups - 1];
		g->nr++;
		if (s->order < g->order)
			g->order = s->order;
		if (g->nr > longest)
			longest = g->nr;
	}
	qsort(tx->group, tx->nr_groups, sizeof(*tx->group), by_order);
	for (uint32_t i = 0; i < tx->nr_groups; i++)
		add_entry(tx, order, GROUP, i, tx->segment[tx->group[i].first].row);
	tx->joined = malloc(longest * sizeof(((struct row_tx *)0)->message));
	return tx->joined ? 0 : -1;
}

/* ---- names of domains: lines "<hash>:<name>" ---- */

static int by_hash(const void *a, const void *b)
{
	const struct tx_domain *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static int add_domain(struct tx *tx, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	struct tx_domain *grown;
	uint64_t hash = 0;

	if (!colon || colon == line)
		return 0;
	for (const char *s = line; s < colon; s++) {
		if (*s < '0' || *s > '9' || __builtin_mul_overflow(hash, (uint64_t)10, &hash) ||
		    __builtin_add_overflow(hash, (uint64_t)(*s - '0'), &hash))
			return 0;
	}
	if (!(tx->nr_domains & (tx->nr_domains - 1))) {
		grown = realloc(tx->domain, (tx->nr_domains ? 2 * tx->nr_domains : 1) *
						    sizeof(*grown));
		if (!grown)
			return -1;
		tx->domain = grown;
	}
	tx->domain[tx->nr_domains++] =
		(struct tx_domain){ hash, colon + 1, len - (size_t)(colon + 1 - line) };
	return 0;
}

static int load_domains(struct tx *tx)
{
	const struct slices *s = &tx->host->table[SLICES_HASH];

	for (unsigned int i = 0; i < s->nr; i++) {
		const char *at = s->slice[i].map.begin;
		size_t left = s->slice[i].size;

		while (left) {
			const char *end = memchr(at, '\n', left);
			size_t len = end ? (size_t)(end - at) : left;

			if (add_domain(tx, at, len))
				return -1;
			len += end != NULL;
			at += len;
			left -= len;
		}
	}
	if (tx->nr_domains)
		qsort(tx->domain, tx->nr_domains, sizeof(*tx->domain), by_hash);
	return 0;
}

/* ---- all ---- */

static int load_rows(struct tx *tx, enum tx_order order)
{
	const struct slices *s = &tx->host->table[SLICES_TX];

	for (uint32_t i = 0; i < s->nr; i++) {
		uint32_t rows = (uint32_t)(s->slice[i].size / sizeof(struct row_tx));

		for (uint32_t j = 0; j < rows; j++) {
			const char *row = slice_row(s, i, j);
			struct row_tx head;

			memcpy(&head, row, offsetof(struct row_tx, message));
			if (head.magic != ROW_MAGIC || head.magic2 != ROW_MAGIC ||
			    head.info_type > 1)
				tx->bad_rows++;
			else if (!head.info_type)
				add_entry(tx, order, i, j, row);
			else if (add_segment(tx, &head, row))
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

int tx_load(struct tx *tx, const struct prof_part *host, enum tx_order order, struct diag *diag)
{
	*tx = (struct tx){ .host = host };
	if (!host || !host->table[SLICES_TX].rows)
		return 0;
	tx->entry = malloc(host->table[SLICES_TX].rows * sizeof(*tx->entry));
	if (!tx->entry || load_rows(tx, order) || make_groups(tx, order) ||
	    (tx->nr_groups && load_domains(tx)) || sort_entries(tx->entry, tx->nr))
		return diag_fail(diag, "%s: out of memory", host->path);
	if (order == TX_ORDER_TRACE)
		order_equal(tx);
	if (tx->bad_rows)
		diag_warn(diag, "%s: %llu annotation rows are damaged and left out", host->path,
			  (unsigned long long)tx->bad_rows);
	return 0;
}

void tx_free(struct tx *tx)
{
	free(tx->entry);
	free(tx->segment);
	free(tx->group);
	free(tx->domain);
	free(tx->joined);
	*tx = (struct tx){ 0 };
}

static size_t message_len(const char *row)
{
	const char *message = row + offsetof(struct row_tx, message);

	return strnlen(message, sizeof(((struct row_tx *)0)->message));
}

static void get_group(struct tx *tx, const struct tx_group *g, struct tx_event *e)
{
	const struct tx_domain key = { .hash = e->row.domain };
	const struct tx_domain *d = NULL;
	char *to = tx->joined;

	for (size_t i = 0; i < g->nr; i++) {
		const char *row = tx->segment[g->first + i].row;
		size_t n = message_len(row);

		memcpy(to, row + offsetof(struct row_tx, message), n);
		to += n;
	}
	e->message = tx->joined;
	e->message_len = (size_t)(to - tx->joined);
	if (tx->nr_domains)
		d = bsearch(&key, tx->domain, tx->nr_domains, sizeof(key), by_hash);
	e->domain = d ? d->name : "invalid";
	e->domain_len = d ? d->len : strlen("invalid");
}

void tx_get(struct tx *tx, size_t i, struct tx_event *e)
{
	const struct tx_entry *entry = &tx->entry[i];
	const struct tx_group *g = NULL;
	const char *row;

	if (entry->slice == GROUP) {
		g = &tx->group[entry->row];
		row = tx->segment[g->first].row;
	} else {
		row = slice_row(&tx->host->table[SLICES_TX], entry->slice, entry->row);
	}
	memcpy(&e->row, row, offsetof(struct row_tx, message));
	e->kind = tx_event_kind(e->row.event);
	e->extended = g != NULL;
	if (g) {
		get_group(tx, g, e);
		return;
	}
	e->message = row + offsetof(struct row_tx, message);
	e->message_len = message_len(row);
	e->domain = NULL;
	e->domain_len = 0;
}
