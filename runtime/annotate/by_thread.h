/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each thread of a session annotated: what it began, what of it the flusher
 * took out of its ring, and what was dropped. Contexts go from thread to thread,
 * so what one has counted is noted here before another has it.
 *
 * There is room for so many threads; the others are one entry, with those that
 * lost something among them last.
 */
#ifndef ASCPROF_BY_THREAD_H
#define ASCPROF_BY_THREAD_H

#include "annotate/thread.h"

#define BY_THREAD_MAX 128u

struct thread_count {
	uint32_t tid; /* 0: of all others */
	uint64_t produced[TX_KINDS];
	uint64_t taken[TX_KINDS];
	uint64_t dropped[TX_KINDS][TX_DROPS];
};

struct by_thread {
	uint32_t n;
	uint32_t nr_others; /* threads in `others` */
	struct thread_count thread[BY_THREAD_MAX];
	struct thread_count others;
};

void by_thread_reset(struct by_thread *all);
/* Adds one that has annotated; others are left out. */
void by_thread_add(struct by_thread *all, const struct thread_count *one);

#endif /* ASCPROF_BY_THREAD_H */
