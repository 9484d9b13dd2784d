/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators under way in one thread, between aclprofRangePushEx() and
 * aclprofRangePop(): a stack in pages of its own, each with a copy of its
 * tensors, laid out as the device runtime takes it.
 */
#ifndef ASCPROF_LAUNCH_H
#define ASCPROF_LAUNCH_H

#include "acl/acl_prof.h"
#include "annotate/thread.h"

#define LAUNCH_TENSORS_MAX 1024u /* of one operator */

/* Argument of rtCacheLastTaskOpInfo(). */
struct launch_info {
	uint32_t kernel_type;
	uint32_t blocks;
	uint64_t op_name;
	uint64_t op_type;
	uint64_t zero[2];
	uint32_t flags;
	uint32_t nr;
	struct row_tensor tensor[];
};

struct launch {
	uint64_t start; /* ticks */
	void *stream;
	uint32_t size; /* bytes of all of it, a multiple of 8 */
	uint32_t below; /* bytes of the one begun before */
	struct launch_info info;
};

static inline uint32_t launch_info_bytes(uint32_t tensors)
{
	return (uint32_t)(sizeof(struct launch_info) + tensors * sizeof(struct row_tensor));
}

/* One more; NULL without memory. Its begin is the caller's to set. */
struct launch *launch_push(struct tx_thread *t, const aclprofTensorInfo *from);
struct launch *launch_top(struct tx_thread *t); /* NULL: there is none */
void launch_pop(struct tx_thread *t);

#endif /* ASCPROF_LAUNCH_H */
