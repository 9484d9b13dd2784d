/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/slice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "format/files.h"
#include "log/log.h"
#include "session/fds.h"

#define BUFS_MAX 4u
#define RESERVE_BYTES (20u << 20) /* that the volume keeps free: older slices age for it */

struct slice_file {
	struct slice_sink *sink;
	struct slice_file *next;
	int fd;
	unsigned int index;
	unsigned int inflight;
	bool full; /* no more writes will start */
	bool syncing;
	bool closed; /* synced, and its .done is there */
	uint64_t submitted; /* bytes */
	uint64_t valid; /* bytes that are whole and in place */
	uint64_t order; /* of creation, over all sinks */
	uint64_t rows[SLICE_KINDS]; /* submitted; once closed: valid */
	struct io_op sync;
};

struct slice_buf {
	struct io_op op;
	struct slice_file *file;
	struct slice_buf *next;
	uint32_t used; /* bytes */
	uint32_t rows[SLICE_KINDS];
	char *data;
};

void slice_sink_init(struct slice_sink *s, struct slice_store *store, int dir_fd, const char *tag,
		     uint32_t row_bytes, uint32_t buf_bytes)
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
	s->next = store->sinks;
	store->sinks = s;
}

static void slice_name(const struct slice_sink *s, unsigned int index, char *name, size_t size)
{
	snprintf(name, size, "%s.slice_%u", s->tag, index);
}

void slice_store_release(struct slice_store *store)
{
	fds_close(store->reserve_fd);
	store->reserve_fd = -1;
}

void slice_fail(struct slice_store *store, const char *what, const char *name, int error)
{
	if (store->error)
		return;
	store->error = error;
	snprintf(store->failed, sizeof(store->failed), "%s %s: %s", what, name, strerror(error));
	slice_store_release(store);
	log_line(LOG_ERROR, "writing ends: %s; what is on disk stays valid, the rest is counted", store->failed);
}

static void failed(struct slice_sink *s, unsigned int index, const char *what, int error)
{
	char name[96];

	slice_name(s, index, name, sizeof(name));
	slice_fail(s->store, what, name, error);
}

/* ---- ageing ---- */

static void age_one(struct slice_sink *s)
{
	struct slice_file *f = s->full;
	char name[96];

	/* The oldest goes first, even if a younger one was synced before it. */
	while (!f->closed)
		io_wait_completion(s->store->io);

	slice_name(s, f->index, name, sizeof(name));
	unlinkat(s->dir_fd, name, 0);
	strncat(name, ".done", sizeof(name) - strlen(name) - 1);
	unlinkat(s->dir_fd, name, 0);
	s->full = f->next;
	if (!s->full)
		s->full_end = &s->full;
	s->store->bytes -= f->valid;
	for (int k = 0; k < SLICE_KINDS; k++) {
		s->written[k] -= f->rows[k];
		s->aged[k] += f->rows[k];
	}
	free(f);
}

static bool volume_short(int dir_fd)
{
	struct statvfs v;

	return !fstatvfs(dir_fd, &v) && v.f_bavail * (uint64_t)v.f_frsize < RESERVE_BYTES;
}

/* Makes room for one more slice; each sink keeps its newest. */
static void age(struct slice_store *store, int dir_fd)
{
	for (;;) {
		struct slice_sink *oldest = NULL;
		bool over = store->limit && store->bytes + SLICE_BYTES > store->limit;

		if (!over && !volume_short(dir_fd))
			return;
		for (struct slice_sink *s = store->sinks; s; s = s->next)
			if (s->full && (s->full->next || s->file) &&
			    (!oldest || s->full->order < oldest->full->order))
				oldest = s;
		if (!oldest)
			return;
		age_one(oldest);
	}
}

/* ---- files ---- */

/* After an error: which rows are in the part that is left. */
static void recount(struct slice_file *f, int fd)
{
	struct slice_sink *s = f->sink;
	uint32_t look = s->row_bytes < SLICE_LOOK ? s->row_bytes : SLICE_LOOK, events[SLICE_KINDS];
	char row[SLICE_LOOK];

	memset(f->rows, 0, sizeof(f->rows));
	for (uint64_t at = 0; at < f->valid; at += s->row_bytes) {
		unsigned int kind = 0;

		if (pread(fd, row, look, (off_t)at) != (ssize_t)look) {
			f->valid = at;
			return;
		}
		if (s->kind_of)
			kind = s->kind_of(row);
		if (kind == SLICE_BLOCK) {
			s->events_in(row, events);
			for (int k = 0; k < SLICE_KINDS; k++)
				f->rows[k] += events[k];
		} else if (kind != SLICE_PART) {
			f->rows[kind]++;
		}
	}
}

static void file_shorten(struct slice_file *f, const char *name)
{
	struct slice_sink *s = f->sink;
	int fd = openat(s->dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	s->store->bytes -= f->submitted - f->valid;
	recount(f, fd);
	if (fd >= 0)
		close(fd);
}

static void file_close(struct slice_file *f)
{
	struct slice_sink *s = f->sink;
	char name[96];
	int err;

	slice_name(s, f->index, name, sizeof(name));
	if (f->valid < f->submitted)
		file_shorten(f, name);

	/* Preallocated blocks go, and so does what an error left half written. */
	if ((f->submitted < s->slice_bytes || f->valid < f->submitted) && ftruncate(f->fd, (off_t)f->valid))
		failed(s, f->index, "truncating", errno);
	fds_close(f->fd);
	f->fd = -1;
	s->open_files--;
	err = f->valid ? files_done(s->dir_fd, name, f->valid, true) : 0;
	if (err)
		failed(s, f->index, "writing .done of", err);
	if (!f->valid)
		unlinkat(s->dir_fd, name, 0);
	for (int k = 0; k < SLICE_KINDS; k++)
		s->written[k] += f->rows[k];
	f->closed = true;
}

static void sync_complete(struct io_op *op, int error)
{
	struct slice_file *f = (struct slice_file *)((char *)op - offsetof(struct slice_file, sync));

	/* Some file systems cannot sync; they could write all the same. */
	if (error && error != EINVAL)
		failed(f->sink, f->index, "syncing", error);
	file_close(f);
}

static void file_maybe_sync(struct slice_file *f)
{
	if (!f->full || f->inflight || f->syncing)
		return;
	f->syncing = true;
	f->sync = (struct io_op){ .fd = f->fd, .complete = sync_complete };
	io_start(f->sink->store->io, &f->sync);
}

static bool file_open(struct slice_sink *s)
{
	struct slice_file *f = calloc(1, sizeof(*f));
	char name[96];

	age(s->store, s->dir_fd);
	slice_name(s, s->next_index, name, sizeof(name));
	if (!f) {
		failed(s, s->next_index, "creating", ENOMEM);
		return false;
	}
	f->sink = s;
	f->index = s->next_index;
	f->order = s->store->next_order++;
	f->fd = files_create(s->dir_fd, name);
	if (f->fd < 0) {
		failed(s, f->index, "creating", errno);
		free(f);
		return false;
	}
	/* Size stays what was written, so that a killed program leaves whole rows. */
	if (s->preallocate)
		fallocate(f->fd, FALLOC_FL_KEEP_SIZE, 0, s->slice_bytes);
	s->next_index++;
	s->open_files++;
	s->file = f;
	return true;
}

/* ---- buffers ---- */

static void write_next(struct slice_sink *s);

/* Bytes of @op that are on disk, in whole events. */
static uint64_t whole(const struct slice_sink *s, const struct io_op *op)
{
	uint64_t n = op->done / s->row_bytes * s->row_bytes;

	while (s->kind_of && n && n < op->len && s->kind_of(op->data + n) == SLICE_PART)
		n -= s->row_bytes;
	return n;
}

static void write_complete(struct io_op *op, int error)
{
	struct slice_buf *b = (struct slice_buf *)op;
	struct slice_file *f = b->file;
	struct slice_sink *s = f->sink;

	if (error) {
		uint64_t valid = op->offset + whole(s, op);

		failed(s, f->index, "writing", error);
		if (valid < f->valid)
			f->valid = valid;
	}
	for (int k = 0; !error && k < SLICE_KINDS; k++)
		s->done[k] += b->rows[k];
	f->inflight--;
	b->next = s->spare;
	s->spare = b;
	s->writing = NULL;
	write_next(s);
	file_maybe_sync(f);
}

/*
 * One write of a sink at a time, so that what a killed program leaves is all
 * that came before some moment, with no hole in it.
 */
static void write_next(struct slice_sink *s)
{
	struct slice_buf *b = s->waiting;

	if (!b || s->writing)
		return;
	s->waiting = b->next;
	if (!s->waiting)
		s->waiting_end = &s->waiting;
	s->writing = b;
	io_start(s->store->io, &b->op);
}

static struct slice_buf *buf_get(struct slice_sink *s)
{
	struct slice_buf *b;

	if (!s->spare && s->nr_bufs < BUFS_MAX) {
		b = malloc(sizeof(*b));
		if (b && posix_memalign((void **)&b->data, 4096, s->buf_bytes)) {
			free(b);
			b = NULL;
		}
		if (b) {
			s->nr_bufs++;
			b->next = NULL;
			s->spare = b;
		} else if (!s->nr_bufs) {
			failed(s, s->next_index, "buffering", ENOMEM);
			return NULL;
		}
	}
	while (!s->spare)
		io_wait_completion(s->store->io);
	b = s->spare;
	s->spare = b->next;
	b->used = 0;
	memset(b->rows, 0, sizeof(b->rows));
	return b;
}

/* No more goes into the sink's file. */
static struct slice_file *file_full(struct slice_sink *s)
{
	struct slice_file *f = s->file;

	s->file = NULL;
	f->full = true;
	*s->full_end = f;
	s->full_end = &f->next;
	return f;
}

void slice_flush(struct slice_sink *s)
{
	struct slice_buf *b = s->buf;

	if (!b || !b->used || s->store->error)
		return;
	s->buf = NULL;
	b->file = s->file;
	b->op = (struct io_op){
		.fd = s->file->fd,
		.data = b->data,
		.len = b->used,
		.offset = s->file->submitted,
		.complete = write_complete,
	};
	s->file->submitted += b->used;
	s->file->valid += b->used;
	s->file->inflight++;
	s->store->bytes += b->used;
	for (int k = 0; k < SLICE_KINDS; k++)
		s->file->rows[k] += b->rows[k];
	if (s->file->submitted == s->slice_bytes)
		file_full(s);
	b->next = NULL;
	*s->waiting_end = b;
	s->waiting_end = &b->next;
	write_next(s);
}

void *slice_reserve(struct slice_sink *s, uint32_t *rows)
{
	uint64_t room;

	if (s->store->error)
		return NULL;
	if (!s->file && !file_open(s))
		return NULL;
	if (!s->buf) {
		s->buf = buf_get(s);
		if (!s->buf)
			return NULL;
	}
	room = s->slice_bytes - s->file->submitted - s->buf->used;
	if (room > s->buf_bytes - s->buf->used)
		room = s->buf_bytes - s->buf->used;
	*rows = (uint32_t)(room / s->row_bytes);
	return s->buf->data + s->buf->used;
}

void *slice_reserve_event(struct slice_sink *s, uint32_t rows)
{
	uint32_t room;
	void *to = slice_reserve(s, &room);

	if (!to || room >= rows)
		return to;
	/* Into the next buffer; and into the next slice, if this one has too little room left. */
	slice_flush(s);
	if (s->file && s->slice_bytes - s->file->submitted < (uint64_t)rows * s->row_bytes)
		file_maybe_sync(file_full(s));
	return slice_reserve(s, &room);
}

static void filled(struct slice_sink *s, uint32_t rows)
{
	s->buf->used += rows * s->row_bytes;
	if (s->buf->used + s->row_bytes > s->buf_bytes ||
	    s->file->submitted + s->buf->used == s->slice_bytes)
		slice_flush(s);
}

void slice_commit(struct slice_sink *s, uint32_t rows, unsigned int kind)
{
	s->buf->rows[kind] += rows;
	s->taken[kind] += rows;
	filled(s, rows);
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
	uint64_t used = (s->file ? s->file->submitted : 0) + (s->buf ? s->buf->used : 0);

	return s->file && s->slice_bytes - used >= (uint64_t)rows * s->row_bytes;
}

void slice_end(struct slice_sink *s)
{
	slice_flush(s);
	if (s->file)
		file_maybe_sync(file_full(s));
}

void slice_commit_event(struct slice_sink *s, uint32_t rows, unsigned int kind)
{
	s->buf->used += (rows - 1) * s->row_bytes;
	slice_commit(s, 1, kind);
}

void slice_lose(struct slice_sink *s, uint64_t rows, unsigned int kind)
{
	s->taken[kind] += rows;
}

void slice_finish(struct slice_sink *s)
{
	struct slice_buf *b;
	struct slice_file *f;

	slice_end(s);
	while (s->open_files)
		io_wait_completion(s->store->io);
	if (s->buf) { /* empty, or what an error left no place for */
		s->buf->next = s->spare;
		s->spare = s->buf;
		s->buf = NULL;
	}
	while ((b = s->spare)) {
		s->spare = b->next;
		free(b->data);
		free(b);
	}
	while ((f = s->full)) {
		s->full = f->next;
		free(f);
	}
	s->full_end = &s->full;
}

uint64_t slice_written(const struct slice_sink *s, unsigned int kind)
{
	/* After an error files were shortened, and counted anew. */
	return s->store->error ? s->written[kind] : s->done[kind] - s->aged[kind];
}
