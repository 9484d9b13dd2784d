/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large arrays that need not fit into memory: from SCRATCH_MEMORY bytes on they
 * lie in a file without a name, of which the kernel keeps what is in use. Not
 * thread-safe.
 */
#ifndef ASCPROF_SCRATCH_H
#define ASCPROF_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "export/guard.h"

#define SCRATCH_MEMORY (48u << 20)

struct scratch {
	struct guard_range map; /* .begin: the array; NULL: none */
	int fd; /* of the file, when @in_file */
	int in_file;
};

/*
 * Makes room for @bytes, keeping what is there; new bytes are zeros. The array may move.
 * Return: 0, or -1 with errno set and nothing changed.
 */
int scratch_resize(struct scratch *s, size_t bytes);
/* For arrays that grow by one: room for element @nr of @size bytes. */
int scratch_grow(struct scratch *s, size_t nr, size_t size);
void scratch_free(struct scratch *s);
/* @to is freed and gets the array of @from, which is then empty. */
void scratch_move(struct scratch *to, struct scratch *from);

/* A file without a name in TMPDIR, else /var/tmp, else /tmp. Return: -1 with errno set. */
int scratch_file(void);

#endif /* ASCPROF_SCRATCH_H */
