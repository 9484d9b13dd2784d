/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same perf counters, on every CPU, sampled by the module and by a program with
 * perf_event_open(2): how far apart the reads of one sample are, what a sample costs in
 * CPU time, how many ticks are missed. One thread at a time.
 */
#ifndef ASCPROF_SAMPLING_H
#define ASCPROF_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SAMPLING_PERIOD_NS 10000000u
#define SAMPLING_TICKS 300
#define SAMPLING_CONFIGS 64
#define SAMPLING_CPUS 8 /* those above are left alone */
#define SAMPLING_BUSY_PER_CPU 2

struct sampling_plan {
	uint32_t type; /* of perf_event_attr */
	unsigned int nr_configs;
	uint64_t configs[SAMPLING_CONFIGS];
	int nr_cpus;
};

enum sampling_way {
	SAMPLING_MODULE,
	SAMPLING_PROGRAM,
	SAMPLING_PROGRAM_FIFO, /* with priority over all others */
	SAMPLING_WAYS,
};

struct sampling_result {
	uint64_t span_ns; /* first to last read of a sample, median */
	uint64_t span_99_ns; /* the longest but one in a hundred */
	uint64_t cost_ns; /* CPU time of a sample */
	uint64_t due; /* ticks */
	uint64_t missed;
	uint64_t throttled;
};

extern const char *const sampling_names[SAMPLING_WAYS];

/* CPUs of this machine, up to SAMPLING_CPUS. */
int sampling_cpus(void);
/* Can a program count that, on all CPUs of the plan? Return: 0, or an errno. */
int sampling_possible(const struct sampling_plan *plan);

/*
 * Takes SAMPLING_TICKS samples; takes as long as that says. Return: 0, or an errno with
 * the step that failed in *@what.
 */
int sampling_measure(const struct sampling_plan *plan, enum sampling_way way, struct sampling_result *result,
		     const char **what);

/* How many times the second is the first; 0 when there is no telling. */
double sampling_ratio(uint64_t first, uint64_t second);

/* Processes that keep all CPUs busy until sampling_idle(). Return: 0, or an errno and none runs. */
struct sampling_load {
	pid_t pid[SAMPLING_CPUS * SAMPLING_BUSY_PER_CPU];
	int nr;
};

int sampling_busy(struct sampling_load *load, int nr_cpus);
void sampling_idle(struct sampling_load *load);

#endif /* ASCPROF_SAMPLING_H */
