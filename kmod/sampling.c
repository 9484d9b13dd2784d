// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking samples: the thread that does it in time, and what START, STOP and
 * KICK add.
 *
 * DOC: why a thread
 *
 * perf counters are read by functions that sleep, so that no timer callback
 * can do it. The thread sleeps to absolute deadlines on CLOCK_MONOTONIC; what
 * it is late for, it skips. It is frozen with the processes when the system goes
 * to sleep, so that nothing is read of devices that sleep.
 */
#include <linux/cpumask.h>
#include <linux/freezer.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>

#include "kmod/core/clock.h"
#include "kmod/core/policy.h"
#include "kmod/core/record.h"
#include "kmod/core/wake.h"
#include "kmod/stream.h"
#include "kmod/trace.h"

#define SLACK_MAX	(50 * NSEC_PER_USEC)
#define SLACK_SHARE	64	/* of the period */
#define POKE_SHARE	4	/* samples that sources ask for take at most a quarter */

static u64 read_cycles(void)
{
	return get_cycles();
}

static const struct asc_clock_ops clocks = {
	.mono = ktime_get_ns,
	.raw = ktime_get_raw_ns,
	.real = ktime_get_real_ns,
	.cycles = read_cycles,
};

/**
 * asc_stream_publish() - show state and totals in the producer page
 * @s: the stream
 */
void asc_stream_publish(struct asc_stream *s)
{
	struct ascprof_producer_page *page = s->ring.producer;

	lockdep_assert_held(&s->ring_lock);

	WRITE_ONCE(page->state, asc_stream_state(s));
	WRITE_ONCE(page->nr_counters, s->nr_counters);
	WRITE_ONCE(page->missed_ticks, s->missed);
	WRITE_ONCE(page->throttled_ticks, s->throttled);
	WRITE_ONCE(page->samples, s->samples);
	WRITE_ONCE(page->cost_ns, s->cost);
	WRITE_ONCE(page->period_ns, s->period);
}

/**
 * asc_stream_wake() - wake the readers, if poll() has something to say
 * @s: the stream
 */
void asc_stream_wake(struct asc_stream *s)
{
	unsigned int mask;

	spin_lock(&s->ring_lock);
	mask = asc_stream_mask(s);
	if (mask)
		s->latency_told = s->ring.waiting_since;
	spin_unlock(&s->ring_lock);

	if (mask)
		wake_up_interruptible_poll(&s->wait, EPOLLIN | EPOLLRDNORM | EPOLLHUP | EPOLLERR);
}

static void push(struct asc_stream *s, const struct ascprof_rec *rec, u64 keep)
{
	lockdep_assert_held(&s->ring_lock);
	if (asc_ring_push(&s->ring, rec, keep, ktime_get_raw_ns()))
		trace_ascprof_overrun(s->number, rec->type, rec->len, s->ring.lost.records);
}

static void push_state(struct asc_stream *s, u32 what, u64 arg, u64 keep)
{
	struct ascprof_rec_state rec;

	asc_rec_state(&rec, asc_stream_state(s), what, arg, ktime_get_raw_ns());
	push(s, &rec.h, keep);
}

static void push_clock(struct asc_stream *s, const struct asc_clock *clock, u64 keep)
{
	struct ascprof_rec_clock rec;

	asc_clock_publish(s->ring.producer, clock);
	asc_rec_clock(&rec, clock);
	push(s, &rec.h, keep);
}

/*
 * Ordinary ones leave room for a sample, so that they do not squeeze in where
 * samples are being lost.
 */
static void push_ticks(struct asc_stream *s, u64 keep)
{
	struct asc_ticks ticks = {
		.samples = s->samples,
		.missed = s->pace.missed,
		.throttled = s->pace.throttled,
		.cost = s->pace.cost,
		.cost_max = s->cost_max,
	};
	struct ascprof_rec_ticks rec;

	asc_rec_ticks(&rec, &ticks, ktime_get_raw_ns());
	push(s, &rec.h, keep);
	s->last_ticks = ktime_get_ns();
	s->cost_max = 0;
}

/* Tell what became of a counter, in front of the sample that shows it first. */
static void tell(struct asc_stream *s, struct asc_counter *counter)
{
	struct asc_health now = { .error = counter->error, .cpu = counter->cpu };
	u64 arg;
	u32 what = asc_news(&counter->told, &now, counter->add.slot, &arg);

	if (!what)
		return;
	push_state(s, what, arg, ASC_RING_RESERVE);
	s->changed = true;
}

static void gather(struct asc_stream *s)
{
	u32 i;

	for (i = 0; i < s->nr_counters; i++) {
		struct asc_source *source = s->counters[i]->source;

		if (s->counters[i]->first && source->ops->gather)
			source->ops->gather(source, s->counters, s->nr_counters);
	}
}

/* Read every counter, back to back, and append the record. */
static void take_sample(struct asc_stream *s, u16 flags, u64 elapsed)
{
	bool times = s->req.flags & ASCPROF_STREAM_F_TIMES;
	struct ascprof_rec_sample *rec = s->sample;
	struct asc_value value;
	u64 now;
	u32 i;

	lockdep_assert_held(&s->sample_lock);

	asc_rec_sample(rec, s->nr_counters, times, flags, s->samples);
	rec->t_raw = ktime_get_raw_ns();
	rec->t_cycles = read_cycles();
	gather(s);
	for (i = 0; i < s->nr_counters; i++) {
		struct asc_counter *counter = s->counters[i];

		counter->error = counter->source->ops->read(counter, elapsed, &value);
		asc_rec_sample_set(rec, i, counter->error ? NULL : &value);
	}
	now = ktime_get_raw_ns();
	rec->span_ns = min_t(u64, now - rec->t_raw, U32_MAX);
	WRITE_ONCE(s->last_sample, now);

	spin_lock(&s->ring_lock);
	if (s->state == ASCPROF_STATE_REVOKED && !(flags & ASCPROF_SAMPLE_F_LAST)) {
		/* the last source went meanwhile, and the reader was told that no sample comes */
		s->pace.missed += !(flags & ASCPROF_SAMPLE_F_KICK);
		spin_unlock(&s->ring_lock);
		return;
	}
	for (i = 0; i < s->nr_counters; i++)
		tell(s, s->counters[i]);
	if (flags & ASCPROF_SAMPLE_F_LATE)
		push_ticks(s, ASC_RING_RESERVE + s->sample_len);
	s->samples++;
	push(s, &rec->h, ASC_RING_RESERVE);
	s->missed = s->pace.missed;
	s->throttled = s->pace.throttled;
	asc_stream_publish(s);
	spin_unlock(&s->ring_lock);
}

/* Counters of a source, or of any that is gone. */
static u32 count_of(const struct asc_stream *s, const struct asc_source *source)
{
	u32 i, nr = 0;

	lockdep_assert_held(&s->ring_lock);

	for (i = 0; i < s->nr_counters; i++)
		nr += source ? s->counters[i]->source == source :
			       READ_ONCE(s->counters[i]->source->gone);
	return nr;
}

/**
 * asc_sampling_begin() - what START puts into the ring
 * @s: the stream, its counters counting
 *
 * Return: 0, or -ENODEV if a source is gone, and nothing was done.
 */
int asc_sampling_begin(struct asc_stream *s)
{
	struct ascprof_rec_config config;
	struct asc_clock clock;
	u32 i;

	lockdep_assert_held(&s->lock);

	mutex_lock(&s->sample_lock);
	asc_clock_read(&clocks, &clock);
	asc_pace_start(&s->pace, s->req.period_ns, clock.mono);
	s->last_clock = clock.mono;
	s->last_ticks = clock.mono;
	s->cost_max = 0;

	spin_lock(&s->ring_lock);
	/* from here on asc_stream_gone() tells */
	if (count_of(s, NULL)) {
		spin_unlock(&s->ring_lock);
		mutex_unlock(&s->sample_lock);
		return -ENODEV;
	}
	s->state = ASCPROF_STATE_RUNNING;
	s->poked = false;
	s->period = s->req.period_ns;
	push_clock(s, &clock, ASC_RING_RESERVE);
	for (i = 0; i < s->nr_counters; i++) {
		struct asc_counter *counter = s->counters[i];

		counter->told.error = 0;
		counter->told.cpu = counter->cpu;
		asc_rec_config(&config, &counter->add, &counter->event, counter->source->name);
		if (counter->cpu >= 0)
			config.cpu = counter->cpu;
		push(s, &config.h, ASC_RING_RESERVE);
	}
	push_state(s, ASCPROF_WHAT_START, s->period, ASC_RING_RESERVE);
	spin_unlock(&s->ring_lock);

	take_sample(s, 0, s->elapsed);
	mutex_unlock(&s->sample_lock);
	trace_ascprof_start(s->number, s->nr_counters, s->req.period_ns);
	return 0;
}

/**
 * asc_sampling_end() - what STOP puts into the ring
 * @s: the stream, its thread gone, its counters still counting
 */
void asc_sampling_end(struct asc_stream *s)
{
	struct asc_clock clock;
	u64 position;

	lockdep_assert_held(&s->lock);

	mutex_lock(&s->sample_lock);
	asc_clock_read(&clocks, &clock);
	asc_pace_finish(&s->pace, clock.mono);
	position = asc_pace_position(&s->pace, clock.mono);
	s->elapsed += position;
	take_sample(s, ASCPROF_SAMPLE_F_LAST, s->elapsed);
	mutex_unlock(&s->sample_lock);

	spin_lock(&s->ring_lock);
	if (s->state == ASCPROF_STATE_RUNNING)
		s->state = ASCPROF_STATE_STOPPED;
	asc_ring_settle(&s->ring, ktime_get_raw_ns());
	push_ticks(s, sizeof(struct ascprof_rec_clock) + sizeof(struct ascprof_rec_state));
	push_clock(s, &clock, sizeof(struct ascprof_rec_state));
	push_state(s, ASCPROF_WHAT_STOP, 0, 0);
	asc_stream_publish(s);
	trace_ascprof_stop(s->number, s->samples, s->ring.lost.samples, s->missed, s->throttled);
	spin_unlock(&s->ring_lock);
}

/**
 * asc_sampling_kick() - one sample now
 * @s: the stream, running
 */
void asc_sampling_kick(struct asc_stream *s)
{
	u64 position;

	lockdep_assert_held(&s->lock);

	mutex_lock(&s->sample_lock);
	position = asc_pace_position(&s->pace, ktime_get_ns());
	take_sample(s, ASCPROF_SAMPLE_F_KICK, s->elapsed + position);
	mutex_unlock(&s->sample_lock);
}

/*
 * Counters came, went or moved: follow them. A CPU that is offline is left
 * alone; the scheduler has taken the thread away from it.
 */
static void rehome(struct asc_stream *s)
{
	int cpu = asc_stream_home(s);

	lockdep_assert_held(&s->sample_lock);
	s->changed = false;
	if (cpu >= 0 && cpu_online(cpu))
		set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

/* Something new that the pacing thread should look at. */
static void rouse(struct asc_stream *s)
{
	lockdep_assert_held(&s->ring_lock);
	if (s->task)
		wake_up_process(s->task);
}

/**
 * asc_stream_gone() - tell the reader that a source is gone
 * @s: the stream
 * @source: gone; need not be one of the stream's
 *
 * A stream with no source left is revoked: it takes no more samples.
 */
void asc_stream_gone(struct asc_stream *s, const struct asc_source *source)
{
	bool last;

	spin_lock(&s->ring_lock);
	if (!count_of(s, source)) {
		spin_unlock(&s->ring_lock);
		asc_stream_notice(s, ASCPROF_WHAT_SOURCE_GONE, source->id);
		return;
	}
	last = count_of(s, NULL) == s->nr_counters;
	if (s->state == ASCPROF_STATE_RUNNING) {
		if (last)
			s->state = ASCPROF_STATE_REVOKED;
		push_state(s, ASCPROF_WHAT_SOURCE_GONE, source->id,
			   last ? ASC_RING_RESERVE_STOP : ASC_RING_RESERVE);
	} else if (last) {
		s->state = ASCPROF_STATE_REVOKED;
	}
	asc_stream_publish(s);
	rouse(s);
	spin_unlock(&s->ring_lock);

	asc_stream_wake(s);
}

/**
 * asc_stream_notice() - tell of a source that is not the stream's
 * @s: the stream; it is told if it wants to know
 * @what: ASCPROF_WHAT_SOURCE_GONE or _NEW
 * @id: of the source
 */
void asc_stream_notice(struct asc_stream *s, u32 what, u32 id)
{
	if (!(s->req.flags & ASCPROF_STREAM_F_NOTICE))
		return;
	spin_lock(&s->ring_lock);
	if (s->state == ASCPROF_STATE_RUNNING) {
		push_state(s, what, id, ASC_RING_RESERVE);
		rouse(s);
	}
	spin_unlock(&s->ring_lock);

	asc_stream_wake(s);
}

/**
 * asc_stream_poke() - a source asks for a sample soon
 * @s: the stream
 * @source: who asks; need not be one of the stream's
 *
 * The pacing thread takes it, and takes one for all that ask meanwhile.
 */
void asc_stream_poke(struct asc_stream *s, const struct asc_source *source)
{
	spin_lock(&s->ring_lock);
	if (s->state == ASCPROF_STATE_RUNNING && !s->poked && count_of(s, source)) {
		s->poked = true;
		rouse(s);
	}
	spin_unlock(&s->ring_lock);
}

/**
 * asc_stream_user() - pass on a sample that a process fed in
 * @s: the stream
 * @rec: complete record
 */
void asc_stream_user(struct asc_stream *s, const struct ascprof_rec_user *rec)
{
	bool first;

	spin_lock(&s->ring_lock);
	if (s->state != ASCPROF_STATE_RUNNING) {
		spin_unlock(&s->ring_lock);
		return;
	}
	first = !asc_ring_unread(&s->ring);
	push(s, &rec->h, ASC_RING_RESERVE);
	/* the thread knows nothing of data that began to wait just now */
	if (first && s->req.max_latency_ns)
		rouse(s);
	spin_unlock(&s->ring_lock);

	asc_stream_wake(s);
}

/* Time until a sample that was asked for may be taken: 0 now, U64_MAX never. */
static u64 poke_after(const struct asc_stream *s)
{
	u64 since = ktime_get_raw_ns() - READ_ONCE(s->last_sample);
	u64 spacing = max_t(u64, asc_policy_min_period(s->capable), (u64)POKE_SHARE * s->cost);

	lockdep_assert_held(&s->ring_lock);

	if (!s->poked)
		return U64_MAX;
	return since < spacing ? spacing - since : 0;
}

/* Whether a sample is wanted now; it is taken for granted that it will be taken. */
static bool take_poke(struct asc_stream *s)
{
	bool due;

	spin_lock(&s->ring_lock);
	due = poke_after(s) == 0;
	if (due)
		s->poked = false;
	spin_unlock(&s->ring_lock);
	return due;
}

static void poked_sample(struct asc_stream *s)
{
	mutex_lock(&s->sample_lock);
	take_sample(s, ASCPROF_SAMPLE_F_KICK,
		    s->elapsed + asc_pace_position(&s->pace, ktime_get_ns()));
	mutex_unlock(&s->sample_lock);
}

/* The newest tick that is due, and what it teaches about the cost. */
static void tick(struct asc_stream *s)
{
	struct asc_clock clock;
	u64 begin, skipped, cost;
	bool changed;

	spin_lock(&s->ring_lock);
	s->poked = false;
	spin_unlock(&s->ring_lock);

	mutex_lock(&s->sample_lock);
	begin = ktime_get_ns();
	skipped = asc_pace_tick(&s->pace, begin);
	take_sample(s, skipped ? ASCPROF_SAMPLE_F_LATE : 0,
		    s->elapsed + s->pace.tick * s->pace.period);
	cost = ktime_get_ns() - begin;
	changed = asc_pace_cost(&s->pace, cost);
	s->cost_max = max_t(u32, s->cost_max, min_t(u64, cost, U32_MAX));

	spin_lock(&s->ring_lock);
	s->cost = s->pace.cost;
	s->period = asc_pace_effective(&s->pace);
	if (changed)
		push_state(s, ASCPROF_WHAT_THROTTLE, s->period, ASC_RING_RESERVE);
	if (begin - s->last_ticks >= NSEC_PER_SEC)
		push_ticks(s, ASC_RING_RESERVE + s->sample_len);
	asc_stream_publish(s);
	spin_unlock(&s->ring_lock);

	if (begin - s->last_clock >= NSEC_PER_SEC) {
		asc_clock_read(&clocks, &clock);
		asc_clock_publish(s->ring.producer, &clock);
		s->last_clock = begin;
	}
	if (s->changed)
		rehome(s);
	mutex_unlock(&s->sample_lock);
}

/* Sleep to the next tick, or until unread data has waited long enough. */
static void sleep(struct asc_stream *s)
{
	u64 until = asc_pace_deadline(&s->pace);
	u64 slack = min_t(u64, asc_pace_effective(&s->pace) / SLACK_SHARE, SLACK_MAX);
	u64 after = U64_MAX;
	ktime_t expires;

	/* before the look: who changes something afterwards wakes us */
	set_current_state(TASK_INTERRUPTIBLE);
	spin_lock(&s->ring_lock);
	if (s->latency_told != s->ring.waiting_since)
		after = asc_wake_after(&s->ring, s->req.max_latency_ns, ktime_get_raw_ns());
	after = min_t(u64, after, poke_after(s));
	if (s->state != ASCPROF_STATE_RUNNING)
		after = 0;
	spin_unlock(&s->ring_lock);
	if (after != U64_MAX)
		until = min_t(u64, until, ktime_get_ns() + after);
	expires = ns_to_ktime(until);

	if (!kthread_should_stop())
		schedule_hrtimeout_range(&expires, slack, HRTIMER_MODE_ABS);
	__set_current_state(TASK_RUNNING);
}

static bool alive(struct asc_stream *s)
{
	bool ret;

	spin_lock(&s->ring_lock);
	ret = asc_stream_state(s) == ASCPROF_STATE_RUNNING;
	spin_unlock(&s->ring_lock);
	return ret;
}

/**
 * asc_pacing_thread() - sample in time until told to stop
 * @data: the stream
 *
 * A dead ring, or that no source is left, ends the work early; whoever stops the
 * stream holds a reference to the task.
 */
int asc_pacing_thread(void *data)
{
	struct asc_stream *s = data;

	set_freezable();
	while (!kthread_freezable_should_stop(NULL) && alive(s)) {
		sleep(s);
		if (ktime_get_ns() >= asc_pace_deadline(&s->pace))
			tick(s);
		else if (take_poke(s))
			poked_sample(s);
		asc_stream_wake(s);
	}
	return 0;
}
