/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device runtime (libruntime.so), as far as it takes part in annotations:
 * it has a device stamp an event in a stream, and knows what a stream is set
 * to. It is found among what the process has loaded, never loaded by us.
 *
 * Its functions may block, and may annotate: they are called with no lock
 * held and outside of annotations. Not for signal handlers.
 */
#ifndef ASCPROF_DEVICE_TRACE_H
#define ASCPROF_DEVICE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

/* What the readers of the device's records expect of ours. */
#define DEVICE_NO_MODEL 0xFFFFFFFFu
#define DEVICE_TAG_MARK 11u
#define DEVICE_TAG_RANGE 12u /* begin and end of one, with the same id */

enum device_verdict { DEVICE_DONE, DEVICE_ABSENT, DEVICE_REFUSED };

struct device_answer {
	enum device_verdict verdict;
	const char *function;
	int code; /* that it returned */
};

/* The device shall stamp @id in @stream, which may be NULL: the default one. */
struct device_answer device_trace(uint64_t id, uint16_t tag, void *stream);

/* Whether a captured @stream keeps the operators of its tasks itself. */
struct device_answer device_stream_keeps_ops(void *stream, bool *keeps);
struct device_answer device_keep_op(const void *info, size_t size);
/* Whether device_stream_keeps_ops() has anybody to ask. */
struct device_answer device_knows_streams(void);

/* Tells what is wrong. Return: 200006, or @refused. */
aclError device_fail(const char *call, const struct device_answer *answer, aclError refused);

/*
 * Looks for all functions, so that the first annotation need not; what is
 * missing then is looked for again when it is needed, ten times a second at
 * most. Takes the loader's lock: to be called with none held.
 */
void device_look(void);

#endif /* ASCPROF_DEVICE_TRACE_H */
