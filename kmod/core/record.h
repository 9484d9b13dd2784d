/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_RECORD_H
#define ASC_CORE_RECORD_H

#include "clock.h"
#include "platform.h"
#include "ring.h"
#include "uapi/ascprof.h"

/**
 * struct asc_value - one counter at one moment
 * @count: its value
 * @enabled: ns it was wanted
 * @running: ns it really counted
 */
struct asc_value {
	u64 count;
	u64 enabled;
	u64 running;
};

/**
 * struct asc_ticks - account of the ticks of a stream
 * @samples: taken, lost ones included
 * @missed: ticks skipped because the one before ran late
 * @throttled: ticks left out because sampling cost too much
 * @cost: moving average of what one tick costs, ns
 * @cost_max: most that one tick cost, ns
 */
struct asc_ticks {
	u64 samples;
	u64 missed;
	u64 throttled;
	u32 cost;
	u32 cost_max;
};

u32 asc_rec_sample_len(u32 nr, bool times);
void asc_rec_sample(struct ascprof_rec_sample *rec, u32 nr, bool times, u16 flags, u64 seq);
void asc_rec_sample_set(struct ascprof_rec_sample *rec, u32 slot, const struct asc_value *value);
void asc_rec_lost(struct ascprof_rec_lost *rec, const struct asc_loss *loss);
void asc_rec_clock(struct ascprof_rec_clock *rec, const struct asc_clock *clock);
void asc_rec_config(struct ascprof_rec_config *rec, const struct ascprof_counter_add *add,
		    const struct ascprof_event *event, const char *source);
void asc_rec_ticks(struct ascprof_rec_ticks *rec, const struct asc_ticks *ticks, u64 now);
u32 asc_rec_user_len(u32 nr);
void asc_rec_user_add(struct ascprof_rec_user *rec, u64 value);
void asc_rec_user(struct ascprof_rec_user *rec, u32 source_id, u64 seq, u64 now,
		  const struct ascprof_user_sample *sample);
void asc_rec_state(struct ascprof_rec_state *rec, u32 state, u32 what, u64 arg, u64 now);

#endif /* ASC_CORE_RECORD_H */
