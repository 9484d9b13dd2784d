/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the public interface that the library may lack: weak, so that
 * their addresses are NULL then. Python gets the names that are there.
 */
#ifndef ASCPROF_PYTHON_LATE_H
#define ASCPROF_PYTHON_LATE_H

#include <acl/acl_prof.h>

#define LATE __attribute__((weak))

LATE aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch, aclprofAicoreMetrics aicoreMetrics,
							  void *fd);
LATE aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig);
LATE aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig);
LATE aclError aclprofModelUnSubscribe(uint32_t modelId);

LATE aclError aclprofGetOpDescSize(size_t *opDescSize);
LATE aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber);
LATE aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen);
LATE aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType, size_t opTypeLen);
LATE aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen);
LATE aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName, size_t opNameLen);
LATE uint64_t aclprofGetOpStart(const void *opInfo, size_t opInfoLen, uint32_t index);
LATE uint64_t aclprofGetOpEnd(const void *opInfo, size_t opInfoLen, uint32_t index);
LATE uint64_t aclprofGetOpDuration(const void *opInfo, size_t opInfoLen, uint32_t index);
LATE size_t aclprofGetModelId(const void *opInfo, size_t opInfoLen, uint32_t index);

#endif /* ASCPROF_PYTHON_LATE_H */
