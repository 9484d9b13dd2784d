/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in: tensors and one operator, as the public examples call them. */
#ifndef STANDIN_ACLNN_ADD_H
#define STANDIN_ACLNN_ADD_H

#include "acl/acl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclOpExecutor aclOpExecutor;

aclTensor *aclCreateTensor(const int64_t *dims, uint64_t dim_count, aclDataType type, const int64_t *strides,
			   int64_t offset, aclFormat format, const int64_t *storage_dims,
			   uint64_t storage_dim_count, void *data);
aclError aclDestroyTensor(const aclTensor *tensor);
aclScalar *aclCreateScalar(void *value, aclDataType type);
aclError aclDestroyScalar(const aclScalar *scalar);

/* out = self + alpha * other, of floats, in two phases */
aclError aclnnAddGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
				  aclTensor *out, uint64_t *size, aclOpExecutor **executor);
aclError aclnnAdd(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* STANDIN_ACLNN_ADD_H */
