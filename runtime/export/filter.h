/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a set of directories is wanted. Every reader asks here, so that all
 * formats leave out the same. Of each kind of condition one must hold; all
 * kinds must. Not thread-safe.
 */
#ifndef ASCPROF_FILTER_H
#define ASCPROF_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/diag.h"

#define FILTER_MOST 64 /* values of one condition */

struct host_call;
struct row_tx;
struct timebase;
struct filter_name;

struct filter_time {
	bool given;
	bool relative; /* to the first event of all directories, until filter_origin() */
	int64_t ns; /* wall clock */
};

struct filter {
	bool active; /* there is a condition */
	struct filter_time from, to; /* what overlaps [from, to) is wanted */
	uint32_t pid[FILTER_MOST], tid[FILTER_MOST];
	unsigned int nr_pids, nr_tids;
	struct filter_name *name;
	unsigned int nr_names;
	uint64_t kinds; /* a bit per kind; 0: all */
};

/*
 * One condition as the user wrote it. Times: seconds behind the first event
 * ("1.5", or with a unit: "20ms", "3us", "7ns", "2s"), or a wall-clock time
 * ("@1800000000.25", seconds since 1970, or "2027-01-15T08:00:00.25Z").
 * Names: a pattern with * and ? for the whole name, or a regular expression
 * (POSIX, extended) between slashes, for a part. Kinds: names of the
 * accounting, or "annotations" or "counters" for all of them.
 * Return: NULL, or what was expected instead.
 */
const char *filter_add_time(struct filter *f, bool to, const char *text);
const char *filter_add_pid(struct filter *f, const char *text);
const char *filter_add_tid(struct filter *f, const char *text);
const char *filter_add_name(struct filter *f, const char *text);
const char *filter_add_kind(struct filter *f, const char *text); /* one, or several with commas */
void filter_free(struct filter *f);

/* Makes relative times absolute. */
void filter_origin(struct filter *f, int64_t first);

/* All of these take NULL, which wants everything. */
bool filter_wants_kind(const struct filter *f, const char *kind);
bool filter_wants_time(const struct filter *f, int64_t start, int64_t end);
bool filter_wants_name(const struct filter *f, const char *name, size_t len);
bool filter_wants_thread(const struct filter *f, uint32_t pid, uint32_t tid);
/* All but the name */
bool filter_wants_row(const struct filter *f, const struct timebase *tb, const struct row_tx *row);
bool filter_wants_syscall(const struct filter *f, const struct host_call *c);
/* A counter, which belongs to no thread */
bool filter_wants_counter(const struct filter *f, const char *kind, int64_t wall);

#endif /* ASCPROF_FILTER_H */
