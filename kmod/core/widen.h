/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_WIDEN_H
#define ASC_CORE_WIDEN_H

#include "platform.h"

#define ASC_WIDEN_RATE_MAX	10000000000ULL	/* counts per second */

/**
 * struct asc_widen - a counter register of 1 to 64 bits, counted in 64
 * @total: 64-bit value
 * @last: register as last read
 * @stamp: when, ns
 * @mask: bits of the register
 * @rate: most counts per second that the hardware can make
 * @safe_ns: longest time between two reads that cannot hide a wrap
 */
struct asc_widen {
	u64 total;
	u64 last;
	u64 stamp;
	u64 mask;
	u64 rate;
	u64 safe_ns;
};

void asc_widen_init(struct asc_widen *widen, unsigned int bits, u64 rate, u64 total, u64 now);
int asc_widen(struct asc_widen *widen, u64 raw, u64 now);

#endif /* ASC_CORE_WIDEN_H */
