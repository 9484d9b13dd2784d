/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASCPROF_SORT_H
#define ASCPROF_SORT_H

#include <stddef.h>

struct tx_entry;

/*
 * Stable, by key, with no second copy when the entries are in order already.
 * Linear in time; what does not fit into memory is joined of runs that do. Return: 0, or -1 when memory ran out.
 */
int sort_entries(struct tx_entry *entry, size_t n);

/*
 * Stable, @n records of @size bytes by @compare, which gets @arg as its third
 * argument. Joins runs that are in order already; takes a second copy from
 * scratch.h, which need not fit into memory. Return: 0, or -1 without room.
 */
int sort_records(void *base, size_t n, size_t size,
		 int (*compare)(const void *a, const void *b, void *arg), void *arg);

#endif /* ASCPROF_SORT_H */
