/* SPDX-License-Identifier: Apache-2.0 */
/* Is the module any better than perf_event_open(2), on this machine? */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/hub.h"
#include "tools/doctor.h"
#include "tools/sampling.h"

/* Events of the processor, or of the kernel where it has none to give. */
static bool choose(struct sampling_plan *plan, int *err)
{
	static const struct sampling_plan plans[] = {
		{ .type = 0, .nr_configs = 4, .configs = { 0, 1, 2, 3 } }, /* cycles, instructions, cache */
		{ .type = 1, .nr_configs = 4, .configs = { 0, 1, 2, 3 } }, /* clocks, faults, switches */
	};

	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		*plan = plans[i];
		plan->nr_cpus = sampling_cpus();
		*err = sampling_possible(plan);
		if (!*err)
			return true;
	}
	return false;
}

static bool measure(struct doctor *d, const struct sampling_plan *plan, struct sampling_result r[SAMPLING_WAYS])
{
	const char *what;
	int way, err;

	for (way = 0; way < SAMPLING_WAYS; way++) {
		err = sampling_measure(plan, way, &r[way], &what);
		if (!err)
			continue;
		doctor_say(d, DOCTOR_NOTE, "bench", "%s: %s: %s", sampling_names[way], what, strerror(err));
		return false;
	}
	return true;
}

static void say_ratios(struct doctor *d, const char *load, const char *what, uint64_t module, uint64_t program,
		       uint64_t fifo)
{
	doctor_say(d, DOCTOR_OK, "bench", "%s: %s %.1f us by the module; by a program x%.2f, with SCHED_FIFO x%.2f",
		   load, what, (double)module / 1000, sampling_ratio(module, program), sampling_ratio(module, fifo));
}

static bool compare(struct doctor *d, const struct sampling_plan *plan, const char *load)
{
	struct sampling_result all[SAMPLING_WAYS];
	const struct sampling_result *m = &all[SAMPLING_MODULE], *p = &all[SAMPLING_PROGRAM],
				     *f = &all[SAMPLING_PROGRAM_FIFO];

	if (!measure(d, plan, all))
		return false;
	say_ratios(d, load, "reads of one sample span", m->span_ns, p->span_ns, f->span_ns);
	say_ratios(d, load, "and in the worst of a hundred", m->span_99_ns, p->span_99_ns, f->span_99_ns);
	say_ratios(d, load, "a sample costs, of CPU time,", m->cost_ns, p->cost_ns, f->cost_ns);
	doctor_say(d, DOCTOR_OK, "bench",
		   "%s: ticks missed: %llu of %llu by the module (%llu throttled); by a program %llu of %llu, with SCHED_FIFO %llu of %llu",
		   load, (unsigned long long)m->missed, (unsigned long long)m->due, (unsigned long long)m->throttled,
		   (unsigned long long)p->missed, (unsigned long long)p->due, (unsigned long long)f->missed,
		   (unsigned long long)f->due);
	return true;
}

void doctor_bench(struct doctor *d)
{
	struct sampling_plan plan;
	struct sampling_load load;
	int err;

	if (access(hub_path(), R_OK | W_OK)) {
		doctor_say(d, DOCTOR_NOTE, "bench", "%s is not there for us: nothing to compare with perf_event_open",
			   hub_path());
		return;
	}
	if (!choose(&plan, &err)) {
		doctor_say(d, DOCTOR_NOTE, "bench", "perf_event_open: %s: nothing to compare the module with",
			   strerror(err));
		doctor_mend(d, "sudo ascprof doctor --bench");
		return;
	}
	doctor_say(d, DOCTOR_OK, "bench", "%u %s events on each of %d CPUs, every %u ms", plan.nr_configs,
		   plan.type ? "software" : "hardware", plan.nr_cpus, SAMPLING_PERIOD_NS / 1000000);
	if (!compare(d, &plan, "idle"))
		return;
	err = sampling_busy(&load, plan.nr_cpus);
	if (err) {
		doctor_say(d, DOCTOR_NOTE, "bench", "no load: %s", strerror(err));
		return;
	}
	compare(d, &plan, "busy");
	sampling_idle(&load);
}
