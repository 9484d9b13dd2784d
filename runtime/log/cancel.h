/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No function of ours is a cancellation point: a thread that ended inside one
 * would leave a lock taken for ever, or its ring half changed. What waits or
 * touches files puts cancellation off. Where that is too much, for one write to
 * a descriptor, the system call is made without the C library's cancellation.
 */
#ifndef ASCPROF_CANCEL_H
#define ASCPROF_CANCEL_H

#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Return: what cancel_on_again() wants. */
static inline int cancel_off(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void cancel_on_again(int before)
{
	pthread_setcancelstate(before, NULL);
}

/* write(2), with its results. */
static inline long cancel_free_write(int fd, const void *data, size_t len)
{
	return syscall(SYS_write, fd, data, len);
}

/* Adds one to an eventfd. */
static inline long cancel_free_wake(int fd)
{
	const uint64_t one = 1;

	return cancel_free_write(fd, &one, sizeof(one));
}

#endif /* ASCPROF_CANCEL_H */
