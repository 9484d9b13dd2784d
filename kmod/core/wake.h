/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_WAKE_H
#define ASC_CORE_WAKE_H

#include "platform.h"
#include "ring.h"

#define ASC_WAKE_IN	BIT(0)
#define ASC_WAKE_HUP	BIT(1)
#define ASC_WAKE_ERR	BIT(2)

unsigned int asc_wake_mask(const struct asc_ring *ring, u32 state, u64 watermark,
			   u64 max_latency, u64 now);
u64 asc_wake_after(const struct asc_ring *ring, u64 max_latency, u64 now);

#endif /* ASC_CORE_WAKE_H */
