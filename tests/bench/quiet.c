/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/quiet.h"

#include <pthread.h>
#include <sched.h>

#include "tests/bench/bench.h"

#define CPUS 16
#define TURNS 1000000u
#define PIECES 3 /* of which the fastest counts: an interrupt is no slow processor */

struct cpu {
	pthread_t thread;
	size_t number;
	double now, best; /* ns of the loop */
};

static double thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double loop_ns(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4;
	double begin = thread_ns();

	for (uint64_t i = 0; i < TURNS; i++) {
		a += i;
		b ^= a;
		c += b;
		d += i * 3;
		__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d));
	}
	return thread_ns() - begin;
}

static void *run(void *arg)
{
	struct cpu *cpu = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu->number, &set);
	sched_setaffinity(0, sizeof(set), &set);
	cpu->now = loop_ns();
	for (int i = 1; i < PIECES; i++) {
		double ns = loop_ns();

		if (ns < cpu->now)
			cpu->now = ns;
	}
	return NULL;
}

double quiet_slowness(void)
{
	static struct cpu cpu[CPUS];
	double slowness = 1;
	cpu_set_t set;
	size_t nr = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		exit(1);
	for (size_t i = 0; i < CPU_SETSIZE && nr < CPUS; i++)
		if (CPU_ISSET(i, &set))
			cpu[nr++].number = i;
	for (size_t i = 0; i < nr; i++)
		if (pthread_create(&cpu[i].thread, NULL, run, &cpu[i]))
			exit(1);
	for (size_t i = 0; i < nr; i++)
		pthread_join(cpu[i].thread, NULL);
	for (size_t i = 0; i < nr; i++) {
		if (cpu[i].best == 0 || cpu[i].now < cpu[i].best)
			cpu[i].best = cpu[i].now;
		if (cpu[i].now > slowness * cpu[i].best)
			slowness = cpu[i].now / cpu[i].best;
	}
	return slowness;
}

static int by_slowness(const void *a, const void *b)
{
	const struct quiet_value *x = a, *y = b;

	return (x->slowness > y->slowness) - (x->slowness < y->slowness);
}

double quiet_median(struct quiet_value *values, size_t nr, double *slowness)
{
	size_t third = (nr + 2) / 3;

	qsort(values, nr, sizeof(*values), by_slowness);
	*slowness = values[third - 1].slowness;
	qsort(values, third, sizeof(*values), bench_by_value); /* which comes first in each */
	return values[third / 2].value;
}
