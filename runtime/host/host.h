/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host data of a run: what ACL_PROF_HOST_SYS and ACL_PROF_HOST_SYS_USAGE ask
 * for, sampled by timers that the flusher watches. A sample whose time has
 * passed is counted and not made up for.
 */
#ifndef ASCPROF_HOST_H
#define ASCPROF_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "flush/slice.h"
#include "host/kinds.h"

/* Samples a second: what the documentation has for USAGE, and readers want for the disk */
#define HOST_SYS_HZ 50u
#define HOST_USAGE_HZ 50u

struct host;

/* Who is told what there is: @source "none" and why, or what it is and what it counts. */
typedef void host_tell_fn(void *arg, const char *source, const char *note);

/* Return: NULL when nothing is asked for, or to be had: @tell was told. */
struct host *host_open(const struct settings *settings, host_tell_fn *tell, void *arg);
/* @begin_ns: CLOCK_MONOTONIC_RAW of start_info */
bool host_attach(struct host *h, struct slice_store *store, int data_fd, uint64_t begin_ns);

/* By the flusher, whose @h may be NULL. */
int host_fd(const struct host *h, enum host_pace pace); /* to watch; -1: none */
void host_start(struct host *h); /* first samples, and the timers */
void host_read(struct host *h); /* the samples that are due */
void host_flush(struct host *h);
void host_settle(struct host *h); /* last samples; all is written */
void host_finish(struct host *h);
void host_free(struct host *h);

/* NULL: that kind is not recorded. */
const struct host_collector *host_collector(const struct host *h, enum host_kind kind);

struct host_sum {
	struct slice_sum slices; /* in samples, or events */
	uint64_t no_room; /* for more of them, before they came here */
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC_RAW, 0: none */
};

/* Of a kind that is recorded, with what other processes had of it. */
struct host_sum host_sum(const struct host *h, enum host_kind kind);

#endif /* ASCPROF_HOST_H */
