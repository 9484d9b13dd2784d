/* SPDX-License-Identifier: Apache-2.0 */
#include "export/summary.h"

#include <stdlib.h>
#include <string.h>

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

static int grow_table(struct summary *s)
{
	size_t room = s->table_room ? 2 * s->table_room : 256;
	uint32_t *table = calloc(room, sizeof(*table));

	if (!table)
		return -1;
	for (size_t i = 0; i < s->nr; i++) {
		size_t at = s->row[i].hash & (room - 1);

		while (table[at])
			at = (at + 1) & (room - 1);
		table[at] = (uint32_t)i + 1;
	}
	free(s->table);
	s->table = table;
	s->table_room = room;
	return 0;
}

/* Return: the row's index, or -1 */
static int64_t row_of(struct summary *s, const struct tx_event *e)
{
	uint64_t hash = hash_of(e->message, e->message_len, e->kind);
	struct summary_row *grown;
	size_t at;

	if (2 * s->nr >= s->table_room && grow_table(s))
		return -1;
	for (at = hash & (s->table_room - 1); s->table[at]; at = (at + 1) & (s->table_room - 1)) {
		const struct summary_row *r = &s->row[s->table[at] - 1];

		if (r->hash == hash && r->kind == e->kind && r->len == e->message_len &&
		    !memcmp(r->message, e->message, r->len))
			return s->table[at] - 1;
	}
	if (s->nr == s->room) {
		s->room = s->room ? 2 * s->room : 64;
		grown = realloc(s->row, s->room * sizeof(*grown));
		if (!grown)
			return -1;
		s->row = grown;
	}
	s->row[s->nr] = (struct summary_row){
		.kind = e->kind, .message = malloc(e->message_len + 1), .len = e->message_len,
		.hash = hash,
	};
	if (!s->row[s->nr].message)
		return -1;
	memcpy(s->row[s->nr].message, e->message, e->message_len);
	s->table[at] = (uint32_t)++s->nr;
	return (int64_t)s->nr - 1;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Durations of one row, @nr of them, sorted by this. */
static void sum_row(struct summary_row *r, uint64_t *duration)
{
	qsort(duration, r->count, sizeof(*duration), by_value);
	r->min = duration[0];
	r->p50 = duration[(r->count - 1) / 2];
	r->max = duration[r->count - 1];
	for (uint64_t i = 0; i < r->count; i++)
		if (__builtin_add_overflow(r->total, duration[i], &r->total))
			r->total = UINT64_MAX;
}

static int by_total(const void *a, const void *b)
{
	const struct summary_row *x = a, *y = b;
	int order;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	order = memcmp(x->message, y->message, x->len < y->len ? x->len : y->len);
	if (order)
		return order;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static uint64_t duration_of(const struct tx *tx, const struct row_tx *row)
{
	int64_t from = timebase_host(&tx->host->time, row->start);
	int64_t to = timebase_host(&tx->host->time, row->end);

	return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

int summary_make(struct summary *s, struct tx *tx)
{
	uint32_t *row = malloc((tx->nr + 1) * sizeof(*row));
	uint64_t *duration = malloc((tx->nr + 1) * sizeof(*duration));
	size_t *at = NULL;
	struct tx_event e;
	size_t sum = 0;
	int ret = -1;

	*s = (struct summary){ 0 };
	if (!row || !duration)
		goto out;
	for (size_t i = 0; i < tx->nr; i++) {
		int64_t index;

		tx_get(tx, i, &e);
		index = row_of(s, &e);
		if (index < 0)
			goto out;
		row[i] = (uint32_t)index;
		s->row[index].count++;
	}
	/* durations by row: where each row's part begins, then filled */
	at = malloc((s->nr + 1) * sizeof(*at));
	if (!at)
		goto out;
	for (size_t i = 0; i < s->nr; i++) {
		at[i] = sum;
		sum += s->row[i].count;
	}
	for (size_t i = 0; i < tx->nr; i++) {
		tx_get(tx, i, &e);
		duration[at[row[i]]++] = duration_of(tx, &e.row);
	}
	for (size_t i = 0; i < s->nr; i++)
		if (s->row[i].kind != TX_MARK)
			sum_row(&s->row[i], duration + at[i] - s->row[i].count);
	if (s->nr)
		qsort(s->row, s->nr, sizeof(*s->row), by_total);
	ret = 0;
out:
	free(row);
	free(duration);
	free(at);
	return ret;
}

void summary_free(struct summary *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->row[i].message);
	free(s->row);
	free(s->table);
	*s = (struct summary){ 0 };
}
