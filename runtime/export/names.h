/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionaries of a host part: lines "<number>:<text>" of hash_dic, and
 * "<level>_<type>:<name>" of type_info_dic. Not thread-safe.
 */
#ifndef ASCPROF_NAMES_H
#define ASCPROF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/prof.h"
#include "export/scratch.h"

struct names_entry {
	uint64_t number;
	const char *text; /* in the file */
	size_t len;
};

struct names {
	struct names_entry *entry; /* by number; of equal ones the first counts */
	size_t nr;
	struct scratch room;
};

/* Lines that are none are passed over. Return: 0, or -1 when memory ran out; names_free() is due. */
int names_load(struct names *names, const struct prof_part *host);
/* The other one: the number is level << 32 | type. */
int names_load_types(struct names *names, const struct prof_part *host);
void names_free(struct names *names);

/* Return: the text, any bytes, and its length; NULL: there is none */
const char *names_find(const struct names *names, uint64_t number, size_t *len);

#endif /* ASCPROF_NAMES_H */
