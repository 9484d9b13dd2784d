// SPDX-License-Identifier: GPL-2.0-only
/*
 * When to sample. Sampling may take a quarter of the time: above, every other
 * tick is left out, and again, until it fits; a long calm takes that back.
 */
#include "pacing.h"

#define COST_SHARE	4	/* throttle when a tick costs more than a quarter */
#define CALM_SHARE	16	/* ... and recover below a sixteenth */
#define CALM_TICKS	32	/* ... for this many ticks in a row */
#define COST_WEIGHT	8	/* of the average against one tick */

/**
 * asc_pace_start() - begin a grid; its tick 0 counts as served
 * @pace: zeroed, or stopped: totals and the average cost live on
 * @period: ns, ASC_PERIOD_MIN to ASC_PERIOD_MAX
 * @now: CLOCK_MONOTONIC, ns
 */
void asc_pace_start(struct asc_pace *pace, u64 period, u64 now)
{
	pace->period = period;
	pace->factor = 1;
	pace->start = now;
	pace->tick = 0;
	pace->calm = 0;
}

/**
 * asc_pace_deadline() - CLOCK_MONOTONIC of the next tick to serve
 * @pace: a started grid
 */
u64 asc_pace_deadline(const struct asc_pace *pace)
{
	return pace->start + (pace->tick + pace->factor) * pace->period;
}

/**
 * asc_pace_tick() - serve the newest tick that is due
 * @pace: a started grid
 * @now: CLOCK_MONOTONIC, at or after the deadline
 *
 * Return: ticks skipped before it because they are too late.
 */
u64 asc_pace_tick(struct asc_pace *pace, u64 now)
{
	u64 skip = div64_u64(now - asc_pace_deadline(pace), asc_pace_effective(pace));

	pace->missed += skip;
	pace->throttled += (skip + 1) * (pace->factor - 1);
	pace->tick += (skip + 1) * pace->factor;
	return skip;
}

/**
 * asc_pace_finish() - account for the ticks that were due and never served
 * @pace: a started grid
 * @now: CLOCK_MONOTONIC at the end
 */
void asc_pace_finish(struct asc_pace *pace, u64 now)
{
	u64 due = div64_u64(now - pace->start, pace->period);
	u64 rest = due - pace->tick;
	u64 missed = div64_u64(rest, pace->factor);

	pace->missed += missed;
	pace->throttled += rest - missed;
	pace->tick = due;
}

/**
 * asc_pace_cost() - learn what the tick just served cost
 * @pace: a started grid
 * @cost: ns
 *
 * One tick counts for at most a period, so that a lone preemption does not
 * throttle.
 *
 * Return: true if the effective period changed.
 */
bool asc_pace_cost(struct asc_pace *pace, u64 cost)
{
	u64 effective = asc_pace_effective(pace);
	s64 step = (s64)min_t(u64, cost, effective) - pace->cost;

	pace->cost = (u32)(pace->cost + step / COST_WEIGHT);

	if (pace->cost > effective / COST_SHARE) {
		pace->calm = 0;
		if (effective > ASC_PERIOD_MAX / 2)
			return false;
		pace->factor *= 2;
		return true;
	}
	if (pace->factor == 1 || pace->cost > effective / CALM_SHARE) {
		pace->calm = 0;
		return false;
	}
	if (++pace->calm < CALM_TICKS)
		return false;
	pace->calm = 0;
	pace->factor /= 2;
	return true;
}

/**
 * asc_pace_position() - where on the grid a sample between ticks stands
 * @pace: a started grid
 * @now: CLOCK_MONOTONIC, ns
 *
 * Return: ns since the start, never before the last tick nor after the next.
 */
u64 asc_pace_position(const struct asc_pace *pace, u64 now)
{
	u64 last = pace->tick * pace->period;
	u64 next = (pace->tick + pace->factor) * pace->period;

	return min_t(u64, max_t(u64, now - pace->start, last), next);
}
