/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_NEWS_H
#define ASC_CORE_NEWS_H

#include "platform.h"
#include "uapi/ascprof.h"

/**
 * struct asc_health - how a counter is
 * @error: 0, or a negative errno: it cannot be read
 * @cpu: that it counts on, or -1
 */
struct asc_health {
	int error;
	int cpu;
};

u32 asc_news(struct asc_health *told, const struct asc_health *now, u32 slot, u64 *arg);

#endif /* ASC_CORE_NEWS_H */
