/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations summed up per name and kind, of one directory or of several.
 * Memory is bounded: NAMES_MOST names with together NAMES_TEXT bytes, all that
 * come later are one row; see quantile.h and nest.h. Not thread-safe.
 */
#ifndef ASCPROF_NAMES_H
#define ASCPROF_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "export/quantile.h"
#include "export/walk.h"

#define NAMES_MOST (1u << 15)
#define NAMES_TEXT (32u << 20)
#define NAMES_OTHER "(other names)" /* what that row is called */

struct name_row {
	enum tx_kind kind;
	char *text; /* bytes as in the files */
	size_t len;
	uint64_t hash;
	uint64_t count;
	uint64_t total, self, min, max; /* of the durations, ns; 0 for marks */
	struct quantile durations; /* none for marks */
	uint64_t key; /* what names_sort() compares */
};

struct names {
	struct name_row *row;
	size_t nr, room;
	uint32_t *table; /* open addressing: index of the row + 1 */
	size_t table_room;
	size_t text; /* bytes */
	uint32_t other[TX_KINDS]; /* index + 1 of the row of all names that found no room */
	struct quantile_budget budget;
};

enum names_order {
	NAMES_TOTAL,
	NAMES_SELF,
	NAMES_COUNT,
	NAMES_AVERAGE,
	NAMES_P99,
	NAMES_MAX,
	NAMES_NAME,
	NAMES_ORDERS
};

void names_init(struct names *n);
void names_free(struct names *n);

/*
 * Adds what @prof has, and counts it in @seen, which is set anew. @each may be
 * NULL; else it is called for every event, with its index in n->row.
 * Return: 0; -1 with a message.
 */
int names_add(struct names *n, const struct prof *prof, struct walk_seen *seen, struct diag *diag);

/* Largest first; names in the order of their bytes. Indexes of rows are others then. */
void names_sort(struct names *n, enum names_order order);
/* "total", "self", ... */
const char *names_order_word(enum names_order order);

/* The row's index, of a name that may be new; -1: without memory. */
int64_t names_index(struct names *n, enum tx_kind kind, const char *text, size_t len);
/* The row of a name; NULL: there is none. */
struct name_row *names_find(const struct names *n, enum tx_kind kind, const char *text, size_t len);

static inline uint64_t name_average(const struct name_row *r)
{
	return r->count ? r->total / r->count : 0;
}

#endif /* ASCPROF_NAMES_H */
