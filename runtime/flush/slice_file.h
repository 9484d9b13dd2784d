/* SPDX-License-Identifier: Apache-2.0 */
/* The files of sinks: opening, closing, ageing. For slice.c, which fills them. */
#ifndef ASCPROF_SLICE_FILE_H
#define ASCPROF_SLICE_FILE_H

#include "flush/slice.h"

struct slice_file {
	struct slice_sink *sink;
	struct slice_file *next;
	int fd;
	int slot; /* of io_file_add() */
	unsigned int index;
	unsigned int inflight; /* writes that are not complete, waiting ones included */
	bool direct; /* O_DIRECT is set: all so far was whole blocks */
	bool full; /* no more writes will start */
	bool syncing;
	bool closed; /* and synced */
	bool marked; /* its .done is there */
	uint64_t plain; /* bytes of the rows given out */
	uint64_t submitted; /* bytes; of a slice that is not compressed, the same */
	uint64_t valid; /* bytes that are whole and in place */
	uint64_t order; /* of creation, over all sinks */
	uint64_t rows[SLICE_KINDS]; /* submitted; once closed: valid */
	struct io_op sync;
};

/* Memory for the next one. */
bool slice_file_ahead(struct slice_sink *s);
/* A new one to fill, with room for it; false when there can be none. */
bool slice_file_open(struct slice_sink *s);
/* No more goes into the sink's file. */
struct slice_file *slice_file_full(struct slice_sink *s);
/* The sync that closes it; for the end of the chain with its last write. */
struct io_op *slice_file_sync(struct slice_file *f);
/* Starts that, if nothing is left to be written and it has not been. */
void slice_file_maybe_sync(struct slice_file *f);
/* Puts .done beside a closed one. Return: 0, or an errno. */
int slice_file_mark(struct slice_file *f);
/* What follows goes through the page cache. */
void slice_file_buffered(struct slice_file *f);
/* The same, for all files from now on, since a write with O_DIRECT was refused. */
void slice_file_refused(struct slice_file *f);
/* How many events of each kind @row begins, of which the first SLICE_LOOK bytes are there. */
void slice_count(const struct slice_sink *s, const void *row, uint32_t events[SLICE_KINDS]);
/* Slice @index of @s failed: ends writing for the store. */
void slice_file_failed(struct slice_sink *s, unsigned int index, const char *what, int error);

#endif /* ASCPROF_SLICE_FILE_H */
