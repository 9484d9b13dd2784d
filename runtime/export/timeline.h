/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of a set of directories on one timeline: which processes, threads and
 * lanes there are, what is on them and in which order. How that is written is
 * the format's matter. Ranges are on rows ("lanes") of their own beside the
 * thread that began them, devices are processes. Not thread-safe.
 */
#ifndef ASCPROF_TIMELINE_H
#define ASCPROF_TIMELINE_H

#include "export/calls.h"
#include "export/counters.h"
#include "export/prof.h"
#include "export/tracks.h"
#include "export/tx.h"

#define TIMELINE_LANE (1ULL << 22) /* thread ids of lanes: beyond those of threads */

/* An annotation at its place. */
struct timeline_event {
	const struct tx_event *tx;
	const char *category; /* name; NULL: it has none */
	int64_t start, end; /* wall clock, ns */
	uint64_t pid, tid; /* as shown */
	bool alone; /* a range that fits no lane: it may overlap anything */
};

/* A call of a framework, in a process of its own beside that of the annotations. */
struct timeline_call {
	const struct call *call;
	struct call_text name, type, item; /* type: in words */
	int64_t start, end; /* wall clock, ns */
	uint64_t pid, tid; /* as shown */
};

/* A system call, in a process that stands for all of the host. */
struct timeline_syscall {
	const struct host_call *call;
	uint64_t pid; /* as shown */
};

/* Each gets the sink; int: 0, or -1 when memory ran out. Names are shorter than 1024 bytes. */
struct timeline_ops {
	/* @order: among the processes; 0: no device */
	void (*process)(void *sink, uint64_t pid, const char *name, const char *label, uint64_t order);
	void (*thread)(void *sink, uint64_t pid, uint64_t tid, const char *name, bool lane);
	int (*event)(void *sink, const struct timeline_event *e);
	int (*counter)(void *sink, uint64_t pid, const struct counter *c);
	bool (*failed)(const void *sink); /* writing has failed: no need to go on */
	int (*call)(void *sink, const struct timeline_call *c); /* NULL: not shown; the next, too */
	int (*syscall)(void *sink, const struct timeline_syscall *c);
};

struct timeline_prof; /* what is loaded of one directory */

struct timeline {
	const struct prof_set *set;
	struct timeline_prof *loaded;
	struct tracks tracks;
	int64_t origin; /* wall clock of the earliest event, or of the start; ns */
};

/* Return: 0; -1 with a message. timeline_close() is due in any case. */
int timeline_open(struct timeline *t, const struct prof_set *set, struct diag *diag);
/* Return: 0, also when @ops->failed; -1 with a message, @what named in it. */
int timeline_write(struct timeline *t, const struct timeline_ops *ops, void *sink, const char *what,
		   struct diag *diag);
void timeline_close(struct timeline *t);

/*
 * The earliest event of all directories: what relative times of a filter count
 * from. Return: 0; -1 with a message.
 */
int timeline_first(const struct prof_set *set, int64_t *first, struct diag *diag);

/* @to - @from, and the largest number when that is larger */
static inline int64_t timeline_span(int64_t from, int64_t to)
{
	int64_t v;

	return __builtin_sub_overflow(to, from, &v) ? INT64_MAX : v;
}

#endif /* ASCPROF_TIMELINE_H */
