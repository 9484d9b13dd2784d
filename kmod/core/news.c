// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reader has to be told about a counter. Each change is told once, and
 * a counter that cannot be read has no CPU worth telling.
 */
#include "news.h"

/**
 * asc_news() - compare what a reader knows with what is
 * @told: as the reader knows it; brought up to date
 * @now: as it is
 * @slot: of the counter
 * @arg: result: argument of the STATE record
 *
 * Return: enum ascprof_state_what, or 0 if there is nothing to tell.
 */
u32 asc_news(struct asc_health *told, const struct asc_health *now, u32 slot, u64 *arg)
{
	int before = told->error;
	bool moved = told->cpu != now->cpu;

	if (now->error) {
		if (now->error == before)
			return 0;
		told->error = now->error;
		*arg = slot | (u64)(u32)-now->error << 32;
		return ASCPROF_WHAT_COUNTER_FAILED;
	}
	if (!before && !moved)
		return 0;
	*told = *now;
	*arg = slot | (u64)(u32)now->cpu << 32;
	return before ? ASCPROF_WHAT_COUNTER_BACK : ASCPROF_WHAT_COUNTER_MOVED;
}
