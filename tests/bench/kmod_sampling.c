// SPDX-License-Identifier: Apache-2.0
/*
 * kmod_sampling TYPE CONFIG... : the same perf counters, on every CPU, sampled by the module
 * and by a program, in a virtual machine: nothing is asserted, and only ratios mean something.
 * On a real machine `ascprof doctor --bench` does the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sampling.h"

#define ROUNDS 3

static struct sampling_plan plan;

static int measure(const char *load, enum sampling_way way, struct sampling_result *r)
{
	const char *what;
	int err = sampling_measure(&plan, way, r, &what);

	if (err) {
		printf("Bail out! %s: %s: %s\n", sampling_names[way], what, strerror(err));
		return -1;
	}
	printf("# %-5s %-20s span %8" PRIu64 " ns (99 %%: %9" PRIu64 "), cost %8" PRIu64
	       " ns, missed %3" PRIu64 " and throttled %3" PRIu64 " of %3" PRIu64 "\n", load, sampling_names[way],
	       r->span_ns, r->span_99_ns, r->cost_ns, r->missed, r->throttled, r->due);
	fflush(stdout);
	return 0;
}

static int by_size(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), by_size);
	return values[ROUNDS / 2];
}

/* Medians over the rounds: ratios to the module in the same round, and shares of the ticks due. */
static void conclude(const char *load, struct sampling_result round[ROUNDS][SAMPLING_WAYS])
{
	double span[ROUNDS], span_99[ROUNDS], cost[ROUNDS], missed[ROUNDS], throttled[ROUNDS];
	int way, i;

	for (way = 0; way < SAMPLING_WAYS; way++) {
		for (i = 0; i < ROUNDS; i++) {
			const struct sampling_result *base = &round[i][SAMPLING_MODULE], *r = &round[i][way];

			span[i] = sampling_ratio(base->span_ns, r->span_ns);
			span_99[i] = sampling_ratio(base->span_99_ns, r->span_99_ns);
			cost[i] = sampling_ratio(base->cost_ns, r->cost_ns);
			missed[i] = 100 * sampling_ratio(r->due, r->missed);
			throttled[i] = 100 * sampling_ratio(r->due, r->throttled);
		}
		printf("# %-5s %-20s median of %d: span x%.2f (99 %%: x%.2f), cost x%.2f of the module's; "
		       "missed %.0f %%, throttled %.0f %%\n", load, sampling_names[way], ROUNDS, median(span),
		       median(span_99), median(cost), median(missed), median(throttled));
	}
	fflush(stdout);
}

static int compare(const char *load)
{
	struct sampling_result round[ROUNDS][SAMPLING_WAYS];
	int way, i;

	for (i = 0; i < ROUNDS; i++)
		for (way = 0; way < SAMPLING_WAYS; way++)
			if (measure(load, way, &round[i][way]))
				return -1;
	conclude(load, round);
	return 0;
}

int main(int argc, char **argv)
{
	struct sampling_load load;
	int i, ret;

	if (argc < 3) {
		fprintf(stderr, "usage: kmod_sampling TYPE CONFIG...\n");
		return 2;
	}
	plan.type = (uint32_t)atoi(argv[1]);
	for (i = 2; i < argc && plan.nr_configs < SAMPLING_CONFIGS; i++)
		plan.configs[plan.nr_configs++] = strtoull(argv[i], NULL, 0);
	plan.nr_cpus = sampling_cpus();
	printf("# %u counters of type %u on each of %d CPUs, every %u ms; emulated: only the ratios mean something\n",
	       plan.nr_configs, plan.type, plan.nr_cpus, SAMPLING_PERIOD_NS / 1000000);
	if (compare("idle") || sampling_busy(&load, plan.nr_cpus))
		return 1;
	ret = compare("busy");
	sampling_idle(&load);
	return ret ? 1 : 0;
}
