/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a picture of annotations needs, in bounded memory: the longest ones, and
 * of all others how many there were per thread and stretch of time. Not
 * thread-safe.
 */
#ifndef ASCPROF_TIMELINE_H
#define ASCPROF_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "export/names.h"

#define TIMELINE_SPANS 20000
#define TIMELINE_LANES 256 /* threads; those that come later share the last one */
#define TIMELINE_BINS 400

struct timeline_span {
	int64_t start; /* ns since timeline.from */
	uint64_t duration;
	uint64_t order; /* of appearance */
	uint32_t name; /* index of names.row */
	uint32_t lane;
};

struct timeline_lane {
	unsigned int prof; /* index in the set */
	uint32_t pid, tid;
	uint32_t thinned[TIMELINE_BINS]; /* annotations that begin in a bin and are no span */
};

struct timeline {
	int64_t from, to; /* wall clock, ns */
	struct timeline_span *span; /* timeline_end(): by lane, start, longest first */
	size_t nr;
	uint64_t events; /* all */
	struct timeline_lane *lane;
	unsigned int nr_lanes;
	bool shared; /* the last lane is of several threads */
};

/* @from < @to: when the picture begins and ends. Return: 0, or -1 without memory. */
int timeline_begin(struct timeline *t, int64_t from, int64_t to);
/* Adds directory @index of the set. @names has its names, and is not sorted later. Return: likewise */
int timeline_add(struct timeline *t, const struct prof *prof, unsigned int index, const struct names *names);
void timeline_end(struct timeline *t);
void timeline_free(struct timeline *t);

#endif /* ASCPROF_TIMELINE_H */
