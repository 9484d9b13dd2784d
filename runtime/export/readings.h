/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of a part as numbers over time, whatever rows they are in, and what
 * they were at least, on average and at most. Numbers are those of the other
 * exports; samples that have nothing to count from are left out. Not thread-safe.
 */
#ifndef ASCPROF_READINGS_H
#define ASCPROF_READINGS_H

#include <stdint.h>

#include "export/prof.h"

#define READINGS_NAME 64
#define READINGS_UNIT 16
#define READINGS_MOST 1024 /* counters; those that come later are counted as such */

struct readings_value {
	int device; /* -1: host */
	const char *name; /* "HBM 0/Read", as in traces */
	const char *unit; /* "MB/s", "%"; "" */
	int64_t wall; /* ns */
	double value;
};

/* Calls @each for every value; each counter's come in the order of time. Return: 0; -1 with a message. */
int readings_walk(const struct prof_part *part, void (*each)(void *arg, const struct readings_value *v), void *arg,
		  struct diag *diag);

struct reading {
	int device;
	char name[READINGS_NAME];
	char unit[READINGS_UNIT];
	uint64_t samples;
	double min, sum, max;
};

struct readings {
	struct reading *row; /* in the order of appearance */
	unsigned int nr, room;
	unsigned int last; /* looked up last */
	uint64_t left_out; /* samples of counters beyond READINGS_MOST */
	bool failed;
};

/* The counter of a value; NULL: it has no place. */
struct reading *readings_of(struct readings *c, const struct readings_value *v);
/* Adds all parts of @prof. Return: 0; -1 with a message. readings_free() is due. */
int readings_add(struct readings *c, const struct prof *prof, struct diag *diag);
void readings_free(struct readings *c);

#endif /* ASCPROF_READINGS_H */
