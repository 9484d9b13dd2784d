// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "sim": made-up numbers for tests and demonstrations, never there
 * unless the module is loaded with sim=1. The numbers are explained in
 * core/sim.c.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "kmod/core/policy.h"
#include "kmod/core/sim.h"
#include "kmod/core/widen.h"
#include "kmod/source.h"

static bool sim;
module_param(sim, bool, 0444);
MODULE_PARM_DESC(sim, "offer simulated devices sim0 to sim3 (default: no)");

static unsigned long long seed = 1;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "seed of the simulated numbers (default: 1)");

/**
 * struct sim_counter - one simulated counter
 * @base: the counter
 * @sim: its event
 * @fault: what is wrong with it
 * @widen: follows its register; unused for gauges
 */
struct sim_counter {
	struct asc_counter base;
	struct asc_sim_event sim;
	struct asc_sim_fault fault;
	struct asc_widen widen;
};

static struct asc_source sim_sources[ASC_SIM_DEVICES];

static struct sim_counter *to_sim(struct asc_counter *counter)
{
	return container_of(counter, struct sim_counter, base);
}

static u64 sim_register(const struct sim_counter *c, u64 elapsed)
{
	return asc_sim_register(seed, c->base.source->device, &c->sim, &c->fault, elapsed);
}

static int sim_event(struct asc_source *source, u32 index, struct ascprof_event *event)
{
	struct asc_sim_event sim_event;
	int ret;

	ret = asc_sim_event(index, &sim_event);
	if (!ret)
		*event = sim_event.event;
	return ret;
}

static struct asc_counter *sim_add(struct asc_source *source,
				   const struct ascprof_counter_add *add,
				   const struct asc_caller *caller)
{
	struct sim_counter *c;
	int ret;

	if (!asc_policy_no_perf(add))
		return ERR_PTR(-EINVAL);

	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);
	ret = asc_sim_find(add->config, &c->sim);
	if (!ret)
		ret = asc_sim_fault(&c->sim, add->config1, add->config2, &c->fault);
	if (ret) {
		kfree(c);
		return ERR_PTR(ret);
	}
	c->base.event = c->sim.event;
	c->base.cpu = -1;
	return &c->base;
}

static void sim_remove(struct asc_counter *counter)
{
	kfree(to_sim(counter));
}

static int sim_start(struct asc_counter *counter, u64 elapsed)
{
	struct sim_counter *c = to_sim(counter);

	if (c->sim.rate)
		asc_widen_init(&c->widen, asc_sim_bits(&c->sim, &c->fault), c->sim.rate,
			       sim_register(c, elapsed), asc_sim_time(elapsed));
	return 0;
}

static void sim_stop(struct asc_counter *counter)
{
}

static int sim_read(struct asc_counter *counter, u64 elapsed, struct asc_value *value)
{
	struct sim_counter *c = to_sim(counter);
	u64 now = sim_register(c, elapsed);
	u64 us;
	int ret;

	if (c->fault.kind == ASCPROF_SIM_FAULT_SLOW) {
		us = div_u64(c->fault.arg, NSEC_PER_USEC);
		usleep_range(us, us + us / 8 + 1);
	}

	if (c->sim.rate) {
		/* what a register of that width would show */
		ret = asc_widen(&c->widen, now & c->widen.mask, asc_sim_time(elapsed));
		if (ret)
			return ret;
		now = c->widen.total;
	}
	value->count = now;
	value->enabled = elapsed;
	value->running = elapsed;
	return 0;
}

static const struct asc_source_ops sim_ops = {
	.event = sim_event,
	.add = sim_add,
	.remove = sim_remove,
	.start = sim_start,
	.stop = sim_stop,
	.read = sim_read,
};

/**
 * asc_sim_init() - offer the simulated devices, if they were asked for
 */
void asc_sim_init(void)
{
	int i;

	if (!sim)
		return;
	for (i = 0; i < ASC_SIM_DEVICES; i++) {
		struct asc_source *source = &sim_sources[i];

		source->ops = &sim_ops;
		source->kind = ASCPROF_SOURCE_SIM;
		source->flags = ASCPROF_SOURCE_F_NPU;
		source->device = i;
		source->numa_node = -1;
		source->nr_events = asc_sim_nr_events();
		snprintf(source->name, sizeof(source->name), "sim%d", i);
		asc_source_register(source);
	}
}

/**
 * asc_sim_exit() - take them away
 */
void asc_sim_exit(void)
{
	int i;

	if (!sim)
		return;
	for (i = 0; i < ASC_SIM_DEVICES; i++)
		asc_source_unregister(&sim_sources[i]);
}
