// SPDX-License-Identifier: GPL-2.0-only
/* perfmon_capable(): CAP_PERFMON apart from CAP_SYS_ADMIN */
#include <linux/capability.h>

bool probe(void);
bool probe(void)
{
	return perfmon_capable();
}
