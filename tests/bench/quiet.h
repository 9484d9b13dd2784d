/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much others slow this machine just now. Processors of virtual machines share
 * cores with those of others: for seconds on end the same instructions then take up
 * to twice as long, and no account of stolen time shows it. Not thread-safe.
 */
#ifndef ASCPROF_BENCH_QUIET_H
#define ASCPROF_BENCH_QUIET_H

#include <stddef.h>

/*
 * Runs a fixed loop on all processors (of which 16 at most) at once, for 2 to 4 ms.
 * Return: how many times as long it took as at its fastest since the program began,
 * on the processor where that is most; 1: as fast as ever.
 */
double quiet_slowness(void);

/* One measurement, and the worse slowness of before and after it. */
struct quiet_value {
	double value, slowness;
};

/*
 * The median of the quietest third of @values, which are sorted by slowness.
 * @slowness: the most in that third.
 */
double quiet_median(struct quiet_value *values, size_t nr, double *slowness);

#endif /* ASCPROF_BENCH_QUIET_H */
