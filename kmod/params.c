// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters that bound what users may do. Root may change them at any
 * time; a change counts for what is asked for from then on.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>

#include "kmod/params.h"

static unsigned int paranoid = ASC_PARANOID_MAX;

static int paranoid_set(const char *text, const struct kernel_param *param)
{
	unsigned int level;
	int ret;

	ret = kstrtouint(text, 0, &level);
	if (ret)
		return ret;
	if (level > ASC_PARANOID_MAX)
		return -EINVAL;
	WRITE_ONCE(paranoid, level);
	return 0;
}

static const struct kernel_param_ops paranoid_ops = {
	.set = paranoid_set,
	.get = param_get_uint,
};

module_param_cb(paranoid, &paranoid_ops, &paranoid, 0644);
MODULE_PARM_DESC(paranoid,
		 "who may count: 0 whoever opens the device, 1 only shared bandwidth, 2 only CAP_PERFMON (default: 2)");

static unsigned long max_ring_bytes = SZ_64M;
module_param(max_ring_bytes, ulong, 0644);
MODULE_PARM_DESC(max_ring_bytes, "largest ring of one stream (default: 64 MiB, at most 1 GiB)");

static unsigned long max_total_bytes = SZ_512M;
module_param(max_total_bytes, ulong, 0644);
MODULE_PARM_DESC(max_total_bytes, "all rings together (default: 512 MiB)");

static unsigned int max_streams = 32;
module_param(max_streams, uint, 0644);
MODULE_PARM_DESC(max_streams, "streams of one user (default: 32)");

static unsigned int mlock_kb = 516;
module_param(mlock_kb, uint, 0644);
MODULE_PARM_DESC(mlock_kb,
		 "KiB per CPU that a user may pin beyond RLIMIT_MEMLOCK, others' pins included (default: 516)");

/**
 * asc_mlock_kb() - allowance per CPU now
 */
u32 asc_mlock_kb(void)
{
	return READ_ONCE(mlock_kb);
}

/**
 * asc_paranoid() - the level now
 */
u32 asc_paranoid(void)
{
	return READ_ONCE(paranoid);
}

/**
 * asc_limits() - the limits now
 * @limits: result
 */
void asc_limits(struct asc_limits *limits)
{
	limits->max_ring = min_t(u64, READ_ONCE(max_ring_bytes), SZ_1G);
	limits->max_total = READ_ONCE(max_total_bytes);
	limits->max_streams = READ_ONCE(max_streams);
	limits->page = PAGE_SIZE;
}
