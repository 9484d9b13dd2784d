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

#include "session/fds.h"

#define ENTRIES 64
#define ENTRIES_FEW 8 /* where locked memory is scarce */

struct uring {
	struct io_uring ring;
	bool poll_armed;
};

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
	enough = probe && can(probe, IORING_OP_WRITE) && can(probe, IORING_OP_FSYNC) &&
		 can(probe, IORING_OP_POLL_ADD) && can(probe, IORING_OP_TIMEOUT);
	io_uring_free_probe(probe);
	if (!enough || fds_add(u->ring.ring_fd) < 0) {
		snprintf(why, why_size, "io_uring: the kernel lacks an operation that is needed");
		io_uring_queue_exit(&u->ring);
		free(u);
		return EOPNOTSUPP;
	}
	io_uring_ring_dontfork(&u->ring);
	io->priv = u;
	return 0;
}

static void uring_close(struct io *io)
{
	struct uring *u = io->priv;

	fds_forget(u->ring.ring_fd);
	io_uring_queue_exit(&u->ring);
	free(u);
}

/* Completions are counted against the submission queue, so there is always room soon. */
static struct io_uring_sqe *sqe(struct io *io)
{
	struct uring *u = io->priv;
	struct io_uring_sqe *s = io_uring_get_sqe(&u->ring);

	while (!s) {
		io_uring_submit(&u->ring);
		s = io_uring_get_sqe(&u->ring);
	}
	return s;
}

static void submit_op(struct io *io, struct io_op *op)
{
	struct io_uring_sqe *s = sqe(io);

	if (op->len)
		io_uring_prep_write(s, op->fd, op->data + op->done, (unsigned int)(op->len - op->done),
				    op->offset + op->done);
	else
		io_uring_prep_fsync(s, op->fd, 0);
	io_uring_sqe_set_data(s, op);
}

static void uring_start(struct io *io, struct io_op *op)
{
	struct uring *u = io->priv;

	submit_op(io, op);
	io_uring_submit(&u->ring);
}

static void completed(struct io *io, struct io_op *op, int res)
{
	if (res == -EINTR || res == -EAGAIN) {
		submit_op(io, op);
		return;
	}
	if (res < 0) {
		io_finish(io, op, -res);
		return;
	}
	op->done += (size_t)res;
	if (op->len && res == 0)
		io_finish(io, op, ENOSPC);
	else if (op->done < op->len)
		submit_op(io, op); /* short write: the rest */
	else
		io_finish(io, op, 0);
}

static void uring_wait(struct io *io, int timeout_ms, bool watching)
{
	struct __kernel_timespec t = { .tv_sec = timeout_ms / 1000,
				       .tv_nsec = timeout_ms % 1000 * 1000000LL };
	struct uring *u = io->priv;
	struct io_uring_cqe *c;

	if (watching && !u->poll_armed) {
		struct io_uring_sqe *s = sqe(io);

		io_uring_prep_poll_add(s, io->epoll_fd, POLLIN);
		io_uring_sqe_set_data(s, u);
		u->poll_armed = true;
	}
	io_uring_submit(&u->ring);
	if (timeout_ms < 0)
		io_uring_wait_cqe(&u->ring, &c);
	else
		io_uring_wait_cqe_timeout(&u->ring, &c, &t);
	while (!io_uring_peek_cqe(&u->ring, &c)) {
		void *data = io_uring_cqe_get_data(c);
		int res = c->res;

		io_uring_cqe_seen(&u->ring, c);
		if (data == u)
			u->poll_armed = false;
		else if (data && data != (void *)LIBURING_UDATA_TIMEOUT)
			completed(io, data, res);
	}
	io_uring_submit(&u->ring);
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

#endif

const struct io_backend io_uring_backend = {
	.name = "io_uring",
	.open = uring_open,
	.close = uring_close,
	.start = uring_start,
	.wait = uring_wait,
};
