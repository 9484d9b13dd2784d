// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "perf": any counter that perf knows, as a tuple (type, config, config1,
 * config2, cpu). Names, formats and events of the PMUs are in sysfs and differ
 * from kernel to kernel; whoever adds a counter has read them there.
 *
 * DOC: pinned
 *
 * Counters are pinned: a PMU that has none left refuses, at START, instead of
 * multiplexing behind the reader's back. What happens later shows: a counter
 * that lost its place or its CPU cannot be read, and the stream says so and
 * when it is back.
 *
 * DOC: reading
 *
 * perf_event_read_value() sleeps and interrupts the counter's CPU once for each
 * counter. A round of reads does better: it goes to each home CPU once and reads
 * all that counts there back to back with interrupts off, which is what perf's
 * own perf_event_read_local() does for one. Where a counter lives is looked up
 * anew in each round, because the driver of an uncore PMU moves its events when
 * the CPU that serves them goes offline.
 *
 * DOC: offline CPUs
 *
 * perf takes the events of a CPU that goes offline out of service for good. When
 * the CPU is back another event is made, and the count goes on from where the
 * one before ended. What happened in between is not counted; enabled and running
 * time stand still for that long.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "kmod/compat/compat.h"
#include "kmod/core/policy.h"
#include "kmod/source.h"

#define RETRY	(NSEC_PER_SEC / 4)	/* how often a dead counter is tried again */

/**
 * struct perf_counter - one kernel perf counter
 * @base: the counter
 * @event: perf's part
 * @before: counted by events that this one replaced
 * @value: as of the last round, @before included
 * @error: of the last round
 * @pending: this round still has to read it
 * @retry: CLOCK_MONOTONIC from which on it may be tried again, ns
 */
struct perf_counter {
	struct asc_counter base;
	struct perf_event *event;
	struct asc_value before;
	struct asc_value value;
	int error;
	bool pending;
	u64 retry;
};

/**
 * struct round - one round of reads
 * @source: whose counters
 * @counters: of the stream, others among them
 * @nr: how many
 * @cpu: where it is now
 */
struct round {
	struct asc_source *source;
	struct asc_counter **counters;
	u32 nr;
	int cpu;
};

static struct perf_counter *to_perf(struct asc_counter *counter)
{
	return container_of(counter, struct perf_counter, base);
}

/* The PMU had no place for it. */
static bool crowded_out(const struct perf_event *event)
{
	return READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR;
}

static struct perf_event *make_event(const struct ascprof_counter_add *add)
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

	return perf_event_create_kernel_counter(&attr, add->cpu, NULL, NULL, NULL);
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
	struct perf_counter *c;
	int ret;

	if (!asc_policy_tuple(add, nr_cpu_ids) || !cpu_possible(add->cpu))
		return ERR_PTR(-EINVAL);

	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);

	c->event = make_event(add);
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

/*
 * Another event in place of one whose CPU went offline. It has to be of the very
 * same PMU, which the old event keeps from being replaced until then: whoever
 * added the counter was allowed that one.
 */
static int renew(struct perf_counter *c)
{
	struct perf_event *old = c->event;
	struct perf_event *event;

	event = make_event(&c->base.add);
	if (IS_ERR(event))
		return PTR_ERR(event);
	if (event->pmu != old->pmu) {
		perf_event_release_kernel(event);
		return -ENODEV;
	}
	c->before.count += local64_read(&old->count);
	c->before.enabled += old->total_time_enabled;
	c->before.running += old->total_time_running;
	c->event = event;
	perf_event_release_kernel(old);
	return 0;
}

/*
 * Make it count. An event whose CPU went offline is in no context any more, not
 * even when the CPU is back: enabling it would change its state and nothing else.
 */
static int enable(struct perf_counter *c)
{
	int ret;

	if (!(READ_ONCE(c->event->attach_state) & PERF_ATTACH_CONTEXT)) {
		ret = renew(c);
		if (ret)
			return ret;
	}
	perf_event_enable(c->event);
	c->base.cpu = READ_ONCE(c->event->cpu);
	if (crowded_out(c->event))
		return -EBUSY;
	return READ_ONCE(c->event->state) <= PERF_EVENT_STATE_OFF ? -ENODEV : 0;
}

static int perf_start(struct asc_counter *counter, u64 elapsed)
{
	struct perf_counter *c = to_perf(counter);

	c->error = 0;
	return enable(c);
}

static void perf_stop(struct asc_counter *counter)
{
	perf_event_disable(to_perf(counter)->event);
}

/* On the event's CPU, interrupts off: neither count nor times move beside us. */
static void read_event(struct perf_counter *c)
{
	struct perf_event *event = c->event;
	u64 now;

	event->pmu->read(event);
	now = asc_perf_context_now(event) - event->tstamp;
	c->value.count = c->before.count + local64_read(&event->count);
	c->value.enabled = c->before.enabled + event->total_time_enabled + now;
	c->value.running = c->before.running + event->total_time_running + now;
	c->error = 0;
	c->pending = false;
}

static bool is_pending(const struct round *round, u32 i)
{
	return round->counters[i]->source == round->source && to_perf(round->counters[i])->pending;
}

static void read_here(void *data)
{
	struct round *round = data;
	u32 i;

	for (i = 0; i < round->nr; i++) {
		struct perf_counter *c;

		if (!is_pending(round, i))
			continue;
		c = to_perf(round->counters[i]);
		if (READ_ONCE(c->event->state) == PERF_EVENT_STATE_ACTIVE &&
		    READ_ONCE(c->event->oncpu) == round->cpu)
			read_event(c);
	}
}

/* Not where it should be: it lost its place, or its CPU, or is on its way. */
static int why_not(const struct perf_event *event, int cpu)
{
	if (crowded_out(event))
		return -EBUSY;
	return cpu_online(cpu) ? -EAGAIN : -ENODEV;
}

static void begin_round(struct perf_counter *c)
{
	c->pending = true;
	if (c->error && ktime_get_ns() >= c->retry) {
		enable(c);
		c->retry = ktime_get_ns() + RETRY;
	}
}

static void perf_gather(struct asc_source *source, struct asc_counter **counters, u32 nr)
{
	struct round round = { .source = source, .counters = counters, .nr = nr };
	struct perf_counter *c;
	u32 i;

	for (i = 0; i < nr; i++)
		if (counters[i]->source == source)
			begin_round(to_perf(counters[i]));

	for (i = 0; i < nr; i++) {
		if (!is_pending(&round, i))
			continue;
		c = to_perf(counters[i]);
		round.cpu = READ_ONCE(c->event->cpu);
		smp_call_function_single(round.cpu, read_here, &round, 1);
		if (c->pending) {
			/* a move to another CPU is over by then */
			if (!c->error)
				c->retry = ktime_get_ns() + RETRY;
			c->pending = false;
			c->error = why_not(c->event, round.cpu);
		} else {
			c->base.cpu = round.cpu;
		}
	}
}

static int perf_read(struct asc_counter *counter, u64 elapsed, struct asc_value *value)
{
	struct perf_counter *c = to_perf(counter);

	*value = c->value;
	return c->error;
}

static const struct asc_source_ops perf_ops = {
	.event = perf_event_info,
	.add = perf_add,
	.remove = perf_remove,
	.start = perf_start,
	.stop = perf_stop,
	.gather = perf_gather,
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
