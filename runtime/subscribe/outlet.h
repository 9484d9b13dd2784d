/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How records leave: a bounded queue for each descriptor, and one thread that
 * writes them all. Whoever reports never waits for a reader: what finds no room
 * is lost and counted.
 *
 * An outlet writes through a description of its own, never through the
 * program's number, which may mean another file by then. That one is opened
 * anew and does not block, where it is a pipe or a terminal, so that the
 * program's keeps its flags; else it is duplicated.
 */
#ifndef ASCPROF_OUTLET_H
#define ASCPROF_OUTLET_H

#include <stdbool.h>
#include <stdint.h>

#include "subscribe/record.h"

#define OUTLET_QUEUE 16384u /* records */
#define OUTLETS_MAX 256u

struct outlet;

/* One subscription's records. Under outlet_lock(). */
struct outlet_tally {
	uint64_t queued; /* now */
	uint64_t written;
	uint64_t lost;
};

/* One lock for all outlets, and for what their users share beside them. */
void outlet_lock(void);
void outlet_unlock(void);

/*
 * The outlet of a descriptor, shared by all that open the same. The thread runs
 * as long as there is one. Return: 0 or an errno; EBADF: not open for writing.
 * Opening and closing are for one thread at a time.
 */
int outlet_open(int number, struct outlet **out);
/*
 * Gives it back; what its last user has queued must be gone. *@number becomes
 * -1, unless @keep: another user has the same number's address. The last user
 * closes the descriptor.
 */
void outlet_close(struct outlet *o, int *number, bool keep);

/* Queues a copy, and signs it later. Under outlet_lock(). Return: false: it is lost. */
bool outlet_put(struct outlet *o, const struct op_record *record, struct outlet_tally *tally);

/*
 * Waits until all of @tally is written, but not longer than to @deadline
 * (CLOCK_MONOTONIC ns) nor than OUTLET_STALL_NS after the reader last took
 * something; then the rest is lost. Return: all that was lost of it.
 */
#define OUTLET_STALL_NS 2000000000u
uint64_t outlet_drain(struct outlet *o, struct outlet_tally *tally, uint64_t deadline);

void outlet_halt(void); /* ends the thread, at exit */
void outlet_child(void); /* in a forked child: there is no outlet, and no thread */

#endif /* ASCPROF_OUTLET_H */
