/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_IOCTL_H
#define ASC_IOCTL_H

#include <linux/types.h>

#include "uapi/ascprof.h"

/**
 * union asc_ioctl_arg - room for every argument structure
 * @info: INFO
 * @source: SOURCE_GET
 * @event: EVENT_GET
 * @create: STREAM_CREATE
 * @add: COUNTER_ADD
 * @stats: STATS
 * @user_create: USER_CREATE
 * @user_stats: USER_STATS
 */
union asc_ioctl_arg {
	struct ascprof_info info;
	struct ascprof_source source;
	struct ascprof_event event;
	struct ascprof_stream_create create;
	struct ascprof_counter_add add;
	struct ascprof_stats stats;
	struct ascprof_user_create user_create;
	struct ascprof_user_stats user_stats;
};

/**
 * struct asc_ioctl - one ioctl
 * @cmd: its number, with the size of our structure
 * @call: do it; in and out through @arg
 * @undo: take it back, because the result could not be handed out; or NULL
 */
struct asc_ioctl {
	unsigned int cmd;
	long (*call)(void *ctx, union asc_ioctl_arg *arg);
	void (*undo)(void *ctx, const union asc_ioctl_arg *arg);
};

long asc_ioctl(const struct asc_ioctl *table, size_t nr, void *ctx, unsigned int cmd,
	       void __user *user);

#endif /* ASC_IOCTL_H */
