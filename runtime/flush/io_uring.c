/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "flush/io.h"

#if HAVE_LIBURING
#include <liburing.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "session/fds.h"

#define ENTRIES 64
#define ENTRIES_FEW 8 /* where locked memory is scarce; a chain fits */
#define FILES 64u /* slots for registered files, and */
#define BUFS 64u /* for registered buffers: as many as bits in a word */

#define TRIES 100u /* in a row that the kernel takes nothing, 1 ms each, before the ring is given up */

struct uring {
	struct io_uring ring;
	bool poll_armed;
	bool dead; /* given up: what is started is done at once */
	unsigned int failures; /* in a row */
	struct io_op *staged[ENTRIES]; /* of entries that the kernel has not taken yet; NULL: the poll's */
	unsigned int nr_staged;
	unsigned int taken; /* operations that it has, and has not completed */
	uint64_t files_free; /* a bit for each slot; all zero: the kernel has no such tables */
	uint64_t bufs_free;
};

_Static_assert(IO_CHAIN_MAX <= ENTRIES_FEW, "a chain is submitted at once");

static bool can(struct io_uring_probe *p, int op)
{
	return io_uring_opcode_supported(p, op);
}

static int uring_open(struct io *io, char *why, size_t why_size)
{
	struct uring *u = calloc(1, sizeof(*u));
	struct io_uring_probe *probe;
	bool enough;
	int err;

	if (!u)
		return ENOMEM;
	err = -io_uring_queue_init(ENTRIES, &u->ring, 0);
	if (err == ENOMEM) /* the limit on locked memory, on kernels that charge it */
		err = -io_uring_queue_init(ENTRIES_FEW, &u->ring, 0);
	if (err) {
		snprintf(why, why_size, "io_uring_setup: %s", strerror(err));
		free(u);
		return err;
	}
	probe = io_uring_get_probe_ring(&u->ring);
	enough = probe && can(probe, IORING_OP_WRITE) && can(probe, IORING_OP_WRITE_FIXED) && can(probe, IORING_OP_FSYNC) &&
		 can(probe, IORING_OP_POLL_ADD) && can(probe, IORING_OP_TIMEOUT);
	io_uring_free_probe(probe);
	if (!enough || fds_add(u->ring.ring_fd) < 0) {
		snprintf(why, why_size, "io_uring: the kernel lacks an operation that is needed");
		io_uring_queue_exit(&u->ring);
		free(u);
		return EOPNOTSUPP;
	}
	io_uring_ring_dontfork(&u->ring);
	/* Since Linux 5.19; before, and where it fails, everything goes by its descriptor and address. */
	if (!io_uring_register_files_sparse(&u->ring, FILES))
		u->files_free = UINT64_MAX;
	if (!io_uring_register_buffers_sparse(&u->ring, BUFS))
		u->bufs_free = UINT64_MAX;
	io->priv = u;
	return 0;
}

/* Return: a free slot, or -1. */
static int lowest(uint64_t free)
{
	return free ? __builtin_ctzll(free) : -1;
}

static int uring_file_add(struct io *io, int fd)
{
	struct uring *u = io->priv;
	int slot = lowest(u->files_free);

	if (slot < 0 || io_uring_register_files_update(&u->ring, (unsigned int)slot, &fd, 1) != 1)
		return -1;
	u->files_free &= ~(1ULL << slot);
	return slot;
}

static void uring_file_remove(struct io *io, int slot)
{
	struct uring *u = io->priv;
	int none = -1;

	/* A slot that cannot be emptied is not used again; its file stays open until the ring is closed. */
	if (io_uring_register_files_update(&u->ring, (unsigned int)slot, &none, 1) == 1)
		u->files_free |= 1ULL << slot;
}

static int buf_update(struct uring *u, int slot, void *data, size_t bytes)
{
	struct iovec v = { data, bytes };

	return io_uring_register_buffers_update_tag(&u->ring, (unsigned int)slot, &v, NULL, 1);
}

/* Its pages are locked: beyond RLIMIT_MEMLOCK this fails. */
static int uring_buf_add(struct io *io, const struct io_buf *buf)
{
	struct uring *u = io->priv;
	int slot = lowest(u->bufs_free);

	if (slot < 0 || buf_update(u, slot, buf->data, buf->bytes) != 1)
		return -1;
	u->bufs_free &= ~(1ULL << slot);
	return slot;
}

static void uring_buf_remove(struct io *io, int slot)
{
	struct uring *u = io->priv;

	if (buf_update(u, slot, NULL, 0) == 1)
		u->bufs_free |= 1ULL << slot;
}

static void uring_close(struct io *io)
{
	struct uring *u = io->priv;

	fds_forget(u->ring.ring_fd);
	io_uring_queue_exit(&u->ring);
	free(u);
}

static void pause_ms(void)
{
	struct timespec t = { .tv_nsec = 1000000 };

	nanosleep(&t, NULL);
}

/*
 * A ring to which nothing can be given any more: what waits in it is done as
 * the other backend does it, and so is all that follows.
 */
static void give_up(struct io *io, int err)
{
	struct uring *u = io->priv;
	struct io_op *left[ENTRIES];
	unsigned int n = 0;

	u->dead = true;
	io->name = io_pwritev_backend.name;
	snprintf(io->reason, sizeof(io->reason), "io_uring_enter: %s", strerror(err));
	for (unsigned int i = 0; i < u->nr_staged; i++)
		if (u->staged[i])
			left[n++] = u->staged[i];
	u->nr_staged = 0;
	io_pwritev_backend.start(io, left, n);
}

static void submit(struct io *io)
{
	struct uring *u = io->priv;
	int n = u->nr_staged && !u->dead ? io_uring_submit(&u->ring) : 0;

	if (n < 0) {
		if (++u->failures == TRIES)
			give_up(io, -n);
		else
			pause_ms();
		return;
	}
	u->failures = 0;
	for (int i = 0; i < n && u->nr_staged; i++) {
		u->taken += u->staged[0] != NULL;
		u->nr_staged--;
		memmove(u->staged, u->staged + 1, u->nr_staged * sizeof(u->staged[0]));
	}
}

/* An entry to fill, for @op or, if that is NULL, the poll; NULL when the ring was given up. */
static struct io_uring_sqe *sqe(struct io *io, struct io_op *op)
{
	struct uring *u = io->priv;
	struct io_uring_sqe *s = NULL;

	while (!u->dead && !(s = io_uring_get_sqe(&u->ring)))
		submit(io);
	if (s)
		u->staged[u->nr_staged++] = op;
	return s;
}

static struct io_uring_sqe *prepare(struct io *io, struct io_op *op)
{
	struct io_uring_sqe *s = sqe(io, op);
	int fd = op->file >= 0 ? op->file : op->fd;
	unsigned int left = (unsigned int)(op->len - op->done);

	if (!op->len)
		io_uring_prep_fsync(s, fd, 0);
	else if (op->buf && op->buf->slot >= 0)
		io_uring_prep_write_fixed(s, fd, op->data + op->done, left, op->offset + op->done, op->buf->slot);
	else
		io_uring_prep_write(s, fd, op->data + op->done, left, op->offset + op->done);
	if (op->file >= 0)
		s->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data(s, op);
	return s;
}

/* A chain ends where what is submitted at once does, so there must be room for all of it. */
static void uring_start(struct io *io, struct io_op *const *ops, unsigned int n)
{
	struct uring *u = io->priv;

	while (!u->dead && io_uring_sq_space_left(&u->ring) < n)
		submit(io);
	if (u->dead) {
		io_pwritev_backend.start(io, ops, n);
		return;
	}
	for (unsigned int i = 0; i < n; i++) {
		struct io_uring_sqe *s = prepare(io, ops[i]);

		if (i + 1 < n)
			s->flags |= IOSQE_IO_LINK;
	}
	submit(io);
}

/*
 * What was not written whole has ended its chain, and goes back to the owner,
 * who knows what follows it.
 */
static void completed(struct io *io, struct io_op *op, int res)
{
	if (res > 0)
		op->done += (size_t)res;
	if (res == -EINTR || res == -EAGAIN || (res > 0 && op->done < op->len))
		io_finish(io, op, ECANCELED);
	else if (res < 0)
		io_finish(io, op, -res);
	else
		io_finish(io, op, op->done < op->len ? ENOSPC : 0);
}

static void reap(struct io *io)
{
	struct uring *u = io->priv;
	struct io_uring_cqe *c;

	while (!io_uring_peek_cqe(&u->ring, &c)) {
		void *data = io_uring_cqe_get_data(c);
		int res = c->res;

		io_uring_cqe_seen(&u->ring, c);
		if (data == u) {
			u->poll_armed = false;
		} else if (data && data != (void *)LIBURING_UDATA_TIMEOUT) {
			u->taken--;
			completed(io, data, res);
		}
	}
}

static void arm_poll(struct io *io)
{
	struct uring *u = io->priv;
	struct io_uring_sqe *s = u->poll_armed ? NULL : sqe(io, NULL);

	if (!s)
		return;
	io_uring_prep_poll_add(s, io->epoll_fd, POLLIN);
	io_uring_sqe_set_data(s, u);
	u->poll_armed = true;
}

static void uring_wait(struct io *io, int timeout_ms, bool watching)
{
	struct __kernel_timespec t = { .tv_sec = timeout_ms / 1000,
				       .tv_nsec = timeout_ms % 1000 * 1000000LL };
	struct uring *u = io->priv;
	struct io_uring_cqe *c;
	int err = 0;

	if (watching)
		arm_poll(io);
	submit(io);
	if (u->dead && !u->taken) {
		io_pwritev_backend.wait(io, timeout_ms, watching);
		return;
	}
	if (u->dead || u->nr_staged) /* what is staged is tried again soon */
		pause_ms();
	else if (timeout_ms < 0)
		err = io_uring_wait_cqe(&u->ring, &c);
	else
		err = io_uring_wait_cqe_timeout(&u->ring, &c, &t);
	if (err && err != -ETIME && err != -EINTR)
		pause_ms();
	reap(io);
	submit(io);
}

#else /* !HAVE_LIBURING */

static int uring_open(struct io *io, char *why, size_t why_size)
{
	(void)io;
	snprintf(why, why_size, "built without liburing");
	return EOPNOTSUPP;
}

#define uring_close NULL
#define uring_start NULL
#define uring_wait NULL
#define uring_file_add NULL
#define uring_file_remove NULL
#define uring_buf_add NULL
#define uring_buf_remove NULL

#endif

const struct io_backend io_uring_backend = {
	.name = "io_uring",
	.open = uring_open,
	.close = uring_close,
	.start = uring_start,
	.wait = uring_wait,
	.file_add = uring_file_add,
	.file_remove = uring_file_remove,
	.buf_add = uring_buf_add,
	.buf_remove = uring_buf_remove,
};
