/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/launch.h"

#include <string.h>

#include "annotate/pages.h"

#define STACK_BYTES (16u << 20) /* of address space: 65,536 operators without tensors */

/* At its begin; right while there is a launch. */
struct launch_stack {
	uint32_t used; /* bytes, this head included */
	uint32_t top; /* bytes of the one begun last */
};

/* It never moves, so that the device runtime may read it. */
static bool make_room(struct tx_thread *t, uint32_t need)
{
	if (!t->launches)
		t->launches = pages_get(STACK_BYTES);
	return t->launches && need <= STACK_BYTES;
}

static void copy_tensor(struct row_tensor *to, const aclprofTensor *from)
{
	to->type = from->type;
	to->format = from->format;
	to->data_type = from->dataType;
	for (uint32_t i = 0; i < ROW_TENSOR_DIMS; i++)
		to->shape[i] = i < from->shapeDim ? from->shape[i] : 0;
}

struct launch *launch_push(struct tx_thread *t, const aclprofTensorInfo *from)
{
	uint32_t depth = atomic_load_explicit(&t->launching, memory_order_relaxed);
	uint32_t used = depth ? t->launches->used : sizeof(struct launch_stack);
	uint32_t size = (uint32_t)(offsetof(struct launch, info) + launch_info_bytes(from->tensorNum) + 7) & ~7u;
	struct launch *l;

	if (!make_room(t, used + size))
		return NULL;
	l = (struct launch *)((char *)t->launches + used);
	*l = (struct launch){
		.stream = from->stream,
		.size = size,
		.below = depth ? t->launches->top : 0,
		.info = {
			.kernel_type = from->kernelType,
			.blocks = from->blockNums,
			.op_name = from->opNameId,
			.op_type = from->opTypeId,
			.nr = from->tensorNum,
		},
	};
	for (uint32_t i = 0; i < from->tensorNum; i++)
		copy_tensor(&l->info.tensor[i], &from->tensors[i]);
	t->launches->used = used + size;
	t->launches->top = size;
	atomic_store_explicit(&t->launching, depth + 1, memory_order_relaxed);
	return l;
}

struct launch *launch_top(struct tx_thread *t)
{
	if (!atomic_load_explicit(&t->launching, memory_order_relaxed))
		return NULL;
	return (struct launch *)((char *)t->launches + t->launches->used - t->launches->top);
}

void launch_pop(struct tx_thread *t)
{
	uint32_t depth = atomic_load_explicit(&t->launching, memory_order_relaxed);
	const struct launch *l = launch_top(t);

	t->launches->used -= l->size;
	t->launches->top = l->below;
	atomic_store_explicit(&t->launching, depth - 1, memory_order_relaxed);
}
