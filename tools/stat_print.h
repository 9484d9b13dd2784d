/* SPDX-License-Identifier: Apache-2.0 */
/* What `ascprof stat` prints: text, CSV, or a line of JSON each. */
#ifndef ASCPROF_STAT_PRINT_H
#define ASCPROF_STAT_PRINT_H

#include <stdio.h>

#include "tools/counters.h"

struct stat_print {
	FILE *out;
	const char *separator; /* of CSV; NULL: no CSV */
	bool json;
	unsigned int interval_ms; /* of -I, 0: only the end is printed */
	unsigned int sampled_ms;
};

void stat_print_head(const struct stat_print *p);
/* One interval, @seconds after the begin. Return: -1 without memory. */
int stat_print_interval(const struct stat_print *p, const struct metrics *m, double seconds);
/* All of them. Return: -1 without memory. */
int stat_print_end(const struct stat_print *p, const struct metrics *m, const struct counters *c);

/* @value in what people read, its unit in @unit: of rates per second. */
double stat_readable(const struct metric *m, double value, char unit[32]);

#endif /* ASCPROF_STAT_PRINT_H */
