/* SPDX-License-Identifier: Apache-2.0 */
/* Where io_uring is refused: the same writes, done at once. */
#include <errno.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "flush/io.h"

static int pwritev_open(struct io *io, char *why, size_t why_size)
{
	(void)io;
	(void)why;
	(void)why_size;
	return 0;
}

static void pwritev_close(struct io *io)
{
	(void)io;
}

/* Return: 0, or an errno. */
static int write_or_sync(struct io_op *op)
{
	if (!op->len)
		return fsync(op->fd) ? errno : 0;
	while (op->done < op->len) {
		struct iovec v = { (char *)op->data + op->done, op->len - op->done };
		ssize_t n = pwritev(op->fd, &v, 1, (off_t)(op->offset + op->done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : ENOSPC;
		op->done += (size_t)n;
	}
	return 0;
}

static void pwritev_start(struct io *io, struct io_op *const *ops, unsigned int n)
{
	int err = 0;

	for (unsigned int i = 0; i < n; i++) {
		int one = err ? ECANCELED : write_or_sync(ops[i]);

		err = one;
		io_finish(io, ops[i], one);
	}
}

static void pwritev_wait(struct io *io, int timeout_ms, bool watching)
{
	struct pollfd p = { .fd = io->epoll_fd, .events = POLLIN };

	if (watching) /* else there is nothing to wait for: all is complete */
		poll(&p, 1, timeout_ms);
}

const struct io_backend io_pwritev_backend = {
	.name = "pwritev",
	.open = pwritev_open,
	.close = pwritev_close,
	.start = pwritev_start,
	.wait = pwritev_wait,
};
