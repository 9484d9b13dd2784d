/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_CLOCK_H
#define ASC_CORE_CLOCK_H

#include "platform.h"
#include "uapi/ascprof.h"

/**
 * struct asc_clock - the clocks at one moment
 * @mono: CLOCK_MONOTONIC, ns
 * @raw: CLOCK_MONOTONIC_RAW, ns
 * @real: CLOCK_REALTIME, ns
 * @cycles: cycle counter, or 0
 * @width: the four were read within this many ns
 */
struct asc_clock {
	u64 mono;
	u64 raw;
	u64 real;
	u64 cycles;
	u32 width;
};

/**
 * struct asc_clock_ops - where the clocks come from
 * @mono: CLOCK_MONOTONIC, ns
 * @raw: CLOCK_MONOTONIC_RAW, ns
 * @real: CLOCK_REALTIME, ns
 * @cycles: cycle counter, or 0
 */
struct asc_clock_ops {
	u64 (*mono)(void);
	u64 (*raw)(void);
	u64 (*real)(void);
	u64 (*cycles)(void);
};

void asc_clock_read(const struct asc_clock_ops *ops, struct asc_clock *clock);
void asc_clock_publish(struct ascprof_producer_page *page, const struct asc_clock *clock);

#endif /* ASC_CORE_CLOCK_H */
