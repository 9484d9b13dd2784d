/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a picture of annotations needs, in bounded memory: the longest ones, and
 * of all others how many there were per thread and stretch of time. Not
 * thread-safe.
 */
#ifndef ASCPROF_SPANS_H
#define ASCPROF_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "export/summary.h"

#define SPANS_MOST 20000
#define SPANS_LANES 256 /* threads; those that come later share the last one */
#define SPANS_BINS 400

struct span {
	int64_t start; /* ns since spans.from */
	uint64_t duration;
	uint64_t order; /* of appearance */
	uint32_t name; /* index of summary.row */
	uint32_t lane;
};

struct spans_lane {
	unsigned int prof; /* index in the set */
	uint32_t pid, tid;
	uint32_t thinned[SPANS_BINS]; /* annotations that begin in a bin and are no span */
};

struct spans {
	int64_t from, to; /* wall clock, ns */
	struct span *span; /* spans_end(): by lane, start, longest first */
	size_t nr;
	uint64_t events; /* all */
	struct spans_lane *lane;
	unsigned int nr_lanes;
	bool shared; /* the last lane is of several threads */
};

/* @from < @to: when the picture begins and ends. Return: 0, or -1 without memory. */
int spans_begin(struct spans *t, int64_t from, int64_t to);
/* Adds directory @index of the set. @names has its names, and is not sorted later. Return: likewise */
int spans_add(struct spans *t, const struct prof *prof, unsigned int index, const struct summary *names);
void spans_end(struct spans *t);
void spans_free(struct spans *t);

#endif /* ASCPROF_SPANS_H */
