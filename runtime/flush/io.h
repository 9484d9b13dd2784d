/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way to disk: writes and syncs that complete later, and one place to wait
 * for them, for the descriptors being watched, and for time. On io_uring where
 * the kernel lets us, else on pwritev and epoll_wait, with the same results.
 * All functions are for the flusher's thread alone.
 */
#ifndef ASCPROF_IO_H
#define ASCPROF_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io;

/* One write or one fsync (len 0). Lives in the owner's structure until complete. */
struct io_op {
	int fd;
	const char *data;
	size_t len;
	uint64_t offset;
	size_t done;
	void (*complete)(struct io_op *op, int error); /* 0, or an errno; `done` bytes were written */
};

enum io_choice { IO_AUTO, IO_URING, IO_PWRITEV };

struct io_backend {
	const char *name;
	/* Return: 0, or an errno with a reason in @why. */
	int (*open)(struct io *io, char *why, size_t why_size);
	void (*close)(struct io *io);
	void (*start)(struct io *io, struct io_op *op);
	/* Runs completions; waits for one, for @timeout_ms (-1: for ever), or, if
	 * @watching, for a watched descriptor. */
	void (*wait)(struct io *io, int timeout_ms, bool watching);
};

struct io {
	const struct io_backend *backend;
	char reason[128]; /* why not io_uring; empty when it is */
	int epoll_fd;
	unsigned int inflight;
	void *priv;
};

extern const struct io_backend io_uring_backend;
extern const struct io_backend io_pwritev_backend;

/* Return: 0, or an errno. */
int io_open(struct io *io, enum io_choice choice);
void io_close(struct io *io);

/* Starts @op; its completion runs inside io_start() or a later io_wait(). */
void io_start(struct io *io, struct io_op *op);
void io_finish(struct io *io, struct io_op *op, int error); /* for backends */

int io_watch(struct io *io, int fd, uint64_t tag);
void io_unwatch(struct io *io, int fd);
/* Waits; then the tags of watched descriptors that are ready are in @tags. */
int io_wait(struct io *io, int timeout_ms, uint64_t *tags, int max);
void io_wait_completion(struct io *io); /* something must be in flight */
void io_drain(struct io *io); /* until nothing is in flight */

#endif /* ASCPROF_IO_H */
