/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hostile user of the module: what its parts share. Everything random comes from a seed
 * per thread, so that a run can be repeated as far as threads allow.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "dice.h"
#include "tests/qemu/guest/guest.h"

#define POOL		6	/* streams that everybody works on */
#define MAX_ERRNO	134

enum op {
	OP_INFO, OP_SOURCE_GET, OP_EVENT_GET, OP_STREAM_CREATE, OP_COUNTER_ADD, OP_START,
	OP_STOP, OP_KICK, OP_STATS, OP_UNKNOWN,
	OP_IOCTLS,		/* the ones above are ioctls */
	OP_MMAP = OP_IOCTLS, OP_MUNMAP, OP_MPROTECT, OP_MREMAP, OP_MADVISE, OP_TAIL, OP_READ,
	OP_POLL, OP_DUP, OP_PASS, OP_FORK, OP_RLIMIT, OP_SIGNAL, OP_CLOSE, OP_PARAMETER,
	OP_HOTPLUG, OP_ALL
};

/**
 * struct hostile - shared by all threads and processes of the test
 * @calls: per operation
 * @results: per operation and error, 0: success
 * @storm: only ioctls yet, and such as leave time for many
 * @stop: the time is up
 * @injected: allocations that were made to fail
 */
struct hostile {
	uint64_t calls[OP_ALL];
	uint64_t results[OP_ALL][MAX_ERRNO];
	volatile int storm;
	volatile int stop;
	uint64_t injected;
};

extern struct hostile *shared;

/* Notes an outcome; returns it. */
static inline long noted(enum op op, long result)
{
	int error = result < 0 ? errno : 0;

	__atomic_fetch_add(&shared->calls[op], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->results[op][error < MAX_ERRNO ? error : MAX_ERRNO - 1], 1,
			   __ATOMIC_RELAXED);
	return result;
}

static inline uint64_t ioctls_done(void)
{
	uint64_t sum = 0;
	int op;

	for (op = 0; op < OP_IOCTLS; op++)
		sum += __atomic_load_n(&shared->calls[op], __ATOMIC_RELAXED);
	return sum;
}

typedef void (*verdict)(bool good, const char *what);

/* ioctls.c */
void ioctls_learn(void);
void random_ioctl(struct dice *dice, int control, int *pool);

/* chaos.c */
void random_chaos(struct dice *dice, int control, int *pool);

/* window.c */
bool window_prepare(void);
long window_bind(void);
void window_unbind(long result);
void window_over(void);

/* failnth.c */
bool fail_every_allocation(bool with_module, verdict say);

#endif /* HOSTILE_H */
