/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of aclInit in this process. */
#ifndef ASCPROF_ACL_INIT_H
#define ASCPROF_ACL_INIT_H

#include <stdbool.h>

/* False also when AscendCL is here, and the program may have called its aclInit past us. */
bool acl_init_is_missing(void);

#endif /* ASCPROF_ACL_INIT_H */
