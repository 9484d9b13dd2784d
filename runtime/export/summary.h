/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations of one directory, summed up per message. Not thread-safe. */
#ifndef ASCPROF_SUMMARY_H
#define ASCPROF_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "export/tx.h"

struct summary_row {
	enum tx_kind kind;
	char *message; /* bytes as in the files */
	size_t len;
	uint64_t hash;
	uint64_t count;
	uint64_t total, min, p50, max; /* of the durations, ns; 0 for marks */
};

struct summary {
	struct summary_row *row; /* by total time, then by count, then by text */
	size_t nr;
	size_t room;
	uint32_t *table; /* open addressing: index of the row + 1 */
	size_t table_room;
};

/* Return: 0, or -1 when memory ran out; summary_free() is due in any case. */
int summary_make(struct summary *s, struct tx *tx);
void summary_free(struct summary *s);

#endif /* ASCPROF_SUMMARY_H */
