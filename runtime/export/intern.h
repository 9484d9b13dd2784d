/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers for texts: equal texts have the same one, in the order in which they
 * came, from 0. Lies in scratch.h's arrays. Not thread-safe.
 */
#ifndef ASCPROF_INTERN_H
#define ASCPROF_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/scratch.h"

struct intern {
	struct scratch texts, entries, table;
	size_t nr; /* texts */
	size_t bytes; /* of all texts */
	size_t slots; /* of the table: a power of two */
	uint64_t seed; /* so that nobody can make texts that all meet in one slot */
};

void intern_init(struct intern *in);
void intern_free(struct intern *in);

/*
 * Number of the text @s of @n bytes, any bytes. New ones are added if @add.
 * Return: -1 when it is not there, or there is no room.
 */
int64_t intern_id(struct intern *in, const char *s, size_t n, bool add);

/* Text @id; valid until the next one is added. */
const char *intern_text(const struct intern *in, size_t id, size_t *n);

#endif /* ASCPROF_INTERN_H */
