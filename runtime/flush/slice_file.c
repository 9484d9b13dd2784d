/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/slice_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "format/files.h"
#include "log/log.h"
#include "session/fds.h"

#define RESERVE_BYTES (20u << 20) /* that the volume keeps free: older slices age for it */
#define BLOCK_USUAL 4096u

static void slice_name(const struct slice_sink *s, unsigned int index, char *name, size_t size)
{
	snprintf(name, size, "%s.slice_%u%s", s->tag, index, s->packed ? ".zst" : "");
}

/* ---- the store ---- */

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

void slice_file_failed(struct slice_sink *s, unsigned int index, const char *what, int error)
{
	char name[96];

	slice_name(s, index, name, sizeof(name));
	slice_fail(s->store, what, name, error);
}

static void buffered(struct slice_store *store, const char *why)
{
	store->block = 0;
	snprintf(store->buffered, sizeof(store->buffered), "O_DIRECT: %s", why);
}

static bool set_direct(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}

/* Since Linux 6.1 and for some file systems; 0: O_DIRECT does not work here. */
static uint32_t block_of(int fd)
{
#ifdef STATX_DIOALIGN
	struct statx x;

	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &x) && x.stx_mask & STATX_DIOALIGN)
		return x.stx_dio_mem_align <= BLOCK_USUAL ? x.stx_dio_offset_align : 0;
#else
	(void)fd;
#endif
	return BLOCK_USUAL;
}

void slice_store_probe(struct slice_store *store, int fd)
{
	const char *way = secure_getenv("ASCPROF_DIRECT");
	struct statfs v;

	if (way && !strcmp(way, "off"))
		buffered(store, "ASCPROF_DIRECT=off");
	else if (fd < 0)
		buffered(store, "no file to try it with");
	else if (!fstatfs(fd, &v) && v.f_type == TMPFS_MAGIC)
		buffered(store, "tmpfs is memory");
	else if (!set_direct(fd, true))
		buffered(store, strerror(errno));
	else if (!(store->block = block_of(fd)))
		buffered(store, "not for files of this file system");
}

/* ---- ageing ---- */

static void age_one(struct slice_sink *s)
{
	struct slice_file *f = s->full;
	char name[96];

	/* The oldest goes first, even if a younger one was synced before it. */
	while (!f->closed)
		io_wait_completion(s->store->io);
	if (s->store->error) /* meanwhile: what is there is all that will be */
		return;

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

		if (store->error || (!over && !volume_short(dir_fd)))
			return;
		for (struct slice_sink *s = store->sinks; s; s = s->next)
			if (!s->stays && s->full && (s->full->next || s->file) &&
			    (!oldest || s->full->order < oldest->full->order))
				oldest = s;
		if (!oldest)
			return;
		age_one(oldest);
	}
}

/* ---- files ---- */

/* After an error: which rows are in the part that is left. */
void slice_count(const struct slice_sink *s, const void *row, uint32_t events[SLICE_KINDS])
{
	unsigned int kind = s->kind_of ? s->kind_of(row) : 0;

	memset(events, 0, SLICE_KINDS * sizeof(events[0]));
	if (kind == SLICE_BLOCK)
		s->events_in(row, events);
	else if (kind != SLICE_PART)
		events[kind] = 1;
}

static void recount_text(struct slice_file *f, int fd)
{
	FILE *file = fd < 0 ? NULL : fdopen(dup(fd), "r");
	char *line = NULL;
	uint64_t at = 0;
	size_t room = 0;
	ssize_t n;

	while (file && at < f->valid && (n = getline(&line, &room, file)) > 0) {
		at += (uint64_t)n;
		f->rows[0] += f->sink->begins(line);
	}
	f->valid = at;
	if (f->sink->overlaps && f->index && f->rows[0])
		f->rows[0]--;
	free(line);
	if (file)
		fclose(file);
}

static void recount(struct slice_file *f, int fd)
{
	struct slice_sink *s = f->sink;
	uint32_t look = s->row_bytes < SLICE_LOOK ? s->row_bytes : SLICE_LOOK, events[SLICE_KINDS];
	char row[SLICE_LOOK];

	memset(f->rows, 0, sizeof(f->rows));
	if (s->begins) {
		recount_text(f, fd);
		return;
	}
	for (uint64_t at = 0; at < f->valid; at += s->row_bytes) {
		if (pread(fd, row, look, (off_t)at) != (ssize_t)look) {
			f->valid = at;
			return;
		}
		slice_count(s, row, events);
		for (int k = 0; k < SLICE_KINDS; k++)
			f->rows[k] += events[k];
	}
}

static void file_shorten(struct slice_file *f, const char *name)
{
	struct slice_sink *s = f->sink;
	int fd = openat(s->dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	s->store->bytes -= f->submitted - f->valid;
	if (!s->packed) /* of those, what was lost was counted frame by frame */
		recount(f, fd);
	if (fd >= 0)
		close(fd);
}

int slice_file_mark(struct slice_file *f)
{
	char name[96];
	int err;

	if (!f->valid || f->marked)
		return 0;
	slice_name(f->sink, f->index, name, sizeof(name));
	err = files_done(f->sink->dir_fd, name, f->valid, true);
	f->marked = !err;
	return err;
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
		slice_file_failed(s, f->index, "truncating", errno);
	io_file_remove(s->store->io, f->slot);
	fds_close(f->fd);
	f->fd = -1;
	s->open_files--;
	err = slice_file_mark(f);
	if (err)
		slice_file_failed(s, f->index, "writing .done of", err);
	if (!f->valid)
		unlinkat(s->dir_fd, name, 0);
	for (int k = 0; k < SLICE_KINDS; k++)
		s->written[k] += f->rows[k];
	f->closed = true;
}

static void sync_complete(struct io_op *op, int error)
{
	struct slice_file *f = (struct slice_file *)((char *)op - offsetof(struct slice_file, sync));

	if (error == ECANCELED) { /* by a write before it, which may be tried again */
		f->syncing = false;
		slice_file_maybe_sync(f);
		return;
	}
	/* Some file systems cannot sync; they could write all the same. */
	if (error && error != EINVAL)
		slice_file_failed(f->sink, f->index, "syncing", error);
	file_close(f);
}

struct io_op *slice_file_sync(struct slice_file *f)
{
	f->syncing = true;
	f->sync = (struct io_op){ .fd = f->fd, .file = f->slot, .complete = sync_complete };
	return &f->sync;
}

void slice_file_maybe_sync(struct slice_file *f)
{
	struct io_op *op;

	if (!f->full || f->inflight || f->syncing)
		return;
	op = slice_file_sync(f);
	io_start(f->sink->store->io, &op, 1);
}

void slice_file_buffered(struct slice_file *f)
{
	f->direct = false;
	set_direct(f->fd, false);
}

/* Some file systems take O_DIRECT and refuse it when it is used. */
void slice_file_refused(struct slice_file *f)
{
	buffered(f->sink->store, "writing: Invalid argument");
	slice_file_buffered(f);
}

struct slice_file *slice_file_full(struct slice_sink *s)
{
	struct slice_file *f = s->file;

	s->file = NULL;
	s->room = 0;
	f->full = true;
	*s->full_end = f;
	s->full_end = &f->next;
	return f;
}

/* Whole buffers and whole slices are whole blocks. */
static bool can_be_direct(const struct slice_sink *s)
{
	uint32_t block = s->store->block;

	return s->preallocate && block && s->buf_bytes % block == 0 && s->slice_bytes % block == 0;
}

bool slice_file_ahead(struct slice_sink *s)
{
	if (!s->ahead)
		s->ahead = calloc(1, sizeof(*s->ahead));
	return s->ahead;
}

bool slice_file_open(struct slice_sink *s)
{
	struct slice_file *f;
	char name[96];

	age(s->store, s->dir_fd);
	if (s->store->error)
		return false;
	slice_name(s, s->next_index, name, sizeof(name));
	if (!slice_file_ahead(s)) {
		slice_file_failed(s, s->next_index, "creating", ENOMEM);
		return false;
	}
	f = s->ahead;
	s->ahead = NULL;
	slice_file_ahead(s);
	f->sink = s;
	f->index = s->next_index;
	f->order = s->store->next_order++;
	f->fd = files_create(s->dir_fd, name);
	if (f->fd < 0) {
		slice_file_failed(s, f->index, "creating", errno);
		free(f);
		return false;
	}
	/*
	 * Size stays what was written, so that a killed program leaves whole rows. The
	 * last room of a volume is for rows: fallocate() takes it for a moment even
	 * when it fails, and a write that is under way meanwhile would find none.
	 */
	if (s->preallocate && !volume_short(s->dir_fd))
		fallocate(f->fd, FALLOC_FL_KEEP_SIZE, 0, s->slice_bytes);
	f->direct = can_be_direct(s) && set_direct(f->fd, true);
	f->slot = io_file_add(s->store->io, f->fd);
	s->next_index++;
	s->open_files++;
	s->file = f;
	return true;
}

