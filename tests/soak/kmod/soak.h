/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long time with the module in a virtual machine: what its parts share.
 */
#ifndef SOAK_KMOD_H
#define SOAK_KMOD_H

#include <sys/file.h>

#include "tests/fuzz/dice.h"
#include "tests/qemu/guest/guest.h"

/**
 * struct soak - shared by all processes, totals of the whole time
 * @stop: the round is over
 * @opened: streams
 * @runs: from START to STOP, each with its account
 * @samples: of these, in records
 * @lost: of these, as told
 * @missed: ticks of these
 * @throttled: likewise
 * @fed: samples taken by user sources
 * @users: USER records that streams got of these
 * @shared: streams read by several processes at once
 * @faults: streams ended by a lie
 * @gone: runs that a source left
 * @refused: what could not be had just then
 * @forks: children of stream owners
 * @kills: of processes that own streams
 * @signals: sent to them
 * @hotplugs: CPU 1 taken away, or brought back
 * @reloads: of the module
 * @in_use: times that it could not be unloaded
 * @pmus: made-up PMUs loaded, or unloaded
 * @windows: counter window bound, unbound, pulled out, or put back
 * @interrupts: of the window
 * @wrong: what was not as it has to be
 */
struct soak {
	volatile int stop;
	uint64_t opened;
	uint64_t runs;
	uint64_t samples;
	uint64_t lost;
	uint64_t missed;
	uint64_t throttled;
	uint64_t fed;
	uint64_t users;
	uint64_t shared;
	uint64_t faults;
	uint64_t gone;
	uint64_t refused;
	uint64_t forks;
	uint64_t kills;
	uint64_t signals;
	uint64_t hotplugs;
	uint64_t reloads;
	uint64_t in_use;
	uint64_t pmus;
	uint64_t windows;
	uint64_t interrupts;
	uint64_t wrong;
};

extern struct soak *soak;

static inline void count(uint64_t *total, uint64_t by)
{
	__atomic_fetch_add(total, by, __ATOMIC_RELAXED);
}

/* Something that must not be; the first of them are explained. */
__attribute__((format(printf, 1, 2)))
static inline void wrong(const char *format, ...)
{
	va_list args;

	if (__atomic_fetch_add(&soak->wrong, 1, __ATOMIC_RELAXED) >= 20)
		return;
	va_start(args, format);
	printf("# WRONG ");
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

/*
 * perf of 6.1 lets an event be made of a PMU whose registration has only begun, and waits, while
 * it unregisters one, for whoever makes an event. So none is made meanwhile. The lock goes with
 * the descriptor, should its owner be killed.
 */
static inline int lock_pmus(int how)
{
	int fd = open("/tmp/pmus", O_RDONLY | O_CREAT | O_CLOEXEC, 0644);

	while (fd >= 0 && flock(fd, how))
		if (errno != EINTR)
			bail("flock");
	if (fd < 0)
		bail("/tmp/pmus");
	return fd;
}

/* streams.c */
void work(struct dice *dice, bool privileged);

/* chores.c */
bool chores_begin(void);
void chores_round(void);
void chores_one(struct dice *dice);
void chores_unload(void);
void chores_over(void);

#endif /* SOAK_KMOD_H */
