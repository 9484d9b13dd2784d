// SPDX-License-Identifier: GPL-2.0-only
/* compat_ptr_ioctl(): ioctls of 32-bit callers whose arguments are all pointers */
#include <linux/fs.h>

extern const struct file_operations probe;
const struct file_operations probe = {
	.compat_ioctl = compat_ptr_ioctl,
};
