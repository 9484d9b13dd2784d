/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges that any thread may end. Ids come from one 32-bit count and are found
 * by table look-up: threads take them by the block, a block's memory is used
 * again when all its ranges have ended, and is never freed, so that a stale id
 * meets a slot that holds another id, or none.
 */
#ifndef ASCPROF_RANGE_H
#define ASCPROF_RANGE_H

#include "annotate/thread.h"

#define RANGE_BLOCK_IDS 256u
#define RANGE_ENDED 1u /* no id: the first block holds 256 and up */

struct range_slot {
	_Atomic uint32_t id; /* 0 never used, RANGE_ENDED, or the open range's id */
	struct tx_open open;
};

struct range_block {
	_Atomic uint32_t left; /* ids of this block that have not ended */
	uint32_t first_id;
	struct range_block *prev; /* list of blocks in use, or of free ones */
	struct range_block *next;
	struct range_slot slot[RANGE_BLOCK_IDS];
};

/* A slot to fill and to publish; NULL without memory. */
struct range_slot *range_next(struct tx_thread *t, uint32_t *id);
void range_publish(struct range_slot *slot, uint32_t id);

enum range_end { RANGE_OK, RANGE_ENDED_BEFORE, RANGE_UNKNOWN };

/* Ends @id once: copies what was kept to @open. */
enum range_end range_end(uint32_t id, struct tx_open *open);

void range_release(struct tx_thread *t); /* its thread ends */
/* Ends all that is open, gate shut. Return: how many there were. */
uint64_t range_end_all(void);
/* Around fork(): the child must not find the lists half changed. */
void range_fork_lock(void);
void range_fork_unlock(void);
void range_child(void); /* after range_fork_unlock() */

#endif /* ASCPROF_RANGE_H */
