/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of aclprofCreateStepInfo(). */
#ifndef ASCPROF_ACL_STEP_H
#define ASCPROF_ACL_STEP_H

/* Around fork(): the child must not find the list half changed. */
void step_fork_lock(void);
void step_fork_unlock(void);

#endif /* ASCPROF_ACL_STEP_H */
