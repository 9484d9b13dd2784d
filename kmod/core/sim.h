/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_SIM_H
#define ASC_CORE_SIM_H

#include "platform.h"
#include "uapi/ascprof.h"

#define ASC_SIM_DEVICES	4

/**
 * struct asc_sim_event - one simulated counter register
 * @event: what the source lists
 * @bits: width of the register
 * @rate: most counts per second it makes; 0 for a gauge
 */
struct asc_sim_event {
	struct ascprof_event event;
	u32 bits;
	u64 rate;
};

/**
 * struct asc_sim_fault - what is wrong with one simulated counter
 * @kind: enum ascprof_sim_fault
 * @arg: see there
 */
struct asc_sim_fault {
	u64 kind;
	u64 arg;
};

u32 asc_sim_nr_events(void);
int asc_sim_event(u32 index, struct asc_sim_event *out);
int asc_sim_find(u64 config, struct asc_sim_event *out);
u64 asc_sim_value(u64 seed, u32 device, const struct asc_sim_event *event, u64 elapsed);

int asc_sim_fault(const struct asc_sim_event *event, u64 kind, u64 arg,
		  struct asc_sim_fault *fault);
u32 asc_sim_bits(const struct asc_sim_event *event, const struct asc_sim_fault *fault);
u64 asc_sim_register(u64 seed, u32 device, const struct asc_sim_event *event,
		     const struct asc_sim_fault *fault, u64 elapsed);

/**
 * asc_sim_time() - the time at which a simulated counter last moved
 * @elapsed: ns since the stream began
 *
 * Counters move in steps of a microsecond; whoever judges how far one may have
 * moved has to go by that.
 */
static inline u64 asc_sim_time(u64 elapsed)
{
	return div_u64(elapsed, NSEC_PER_USEC) * NSEC_PER_USEC;
}

#endif /* ASC_CORE_SIM_H */
