/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in: loading and executing models; the public runtime's headers do not have it. */
#ifndef STANDIN_MODELS_H
#define STANDIN_MODELS_H

#include "acl/acl.h"

typedef struct aclmdlDataset aclmdlDataset;

aclError aclmdlLoadFromFile(const char *modelPath, uint32_t *modelId);
aclError aclmdlUnload(uint32_t modelId);
aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output);

#endif /* STANDIN_MODELS_H */
