// SPDX-License-Identifier: GPL-2.0-only
/*
 * ascprof - counters of the machine on one clock in one accounted stream
 *
 * The device, its control descriptor, and the module itself.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#include "kmod/compat/compat.h"
#include "kmod/core/policy.h"
#include "kmod/ioctl.h"
#include "kmod/params.h"
#include "kmod/source.h"
#include "kmod/stream.h"
#include "kmod/sysfs.h"
#include "uapi/ascprof.h"

static long call_info(void *ctx, union asc_ioctl_arg *arg)
{
	struct ascprof_info *info = &arg->info;
	struct asc_limits limits;

	asc_limits(&limits);
	info->abi = ASCPROF_ABI_VERSION;
	info->nr_sources = asc_source_count();
	info->max_counters = ASCPROF_MAX_COUNTERS;
	info->paranoid = asc_paranoid();
	info->min_period_ns = asc_policy_min_period(perfmon_capable());
	info->max_period_ns = ASC_PERIOD_MAX;
	info->max_ring_bytes = limits.max_ring;
	strscpy(info->version, ASCPROF_VERSION, sizeof(info->version));
	return 0;
}

static long call_source_get(void *ctx, union asc_ioctl_arg *arg)
{
	return asc_source_get(&arg->source);
}

static long call_event_get(void *ctx, union asc_ioctl_arg *arg)
{
	return asc_event_get(&arg->event);
}

static long call_stream_create(void *ctx, union asc_ioctl_arg *arg)
{
	struct asc_stream *stream = asc_stream_new(&arg->create);
	int fd;

	if (IS_ERR(stream))
		return PTR_ERR(stream);
	fd = asc_stream_install(stream);
	if (fd < 0)
		asc_stream_free(stream);
	return fd;
}

static long call_user_create(void *ctx, union asc_ioctl_arg *arg)
{
	return asc_user_create(&arg->user_create);
}

static const struct asc_ioctl control_ioctls[] = {
	{ ASCPROF_IOC_INFO, call_info },
	{ ASCPROF_IOC_SOURCE_GET, call_source_get },
	{ ASCPROF_IOC_EVENT_GET, call_event_get },
	{ ASCPROF_IOC_STREAM_CREATE, call_stream_create },
	{ ASCPROF_IOC_USER_CREATE, call_user_create },
};

static long control_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return asc_ioctl(control_ioctls, ARRAY_SIZE(control_ioctls), NULL, cmd,
			 (void __user *)arg);
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.unlocked_ioctl = control_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice control = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ascprof",
	.fops = &control_fops,
	.mode = 0660,
};

static int __init ascprof_init(void)
{
	int ret;

	ret = asc_sysfs_init();
	if (ret)
		return ret;
	asc_perf_init();
	asc_sim_init();
	ret = asc_pci_init();
	if (ret)
		goto exit_fixed;
	ret = asc_mmio_init();
	if (ret)
		goto exit_pci;

	/* last, because from here on it is used */
	ret = misc_register(&control);
	if (ret)
		goto exit_mmio;
	return 0;

exit_mmio:
	asc_mmio_exit();
exit_pci:
	asc_pci_exit();
exit_fixed:
	asc_sim_exit();
	asc_perf_exit();
	asc_sysfs_exit();
	return ret;
}

static void __exit ascprof_exit(void)
{
	misc_deregister(&control);
	asc_mmio_exit();
	asc_pci_exit();
	asc_sim_exit();
	asc_perf_exit();
	asc_sysfs_exit();
}

module_init(ascprof_init);
module_exit(ascprof_exit);

MODULE_DESCRIPTION("Hub of performance counters for Ascend servers");
MODULE_AUTHOR("The ascprof developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(ASCPROF_VERSION);
