/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_PACING_H
#define ASC_CORE_PACING_H

#include "platform.h"

#define ASC_PERIOD_MIN		(100 * NSEC_PER_USEC)
#define ASC_PERIOD_MIN_USER	(10 * NSEC_PER_MSEC)	/* without the privilege */
#define ASC_PERIOD_MAX		(1 * NSEC_PER_SEC)

/**
 * struct asc_pace - the grid of ticks of one stream
 * @period: ns between ticks, as asked for
 * @factor: every @factor-th tick is served; 1 unless throttled
 * @start: CLOCK_MONOTONIC of tick 0
 * @tick: number of the last tick that is accounted for
 * @missed: ticks skipped because the one before ran late
 * @throttled: ticks left out because serving them cost too much
 * @cost: moving average of what one tick costs, ns
 * @calm: cheap ticks in a row while throttled
 *
 * Tick k is due at @start + k * @period, whatever happened to those before:
 * there is no drift, and a late tick is skipped, never made up for. Between
 * asc_pace_start() and asc_pace_finish()
 *
 *	ticks due = ticks served + missed + throttled
 *
 * holds exactly, tick 0 being due and served at the start.
 */
struct asc_pace {
	u64 period;
	u64 factor;
	u64 start;
	u64 tick;
	u64 missed;
	u64 throttled;
	u32 cost;
	u32 calm;
};

void asc_pace_start(struct asc_pace *pace, u64 period, u64 now);
u64 asc_pace_deadline(const struct asc_pace *pace);
u64 asc_pace_tick(struct asc_pace *pace, u64 now);
void asc_pace_finish(struct asc_pace *pace, u64 now);
bool asc_pace_cost(struct asc_pace *pace, u64 cost);
u64 asc_pace_position(const struct asc_pace *pace, u64 now);

/**
 * asc_pace_effective() - ns between two ticks that are served
 * @pace: the grid
 */
static inline u64 asc_pace_effective(const struct asc_pace *pace)
{
	return pace->period * pace->factor;
}

#endif /* ASC_CORE_PACING_H */
