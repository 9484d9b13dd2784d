/* SPDX-License-Identifier: Apache-2.0 */
#include "subscribe/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/pages.h"
#include "clock/clock.h"
#include "log/cancel.h"
#include "session/fds.h"
#include "session/threads.h"

/* A pipe takes that much whole or not at all, and at once when poll() says that there is room. */
#define CHUNK (PIPE_BUF / sizeof(struct op_record))
#define LOOK_NS 20000000u /* how often a drain looks whether the reader reads */

struct entry {
	struct op_record record;
	struct outlet_tally *tally; /* NULL: given up */
};

struct outlet {
	struct outlet *next;
	int fd; /* our own */
	int number; /* the program's */
	bool socket;
	unsigned int users;
	unsigned int polled; /* place in the writer's set; 0: not in it */
	bool writing; /* the thread is in write(), with records from head on */
	bool broken; /* no reader any more, or an error */
	size_t torn; /* bytes of the record at head that are written */
	uint64_t head, tail;
	struct entry *queue; /* OUTLET_QUEUE of them */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* records were written, or lost */
	bool clocked; /* `changed` has its clock */
	struct outlet *first;
	unsigned int count;
	struct outlet *left_behind; /* of a parent: known, and never touched */

	pthread_t thread;
	bool running, quit;
	bool sleeping; /* nothing says that it must not poll() */
	int wake_fd;
	struct pollfd set[OUTLETS_MAX + 1]; /* the thread's own */
} out = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .wake_fd = -1 };

void outlet_lock(void)
{
	pthread_mutex_lock(&out.lock);
}

void outlet_unlock(void)
{
	pthread_mutex_unlock(&out.lock);
}

static struct entry *at(const struct outlet *o, uint64_t i)
{
	return &o->queue[i % OUTLET_QUEUE];
}

/* ---- the thread; under the lock where nothing else is said ---- */

/* Takes what was given up off the front, unless a part of it is written already. */
static void skip(struct outlet *o)
{
	while (o->head != o->tail && !o->torn && !at(o, o->head)->tally)
		o->head++;
}

static void done(struct outlet *o, bool written)
{
	struct outlet_tally *tally = at(o, o->head++)->tally;

	if (!tally)
		return;
	tally->queued--;
	tally->written += written;
	tally->lost += !written;
}

static void give_up_all(struct outlet *o)
{
	o->broken = true;
	o->torn = 0;
	while (o->head != o->tail)
		done(o, false);
}

static size_t gather(const struct outlet *o, struct op_record *records)
{
	size_t n = 0;

	while (n < CHUNK && o->head + n != o->tail && (!n || at(o, o->head + n)->tally)) {
		records[n] = at(o, o->head + n)->record;
		n++;
	}
	return n;
}

/* Without the lock. */
static ssize_t write_some(const struct outlet *o, const void *bytes, size_t n)
{
	ssize_t written;

	do {
		written = o->socket ? send(o->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL) : write(o->fd, bytes, n);
	} while (written < 0 && errno == EINTR);
	return written;
}

static void write_chunk(struct outlet *o)
{
	struct op_record records[CHUNK];
	size_t n, torn = o->torn;
	ssize_t written;
	int error;

	skip(o);
	n = gather(o, records);
	if (!n)
		return;
	o->writing = true;
	outlet_unlock();
	for (size_t i = 0; i < n; i++)
		op_record_sign(&records[i]);
	written = write_some(o, (const char *)records + torn, n * sizeof(records[0]) - torn);
	error = errno;
	outlet_lock();
	o->writing = false;
	if (written >= 0) {
		o->torn += (size_t)written;
		for (; o->torn >= sizeof(records[0]); o->torn -= sizeof(records[0]))
			done(o, true);
	} else if (error != EAGAIN) {
		give_up_all(o);
	}
	pthread_cond_broadcast(&out.changed);
}

static nfds_t choose(void)
{
	nfds_t n = 1;

	out.set[0] = (struct pollfd){ out.wake_fd, POLLIN, 0 };
	for (struct outlet *o = out.first; o; o = o->next) {
		skip(o);
		o->polled = 0;
		if (o->head == o->tail)
			continue;
		o->polled = (unsigned int)n;
		out.set[n++] = (struct pollfd){ o->fd, POLLOUT, 0 };
	}
	return n;
}

/* One chunk of each that has room, so that none waits for another. */
static void write_ready(void)
{
	struct outlet *o = out.first;

	while (o) {
		if (o->polled && out.set[o->polled].revents) {
			o->polled = 0;
			write_chunk(o);
			o = out.first; /* the list may have changed */
			continue;
		}
		o = o->next;
	}
}

static void *writer(void *arg)
{
	uint64_t count;
	nfds_t n;

	(void)arg;
	outlet_lock();
	while (!out.quit) {
		n = choose();
		out.sleeping = true;
		outlet_unlock();
		poll(out.set, n, -1);
		if (out.set[0].revents && read(out.wake_fd, &count, sizeof(count)) < 0)
			count = 0; /* taken already; not an error */
		outlet_lock();
		out.sleeping = false;
		write_ready();
	}
	outlet_unlock();
	return NULL;
}

static void wake(void)
{
	if (!out.sleeping)
		return;
	out.sleeping = false;
	while (cancel_free_wake(out.wake_fd) < 0 && errno == EINTR)
		;
}

/* ---- its life ---- */

static void set_clock(void)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&out.changed, &attributes);
	pthread_condattr_destroy(&attributes);
	out.clocked = true;
}

static int start(void)
{
	int err;

	if (out.running)
		return 0;
	if (!out.clocked)
		set_clock();
	if (out.wake_fd < 0)
		out.wake_fd = fds_add(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (out.wake_fd < 0)
		return errno;
	out.quit = false;
	err = threads_start(&out.thread, writer, NULL);
	out.running = !err;
	return err;
}

void outlet_halt(void)
{
	if (!out.running)
		return;
	outlet_lock();
	out.quit = true;
	wake();
	outlet_unlock();
	pthread_join(out.thread, NULL);
	out.running = false;
	fds_close(out.wake_fd);
	out.wake_fd = -1;
}

/* ---- opening and closing ---- */

static bool same_file(int a, int b)
{
	struct stat one, other;

	return !fstat(a, &one) && !fstat(b, &other) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/*
 * Whether opening it anew gives the same thing. A device may be another one
 * each time, as the master side of a terminal is; a terminal itself is not.
 */
static bool opens_as_itself(int number, mode_t mode)
{
	unsigned int side;

	return S_ISFIFO(mode) || (S_ISCHR(mode) && isatty(number) && ioctl(number, TIOCGPTN, &side));
}

static int own_description(int number, bool *is_socket)
{
	int flags = fcntl(number, F_GETFL), fd = -1;
	struct stat st;
	char path[32];

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || flags & O_PATH || fstat(number, &st)) {
		errno = EBADF;
		return -1;
	}
	*is_socket = S_ISSOCK(st.st_mode);
	if (opens_as_itself(number, st.st_mode)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", number);
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	}
	return fd >= 0 ? fd : fcntl(number, F_DUPFD_CLOEXEC, 3);
}

static struct outlet *create(int number)
{
	struct outlet *o = calloc(1, sizeof(*o));
	int error;

	if (!o)
		return NULL;
	o->number = number;
	o->fd = fds_add(own_description(number, &o->socket));
	if (o->fd >= 0)
		o->queue = pages_get(OUTLET_QUEUE * sizeof(*o->queue));
	if (o->queue)
		return o;
	error = o->fd < 0 ? errno : ENOMEM;
	fds_close(o->fd);
	free(o);
	errno = error;
	return NULL;
}

static void destroy(struct outlet *o)
{
	fds_close(o->fd);
	munmap(o->queue, OUTLET_QUEUE * sizeof(*o->queue));
	free(o);
}

int outlet_open(int number, struct outlet **result)
{
	struct outlet *o;
	int err;

	for (o = out.first; o; o = o->next) {
		if (o->number == number && same_file(o->fd, number)) {
			o->users++;
			*result = o;
			return 0;
		}
	}
	if (out.count == OUTLETS_MAX)
		return EMFILE;
	o = create(number);
	if (!o)
		return errno;
	err = start();
	if (err) {
		destroy(o);
		return err;
	}
	o->users = 1;
	outlet_lock();
	o->next = out.first;
	out.first = o;
	out.count++;
	outlet_unlock();
	*result = o;
	return 0;
}

static void unlink_outlet(struct outlet *o)
{
	struct outlet **link = &out.first;

	outlet_lock();
	while (o->writing)
		pthread_cond_wait(&out.changed, &out.lock);
	while (*link != o)
		link = &(*link)->next;
	*link = o->next;
	out.count--;
	outlet_unlock();
}

void outlet_close(struct outlet *o, int *number, bool keep)
{
	bool theirs = *number == o->number && same_file(o->fd, o->number);

	if (!keep)
		*number = -1;
	if (--o->users)
		return;
	unlink_outlet(o);
	/* Not what the program has closed itself, or has put there since. */
	if (theirs)
		close(o->number);
	destroy(o);
	if (!out.count)
		outlet_halt();
}

/* ---- records ---- */

bool outlet_put(struct outlet *o, const struct op_record *record, struct outlet_tally *tally)
{
	if (o->broken || o->tail - o->head == OUTLET_QUEUE) {
		tally->lost++;
		return false;
	}
	if (o->head == o->tail)
		wake();
	*at(o, o->tail++) = (struct entry){ *record, tally };
	tally->queued++;
	return true;
}

/* What the reader has not taken; changes only when it reads or we write. */
static int unread(const struct outlet *o)
{
	int bytes = 0;

	return ioctl(o->fd, o->socket ? TIOCOUTQ : FIONREAD, &bytes) ? 0 : bytes;
}

static void give_up(struct outlet *o, struct outlet_tally *tally)
{
	while (o->writing)
		pthread_cond_wait(&out.changed, &out.lock);
	for (uint64_t i = o->head; i != o->tail; i++) {
		if (at(o, i)->tally != tally)
			continue;
		at(o, i)->tally = NULL;
		tally->queued--;
		tally->lost++;
	}
	skip(o);
}

uint64_t outlet_drain(struct outlet *o, struct outlet_tally *tally, uint64_t deadline)
{
	uint64_t now, head, lost, idle = 0; /* looks in vain: by the clock a process that is paused would be stalled */
	struct timespec until;
	int before, waited = 0;

	outlet_lock();
	head = o->head;
	before = unread(o);
	while (tally->queued) {
		int left = unread(o);

		now = clock_ns(CLOCK_MONOTONIC);
		if (left != before || head != o->head)
			idle = 0;
		else
			idle += waited == ETIMEDOUT;
		before = left;
		head = o->head;
		if (now >= deadline || idle * LOOK_NS >= OUTLET_STALL_NS) {
			give_up(o, tally);
			break;
		}
		now += LOOK_NS;
		until = (struct timespec){ (time_t)(now / 1000000000), (long)(now % 1000000000) };
		waited = pthread_cond_timedwait(&out.changed, &out.lock, &until);
	}
	lost = tally->lost;
	outlet_unlock();
	return lost;
}

/* ---- fork ---- */

void outlet_child(void)
{
	struct outlet *last = out.first;

	while (last && last->next)
		last = last->next;
	if (last) {
		last->next = out.left_behind;
		out.left_behind = out.first;
	}
	out.first = NULL;
	out.count = 0;
	out.running = false;
	out.sleeping = false;
	out.clocked = false; /* somebody may have waited */
	out.wake_fd = -1; /* closed with all the others */
}
