/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_FEED_H
#define ASC_CORE_FEED_H

#include "platform.h"
#include "uapi/ascprof.h"

#define ASC_FEED_DEVICES	64
#define ASC_FEED_NODES		1024

/**
 * struct asc_feed - what a user source has been fed with
 * @nr: counters
 * @events: what they are
 * @value: newest of each, valid if @samples
 * @t_raw: when that was measured
 * @samples: taken
 * @refused: not taken
 */
struct asc_feed {
	u32 nr;
	const struct ascprof_event *events;
	u64 *value;
	u64 t_raw;
	u64 samples;
	u64 refused;
};

/**
 * asc_feed_len() - bytes of one sample
 * @nr: counters
 */
static inline size_t asc_feed_len(u32 nr)
{
	return sizeof(struct ascprof_user_sample) + nr * sizeof(u64);
}

int asc_feed_check_source(const struct ascprof_user_create *create);
int asc_feed_check_event(const struct ascprof_event *events, u32 index);
int asc_feed_check_head(const struct asc_feed *feed, const struct ascprof_user_sample *head,
			size_t given);
int asc_feed_check(const struct asc_feed *feed, const struct ascprof_user_sample *sample,
		   u64 now);
void asc_feed_take(struct asc_feed *feed, const struct ascprof_user_sample *sample);

#endif /* ASC_CORE_FEED_H */
