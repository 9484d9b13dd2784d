/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/io.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>

#include "log/log.h"
#include "session/fds.h"

#define IO_PAGE 4096u
#define IO_HUGE (2u << 20)

/*
 * Valgrind lets one thread run at a time, and does not know that io_uring_enter()
 * may wait: the program would stand still.
 */
static bool under_valgrind(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "/vgpreload_");
}

int io_open(struct io *io, enum io_choice choice)
{
	char why[sizeof(io->reason)] = "ASCPROF_IO=pwritev";
	int err;

	*io = (struct io){ .epoll_fd = fds_add(epoll_create1(EPOLL_CLOEXEC)) };
	if (io->epoll_fd < 0)
		return errno;
	if (choice == IO_AUTO && under_valgrind()) {
		snprintf(why, sizeof(why), "valgrind");
	} else if (choice != IO_PWRITEV) {
		io->backend = &io_uring_backend;
		io->name = io->backend->name;
		if (!io->backend->open(io, why, sizeof(why)))
			return 0;
	}
	io->backend = &io_pwritev_backend;
	io->name = io->backend->name;
	snprintf(io->reason, sizeof(io->reason), "%s", why);
	if (choice == IO_URING)
		log_line(LOG_WARN, "ASCPROF_IO=io_uring cannot be had: %s; writing with pwritev", why);
	err = io->backend->open(io, why, sizeof(why));
	if (err)
		fds_close(io->epoll_fd);
	return err;
}

void io_close(struct io *io)
{
	io_drain(io);
	io->backend->close(io);
	fds_close(io->epoll_fd);
}

/*
 * Large ones begin on a huge page, and are one where the kernel has it: a
 * registered buffer is then one piece for the device, and not hundreds.
 */
static void *pages_for(size_t bytes)
{
	size_t more = bytes < IO_HUGE ? 0 : IO_HUGE - IO_PAGE, before;
	char *data = mmap(NULL, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (data == MAP_FAILED || !more)
		return data;
	before = -(uintptr_t)data % IO_HUGE;
	if (before)
		munmap(data, before);
	if (more - before)
		munmap(data + before + bytes, more - before);
	data += before;
	madvise(data, bytes, MADV_HUGEPAGE);
	return data;
}

/*
 * Huge pages of buffers that were put back, for the next session: clearing a new one takes a
 * millisecond where a hypervisor has to find the memory first.
 */
static _Atomic(char *) kept[4];

#define KEPT (sizeof(kept) / sizeof(kept[0]))

static char *take_kept(void)
{
	char *data = NULL;

	for (size_t i = 0; i < KEPT && !data; i++)
		data = atomic_exchange(&kept[i], NULL);
	return data;
}

static bool keep(char *data)
{
	for (size_t i = 0; i < KEPT; i++) {
		char *none = NULL;

		if (atomic_compare_exchange_strong(&kept[i], &none, data))
			return true;
	}
	return false;
}

void io_bufs_free(void)
{
	char *data;

	while ((data = take_kept()))
		munmap(data, IO_HUGE);
}

void io_child(void)
{
	while (take_kept())
		;
}

bool io_buf_get(struct io_buf *buf, size_t bytes)
{
	void *data;

	bytes = (bytes + IO_PAGE - 1) / IO_PAGE * IO_PAGE;
	data = bytes == IO_HUGE ? take_kept() : NULL;
	if (!data) {
		data = pages_for(bytes);
		if (data == MAP_FAILED)
			return false;
		/* The device reads these pages: a fork must not make it read the child's. */
		madvise(data, bytes, MADV_DONTFORK);
	}
	*buf = (struct io_buf){ .data = data, .bytes = bytes, .slot = -1 };
	return true;
}

void io_buf_register(struct io *io, struct io_buf *buf)
{
	if (io->backend->buf_add)
		buf->slot = io->backend->buf_add(io, buf);
}

void io_buf_put(struct io *io, struct io_buf *buf)
{
	if (buf->slot >= 0)
		io->backend->buf_remove(io, buf->slot);
	if (buf->bytes != IO_HUGE || !keep(buf->data))
		munmap(buf->data, buf->bytes);
	buf->data = NULL;
}

int io_file_add(struct io *io, int fd)
{
	return io->backend->file_add ? io->backend->file_add(io, fd) : -1;
}

void io_file_remove(struct io *io, int slot)
{
	if (slot >= 0)
		io->backend->file_remove(io, slot);
}

void io_start(struct io *io, struct io_op *const *ops, unsigned int n)
{
	io->inflight += n;
	io->backend->start(io, ops, n);
}

void io_finish(struct io *io, struct io_op *op, int error)
{
	io->inflight--;
	op->complete(op, error);
}

int io_watch(struct io *io, int fd, uint64_t tag)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = tag };

	return epoll_ctl(io->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? errno : 0;
}

void io_unwatch(struct io *io, int fd)
{
	epoll_ctl(io->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

int io_wait(struct io *io, int timeout_ms, uint64_t *tags, int max)
{
	struct epoll_event e[16];
	int n;

	io->backend->wait(io, timeout_ms, true);
	if (max > (int)(sizeof(e) / sizeof(e[0])))
		max = sizeof(e) / sizeof(e[0]);
	n = epoll_wait(io->epoll_fd, e, max, 0);
	for (int i = 0; i < n; i++)
		tags[i] = e[i].data.u64;
	return n > 0 ? n : 0;
}

void io_wait_completion(struct io *io)
{
	io->backend->wait(io, -1, false);
}

void io_drain(struct io *io)
{
	while (io->inflight)
		io_wait_completion(io);
}
