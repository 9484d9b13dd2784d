// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arguments of ioctls. The number says which one and how large the caller
 * believes its structure to be; any size is taken. The argument is copied in
 * once, before anything is done, and out once, after.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/core/sized.h"
#include "kmod/ioctl.h"

static const struct asc_ioctl *find(const struct asc_ioctl *table, size_t nr, unsigned int cmd)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (asc_sized_same(table[i].cmd, cmd))
			return &table[i];
	return NULL;
}

/**
 * asc_ioctl() - run one ioctl from a table
 * @table: what there is
 * @nr: entries
 * @ctx: for the calls
 * @cmd: number from user space
 * @user: argument from user space
 *
 * Return: what the call returns; -ENOTTY for an unknown number; -EFAULT;
 * -E2BIG for a set byte that we do not know.
 */
long asc_ioctl(const struct asc_ioctl *table, size_t nr, void *ctx, unsigned int cmd,
	       void __user *user)
{
	const struct asc_ioctl *entry = find(table, nr, cmd);
	size_t given = _IOC_SIZE(cmd);
	union asc_ioctl_arg arg;
	size_t size;
	void *copy;
	long ret;

	if (!entry)
		return -ENOTTY;
	size = _IOC_SIZE(entry->cmd);
	if (!size)
		return given ? -ENOTTY : entry->call(ctx, NULL);
	if (!given)
		return -EINVAL;

	memset(&arg, 0, sizeof(arg));
	if (_IOC_DIR(cmd) & _IOC_WRITE) {
		copy = memdup_user(user, given);
		if (IS_ERR(copy))
			return PTR_ERR(copy);
		ret = asc_sized_in(&arg, size, copy, given);
		if (ret)
			goto free;
	} else {
		copy = kmalloc(given, GFP_USER);
		if (!copy)
			return -ENOMEM;
	}

	ret = entry->call(ctx, &arg);
	if (ret < 0 || !(_IOC_DIR(cmd) & _IOC_READ))
		goto free;

	asc_sized_out(copy, given, &arg, size);
	if (copy_to_user(user, copy, given)) {
		if (entry->undo)
			entry->undo(ctx, &arg);
		ret = -EFAULT;
	}
free:
	kfree(copy);
	return ret;
}
