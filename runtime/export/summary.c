/* SPDX-License-Identifier: Apache-2.0 */
#include "export/summary.h"

#include <stdlib.h>
#include <string.h>

#include "export/nest.h"

void summary_init(struct summary *n)
{
	*n = (struct summary){ .budget = { QUANTILE_BUDGET } };
}

void summary_free(struct summary *n)
{
	for (size_t i = 0; i < n->nr; i++) {
		quantile_free(&n->row[i].durations, &n->budget);
		free(n->row[i].text);
	}
	free(n->row);
	free(n->table);
	summary_init(n);
}

static uint64_t hash_of(const char *s, size_t n, uint64_t seed)
{
	uint64_t h = seed ^ 0xcbf29ce484222325ULL, word;

	for (; n >= 8; s += 8, n -= 8) {
		memcpy(&word, s, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	for (; n; s++, n--)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h ^ h >> 29;
}

/* ---- the table ---- */

static void fill_table(struct summary *n)
{
	memset(n->table, 0, n->table_room * sizeof(*n->table));
	for (size_t i = 0; i < n->nr; i++) {
		size_t at = n->row[i].hash & (n->table_room - 1);

		while (n->table[at])
			at = (at + 1) & (n->table_room - 1);
		n->table[at] = (uint32_t)i + 1;
	}
}

static int grow(struct summary *n)
{
	size_t room = n->table_room ? 2 * n->table_room : 256;
	struct summary_row *row = realloc(n->row, room / 2 * sizeof(*row));
	uint32_t *table;

	if (!row)
		return -1;
	n->row = row;
	n->room = room / 2;
	table = malloc(room * sizeof(*table));
	if (!table)
		return -1;
	free(n->table);
	n->table = table;
	n->table_room = room;
	fill_table(n);
	return 0;
}

/* Where the name is, or would be; the table has room. */
static size_t slot_of(const struct summary *n, uint64_t hash, enum tx_kind kind, const char *text, size_t len)
{
	size_t at = hash & (n->table_room - 1);

	for (; n->table[at]; at = (at + 1) & (n->table_room - 1)) {
		const struct summary_row *r = &n->row[n->table[at] - 1];

		if (r->hash == hash && r->kind == kind && r->len == len && !memcmp(r->text, text, len))
			break;
	}
	return at;
}

struct summary_row *summary_find(const struct summary *n, enum tx_kind kind, const char *text, size_t len)
{
	size_t at = n->table_room ? slot_of(n, hash_of(text, len, kind), kind, text, len) : 0;

	return n->table_room && n->table[at] ? &n->row[n->table[at] - 1] : NULL;
}

static int64_t new_row(struct summary *n, size_t at, uint64_t hash, enum tx_kind kind, const char *text, size_t len)
{
	struct summary_row *r = &n->row[n->nr];

	*r = (struct summary_row){ .kind = kind, .text = malloc(len + 1), .len = len, .hash = hash };
	if (!r->text)
		return -1;
	memcpy(r->text, text, len);
	n->text += len;
	n->table[at] = (uint32_t)++n->nr;
	return (int64_t)n->nr - 1;
}

int64_t summary_index(struct summary *n, enum tx_kind kind, const char *text, size_t len)
{
	uint64_t hash = hash_of(text, len, kind);
	size_t at;

	if (n->nr == n->room && grow(n))
		return -1;
	at = slot_of(n, hash, kind, text, len);
	if (n->table[at])
		return n->table[at] - 1;
	if (n->nr >= SUMMARY_MOST || n->text + len > SUMMARY_TEXT) {
		if (!n->other[kind]) {
			int64_t row = new_row(n, at, hash_of(SUMMARY_OTHER, sizeof(SUMMARY_OTHER) - 1, kind), kind,
					      SUMMARY_OTHER, sizeof(SUMMARY_OTHER) - 1);

			n->other[kind] = (uint32_t)(row + 1);
			fill_table(n);
		}
		return (int64_t)n->other[kind] - 1;
	}
	return new_row(n, at, hash, kind, text, len);
}

/* ---- events ---- */

#define UNWANTED UINT32_MAX

struct adding {
	const struct prof_part *host;
	struct summary *names;
	struct walk_seen *seen;
	struct nest nest;
};

static void add_self(void *arg, uint32_t name, uint64_t self)
{
	struct summary_row *r;

	if (name == UNWANTED)
		return;
	r = &((struct summary *)arg)->row[name];
	if (__builtin_add_overflow(r->self, self, &r->self))
		r->self = UINT64_MAX;
}

/* Ranges that are not wanted are not part of the self times of others all the same. */
static int nest_event(struct adding *a, const struct walk_event *e, uint32_t name)
{
	if (e->kind == TX_MARK)
		return 0;
	return nest_add(&a->nest, e->start, e->end, (uint64_t)e->row.pid << 32 | e->row.tid, name);
}

static int add_event(void *arg, const struct walk_event *e)
{
	struct adding *a = arg;
	struct summary *n = a->names;
	uint64_t duration = (uint64_t)e->end - (uint64_t)e->start;
	struct summary_row *r;
	int64_t index;

	walk_see(a->seen, e);
	if (!walk_wants(a->host, e))
		return nest_event(a, e, UNWANTED);
	index = summary_index(n, e->kind, e->message, e->len);
	if (index < 0)
		return -1;
	r = &n->row[index];
	r->count++;
	if (e->kind == TX_MARK)
		return 0;
	if (r->count == 1 || duration < r->min)
		r->min = duration;
	if (duration > r->max)
		r->max = duration;
	if (__builtin_add_overflow(r->total, duration, &r->total))
		r->total = UINT64_MAX;
	if (quantile_add(&r->durations, duration, &n->budget))
		return -1;
	return nest_event(a, e, (uint32_t)index);
}

int summary_add(struct summary *n, const struct prof *prof, struct walk_seen *seen, struct diag *diag)
{
	struct adding a = { .host = prof_host(prof), .names = n, .seen = seen };

	*seen = (struct walk_seen){ 0 };
	if (nest_begin(&a.nest, add_self, n) || walk(a.host, add_event, &a, &seen->bad_rows) ||
	    nest_end(&a.nest))
		diag_fail(diag, "%s: out of memory", prof->path);
	nest_free(&a.nest);
	if (!diag->error[0] && seen->bad_rows)
		diag_warn(diag, "%s: %llu annotation rows are damaged and left out", prof->path,
			  (unsigned long long)seen->bad_rows);
	return diag->error[0] ? -1 : 0;
}

/* ---- orders ---- */

static const char *const words[SUMMARY_ORDERS] = { "total", "self", "count", "average", "p99", "max", "name" };

const char *summary_order_word(enum summary_order order)
{
	return words[order];
}

static int by_text(const struct summary_row *x, const struct summary_row *y)
{
	int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

	if (order)
		return order;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static uint64_t key_of(struct summary_row *r, enum summary_order order)
{
	switch (order) {
	case SUMMARY_SELF:
		return r->self;
	case SUMMARY_COUNT:
		return r->count;
	case SUMMARY_AVERAGE:
		return summary_average(r);
	case SUMMARY_P99:
		return quantile_get(&r->durations, 990);
	case SUMMARY_MAX:
		return r->max;
	case SUMMARY_NAME:
		return 0;
	default:
		return r->total;
	}
}

static int by_name(const void *a, const void *b)
{
	return by_text(a, b);
}

/* Equal ones by total, then by count. */
static int by_key(const void *a, const void *b)
{
	const struct summary_row *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return by_text(x, y);
}

void summary_sort(struct summary *n, enum summary_order order)
{
	if (!n->nr)
		return;
	for (size_t i = 0; i < n->nr; i++)
		n->row[i].key = key_of(&n->row[i], order);
	qsort(n->row, n->nr, sizeof(*n->row), order == SUMMARY_NAME ? by_name : by_key);
	fill_table(n);
	memset(n->other, 0, sizeof(n->other));
}
