/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/slice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flush/slice_file.h"
#include "native/frames.h"

#define BUFS_MAX 4u

struct slice_buf {
	struct io_op op;
	struct slice_file *file;
	struct slice_buf *next;
	uint32_t used; /* bytes */
	uint32_t rows[SLICE_KINDS];
	int error; /* of its write; EINPROGRESS: not complete */
	bool direct; /* given out while the file had O_DIRECT */
	bool known; /* to the writer */
	struct io_buf mem;
};

static struct slice_buf *buf_new(struct slice_sink *s)
{
	struct slice_buf *b = calloc(1, sizeof(*b));

	if (b && !io_buf_get(&b->mem, s->packed ? NATIVE_ZSTD_STORED(s->buf_bytes) : s->buf_bytes)) {
		free(b);
		b = NULL;
	}
	s->nr_bufs += b != NULL;
	return b;
}

static void buf_free(struct slice_sink *s, struct slice_buf *b)
{
	io_buf_put(s->store->io, &b->mem);
	free(b);
	s->nr_bufs--;
}

static void buf_release(struct slice_sink *s, struct slice_buf *b)
{
	b->next = s->spare;
	s->spare = b;
}

bool slice_sink_init(struct slice_sink *s, struct slice_store *store, int dir_fd, const char *tag, uint32_t row_bytes,
		     uint32_t buf_bytes)
{
	*s = (struct slice_sink){
		.store = store,
		.dir_fd = dir_fd,
		.row_bytes = row_bytes,
		.buf_bytes = buf_bytes / row_bytes * row_bytes,
		.slice_bytes = SLICE_BYTES / row_bytes * row_bytes,
		.preallocate = buf_bytes >= (256u << 10),
	};
	s->full_end = &s->full;
	s->waiting_end = &s->waiting;
	snprintf(s->tag, sizeof(s->tag), "%s", tag);
	s->spare = buf_new(s);
	if (!s->spare || !slice_file_ahead(s)) {
		slice_sink_free(s);
		return false;
	}
	s->next = store->sinks;
	store->sinks = s;
	return true;
}

bool slice_sink_pack(struct slice_sink *s, const char *columns)
{
	struct slice_buf *first, *second;

	if (!s->store->zstd)
		return true;
	/* There are two at least: one that is filled, and one for what becomes of it. */
	buf_free(s, s->spare);
	s->spare = NULL;
	s->packed = true;
	s->columns = columns;
	s->work = columns ? malloc(s->buf_bytes) : NULL;
	s->preallocate = false; /* and so without O_DIRECT: frames end anywhere */
	first = buf_new(s);
	second = buf_new(s);
	if (first)
		buf_release(s, first);
	if (second)
		buf_release(s, second);
	return first && second && !s->columns == !s->work;
}

static void write_next(struct slice_sink *s);

/* Whether the row at @at, not the first of @data, continues an event. */
static bool is_part(const struct slice_sink *s, const char *data, uint64_t at)
{
	if (s->begins)
		return data[at - 1] != '\n' || !s->begins(data + at);
	return s->kind_of && s->kind_of(data + at) == SLICE_PART;
}

/* Bytes of @op that are on disk, in whole events. */
static uint64_t whole(const struct slice_sink *s, const struct io_op *op)
{
	uint64_t n = op->done / s->row_bytes * s->row_bytes;

	if (s->packed)
		return op->done == op->len ? op->len : 0;
	while (n && n < op->len && is_part(s, op->data, n))
		n -= s->row_bytes;
	while (s->lines && n && n < op->len && op->data[n - 1] != '\n')
		n--;
	return n;
}

/* What is on disk of it stays, as far as it goes on from what is before it. */
static void buf_lost(struct slice_sink *s, struct slice_buf *b)
{
	struct slice_file *f = b->file;
	uint64_t valid = b->op.offset + whole(s, &b->op);

	if (valid < f->valid)
		f->valid = valid;
	for (int k = 0; k < SLICE_KINDS && s->packed; k++)
		f->rows[k] -= b->rows[k];
	f->inflight--;
	buf_release(s, b);
	slice_file_maybe_sync(f);
}

static void buf_written(struct slice_sink *s, struct slice_buf *b)
{
	struct slice_file *f = b->file;

	for (int k = 0; k < SLICE_KINDS; k++)
		s->done[k] += b->rows[k];
	f->inflight--;
	buf_release(s, b);
	slice_file_maybe_sync(f);
}

/* Nothing of the chain is under way any more: what is not on disk yet is tried again, or is lost. */
static void chain_ended(struct slice_sink *s)
{
	struct slice_buf *b, *again = NULL, **end = &again;

	while ((b = s->chain)) {
		struct slice_file *f = b->file;

		s->chain = b->next;
		if (b->error == EINVAL && b->direct) {
			slice_file_refused(f);
			b->direct = false;
			b->error = ECANCELED;
		}
		if (!b->error) {
			buf_written(s, b);
		} else if (b->error == ECANCELED) {
			*end = b;
			end = &b->next;
		} else {
			slice_file_failed(s, f->index, "writing", b->error);
			buf_lost(s, b);
		}
	}
	if (again) {
		*end = s->waiting;
		if (!s->waiting)
			s->waiting_end = end;
		s->waiting = again;
	}
	write_next(s);
}

static void write_complete(struct io_op *op, int error)
{
	struct slice_buf *b = (struct slice_buf *)op;
	struct slice_sink *s = b->file->sink;

	b->error = error;
	if (!--s->chained)
		chain_ended(s);
}

/*
 * Writes of a sink reach the disk in order, so that what a killed program
 * leaves is all that came before some moment, with no hole in it: so there is
 * one chain at a time. The sync of a full file is at the end of its last one,
 * and nothing waits for it.
 */
static void write_next(struct slice_sink *s)
{
	struct io_op *ops[IO_CHAIN_MAX];
	unsigned int n = 0;
	struct slice_file *f;
	struct slice_buf *b, **end = &s->chain;

	if (s->chain)
		return;
	while ((b = s->waiting) && s->store->error) {
		s->waiting = b->next;
		buf_lost(s, b);
	}
	if (!b) {
		s->waiting_end = &s->waiting;
		return;
	}
	f = b->file;
	while ((b = s->waiting) && b->file == f && n < IO_CHAIN_MAX - 1) {
		s->waiting = b->next;
		b->next = NULL;
		b->error = EINPROGRESS;
		*end = b;
		end = &b->next;
		ops[n++] = &b->op;
	}
	if (!s->waiting)
		s->waiting_end = &s->waiting;
	s->chained = n;
	if (f->full && f->inflight == n && !f->syncing)
		ops[n++] = slice_file_sync(f);
	io_start(s->store->io, ops, n);
}

/* Without waiting: NULL when all are in use. */
static struct slice_buf *buf_try(struct slice_sink *s)
{
	struct slice_buf *b = s->spare;

	if (b) {
		s->spare = b->next;
	} else if (s->nr_bufs < BUFS_MAX) {
		b = buf_new(s);
	}
	if (b && !b->known) {
		io_buf_register(s->store->io, &b->mem);
		b->known = true;
	}
	if (b) {
		b->used = 0;
		memset(b->rows, 0, sizeof(b->rows));
	}
	return b;
}

/* There is one at least: without memory for more, writing is slower. */
static struct slice_buf *buf_get(struct slice_sink *s)
{
	struct slice_buf *b;

	while (!(b = buf_try(s)))
		io_wait_completion(s->store->io);
	return b;
}

/* The rows of the sink's buffer, as a frame in another one. */
static struct slice_buf *pack(struct slice_sink *s, struct slice_buf *plain)
{
	struct slice_buf *b = buf_get(s);

	b->used = (uint32_t)frames_pack(s->store->zstd, s->columns, b->mem.data, plain->mem.data, plain->used, s->work);
	memcpy(b->rows, plain->rows, sizeof(b->rows));
	buf_release(s, plain);
	return b;
}

/* The sink's buffer is to be written. */
static void give_out(struct slice_sink *s)
{
	struct slice_file *f = s->file;
	struct slice_buf *b = s->buf;

	s->buf = NULL;
	s->room = 0;
	f->plain += b->used;
	if (s->packed)
		b = pack(s, b);
	/* no whole blocks; or a file system that has refused them since this file was opened */
	if (f->direct && (!s->store->block || b->used % s->store->block))
		slice_file_buffered(f);
	b->file = f;
	b->direct = f->direct;
	b->op = (struct io_op){
		.fd = f->fd,
		.file = f->slot,
		.buf = &b->mem,
		.data = b->mem.data,
		.len = b->used,
		.offset = f->submitted,
		.complete = write_complete,
	};
	f->submitted += b->used;
	f->valid += b->used;
	f->inflight++;
	s->store->bytes += b->used;
	for (int k = 0; k < SLICE_KINDS; k++)
		f->rows[k] += b->rows[k];
	if (f->plain == s->slice_bytes)
		slice_file_full(s);
	b->next = NULL;
	*s->waiting_end = b;
	s->waiting_end = &b->next;
	write_next(s);
}

void slice_flush(struct slice_sink *s)
{
	if (s->buf && s->buf->used && !s->store->error)
		give_out(s);
}

static void move_rows(struct slice_sink *s, struct slice_buf *from, struct slice_buf *to, uint32_t at)
{
	to->used = from->used - at;
	memcpy(to->mem.data, from->mem.data + at, to->used);
	from->used = at;
	for (uint32_t i = 0; i < to->used; i += s->row_bytes) {
		uint32_t events[SLICE_KINDS] = { 0 };

		slice_count(s, to->mem.data + i, events);
		for (int k = 0; k < SLICE_KINDS; k++) {
			from->rows[k] -= events[k];
			to->rows[k] += events[k];
		}
	}
}

/*
 * Makes room for @need bytes of one event. In a file with O_DIRECT only whole
 * blocks are written, and what follows the last event that ends with one goes on
 * in the next buffer. Where there is none of that, O_DIRECT ends for this file.
 */
static void make_room(struct slice_sink *s, uint32_t need)
{
	struct slice_buf *b = s->buf, *next;
	uint32_t block = s->store->block, at = b->used;

	if (s->file->direct && block && at % block) {
		at -= at % block;
		while (at && is_part(s, b->mem.data, at))
			at -= block;
		if (!at || b->used - at + need > s->buf_bytes)
			at = b->used;
	}
	next = at < b->used ? buf_try(s) : NULL;
	if (next)
		move_rows(s, b, next, at);
	give_out(s);
	s->buf = next;
}

static bool find_room(struct slice_sink *s)
{
	uint64_t room;

	if (!s->file && !slice_file_open(s))
		return false;
	if (!s->buf)
		s->buf = buf_get(s);
	room = s->slice_bytes - s->file->plain - s->buf->used;
	if (room > s->buf_bytes - s->buf->used)
		room = s->buf_bytes - s->buf->used;
	s->room = (uint32_t)(room / s->row_bytes);
	s->direct = s->file->direct;
	return true;
}

void *slice_reserve(struct slice_sink *s, uint32_t *rows)
{
	if (s->store->error || (!s->room && !find_room(s)))
		return NULL;
	*rows = s->room;
	return s->buf->mem.data + s->buf->used;
}

void *slice_reserve_event(struct slice_sink *s, uint32_t rows)
{
	uint32_t room;
	void *to = slice_reserve(s, &room);

	if (!to || room >= rows)
		return to;
	if (s->slice_bytes - s->file->plain - s->buf->used < rows * s->row_bytes) {
		/* Too little is left of this slice. */
		slice_end(s);
	} else {
		make_room(s, rows * s->row_bytes);
	}
	return slice_reserve(s, &room);
}

static void filled(struct slice_sink *s, uint32_t rows)
{
	s->buf->used += rows * s->row_bytes;
	s->room -= rows;
	if (!s->room)
		slice_flush(s);
}

static void commit(struct slice_sink *s, uint32_t rows, unsigned int kind, uint32_t events)
{
	s->buf->rows[kind] += events;
	s->taken[kind] += events;
	filled(s, rows);
}

void slice_commit(struct slice_sink *s, uint32_t rows, unsigned int kind)
{
	commit(s, rows, kind, rows);
}

void slice_commit_event(struct slice_sink *s, uint32_t rows, unsigned int kind)
{
	commit(s, rows, kind, 1);
}

void slice_commit_block(struct slice_sink *s, uint32_t rows, const uint32_t events[SLICE_KINDS])
{
	for (int k = 0; k < SLICE_KINDS; k++) {
		s->buf->rows[k] += events[k];
		s->taken[k] += events[k];
	}
	filled(s, rows);
}

bool slice_has_room(const struct slice_sink *s, uint32_t rows)
{
	uint64_t used = (s->file ? s->file->plain : 0) + (s->buf ? s->buf->used : 0);

	return s->file && s->slice_bytes - used >= (uint64_t)rows * s->row_bytes;
}

void slice_end(struct slice_sink *s)
{
	slice_flush(s);
	s->room = 0;
	if (s->file)
		slice_file_maybe_sync(slice_file_full(s));
}

void slice_lose(struct slice_sink *s, uint64_t rows, unsigned int kind)
{
	s->taken[kind] += rows;
}

void slice_settle(struct slice_sink *s)
{
	slice_flush(s);
	while (s->chain)
		io_wait_completion(s->store->io);
}

void slice_sink_free(struct slice_sink *s)
{
	struct slice_buf *b;

	while ((b = s->spare)) {
		s->spare = b->next;
		buf_free(s, b);
	}
	free(s->work);
	s->work = NULL;
	free(s->ahead);
	s->ahead = NULL;
}

void slice_finish(struct slice_sink *s)
{
	struct slice_file *f;

	slice_settle(s);
	slice_end(s);
	while (s->open_files)
		io_wait_completion(s->store->io);
	if (s->buf) { /* empty, or what an error left no place for */
		buf_release(s, s->buf);
		s->buf = NULL;
	}
	slice_sink_free(s);
	while ((f = s->full)) {
		s->full = f->next;
		/* On a full disk there may be room only now that the other slices were shortened. */
		slice_file_mark(f);
		free(f);
	}
	s->full_end = &s->full;
}

uint64_t slice_written(const struct slice_sink *s, unsigned int kind)
{
	/* After an error files were shortened, and counted anew. */
	return s->store->error ? s->written[kind] : s->done[kind] - s->aged[kind];
}
