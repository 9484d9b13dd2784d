/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes and threads of a merged trace. A process is known by host and pid;
 * where two hosts have the same pid (containers), the second is shown under
 * another. Devices are shown as processes too. Not thread-safe.
 */
#ifndef ASCPROF_TRACKS_H
#define ASCPROF_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACKS_LANES 32 /* of ranges of one thread */

/* Ranges that nest or follow each other: what one row of a viewer can show. */
struct tracks_lane {
	int64_t *end; /* of the ranges that are open, innermost last */
	unsigned int depth, room;
	bool named;
};

struct track {
	uint64_t process, thread; /* what it is looked up by */
	uint64_t pid; /* shown */
	bool used; /* this place of the table */
	bool named;
	unsigned int nr_lanes;
	struct tracks_lane *lane;
};

struct tracks {
	struct track *track; /* open addressing */
	size_t nr, room; /* room is a power of two */
	const char **host;
	unsigned int nr_hosts;
};

void tracks_free(struct tracks *t);

/* @host lives as long as @t. Return: its number, or -1 when memory ran out. */
int tracks_host(struct tracks *t, const char *host);

/*
 * A process, a thread of it, a device: each is made when it is new. Return:
 * NULL when memory ran out. Valid until the next call of these.
 */
struct track *tracks_process(struct tracks *t, int host, uint32_t pid);
struct track *tracks_thread(struct tracks *t, int host, uint32_t pid, uint32_t tid);
/* What frameworks of a process reported: a process beside it, and its threads. */
struct track *tracks_calls(struct tracks *t, int host, uint32_t pid);
struct track *tracks_calls_thread(struct tracks *t, int host, uint32_t pid, uint32_t tid);
struct track *tracks_device(struct tracks *t, int host, unsigned int device);

/*
 * The lane of a range from @start to @end; starts never go back, and among
 * equal ones the longest comes first. Return: its index; -1: all lanes are
 * taken, or memory ran out.
 */
int tracks_lane(struct track *thread, int64_t start, int64_t end);

#endif /* ASCPROF_TRACKS_H */
