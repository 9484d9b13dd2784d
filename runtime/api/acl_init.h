/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of aclInit in this process. */
#ifndef ASCPROF_ACL_INIT_H
#define ASCPROF_ACL_INIT_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_base.h"

/* False also when AscendCL is here, and the program may have called its aclInit past us. */
bool acl_init_is_missing(void);

/* As aclInit() with a file that has @text as its `profiler` object. Return: as aclInit(). */
aclError acl_init_from_text(const char *text, size_t len);

#endif /* ASCPROF_ACL_INIT_H */
