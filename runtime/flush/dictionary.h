/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionaries of a host part: lines "<number>:<text>" for numbers that rows
 * hold in place of text, and "<level>_<type>:<name>" for types. They are small
 * and rare, and numbers must be there before the first row that needs them, so
 * they are written at once and line by line.
 */
#ifndef ASCPROF_DICTIONARY_H
#define ASCPROF_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flush/slice.h"

#define DICTIONARY_TEXTS "unaging.additional.hash_dic.slice_0"
#define DICTIONARY_TYPES "unaging.additional.type_info_dic.slice_0"

struct dictionary {
	const char *name; /* of the file */
	struct slice_store *store;
	int dir_fd; /* of the data folder; not owned */
	int fd; /* -1: no line yet */
	uint64_t bytes; /* whole lines */
	uint64_t *numbers; /* that it has, by hash; 0 where there is none */
	size_t nr, room;
};

void dictionary_init(struct dictionary *d, struct slice_store *store, int dir_fd, const char *name);
/*
 * Writes @text as valid UTF-8, line ends as blanks, and not if @number is there
 * already. What fails ends writing for the store.
 * @number: not 0
 */
void dictionary_add(struct dictionary *d, uint64_t number, const char *text);
/* Whoever adds the same twice has two lines. */
void dictionary_add_type(struct dictionary *d, uint16_t level, uint32_t type, const char *name);
void dictionary_finish(struct dictionary *d); /* synced and closed */
void dictionary_free(struct dictionary *d); /* its memory */

#endif /* ASCPROF_DICTIONARY_H */
