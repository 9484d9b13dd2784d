/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row of the table that `make bench` prints: a number of one run, best a
 * ratio, since nanoseconds of different days and machines say nothing.
 *
 * To add rows: write a file with a `const struct bench_row NAME[]` that ends with
 * an empty one, declare it below, and name it in tables[] of table.c and in
 * bench.mk. It is linked with the library's objects, so that its insides can be
 * measured as well; what programs call of the shared library is in annotate.c.
 *
 * Each round measures every row once, so that what else the machine does at a
 * time spoils one round of all rows rather than all rounds of one. The table
 * shows the median of the rounds, and how far they spread.
 */
#ifndef ASCPROF_BENCH_TABLE_H
#define ASCPROF_BENCH_TABLE_H

#include <stdbool.h>

struct bench_row {
	const char *name;
	const char *unit; /* "x", "%", "ns" */
	/* One measurement; a negative one could not be made. */
	double (*measure)(void);
	/* What it is compared with, right after or before it, both in ns; NULL: nothing.
	 * The row then shows how many times more that is. */
	double (*against)(void);
	double must, aim; /* 0: none */
	bool less_is_better;
};

extern const struct bench_row flush_rows[];
extern const struct bench_row session_rows[];

/* A new folder for what one measurement writes. All are removed after the last. */
const char *bench_dir(void);
double bench_cpu_ns(void); /* processor time of this process so far, the kernel's workers for it included */

#endif /* ASCPROF_BENCH_TABLE_H */
