/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in: what the public examples use of that library. */
#ifndef STANDIN_SECUREC_H
#define STANDIN_SECUREC_H

#include <stddef.h>
#include <string.h>

static inline int memset_s(void *to, size_t room, int byte, size_t count)
{
	if (!to || count > room)
		return 22;
	memset(to, byte, count);
	return 0;
}

#endif /* STANDIN_SECUREC_H */
