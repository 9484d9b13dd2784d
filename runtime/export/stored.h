/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices that hold what somebody else's code made: channels of NPUs, of which
 * the account tells file and length of a row, and rows that frameworks reported.
 * Thread-safe.
 */
#ifndef ASCPROF_STORED_H
#define ASCPROF_STORED_H

#include <stdbool.h>
#include <stddef.h>

#include "export/account.h"
#include "export/prof.h"

struct stored {
	const char *kind; /* in the account */
	size_t row_bytes; /* 1: lines */
	bool in_bytes; /* the account's unit; else rows */
	bool report; /* rows begin as all reports do */
};

/* Whether @name is such a slice of @device. */
bool stored_slice(const struct account *a, int device, const char *name, struct stored *s);

/* Bytes of a slice that are whole rows or lines. */
size_t stored_whole(const struct stored *s, const void *data, size_t size);

struct stored_count {
	struct stored slice;
	uint64_t rows, bytes;
	uint64_t first, last; /* stamps of reports; first > last: none are known */
};

/*
 * Calls @each for every such slice of @part. Return: 0; what @each returned if that
 * is not 0; -1 without memory. What cannot be read counts as nothing.
 */
int stored_each(const struct prof *prof, const struct prof_part *part,
		int (*each)(void *arg, const struct stored_count *c), void *arg);

#endif /* ASCPROF_STORED_H */
