// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that cannot be swapped is on somebody's account: rings count against
 * RLIMIT_MEMLOCK of the user who makes them, together with what perf, io_uring
 * and others have pinned for the same user, and show as VmPin of the process. As
 * perf does, each CPU adds an allowance that needs no limit to be raised.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "kmod/compat/compat.h"
#include "kmod/core/policy.h"
#include "kmod/params.h"
#include "kmod/pinned.h"

/**
 * asc_pinned_charge() - put memory on the caller's account
 * @pinned: zeroed
 * @bytes: how much
 *
 * Return: 0, or -EPERM if that is more than the caller may have pinned.
 */
int asc_pinned_charge(struct asc_pinned *pinned, u64 bytes)
{
	struct user_struct *user = current_user();
	unsigned long pages = DIV_ROUND_UP_ULL(bytes, PAGE_SIZE);
	u64 allowance = (u64)asc_mlock_kb() * num_online_cpus() >> (PAGE_SHIFT - 10);
	u64 locked = atomic_long_add_return(pages, &user->locked_vm);
	int ret;

	ret = asc_policy_pinned(locked, allowance, rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT,
				capable(CAP_IPC_LOCK));
	if (ret) {
		atomic_long_sub(pages, &user->locked_vm);
		return ret;
	}
	pinned->pages = pages;
	/* keeps the user; free_uid() is not for modules on every kernel */
	pinned->cred = get_current_cred();
	pinned->mm = current->mm;
	mmgrab(pinned->mm);
	asc_mm_pin(pinned->mm, pages);
	return 0;
}

/**
 * asc_pinned_release() - take it off the account again, whoever calls
 * @pinned: charged or zeroed
 */
void asc_pinned_release(struct asc_pinned *pinned)
{
	if (!pinned->cred)
		return;
	asc_mm_pin(pinned->mm, -(long)pinned->pages);
	mmdrop(pinned->mm);
	atomic_long_sub(pinned->pages, &pinned->cred->user->locked_vm);
	put_cred(pinned->cred);
	memset(pinned, 0, sizeof(*pinned));
}
