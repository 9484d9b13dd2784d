// SPDX-License-Identifier: Apache-2.0
/* The three functions of libruntime.so that the library looks for. */
#include "tests/device/libruntime.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT struct device_standin device_standin;

/* A function whose name can be found out calls @call. */
EXPORT int device_calls(int (*call)(void));

EXPORT int rtProfilerTraceEx(uint64_t id, uint64_t model, uint16_t tag, void *stream);
EXPORT int rtsStreamGetAttribute(void *stream, int attribute, void *value);
EXPORT int rtCacheLastTaskOpInfo(const void *info, size_t size);

int device_calls(int (*call)(void))
{
	int ret = call();

	atomic_signal_fence(memory_order_seq_cst); /* not a jump to it */
	return ret;
}

int rtProfilerTraceEx(uint64_t id, uint64_t model, uint16_t tag, void *stream)
{
	unsigned int n = atomic_fetch_add(&device_standin.traces, 1);

	if (n < DEVICE_CALLS)
		device_standin.trace[n] = (struct device_trace_call){ id, model, tag, stream };
	if (device_standin.inside)
		device_standin.inside();
	return device_standin.refuse_trace;
}

int rtsStreamGetAttribute(void *stream, int attribute, void *value)
{
	if (!atomic_fetch_add(&device_standin.attributes, 1)) {
		device_standin.attribute_stream = stream;
		device_standin.attribute = attribute;
	}
	if (device_standin.inside)
		device_standin.inside();
	if (!device_standin.refuse_attribute)
		memcpy(value, &device_standin.keeps_ops, sizeof(device_standin.keeps_ops));
	return device_standin.refuse_attribute;
}

int rtCacheLastTaskOpInfo(const void *info, size_t size)
{
	if (!atomic_fetch_add(&device_standin.ops, 1) && size <= sizeof(device_standin.op)) {
		device_standin.op_size = size;
		memcpy(device_standin.op, info, size);
	}
	return device_standin.refuse_op;
}
