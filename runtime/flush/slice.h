/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slice files: <tag>.slice_<k>, of whole rows, closed at 2 MiB, with a .done
 * file beside each when it is complete. A sink is one tag of one data folder.
 *
 * A sink counts its rows: `taken` went in; after slice_finish(), `written` are
 * in files that stay, `aged` made room for newer ones, and the rest was lost
 * to the store's error.
 *
 * A store with a packer has slices compressed, of the sinks that ask for it:
 * <tag>.slice_<k>.zst, a frame for each write, with the rows that the slice
 * would have without. What is on disk is counted in bytes as they lie there.
 *
 * Rows of one event stay together, in one file and one write, so that ageing
 * and errors take all of them or none; only the first is counted.
 */
#ifndef ASCPROF_SLICE_H
#define ASCPROF_SLICE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flush/io.h"
#include "format/rows.h"

#define SLICE_BYTES ROW_SLICE_BYTES
#define SLICE_KINDS 7 /* rows of one sink are counted by kind */
#define SLICE_LOOK 512
#define SLICE_PART UINT_MAX /* not counted: a row that continues the event of the one before */
#define SLICE_BLOCK (UINT_MAX - 1) /* counted by events_in: a row that begins many events */

/* What the sinks of one result directory share: the limit and the first error. */
struct slice_store {
	struct io *io;
	uint64_t limit; /* bytes, 0: none but the volume's free space */
	uint64_t bytes; /* of all slices there are */
	uint64_t next_order;
	struct slice_sink *sinks;
	/* Space that is given back when writing fails, so that what is there can be
	 * completed on a full disk; -1: none. */
	int reserve_fd;
	int error; /* errno of the first failure; writing stops for all */
	char failed[160]; /* what failed, for the one message */
	uint32_t block; /* what O_DIRECT needs length and offset to be multiples of; 0: it is not used */
	char buffered[64]; /* why not */
	struct native_zstd *zstd; /* NULL: nothing is compressed */
};

/* Finds out by @fd, a file of the result directory, whether O_DIRECT can be had. */
void slice_store_probe(struct slice_store *store, int fd);

/* Writing ends for all that share @store; the first error is told and kept. */
void slice_fail(struct slice_store *store, const char *what, const char *name, int error);

struct slice_file;

struct slice_sink {
	struct slice_store *store;
	struct slice_sink *next;
	char tag[64];
	int dir_fd; /* of the data folder; the sink does not own it */
	uint32_t row_bytes;
	uint32_t buf_bytes; /* of one buffer; divides SLICE_BYTES */
	uint32_t slice_bytes; /* whole rows */
	bool preallocate;
	bool stays; /* not for ageing */
	bool packed; /* compressed */
	const char *columns; /* of its rows, when they are numbers, for that */
	void *work; /* a buffer, to make columns in */
	bool lines; /* rows are the bytes of lines, and an event is a line */

	unsigned int next_index;
	struct slice_file *ahead; /* for the next file, so that a moment without memory loses nothing */
	struct slice_file *file; /* being filled */
	struct slice_file *full; /* oldest first, for ageing */
	struct slice_file **full_end;
	struct slice_buf *buf; /* being filled */
	uint32_t room; /* rows that go into it; 0: to be found out */
	bool direct; /* it was begun for a file with O_DIRECT */
	struct slice_buf *waiting; /* full, to be written in this order */
	struct slice_buf **waiting_end;
	struct slice_buf *chain; /* being written in this order */
	unsigned int chained; /* of them, not complete yet */
	struct slice_buf *spare;
	unsigned int nr_bufs;
	unsigned int open_files;

	/* NULL: all are kind 0. What is looked at is in the first SLICE_LOOK bytes of a row. */
	unsigned int (*kind_of)(const void *row);
	void (*events_in)(const void *row, uint32_t events[SLICE_KINDS]);
	/* Text: rows are bytes, an event is lines, and this tells its first one. */
	bool (*begins)(const char *line);
	bool overlaps; /* a slice begins with a copy of the last event of the one before, counted there */

	uint64_t taken[SLICE_KINDS];
	uint64_t done[SLICE_KINDS]; /* by completed writes */
	uint64_t written[SLICE_KINDS]; /* in closed files, less those aged */
	uint64_t aged[SLICE_KINDS];
};

/* What became of the rows of one kind. */
struct slice_sum {
	uint64_t taken, written, aged;
};

void slice_store_release(struct slice_store *store);

/* Takes the memory that it cannot do without. Return: false when there is none. */
bool slice_sink_init(struct slice_sink *s, struct slice_store *store, int dir_fd, const char *tag, uint32_t row_bytes,
		     uint32_t buf_bytes);
void slice_sink_free(struct slice_sink *s); /* one that nothing went into */
/*
 * Before anything goes into it: its slices may be compressed. @columns: of its rows, as format/rows.h
 * describes them, and of as many bytes; NULL: they are no numbers. Return: false without memory.
 */
bool slice_sink_pack(struct slice_sink *s, const char *columns);

/*
 * Room for at least one row: @rows is set to how many. NULL when nothing can be
 * written any more; tell slice_lose() then. May wait for the disk.
 */
void *slice_reserve(struct slice_sink *s, uint32_t *rows);
/* Whether the device will read the room that slice_reserve() gave; else it will be copied. */
static inline bool slice_is_direct(const struct slice_sink *s)
{
	return s->direct;
}

/* @rows rows of one @kind, at most what is left of the room, are filled. */
void slice_commit(struct slice_sink *s, uint32_t rows, unsigned int kind);
void slice_lose(struct slice_sink *s, uint64_t rows, unsigned int kind);

/*
 * The same for an event of @rows rows, at most what a buffer holds: all of them
 * are filled and committed at once. A lost one is slice_lose() of one row.
 */
void *slice_reserve_event(struct slice_sink *s, uint32_t rows);
void slice_commit_event(struct slice_sink *s, uint32_t rows, unsigned int kind);

/*
 * The same for rows that hold many events, together. A slice is a whole for
 * its reader: whether the open one has room for @rows more, and its end.
 */
void slice_commit_block(struct slice_sink *s, uint32_t rows, const uint32_t events[SLICE_KINDS]);
bool slice_has_room(const struct slice_sink *s, uint32_t rows);
void slice_end(struct slice_sink *s);

/* Rows that are in files and will stay there, as far as is known now. */
uint64_t slice_written(const struct slice_sink *s, unsigned int kind);

void slice_flush(struct slice_sink *s); /* starts writing what is there */
void slice_settle(struct slice_sink *s); /* and waits until it is written */
/* All on disk, closed, synced; the sink's memory is freed, its counts stay. */
void slice_finish(struct slice_sink *s);

#endif /* ASCPROF_SLICE_H */
