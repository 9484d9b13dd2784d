// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "perf": any counter that perf knows, as a tuple (type, config, config1,
 * config2, cpu). Names, formats and events of the PMUs are in sysfs and differ
 * from kernel to kernel; whoever adds a counter has read them there.
 *
 * DOC: pinned
 *
 * Counters are pinned: a PMU that has none left refuses, at START, instead of
 * multiplexing behind the reader's back. What does happen later, an unplugged
 * CPU for instance, shows in the enabled and running times.
 *
 * DOC: reading
 *
 * perf_event_read_value() sleeps, and interrupts the counter's CPU unless it
 * runs there. That is why sampling is done by a thread, and why that thread is
 * bound to the CPU of most counters.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "kmod/core/policy.h"
#include "kmod/source.h"

/**
 * struct perf_counter - one kernel perf counter
 * @base: the counter
 * @event: perf's part
 */
struct perf_counter {
	struct asc_counter base;
	struct perf_event *event;
};

static struct perf_counter *to_perf(struct asc_counter *counter)
{
	return container_of(counter, struct perf_counter, base);
}

static bool failed(const struct perf_event *event)
{
	return READ_ONCE(event->state) <= PERF_EVENT_STATE_ERROR;
}

/*
 * A dynamic type may turn out to be something else than a shared part of the
 * machine: the PMU of a core, or the probes, which are not counters at all.
 * @type is what was asked for; the event may have been given another meanwhile.
 */
static int check_pmu(const struct perf_event *event, u32 type, const struct asc_caller *caller)
{
	if (type < PERF_TYPE_MAX)
		return 0;
	switch (event->pmu->task_ctx_nr) {
	case perf_invalid_context:
		return 0;
	case perf_hw_context:
		return asc_policy_counter(caller->paranoid, caller->capable, ASC_EXPOSE_CORE,
					  caller->period);
	default:
		return -EOPNOTSUPP;
	}
}

static int perf_event_info(struct asc_source *source, u32 index, struct ascprof_event *event)
{
	return -EINVAL;		/* they are in sysfs */
}

static struct asc_counter *perf_add(struct asc_source *source,
				    const struct ascprof_counter_add *add,
				    const struct asc_caller *caller)
{
	struct perf_event_attr attr = {
		.type = add->perf_type,
		.size = sizeof(attr),
		.config = add->config,
		.config1 = add->config1,
		.config2 = add->config2,
		.pinned = 1,
		.disabled = 1,
	};
	struct perf_counter *c;
	int ret;

	if (add->cpu < 0 || add->cpu >= nr_cpu_ids || !cpu_possible(add->cpu) ||
	    !add->scale_num || !add->scale_den ||
	    !asc_policy_text(add->unit, sizeof(add->unit)))
		return ERR_PTR(-EINVAL);

	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);

	c->event = perf_event_create_kernel_counter(&attr, add->cpu, NULL, NULL, NULL);
	if (IS_ERR(c->event)) {
		ret = PTR_ERR(c->event);
		goto free;
	}
	ret = check_pmu(c->event, add->perf_type, caller);
	if (ret)
		goto release;

	c->base.cpu = c->event->cpu;
	c->base.event.event_class = ASCPROF_CLASS_OTHER;
	c->base.event.value_kind = ASCPROF_VALUE_COUNT;
	c->base.event.config = add->config;
	c->base.event.scale_num = add->scale_num;
	c->base.event.scale_den = add->scale_den;
	strscpy(c->base.event.unit, add->unit, sizeof(c->base.event.unit));
	return &c->base;

release:
	perf_event_release_kernel(c->event);
free:
	kfree(c);
	return ERR_PTR(ret);
}

static void perf_remove(struct asc_counter *counter)
{
	struct perf_counter *c = to_perf(counter);

	perf_event_release_kernel(c->event);
	kfree(c);
}

static int perf_start(struct asc_counter *counter, u64 elapsed)
{
	struct perf_counter *c = to_perf(counter);

	perf_event_enable(c->event);
	if (failed(c->event)) {
		perf_event_disable(c->event);
		return -EBUSY;
	}
	return 0;
}

static void perf_stop(struct asc_counter *counter)
{
	perf_event_disable(to_perf(counter)->event);
}

static int perf_read(struct asc_counter *counter, u64 elapsed, struct asc_value *value)
{
	struct perf_counter *c = to_perf(counter);

	if (failed(c->event))
		return -EIO;
	value->count = perf_event_read_value(c->event, &value->enabled, &value->running);
	return 0;
}

static const struct asc_source_ops perf_ops = {
	.event = perf_event_info,
	.add = perf_add,
	.remove = perf_remove,
	.start = perf_start,
	.stop = perf_stop,
	.read = perf_read,
};

static struct asc_source perf_source = {
	.ops = &perf_ops,
	.kind = ASCPROF_SOURCE_PERF,
	.device = -1,
	.numa_node = -1,
	.name = "perf",
};

/**
 * asc_perf_init() - offer perf's counters
 */
void asc_perf_init(void)
{
	asc_source_register(&perf_source);
}

/**
 * asc_perf_exit() - take them away
 */
void asc_perf_exit(void)
{
	asc_source_unregister(&perf_source);
}
