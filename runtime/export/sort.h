/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASCPROF_SORT_H
#define ASCPROF_SORT_H

#include <stddef.h>

struct tx_entry;

/*
 * Stable, by key; linear in time, and with no second copy when the entries are
 * in order already. Return: 0, or -1 when memory ran out.
 */
int sort_entries(struct tx_entry *entry, size_t n);

#endif /* ASCPROF_SORT_H */
