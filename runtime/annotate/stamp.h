/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps: the objects of aclprofCreateStamp(). Each thread keeps those that it
 * frees for itself. All come from one region of address space, which is never
 * given back: so whatever a caller hands in, Python a plain number, is found
 * out without being read if it is no stamp, and a stamp used after its end too.
 */
#ifndef ASCPROF_STAMP_H
#define ASCPROF_STAMP_H

#include <stdint.h>

#include "annotate/thread.h"

#define STAMP_LIVE 0x57a3b11eu
#define STAMP_DETAILED 0x57a3de7au /* live, and `details` holds */
#define STAMP_FREE 0xdeadf4eeu

#define STAMP_SHIFT 8
#define STAMP_ALIGN (1u << STAMP_SHIFT)
#define STAMP_REGION (4ULL << 30) /* address space: 16 million stamps at a time */

struct tx_stamp {
	_Alignas(STAMP_ALIGN) struct tx_stamp *next;
	uint32_t state; /* STAMP_LIVE, STAMP_DETAILED or STAMP_FREE */
	uint64_t head; /* of its record, of plain_head() */
	char message[TX_MESSAGE_MAX + 1]; /* filled with zeros up to the next multiple of eight */
	struct tx_details details;
};

/* Readable as a whole, so that any stamp's place in it may be looked at. */
struct stamp_region {
	uintptr_t base; /* STAMP_NOWHERE until it is made */
	uint64_t used; /* bytes, and */
	uint64_t memory; /* bytes that can be written: for stamp.c */
};

#define STAMP_NOWHERE 0xffff800000000000u /* the kernel's */

extern struct stamp_region stamp_region __attribute__((visibility("hidden")));

static inline bool stamp_in_state(const void *pointer, uint32_t state)
{
	uint64_t at = (uint64_t)((uintptr_t)pointer - stamp_region.base);

	/* One comparison: low bits that should be zero become high ones. */
	return (at >> STAMP_SHIFT | at << (64 - STAMP_SHIFT)) < STAMP_REGION >> STAMP_SHIFT &&
	       ((const struct tx_stamp *)pointer)->state == state;
}

/* Stamps without details; what those with details need is asked behind it, out of the hot path. */
static inline bool stamp_is_live(const void *pointer)
{
	return stamp_in_state(pointer, STAMP_LIVE);
}

static inline bool stamp_is_detailed(const void *pointer)
{
	return stamp_in_state(pointer, STAMP_DETAILED);
}

/* From the free list of @t, which is filled when it is empty; NULL without memory. */
struct tx_stamp *stamp_take(struct tx_thread *t);
/* To the free list, or to other threads when it has too many already. */
void stamp_put(struct tx_thread *t, struct tx_stamp *stamp);
/* Takes @stamp where the thread has no context. */
void stamp_give(struct tx_stamp *stamp);
/* Around fork(): the child must not find the lists half changed. */
void stamp_fork_lock(void);
void stamp_fork_unlock(void);
void stamp_child(void); /* after stamp_fork_unlock() */

#endif /* ASCPROF_STAMP_H */
