/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges that any thread may end. Ids come from one 32-bit count and are found
 * by table look-up: threads take them by the block, a block's memory is used
 * again when all its ranges have ended, and is never freed, so that a stale id
 * meets a slot that holds another id, or none.
 *
 * A slot holds the message. What is longer than the slot has room for lies in
 * pages of its own until the range ends.
 */
#ifndef ASCPROF_RANGE_H
#define ASCPROF_RANGE_H

#include "annotate/thread.h"

#define RANGE_BLOCK_IDS 256u
#define RANGE_ENDED 1u /* no id: the first block holds 256 and up */
#define RANGE_TEXT 256u

struct range_slot {
	_Atomic uint32_t id; /* of the open range; else another number */
	uint32_t tid; /* of the thread that began it */
	struct tx_domain *_Atomic domain; /* NULL: of aclprofRangeStart; RANGE_DETAILED */
	uint64_t start; /* ticks */
	uint32_t message_len;
	union {
		char text[RANGE_TEXT];
		char *pages; /* when message_len is above RANGE_TEXT */
		struct {
			char stamp_text[TX_MESSAGE_MAX + 1];
			struct tx_details details; /* of RANGE_DETAILED */
		};
	};
	uint64_t mark_id; /* of mstx */
	void *stream; /* of mstx: in which the device stamps its end, too; or NULL */
};

/* The "domain" of ranges of stamps that have details: those that have none pay nothing for it. */
#define RANGE_DETAILED ((struct tx_domain *)1)

struct range_block {
	_Atomic uint32_t left; /* ids of this block that have not ended, as far as its thread has told */
	_Atomic uint32_t given; /* ids of this block that were handed out: what their slots say of others is old */
	uint32_t first_id;
	struct range_block *prev; /* list of blocks in use, or of free ones */
	struct range_block *next;
	struct range_slot slot[RANGE_BLOCK_IDS];
};

typedef struct range_block *_Atomic range_place;

/* A place for each RANGE_BLOCK_IDS ids, the first of them empty: address space; memory only where used. */
extern range_place *_Atomic range_table __attribute__((visibility("hidden")));

/* What a thread without a block has as its next id: none is near. */
#define RANGE_NO_BLOCK RANGE_BLOCK_IDS

/*
 * A slot to fill and to publish, with the message in place; NULL without memory.
 * @message_len: up to TX_LONG_MAX
 */
struct range_slot *range_next(struct tx_thread *t, uint32_t *id, const char *message, uint32_t message_len);

/* Keeps the compiler from computing each member's address anew, for which it would save registers. */
static inline struct range_slot *range_one_address(struct range_slot *slot)
{
	__asm__("" : "+r"(slot));
	return slot;
}

/* A slot without a message; NULL when a block has to be taken first. */
static inline struct range_slot *range_next_quickly(struct tx_thread *t, uint32_t *id)
{
	uint32_t next = t->range_id;

	if (__builtin_expect(next % RANGE_BLOCK_IDS == 0, 0))
		return NULL;
	t->range_id = next + 1;
	*id = next;
	atomic_store_explicit(&t->ranges->given, next % RANGE_BLOCK_IDS + 1, memory_order_relaxed);
	return range_one_address(&t->ranges->slot[next % RANGE_BLOCK_IDS]);
}

static inline void range_publish(struct range_slot *slot, uint32_t id)
{
	atomic_store_explicit(&slot->id, id, memory_order_release);
}

static inline const char *range_message(const struct range_slot *slot)
{
	return slot->message_len > RANGE_TEXT ? slot->pages : slot->text;
}

enum range_end { RANGE_OK, RANGE_ENDED_BEFORE, RANGE_OTHER_DOMAIN, RANGE_UNKNOWN };

/* Ends @id of @domain once. RANGE_OK: @slot is the caller's until range_put(). */
enum range_end range_take(uint32_t id, const struct tx_domain *domain, struct range_slot **slot);
void range_put(struct tx_thread *t, struct range_slot *slot, uint32_t id);

/* The same for an open one of a stamp without details; NULL: range_take() tells why not. */
static inline struct range_slot *range_take_quickly(uint32_t id)
{
	range_place *table = atomic_load_explicit(&range_table, memory_order_acquire);
	struct range_slot *slot;
	struct range_block *b;

	if (__builtin_expect(!table, 0))
		return NULL;
	b = atomic_load_explicit(&table[id / RANGE_BLOCK_IDS], memory_order_acquire);
	if (__builtin_expect(!b, 0))
		return NULL;
	slot = range_one_address(&b->slot[id % RANGE_BLOCK_IDS]);
	if (atomic_load_explicit(&slot->id, memory_order_acquire) != id ||
	    atomic_load_explicit(&slot->domain, memory_order_relaxed) ||
	    !atomic_compare_exchange_strong_explicit(&slot->id, &id, RANGE_ENDED, memory_order_acquire,
						     memory_order_relaxed))
		return NULL;
	return slot;
}

/*
 * What a thread ends of the block that it takes ids from is counted by itself,
 * without a locked instruction, until it takes another block. False: another's.
 */
static inline bool range_put_quickly(struct tx_thread *t, uint32_t id)
{
	if (__builtin_expect((t->range_id - 1) / RANGE_BLOCK_IDS != id / RANGE_BLOCK_IDS, 0))
		return false;
	t->ranges_ended++;
	return true;
}

void range_release(struct tx_thread *t); /* its thread ends */
/*
 * How many are open, by tx_kind, while others begin and end them: of the newest blocks exactly, of
 * blocks beyond COUNT_BLOCKS as their threads have told.
 */
void range_count(uint64_t open[TX_KINDS]);
/* Ends all that is open, gate shut: how many there were, by tx_kind. */
void range_end_all(uint64_t open[TX_KINDS], struct tx_oldest *oldest);
/* Around fork(): the child must not find the lists half changed. */
void range_fork_lock(void);
void range_fork_unlock(void);
void range_child(void); /* after range_fork_unlock() */

#endif /* ASCPROF_RANGE_H */
