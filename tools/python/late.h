/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the public interface that the library may lack: weak, so that
 * their addresses are NULL then. Python gets the names that are there.
 */
#ifndef ASCPROF_PYTHON_LATE_H
#define ASCPROF_PYTHON_LATE_H

#include <acl/acl_prof.h>

#define LATE __attribute__((weak))

LATE aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream);

LATE aclprofStepInfo *aclprofCreateStepInfo(void);
LATE aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream);
LATE void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo);

#endif /* ASCPROF_PYTHON_LATE_H */
