/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels. Each ASC_HAVE_* is the result of compiling
 * probes/<name>.c against the kernel that the module is built for; versions
 * say nothing, because stable series and distributions port interfaces back.
 * No other file reads the results.
 */
#ifndef ASC_COMPAT_H
#define ASC_COMPAT_H

#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sysfs.h>

#include "kmod/compat/probes.h"

#if !ASC_HAVE_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/* Pages that show as VmPin; a negative number takes them away. May sleep. */
static inline void asc_mm_pin(struct mm_struct *mm, long pages)
{
#if ASC_HAVE_ATOMIC_PINNED_VM
	atomic64_add(pages, &mm->pinned_vm);
#else
	down_write(&mm->mmap_sem);
	mm->pinned_vm += pages;
	up_write(&mm->mmap_sem);
#endif
}

#if !ASC_HAVE_SCHED_SET_FIFO_LOW
#include <uapi/linux/sched/types.h>

static inline void sched_set_fifo_low(struct task_struct *task)
{
	struct sched_param param = { .sched_priority = 1 };

	sched_setscheduler_nocheck(task, SCHED_FIFO, &param);
}
#endif

#if !ASC_HAVE_PERFMON_CAPABLE
static inline bool perfmon_capable(void)
{
	return capable(CAP_SYS_ADMIN);
}
#endif

/*
 * The time of an active event's context, in which perf keeps the times of its
 * events. To be called on the event's CPU, with interrupts off.
 */
static inline u64 asc_perf_context_now(const struct perf_event *event)
{
	const struct perf_event_context *ctx = event->ctx;

#if ASC_HAVE_PERF_TIME_CTX
	return event->clock() + READ_ONCE(ctx->time.offset);
#elif ASC_HAVE_PERF_TIMEOFFSET
	return event->clock() + READ_ONCE(ctx->timeoffset);
#else
	return event->clock() - ctx->timestamp + ctx->time;
#endif
}

#if !ASC_HAVE_COMPAT_PTR_IOCTL
#ifdef CONFIG_COMPAT
static inline long asc_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return file->f_op->unlocked_ioctl(file, cmd, (unsigned long)compat_ptr(arg));
}

#else
#define asc_compat_ioctl	NULL
#endif
#define compat_ptr_ioctl	asc_compat_ioctl
#endif

#if !ASC_HAVE_SYSFS_EMIT
#define sysfs_emit(_buf, ...)	scnprintf(_buf, PAGE_SIZE, __VA_ARGS__)
#endif

/* Files of a kobj_type, for which there are _name_attrs. */
#if ASC_HAVE_DEFAULT_GROUPS
#define ASC_FILES(_name)	ATTRIBUTE_GROUPS(_name)
#define asc_files(_name)	.default_groups = _name##_groups
#else
#define ASC_FILES(_name)	struct _name##_files
#define asc_files(_name)	.default_attrs = _name##_attrs
#endif

#if !ASC_HAVE_STREAM_OPEN
static inline int asc_stream_open(struct inode *inode, struct file *file)
{
	file->f_mode &= ~(FMODE_LSEEK | FMODE_PREAD | FMODE_PWRITE | FMODE_ATOMIC_POS);
	return 0;
}

#define stream_open	asc_stream_open
#endif

#endif /* ASC_COMPAT_H */
