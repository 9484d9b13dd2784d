/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of the form that machine and processes have: a head of stamp, number and length, lines, an empty one. */
#ifndef ASCPROF_HOST_BLOCKS_H
#define ASCPROF_HOST_BLOCKS_H

#include "host/text.h"

/* Its head tells its length, and so comes last. */
struct block {
	struct host_text *t;
	size_t at; /* where it begins */
};

struct block block_begin(struct host_text *t);
/* @name: as in /proc/<pid>/comm; what splits lines for readers becomes an underscore */
void block_name(struct block *b, const char *name);
/* Lines of @text that begin with one of @keys, ended by NULL; only the first if @once. */
void block_lines(struct block *b, const char *text, const char *const *keys, bool once);
/* @index: of the block, which is the next one's then */
void block_end(struct block *b, uint64_t *index, uint64_t ns);

/* Whether @line begins a block. */
bool block_begins(const char *line);

#endif /* ASCPROF_HOST_BLOCKS_H */
