/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a directory holds, per kind: the runtime's accounting beside the rows
 * that are in the slice files. Where the accounting is final, two equations
 * must hold: written = rows in the files, produced = written + dropped.
 * Not thread-safe.
 */
#ifndef ASCPROF_TALLY_H
#define ASCPROF_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "export/prof.h"
#include "export/walk.h"

struct tally_row {
	char kind[ACCOUNT_KIND_LEN];
	int device; /* -1: host */
	bool counted; /* @rows holds: the kind is one that is in slice files */
	uint64_t rows;
	uint64_t row_bytes; /* for accounts of bytes */
	const struct account_kind *account; /* NULL: the runtime says nothing final */
	int64_t first, last; /* wall clock, ns; INT64_MAX: no event */
};

struct tally {
	struct tally_row *row;
	unsigned int nr, room;
};

/* @seen: the host's annotations, counted. Return: 0, or -1 when memory ran out. */
int tally_make(struct tally *t, const struct prof *prof, const struct walk_seen *seen);
void tally_free(struct tally *t);

/* What is wrong with the row, as text into @why; false when nothing is. */
bool tally_mismatch(const struct tally_row *r, char *why, size_t size);

/* Rows that count as written: of the accounting, or of the files. */
uint64_t tally_written(const struct tally_row *r);

#endif /* ASCPROF_TALLY_H */
