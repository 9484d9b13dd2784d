/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way to disk: writes and syncs that complete later, and one place to wait
 * for them, for the descriptors being watched, and for time. On io_uring where
 * the kernel lets us, with files and buffers registered as far as it does, else
 * on pwritev and poll, with the same results. All functions are for the
 * flusher's thread alone.
 */
#ifndef ASCPROF_IO_H
#define ASCPROF_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io;

/* Memory to write from: begins on a page, and no child has it. */
struct io_buf {
	char *data;
	size_t bytes; /* whole pages */
	int slot; /* registered with the ring; -1: not */
};

/* One write or one fsync (len 0). Lives in the owner's structure until complete. */
struct io_op {
	int fd;
	int file; /* of io_file_add(); -1: none */
	const struct io_buf *buf; /* that holds @data, or NULL */
	const char *data;
	size_t len;
	uint64_t offset;
	size_t done; /* bytes written; 0 at first */
	/*
	 * @error: 0 when all is written, or an errno. ECANCELED: one before it in
	 * the chain failed, or what is left would not go in order; whoever wants
	 * it starts it again, and it goes on from `done`.
	 */
	void (*complete)(struct io_op *op, int error);
};

enum io_choice { IO_AUTO, IO_URING, IO_PWRITEV };

struct io_backend {
	const char *name;
	/* Return: 0, or an errno with a reason in @why. */
	int (*open)(struct io *io, char *why, size_t why_size);
	void (*close)(struct io *io);
	void (*start)(struct io *io, struct io_op *const *ops, unsigned int n);
	/* Runs completions; waits for one, for @timeout_ms (-1: for ever), or, if
	 * @watching, for a watched descriptor. */
	void (*wait)(struct io *io, int timeout_ms, bool watching);
	/* Optional, as their results are. Return: a slot, or -1. */
	int (*file_add)(struct io *io, int fd);
	void (*file_remove)(struct io *io, int slot);
	int (*buf_add)(struct io *io, const struct io_buf *buf);
	void (*buf_remove)(struct io *io, int slot);
};

struct io {
	const struct io_backend *backend;
	const char *name; /* of the way by which writes go now */
	char reason[128]; /* why not io_uring; empty when it is */
	int epoll_fd;
	unsigned int inflight;
	void *priv;
};

extern const struct io_backend io_uring_backend;
extern const struct io_backend io_pwritev_backend;

#define IO_CHAIN_MAX 5u

/* Return: 0, or an errno. */
int io_open(struct io *io, enum io_choice choice);
void io_close(struct io *io);

/*
 * What is in it is not known; address space only, until it is written to. Return: false without
 * memory. From any thread. Buffers of 2 MiB that are put back are kept, 4 at most, until io_bufs_free().
 */
bool io_buf_get(struct io_buf *buf, size_t bytes);
void io_buf_register(struct io *io, struct io_buf *buf); /* once; it works without, too */
void io_buf_put(struct io *io, struct io_buf *buf);
void io_bufs_free(void); /* from any thread */
void io_child(void); /* in a child that was forked: it has none of them */

/* @fd may be written through the slot that is returned; -1: only as it is. */
int io_file_add(struct io *io, int fd);
void io_file_remove(struct io *io, int slot); /* before closing it; negative: ignored */

/*
 * Starts a chain of at most IO_CHAIN_MAX: each begins when the one before it is
 * complete and whole. Completions run inside io_start() or a later io_wait().
 */
void io_start(struct io *io, struct io_op *const *ops, unsigned int n);
void io_finish(struct io *io, struct io_op *op, int error); /* for backends */

int io_watch(struct io *io, int fd, uint64_t tag);
void io_unwatch(struct io *io, int fd);
/* Waits; then the tags of watched descriptors that are ready are in @tags. */
int io_wait(struct io *io, int timeout_ms, uint64_t *tags, int max);
void io_wait_completion(struct io *io); /* something must be in flight */
void io_drain(struct io *io); /* until nothing is in flight */

#endif /* ASCPROF_IO_H */
