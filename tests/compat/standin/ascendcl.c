// SPDX-License-Identifier: Apache-2.0
/*
 * Stand-in for libascendcl.so, without a device: "device" memory is memory, and
 * what would be queued in a stream is done at once. Each call insists on what
 * must come before it. aclInit and aclFinalize are not here: they are the
 * profiling library's. Compiled against the public headers.
 */
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_add.h"

#define WRONG ACL_ERROR_INVALID_PARAM

static int device = -1;
static char a_context, a_stream;

aclError aclrtSetDevice(int32_t deviceId)
{
	device = deviceId;
	return deviceId < 0 ? WRONG : ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId)
{
	if (deviceId < 0 || deviceId != device)
		return WRONG;
	device = -1;
	return ACL_SUCCESS;
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
	return aclrtResetDevice(deviceId);
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
	*context = &a_context;
	return deviceId == device ? ACL_SUCCESS : WRONG;
}

aclError aclrtDestroyContext(aclrtContext context)
{
	return context == &a_context ? ACL_SUCCESS : WRONG;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
	return context == &a_context ? ACL_SUCCESS : WRONG;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
	*stream = &a_stream;
	return device >= 0 ? ACL_SUCCESS : WRONG;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
	return stream == &a_stream ? ACL_SUCCESS : WRONG;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
	return stream == &a_stream ? ACL_SUCCESS : WRONG;
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	(void)policy;
	*devPtr = malloc(size);
	return *devPtr ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

aclError aclrtFree(void *devPtr)
{
	free(devPtr);
	return ACL_SUCCESS;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
	(void)kind;
	if (count > destMax)
		return WRONG;
	memcpy(dst, src, count);
	return ACL_SUCCESS;
}

/* ---- one operator ---- */

struct aclTensor {
	float *data;
	int64_t count;
};

struct aclScalar {
	float value;
};

struct aclOpExecutor {
	const aclTensor *self, *other;
	aclTensor *out;
	float alpha;
};

aclTensor *aclCreateTensor(const int64_t *dims, uint64_t dim_count, aclDataType type, const int64_t *strides,
			   int64_t offset, aclFormat format, const int64_t *storage_dims,
			   uint64_t storage_dim_count, void *data)
{
	aclTensor *tensor = type == ACL_FLOAT ? malloc(sizeof(*tensor)) : NULL;

	(void)strides;
	(void)offset;
	(void)format;
	(void)storage_dims;
	(void)storage_dim_count;
	if (!tensor)
		return NULL;
	tensor->data = data;
	tensor->count = 1;
	for (uint64_t i = 0; i < dim_count; i++)
		tensor->count *= dims[i];
	return tensor;
}

aclError aclDestroyTensor(const aclTensor *tensor)
{
	free((void *)tensor);
	return ACL_SUCCESS;
}

aclScalar *aclCreateScalar(void *value, aclDataType type)
{
	aclScalar *scalar = type == ACL_FLOAT ? malloc(sizeof(*scalar)) : NULL;

	if (scalar)
		memcpy(&scalar->value, value, sizeof(float));
	return scalar;
}

aclError aclDestroyScalar(const aclScalar *scalar)
{
	free((void *)scalar);
	return ACL_SUCCESS;
}

aclError aclnnAddGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
				  aclTensor *out, uint64_t *size, aclOpExecutor **executor)
{
	if (!self || !other || !alpha || !out || self->count != other->count || self->count != out->count)
		return WRONG;
	*size = 0;
	*executor = malloc(sizeof(**executor));
	if (!*executor)
		return ACL_ERROR_BAD_ALLOC;
	**executor = (aclOpExecutor){ self, other, out, alpha->value };
	return ACL_SUCCESS;
}

aclError aclnnAdd(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream)
{
	(void)workspace;
	if (size || stream != &a_stream)
		return WRONG;
	for (int64_t i = 0; i < executor->out->count; i++)
		executor->out->data[i] = executor->self->data[i] + executor->alpha * executor->other->data[i];
	free(executor);
	return ACL_SUCCESS;
}
