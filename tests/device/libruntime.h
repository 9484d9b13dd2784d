/* SPDX-License-Identifier: Apache-2.0 */
/* A device runtime for tests: it does what the test sets, and remembers what it was asked. */
#ifndef ASCPROF_TEST_LIBRUNTIME_H
#define ASCPROF_TEST_LIBRUNTIME_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_CALLS 64

struct device_trace_call {
	uint64_t id;
	uint64_t model;
	uint16_t tag;
	void *stream;
};

struct device_standin {
	int refuse_trace; /* what the functions return; 0: they do it */
	int refuse_attribute;
	int refuse_op;
	uint32_t keeps_ops; /* value of the stream's attribute */
	void (*inside)(void); /* called by rtProfilerTraceEx and rtsStreamGetAttribute, if not NULL */

	_Atomic unsigned int traces; /* calls, also refused ones; the first are in trace[] */
	struct device_trace_call trace[DEVICE_CALLS];
	_Atomic unsigned int attributes; /* calls; of the first: */
	void *attribute_stream;
	int attribute;
	_Atomic unsigned int ops; /* likewise */
	size_t op_size;
	unsigned char op[4096];
};

#endif /* ASCPROF_TEST_LIBRUNTIME_H */
