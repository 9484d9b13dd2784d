/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary of a host part: lines "<number>:<text>" for numbers that rows
 * hold in place of text. It is small, rare, and must be there before the first
 * row that needs it, so it is written at once and line by line.
 */
#ifndef ASCPROF_DICTIONARY_H
#define ASCPROF_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flush/slice.h"

struct dictionary {
	struct slice_store *store;
	int dir_fd; /* of the data folder; not owned */
	int fd; /* -1: no line yet */
	uint64_t bytes; /* whole lines */
	uint64_t *numbers; /* that it has, by hash; 0 where there is none */
	size_t nr, room;
};

void dictionary_init(struct dictionary *d, struct slice_store *store, int dir_fd);
/*
 * Writes @text as valid UTF-8, line ends as blanks, and not if @number is there
 * already. What fails ends writing for the store.
 * @number: not 0
 */
void dictionary_add(struct dictionary *d, uint64_t number, const char *text);
void dictionary_finish(struct dictionary *d); /* synced and closed */
void dictionary_free(struct dictionary *d); /* its memory */

#endif /* ASCPROF_DICTIONARY_H */
