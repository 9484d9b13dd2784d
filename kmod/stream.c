// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams: how they are made, what they count, when they run.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "kmod/compat/compat.h"
#include "kmod/core/policy.h"
#include "kmod/core/record.h"
#include "kmod/core/wake.h"
#include "kmod/params.h"
#include "kmod/stream.h"

static LIST_HEAD(streams);
static DEFINE_MUTEX(streams_lock);
static DEFINE_IDR(numbers);	/* of the streams */

/**
 * asc_stream_state() - enum ascprof_stream_state
 * @s: the stream
 */
u32 asc_stream_state(const struct asc_stream *s)
{
	lockdep_assert_held(&s->ring_lock);
	return s->ring.fault ? ASCPROF_STATE_FAULT : s->state;
}

/**
 * asc_stream_mask() - what poll() says now
 * @s: the stream
 *
 * Return: ASC_WAKE_* bits.
 */
unsigned int asc_stream_mask(struct asc_stream *s)
{
	u64 now = ktime_get_raw_ns();

	lockdep_assert_held(&s->ring_lock);

	asc_ring_sync(&s->ring, now);
	if (asc_stream_state(s) == ASCPROF_STATE_STOPPED)
		asc_ring_settle(&s->ring, now);
	return asc_wake_mask(&s->ring, asc_stream_state(s), s->req.watermark,
			     s->req.max_latency_ns, now);
}

/**
 * asc_streams_gone() - tell all streams that a source is gone
 * @source: marked as gone
 */
void asc_streams_gone(const struct asc_source *source)
{
	struct asc_stream *s;

	mutex_lock(&streams_lock);
	list_for_each_entry(s, &streams, list)
		asc_stream_gone(s, source);
	mutex_unlock(&streams_lock);
}

/**
 * asc_streams_new() - tell the streams that want to know of a new source
 * @source: in the list
 */
void asc_streams_new(const struct asc_source *source)
{
	struct asc_stream *s;

	mutex_lock(&streams_lock);
	list_for_each_entry(s, &streams, list)
		asc_stream_notice(s, ASCPROF_WHAT_SOURCE_NEW, source->id);
	mutex_unlock(&streams_lock);
}

/**
 * asc_streams_poke() - all streams that count a source take a sample soon
 * @source: who asks
 */
void asc_streams_poke(const struct asc_source *source)
{
	struct asc_stream *s;

	mutex_lock(&streams_lock);
	list_for_each_entry(s, &streams, list)
		asc_stream_poke(s, source);
	mutex_unlock(&streams_lock);
}

static void usage_of(kuid_t uid, struct asc_usage *usage)
{
	struct asc_stream *s;

	lockdep_assert_held(&streams_lock);

	memset(usage, 0, sizeof(*usage));
	list_for_each_entry(s, &streams, list) {
		usage->total += s->req.ring_bytes;
		usage->streams += uid_eq(s->uid, uid);
	}
}

/* Count the stream against the limits before its memory is taken. */
static int enlist(struct asc_stream *s)
{
	struct asc_limits limits;
	struct asc_usage usage;
	int ret, number;

	asc_limits(&limits);
	mutex_lock(&streams_lock);
	usage_of(s->uid, &usage);
	ret = asc_policy_stream(&s->req, s->capable, &limits, &usage);
	if (ret)
		goto unlock;
	/* used again late, and never while there is a stream with it */
	number = idr_alloc_cyclic(&numbers, s, 0, 0, GFP_KERNEL_ACCOUNT);
	if (number < 0) {
		ret = number;
		goto unlock;
	}
	if (!s->req.watermark)
		s->req.watermark = s->req.ring_bytes / 2;
	s->number = number;
	list_add(&s->list, &streams);
unlock:
	mutex_unlock(&streams_lock);
	return ret;
}

static void delist(struct asc_stream *s)
{
	mutex_lock(&streams_lock);
	list_del(&s->list);
	idr_remove(&numbers, s->number);
	mutex_unlock(&streams_lock);
}

/**
 * asc_stream_new() - make a stream
 * @req: what is asked for
 *
 * Return: the stream, or an ERR_PTR() as of asc_policy_stream() or
 * asc_pinned_charge().
 */
struct asc_stream *asc_stream_new(const struct ascprof_stream_create *req)
{
	struct asc_stream *s;
	int ret;

	if (req->home_cpu < -1 || req->home_cpu >= (int)nr_cpu_ids ||
	    (req->home_cpu >= 0 && !cpu_possible(req->home_cpu)))
		return ERR_PTR(-EINVAL);

	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return ERR_PTR(-ENOMEM);
	s->req = *req;
	s->uid = current_uid();
	s->capable = perfmon_capable();
	s->latency_told = U64_MAX;
	mutex_init(&s->lock);
	mutex_init(&s->sample_lock);
	mutex_init(&s->read_lock);
	spin_lock_init(&s->ring_lock);
	init_waitqueue_head(&s->wait);

	ret = enlist(s);
	if (ret)
		goto free;

	s->counters = kcalloc(ASCPROF_MAX_COUNTERS, sizeof(*s->counters), GFP_KERNEL_ACCOUNT);
	if (!s->counters) {
		ret = -ENOMEM;
		goto delist;
	}
	/* the two control pages with it */
	ret = asc_pinned_charge(&s->pinned, req->ring_bytes + 2 * PAGE_SIZE);
	if (ret)
		goto free_counters;
	ret = asc_ringmem_alloc(&s->mem, req->ring_bytes);
	if (ret)
		goto free_mem;
	/* it is listed, and sources that come and go look at it already */
	spin_lock(&s->ring_lock);
	asc_ring_init(&s->ring, s->mem.data, req->ring_bytes, page_address(s->mem.producer),
		      page_address(s->mem.consumer));
	spin_unlock(&s->ring_lock);
	ret = asc_sysfs_add_stream(s);
	if (ret)
		goto hide;
	return s;

hide:
	asc_sysfs_remove(&s->folder);
free_mem:
	asc_ringmem_free(&s->mem);
	asc_pinned_release(&s->pinned);
free_counters:
	kfree(s->counters);
delist:
	delist(s);
free:
	kfree(s);
	return ERR_PTR(ret);
}

static void set_task(struct asc_stream *s, struct task_struct *task)
{
	spin_lock(&s->ring_lock);
	s->task = task;
	spin_unlock(&s->ring_lock);
}

static void reap_thread(struct asc_stream *s)
{
	struct task_struct *task = s->task;

	kthread_stop(task);
	set_task(s, NULL);
	put_task_struct(task);
}

static void remove_counter(struct asc_counter *counter)
{
	struct asc_source *source = counter->source;

	source->ops->remove(counter);
	asc_source_put(source);
}

static void stop_counters(struct asc_stream *s, u32 nr)
{
	while (nr--)
		s->counters[nr]->source->ops->stop(s->counters[nr]);
}

/**
 * asc_stream_free() - the last user is gone
 * @s: the stream, running or not
 */
void asc_stream_free(struct asc_stream *s)
{
	u32 i;

	asc_sysfs_remove(&s->folder);
	if (s->task) {
		reap_thread(s);
		stop_counters(s, s->nr_counters);
	}
	/* from here on sources that come and go do not look at it any more */
	delist(s);
	for (i = 0; i < s->nr_counters; i++)
		remove_counter(s->counters[i]);
	asc_ringmem_free(&s->mem);
	asc_pinned_release(&s->pinned);
	kvfree(s->sample);
	kfree(s->counters);
	kfree(s);
}

static bool running(struct asc_stream *s)
{
	lockdep_assert_held(&s->lock);
	return s->task;
}

/* For whoever has to tell users why; once, because they can ask as often as they like. */
static void explain(const struct asc_caller *caller)
{
	pr_notice_once("%s[%d] was refused a counter: %s (parameter paranoid is %u)\n",
		       current->comm, task_pid_nr(current),
		       caller->period < asc_policy_min_period(false) ?
		       "streams faster than 10 ms are for CAP_PERFMON" :
		       "it needs CAP_PERFMON or a lower paranoid", caller->paranoid);
}

static bool counts(const struct asc_stream *s, const struct asc_source *source)
{
	u32 i;

	lockdep_assert_held(&s->lock);

	for (i = 0; i < s->nr_counters; i++)
		if (s->counters[i]->source == source)
			return true;
	return false;
}

/**
 * asc_stream_add() - answer COUNTER_ADD
 * @s: the stream
 * @add: the counter; its slot is filled in
 *
 * Return: 0; -EBUSY while it runs; -ENOSPC beyond the last slot; -ENOENT for an
 * unknown source or event; -EACCES, -EOPNOTSUPP by policy; what the source says.
 */
int asc_stream_add(struct asc_stream *s, struct ascprof_counter_add *add)
{
	struct asc_caller caller = {
		.paranoid = asc_paranoid(),
		.capable = perfmon_capable(),
		.period = s->req.period_ns,
		.stream = s,
	};
	struct asc_source *source = asc_source_find(add->source_id);
	struct asc_counter *counter;
	int ret;

	if (!source)
		return -ENOENT;
	ret = asc_policy_counter(caller.paranoid, caller.capable,
				 asc_policy_exposure(source->kind, add->perf_type),
				 caller.period);
	if (ret == -EACCES)
		explain(&caller);
	if (ret)
		goto put;

	mutex_lock(&s->lock);
	if (running(s)) {
		ret = -EBUSY;
		goto unlock;
	}
	if (s->nr_counters == ASCPROF_MAX_COUNTERS) {
		ret = -ENOSPC;
		goto unlock;
	}
	counter = source->ops->add(source, add, &caller);
	if (IS_ERR(counter)) {
		ret = PTR_ERR(counter);
		goto unlock;
	}
	add->slot = s->nr_counters;
	counter->source = source;
	counter->add = *add;
	/* counters are taken back from the end, so that it stays the first */
	counter->first = !counts(s, source);

	spin_lock(&s->ring_lock);
	/* from here on asc_stream_gone() sees the counter */
	if (READ_ONCE(source->gone)) {
		ret = -ENOENT;
	} else {
		s->counters[s->nr_counters++] = counter;
		WRITE_ONCE(s->ring.producer->nr_counters, s->nr_counters);
	}
	spin_unlock(&s->ring_lock);
	if (ret)
		source->ops->remove(counter);
unlock:
	mutex_unlock(&s->lock);
put:
	if (ret)
		asc_source_put(source);		/* else the counter keeps it */
	return ret;
}

/**
 * asc_stream_undo_add() - take back a counter whose slot nobody learned
 * @s: the stream
 * @slot: of the counter
 *
 * Nothing is done if the stream went on in the meantime; then two threads of
 * one owner were at work, and the slots still say what is what.
 */
void asc_stream_undo_add(struct asc_stream *s, u32 slot)
{
	struct asc_counter *counter = NULL;

	mutex_lock(&s->lock);
	if (!running(s) && slot + 1 == s->nr_counters) {
		spin_lock(&s->ring_lock);
		counter = s->counters[--s->nr_counters];
		WRITE_ONCE(s->ring.producer->nr_counters, s->nr_counters);
		spin_unlock(&s->ring_lock);
		remove_counter(counter);
	}
	mutex_unlock(&s->lock);
}

/**
 * asc_stream_home() - the CPU that its thread should run on
 * @s: the stream
 *
 * Return: the CPU asked for, else the one that most counters like to be read
 * on; -1 if none of them cares.
 */
int asc_stream_home(const struct asc_stream *s)
{
	u32 i, k, votes, most = 0;
	int cpu, best = -1;

	if (s->req.home_cpu >= 0)
		return s->req.home_cpu;
	for (i = 0; i < s->nr_counters; i++) {
		cpu = s->counters[i]->cpu;
		if (cpu < 0 || cpu == best)
			continue;
		votes = 0;
		for (k = i; k < s->nr_counters; k++)
			votes += s->counters[k]->cpu == cpu;
		if (votes > most) {
			most = votes;
			best = cpu;
		}
	}
	return best;
}

static struct task_struct *make_thread(struct asc_stream *s)
{
	int cpu = asc_stream_home(s);
	struct task_struct *task;

	task = kthread_create(asc_pacing_thread, s, "ascprof/%u", s->number);
	if (IS_ERR(task))
		return task;
	/* a preference: it still samples if that CPU is offline or goes away */
	if (cpu >= 0 && cpu_online(cpu))
		set_cpus_allowed_ptr(task, cpumask_of(cpu));
	/* a tick takes at most a quarter of a period, see pacing.c */
	if (s->capable)
		sched_set_fifo_low(task);
	get_task_struct(task);	/* returns nothing on older kernels */
	return task;
}

/* The first records and one sample have to fit into an empty ring. */
static bool ring_too_small(const struct asc_stream *s, u32 sample_len)
{
	u64 need = sizeof(struct ascprof_rec_clock) + sizeof(struct ascprof_rec_state) +
		   (u64)s->nr_counters * sizeof(struct ascprof_rec_config) + sample_len;

	return need + ASC_RING_RESERVE > s->ring.size;
}

static int start_counters(struct asc_stream *s)
{
	u32 i;
	int ret;

	for (i = 0; i < s->nr_counters; i++) {
		ret = s->counters[i]->source->ops->start(s->counters[i], s->elapsed);
		if (ret) {
			stop_counters(s, i);
			return ret;
		}
	}
	return 0;
}

static int prepare_sample(struct asc_stream *s)
{
	u32 len = asc_rec_sample_len(s->nr_counters, s->req.flags & ASCPROF_STREAM_F_TIMES);

	if (ring_too_small(s, len))
		return -ENOSPC;
	if (s->sample && s->sample_len == len)
		return 0;
	kvfree(s->sample);
	s->sample = kvzalloc(len, GFP_KERNEL_ACCOUNT);
	s->sample_len = s->sample ? len : 0;
	return s->sample ? 0 : -ENOMEM;
}

static int locked_start(struct asc_stream *s)
{
	struct task_struct *task;
	bool dead;
	int ret;

	lockdep_assert_held(&s->lock);

	spin_lock(&s->ring_lock);
	dead = s->ring.fault;
	spin_unlock(&s->ring_lock);
	if (dead)
		return -EIO;
	if (running(s))
		return -EBUSY;
	if (!s->nr_counters)
		return -EINVAL;
	ret = prepare_sample(s);
	if (ret)
		return ret;
	task = make_thread(s);
	if (IS_ERR(task))
		return PTR_ERR(task);
	ret = start_counters(s);
	if (ret)
		goto drop_thread;
	ret = asc_sampling_begin(s);
	if (ret)
		goto stop_counters;
	set_task(s, task);
	wake_up_process(task);
	return 0;

stop_counters:
	stop_counters(s, s->nr_counters);
drop_thread:
	kthread_stop(task);
	put_task_struct(task);
	return ret;
}

/**
 * asc_stream_start() - answer START
 * @s: the stream
 *
 * Return: 0; -EBUSY if it runs, or if a PMU has no counter left; -EINVAL without
 * counters; -ENOSPC if the ring is too small for them; -ENODEV if a source is
 * gone; -EIO after a fault.
 */
int asc_stream_start(struct asc_stream *s)
{
	int ret;

	mutex_lock(&s->lock);
	ret = locked_start(s);
	mutex_unlock(&s->lock);
	return ret;
}

/**
 * asc_stream_stop() - answer STOP
 * @s: the stream
 *
 * Return: 0; -EINVAL if it does not run; -EIO if the reader's fault ended it.
 */
int asc_stream_stop(struct asc_stream *s)
{
	bool dead;

	mutex_lock(&s->lock);
	if (!running(s)) {
		mutex_unlock(&s->lock);
		return -EINVAL;
	}
	reap_thread(s);
	asc_sampling_end(s);
	stop_counters(s, s->nr_counters);
	spin_lock(&s->ring_lock);
	dead = s->ring.fault;
	spin_unlock(&s->ring_lock);
	mutex_unlock(&s->lock);

	asc_stream_wake(s);
	return dead ? -EIO : 0;
}

/**
 * asc_stream_kick() - answer KICK
 * @s: the stream
 *
 * Return: 0; -EINVAL if it does not run; -EAGAIN if that would be faster than
 * an unprivileged stream may sample; -ENODEV if every source is gone; -EIO after
 * a fault.
 */
int asc_stream_kick(struct asc_stream *s)
{
	int ret = 0;

	mutex_lock(&s->lock);
	if (!running(s)) {
		ret = -EINVAL;
		goto unlock;
	}
	if (!s->capable &&
	    ktime_get_raw_ns() - READ_ONCE(s->last_sample) < asc_policy_min_period(false)) {
		ret = -EAGAIN;
		goto unlock;
	}
	spin_lock(&s->ring_lock);
	if (s->state == ASCPROF_STATE_REVOKED)
		ret = -ENODEV;
	spin_unlock(&s->ring_lock);
	if (ret)
		goto unlock;
	asc_sampling_kick(s);
	spin_lock(&s->ring_lock);
	if (s->ring.fault)
		ret = -EIO;
	spin_unlock(&s->ring_lock);
unlock:
	mutex_unlock(&s->lock);
	if (ret != -EINVAL)
		asc_stream_wake(s);
	return ret;
}

/**
 * asc_stream_stats() - answer STATS
 * @s: the stream
 * @stats: result
 */
void asc_stream_stats(struct asc_stream *s, struct ascprof_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	spin_lock(&s->ring_lock);
	asc_stream_mask(s);
	stats->state = asc_stream_state(s);
	stats->nr_counters = s->nr_counters;
	stats->samples = s->samples;
	stats->lost_records = s->ring.lost.records;
	stats->lost_samples = s->ring.lost.samples;
	stats->lost_bytes = s->ring.lost.bytes;
	stats->missed_ticks = s->missed;
	stats->throttled_ticks = s->throttled;
	stats->head = s->ring.head;
	stats->tail = s->ring.tail;
	stats->period_ns = s->period;
	stats->cost_ns = s->cost;
	spin_unlock(&s->ring_lock);
}
