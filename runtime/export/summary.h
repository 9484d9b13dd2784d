/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations summed up per name and kind, of one directory or of several.
 * Memory is bounded: SUMMARY_MOST names with together SUMMARY_TEXT bytes, all that
 * come later are one row; see quantile.h and nest.h. Not thread-safe.
 */
#ifndef ASCPROF_SUMMARY_H
#define ASCPROF_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "export/quantile.h"
#include "export/walk.h"

#define SUMMARY_MOST (1u << 15)
#define SUMMARY_TEXT (32u << 20)
#define SUMMARY_OTHER "(other names)" /* what that row is called */

struct summary_row {
	enum tx_kind kind;
	char *text; /* bytes as in the files */
	size_t len;
	uint64_t hash;
	uint64_t count;
	uint64_t total, self, min, max; /* of the durations, ns; 0 for marks */
	struct quantile durations; /* none for marks */
	uint64_t key; /* what summary_sort() compares */
};

struct summary {
	struct summary_row *row;
	size_t nr, room;
	uint32_t *table; /* open addressing: index of the row + 1 */
	size_t table_room;
	size_t text; /* bytes */
	uint32_t other[TX_KINDS]; /* index + 1 of the row of all names that found no room */
	struct quantile_budget budget;
};

enum summary_order {
	SUMMARY_TOTAL,
	SUMMARY_SELF,
	SUMMARY_COUNT,
	SUMMARY_AVERAGE,
	SUMMARY_P99,
	SUMMARY_MAX,
	SUMMARY_NAME,
	SUMMARY_ORDERS
};

void summary_init(struct summary *n);
void summary_free(struct summary *n);

/*
 * Adds what @prof has, and counts it in @seen, which is set anew. @each may be
 * NULL; else it is called for every event, with its index in n->row.
 * Return: 0; -1 with a message.
 */
int summary_add(struct summary *n, const struct prof *prof, struct walk_seen *seen, struct diag *diag);

/* Largest first; names in the order of their bytes. Indexes of rows are others then. */
void summary_sort(struct summary *n, enum summary_order order);
/* "total", "self", ... */
const char *summary_order_word(enum summary_order order);

/* The row's index, of a name that may be new; -1: without memory. */
int64_t summary_index(struct summary *n, enum tx_kind kind, const char *text, size_t len);
/* The row of a name; NULL: there is none. */
struct summary_row *summary_find(const struct summary *n, enum tx_kind kind, const char *text, size_t len);

static inline uint64_t summary_average(const struct summary_row *r)
{
	return r->count ? r->total / r->count : 0;
}

#endif /* ASCPROF_SUMMARY_H */
