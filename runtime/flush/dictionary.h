/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary of a host part: lines "<number>:<text>" for numbers that rows
 * hold in place of text. It is small, rare, and must be there before the first
 * row that needs it, so it is written at once and line by line.
 */
#ifndef ASCPROF_DICTIONARY_H
#define ASCPROF_DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include "flush/slice.h"

struct dictionary {
	struct slice_store *store;
	int dir_fd; /* of the data folder; not owned */
	int fd; /* -1: no line yet */
	uint64_t bytes; /* whole lines */
};

void dictionary_init(struct dictionary *d, struct slice_store *store, int dir_fd);
/* @text as valid UTF-8, without line ends. What fails ends writing for the store. */
void dictionary_add(struct dictionary *d, uint64_t number, const char *text);
void dictionary_finish(struct dictionary *d); /* synced and closed */

#endif /* ASCPROF_DICTIONARY_H */
