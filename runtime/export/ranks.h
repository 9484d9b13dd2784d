/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two small samples differ, without an assumption about their distribution. Thread-safe. */
#ifndef ASCPROF_RANKS_H
#define ASCPROF_RANKS_H

#define RANKS_EXACT 40 /* values of both for which all divisions are counted */
#define RANKS_MOST 1000 /* values of each */

/*
 * Mann-Whitney U, two-sided: how probable it is that values which do not differ
 * are divided at least as unevenly as these. Exact for up to RANKS_EXACT values,
 * ties included; beyond by the normal distribution, corrected for ties.
 * @nr_a, @nr_b: 1 to RANKS_MOST.
 */
double ranks_differ(const double *a, unsigned int nr_a, const double *b, unsigned int nr_b);

/* The middle one, or the mean of both. Sorts @v; @nr >= 1. */
double ranks_median(double *v, unsigned int nr);

#endif /* ASCPROF_RANKS_H */
