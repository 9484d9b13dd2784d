/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What got slower between two sets of runs, each a result directory. Values of
 * a name are compared between runs: the durations within one run are not
 * independent of each other. Not thread-safe.
 */
#ifndef ASCPROF_DIFF_H
#define ASCPROF_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "export/summary.h"

#define DIFF_RUNS 200 /* of each side */

enum diff_metric { DIFF_AVERAGE, DIFF_P50, DIFF_P99, DIFF_MAX, DIFF_TOTAL, DIFF_SELF, DIFF_COUNT, DIFF_METRICS };

enum diff_verdict {
	DIFF_SLOWER, /* or more, for a count */
	DIFF_FASTER,
	DIFF_NEW, /* in no run of A */
	DIFF_GONE,
	DIFF_UNSURE, /* changed, but runs do not support it */
	DIFF_SAME,
	DIFF_VERDICTS,
};

struct diff_options {
	enum diff_metric metric;
	double threshold; /* percent of change that matters */
	double confidence; /* percent that is enough */
	unsigned int top;
};

struct diff_row {
	uint32_t name; /* index of names.row */
	unsigned int runs[2]; /* that have it */
	double value[2]; /* medians over runs; ns, or a count */
	double change; /* percent of A's; where both have it */
	double confidence; /* percent; below 0: there is none, one side has a single run */
	double weight; /* change of the median total, ns: what rows are ordered by */
	enum diff_verdict verdict;
};

struct diff {
	struct summary names; /* only texts and kinds of it */
	struct diff_row *row; /* by verdict, then by weight */
	size_t nr;
	unsigned int runs[2];
	uint64_t lost[2]; /* dropped in all runs of a side, as far as is known */
	unsigned int verdicts[DIFF_VERDICTS];
};

/* Return: 0; -1 with a message. diff_free() is due. */
int diff_make(struct diff *d, const struct prof_set set[2], const struct diff_options *o, struct diag *diag);
void diff_free(struct diff *d);

/* Text of 80 columns, one JSON object in one line. Return: 0; -1 with a message. */
int diff_print(FILE *to, const struct diff *d, const struct diff_options *o, struct diag *diag);
int diff_json(FILE *to, const struct diff *d, const struct diff_options *o, struct diag *diag);

const char *diff_metric_word(enum diff_metric metric);
const char *diff_verdict_word(enum diff_verdict verdict);

#endif /* ASCPROF_DIFF_H */
