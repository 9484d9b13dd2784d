/* SPDX-License-Identifier: Apache-2.0 */
/* Timing of calls in short batches, so that what else the machine does spoils single batches only. */
#ifndef ASCPROF_BENCH_H
#define ASCPROF_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static inline uint64_t bench_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What a clock costs at the least: the processor's counter. */
static inline uint64_t bench_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
	return bench_ns();
#endif
}

/* Of this process, its other threads and the kernel's work for it, in seconds. */
static inline double bench_cpu(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static inline int bench_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts; @share 0.5: the median, 0.99: what one of a hundred is above. */
static inline double bench_quantile(double *values, size_t n, double share)
{
	qsort(values, n, sizeof(*values), bench_by_value);
	return values[(size_t)((double)(n - 1) * share)];
}

/*
 * One row of the table that `make bench` prints. @must and @aim are what the
 * project wants; they are printed, and never asserted: timings belong to a
 * machine and a day.
 */
static inline void bench_row(const char *what, double value, const char *unit, double must, double aim, const char *how)
{
	printf("  %-58s %8.2f %-6s must %g, aim %g   %s\n", what, value, unit, must, aim, how);
	fflush(stdout);
}

#endif /* ASCPROF_BENCH_H */
