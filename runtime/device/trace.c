/* SPDX-License-Identifier: Apache-2.0 */
#include "device/trace.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <time.h>

#include "clock/clock.h"
#include "log/log.h"

#define LIBRARY "libruntime.so"
#define RETRY_NS 100000000u
#define STREAM_ATTRIBUTE_CACHE_OPS 4

enum function { TRACE, GET_ATTRIBUTE, CACHE_OP, FUNCTIONS };

static const char *const names[FUNCTIONS] = { "rtProfilerTraceEx", "rtsStreamGetAttribute", "rtCacheLastTaskOpInfo" };
static void *_Atomic found[FUNCTIONS];
static _Atomic uint64_t next_try[FUNCTIONS]; /* CLOCK_MONOTONIC ns */

typedef int (*trace_function)(uint64_t id, uint64_t model, uint16_t tag, void *stream);
typedef int (*get_attribute_function)(void *stream, int attribute, void *value);
typedef int (*cache_op_function)(const void *info, size_t size);

/* What the process has loaded may be unloaded; what we call must stay. */
static void pin(void *address)
{
	Dl_info where;

	if (dladdr(address, &where) && where.dli_fname)
		dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static void *look(const char *name)
{
	void *address = dlsym(RTLD_DEFAULT, name), *library;

	if (!address) { /* loaded, but not for everybody */
		library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
		if (!library)
			return NULL;
		address = dlsym(library, name);
		dlclose(library);
	}
	if (address)
		pin(address);
	return address;
}

/*
 * Looking is slow, so it is not done often. Threads that need a function at
 * the same time may all look for it: they all find it then.
 */
static __attribute__((noinline)) void *look_if_due(enum function f)
{
	void *address;

	if (clock_ns(CLOCK_MONOTONIC_COARSE) < atomic_load_explicit(&next_try[f], memory_order_acquire))
		return atomic_load_explicit(&found[f], memory_order_acquire);
	address = look(names[f]);
	if (address)
		atomic_store_explicit(&found[f], address, memory_order_release);
	atomic_store_explicit(&next_try[f], clock_ns(CLOCK_MONOTONIC_COARSE) + RETRY_NS, memory_order_release);
	return address;
}

static void *get(enum function f, struct device_answer *answer)
{
	void *address = atomic_load_explicit(&found[f], memory_order_acquire);

	if (!address)
		address = look_if_due(f);
	*answer = (struct device_answer){ address ? DEVICE_DONE : DEVICE_ABSENT, names[f], 0 };
	return address;
}

static void take_code(struct device_answer *answer, int code)
{
	answer->code = code;
	if (code)
		answer->verdict = DEVICE_REFUSED;
}

struct device_answer device_trace(uint64_t id, uint16_t tag, void *stream)
{
	struct device_answer answer;
	trace_function trace = (trace_function)get(TRACE, &answer);

	if (trace)
		take_code(&answer, trace(id, DEVICE_NO_MODEL, tag, stream));
	return answer;
}

struct device_answer device_stream_keeps_ops(void *stream, bool *keeps)
{
	struct device_answer answer;
	get_attribute_function get_attribute = (get_attribute_function)get(GET_ATTRIBUTE, &answer);
	uint32_t value[4] = { 0 };

	if (get_attribute)
		take_code(&answer, get_attribute(stream, STREAM_ATTRIBUTE_CACHE_OPS, value));
	*keeps = value[0];
	return answer;
}

struct device_answer device_keep_op(const void *info, size_t size)
{
	struct device_answer answer;
	cache_op_function cache_op = (cache_op_function)get(CACHE_OP, &answer);

	if (cache_op)
		take_code(&answer, cache_op(info, size));
	return answer;
}

struct device_answer device_knows_streams(void)
{
	struct device_answer answer;

	get(GET_ATTRIBUTE, &answer);
	return answer;
}

aclError device_fail(const char *call, const struct device_answer *answer, aclError refused)
{
	if (answer->verdict == DEVICE_ABSENT)
		return fail_often(ACL_ERROR_FEATURE_UNSUPPORTED,
				  "%s: no device runtime is in this process: nothing loaded has %s of " LIBRARY,
				  call, answer->function);
	return fail_often(refused, "%s: the device runtime refused: %s returned %d", call, answer->function,
			  answer->code);
}

void device_look(void)
{
	for (int f = 0; f < FUNCTIONS; f++) {
		struct device_answer answer;

		atomic_store_explicit(&next_try[f], 0, memory_order_relaxed);
		get((enum function)f, &answer);
	}
}
