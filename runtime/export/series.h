/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters over time for a picture: of each the least, the average and the
 * greatest value in stretches of equal length. Not thread-safe.
 */
#ifndef ASCPROF_SERIES_H
#define ASCPROF_SERIES_H

#include "export/readings.h"

#define SERIES_MOST 96 /* counters; those that come later are counted */
#define SERIES_BINS 300

struct series_bin {
	uint32_t samples;
	double min, sum, max;
};

struct series {
	unsigned int prof; /* index in the set */
	struct reading total;
	struct series_bin bin[SERIES_BINS];
};

struct series_set {
	int64_t from, to; /* wall clock, ns; from < to */
	struct series *row;
	unsigned int nr, left_out;
};

/* Adds the counters of directory @index. Return: 0; -1 with a message. */
int series_add(struct series_set *s, const struct prof *prof, unsigned int index, struct diag *diag);
void series_free(struct series_set *s);

#endif /* ASCPROF_SERIES_H */
