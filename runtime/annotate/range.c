/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/range.h"

#include <pthread.h>
#include <string.h>

#include "annotate/emit.h"
#include "annotate/pages.h"

#define BLOCKS (1u << 24) /* times RANGE_BLOCK_IDS: all 32-bit ids */
#define COUNT_BLOCKS 256

struct seen_block {
	struct range_block *block;
	uint32_t first_id, given;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
range_place *_Atomic range_table;
static _Atomic uint32_t next_block = 1;
static bool wrapped;
static struct range_block *in_use;
static struct range_block *unused;

static void list_add(struct range_block **list, struct range_block *b)
{
	b->prev = NULL;
	b->next = *list;
	if (*list)
		(*list)->prev = b;
	*list = b;
}

static void list_del(struct range_block **list, struct range_block *b)
{
	if (b->prev)
		b->prev->next = b->next;
	else
		*list = b->next;
	if (b->next)
		b->next->prev = b->prev;
}

static bool table_make(void)
{
	void *p;

	if (atomic_load_explicit(&range_table, memory_order_relaxed))
		return true;
	p = pages_get(BLOCKS * sizeof(range_place));
	if (!p)
		return false;
	atomic_store_explicit(&range_table, p, memory_order_release);
	return true;
}

/* A place in the table that no open block holds; ids may have gone round once. */
static uint32_t free_place(range_place *table)
{
	uint32_t place = atomic_load_explicit(&next_block, memory_order_relaxed);

	for (;;) {
		if (place >= BLOCKS) {
			place = 1;
			wrapped = true;
		}
		if (!atomic_load_explicit(&table[place], memory_order_relaxed))
			break;
		place++;
	}
	atomic_store_explicit(&next_block, place + 1, memory_order_relaxed);
	return place;
}

static __attribute__((noinline)) struct range_block *block_take(void)
{
	struct range_block *b = NULL;
	uint32_t place;

	pthread_mutex_lock(&lock);
	if (!table_make())
		goto out;
	if (unused) {
		b = unused;
		list_del(&unused, b);
	} else {
		b = pages_get(sizeof(*b));
		if (!b)
			goto out;
	}
	atomic_store_explicit(&b->given, 0, memory_order_relaxed);
	atomic_store_explicit(&b->left, RANGE_BLOCK_IDS, memory_order_relaxed);
	place = free_place(range_table);
	b->first_id = place * RANGE_BLOCK_IDS;
	list_add(&in_use, b);
	atomic_store_explicit(&range_table[place], b, memory_order_release);
out:
	pthread_mutex_unlock(&lock);
	return b;
}

static void block_retire_locked(struct range_block *b)
{
	atomic_store_explicit(&range_table[b->first_id / RANGE_BLOCK_IDS], NULL, memory_order_release);
	list_del(&in_use, b);
	list_add(&unused, b);
}

static void block_less(struct range_block *b, uint32_t n)
{
	if (!n) /* whoever ended the last one has retired it, maybe long ago */
		return;
	if (atomic_fetch_sub_explicit(&b->left, n, memory_order_acq_rel) != n)
		return;
	pthread_mutex_lock(&lock);
	block_retire_locked(b);
	pthread_mutex_unlock(&lock);
}

static __attribute__((noinline)) char *pages_with(const char *message, uint32_t len)
{
	char *pages = pages_get(len);

	if (pages)
		memcpy(pages, message, len);
	return pages;
}

/* A block whose ids are all given out retires when its last range ends. */
static struct range_slot *next_of_new_block(struct tx_thread *t, uint32_t *id)
{
	range_release(t);
	t->ranges = block_take();
	if (!t->ranges)
		return NULL;
	*id = t->ranges->first_id;
	t->range_id = *id + 1;
	atomic_store_explicit(&t->ranges->given, 1, memory_order_relaxed);
	return &t->ranges->slot[0];
}

struct range_slot *range_next(struct tx_thread *t, uint32_t *id, const char *message, uint32_t message_len)
{
	struct range_slot *slot;
	char *pages = NULL;

	if (message_len > RANGE_TEXT) {
		pages = pages_with(message, message_len);
		if (!pages)
			return NULL;
	}
	slot = range_next_quickly(t, id);
	if (!slot)
		slot = next_of_new_block(t, id);
	if (!slot) {
		if (pages)
			munmap(pages, message_len);
		return NULL;
	}
	slot->message_len = message_len;
	if (pages)
		slot->pages = pages;
	else
		copy_message(slot->text, message, message_len);
	return slot;
}

enum range_end range_take(uint32_t id, const struct tx_domain *domain, struct range_slot **out)
{
	range_place *table = atomic_load_explicit(&range_table, memory_order_acquire);
	uint32_t place = id / RANGE_BLOCK_IDS, seen;
	struct range_block *b;
	struct range_slot *slot;

	if (!table || !place)
		return RANGE_UNKNOWN;
	b = atomic_load_explicit(&table[place], memory_order_acquire);
	if (!b)
		return place < atomic_load_explicit(&next_block, memory_order_relaxed) || wrapped ?
			       RANGE_ENDED_BEFORE : RANGE_UNKNOWN;
	slot = &b->slot[id % RANGE_BLOCK_IDS];
	seen = atomic_load_explicit(&slot->id, memory_order_acquire);
	/* Ids do not come back: if the exchange below finds @id, this was its domain. */
	if (seen == id && atomic_load_explicit(&slot->domain, memory_order_relaxed) != domain)
		return RANGE_OTHER_DOMAIN;
	if (seen != id || !atomic_compare_exchange_strong_explicit(&slot->id, &seen, RANGE_ENDED,
								   memory_order_acquire, memory_order_relaxed))
		/* Over, or not handed out yet; or the block has gone on to other ids. */
		return id % RANGE_BLOCK_IDS < atomic_load_explicit(&b->given, memory_order_relaxed) ||
				       atomic_load_explicit(&table[place], memory_order_acquire) != b ?
			       RANGE_ENDED_BEFORE : RANGE_UNKNOWN;
	*out = slot;
	return RANGE_OK;
}

static void pages_drop(struct range_slot *slot)
{
	if (slot->message_len > RANGE_TEXT)
		munmap(slot->pages, slot->message_len);
}

void range_put(struct tx_thread *t, struct range_slot *slot, uint32_t id)
{
	struct range_slot *first = slot - id % RANGE_BLOCK_IDS;

	pages_drop(slot);
	if (!range_put_quickly(t, id))
		block_less((struct range_block *)((char *)first - offsetof(struct range_block, slot)), 1);
}

void range_release(struct tx_thread *t)
{
	if (!t->ranges)
		return;
	block_less(t->ranges, t->ranges_ended + RANGE_BLOCK_IDS - 1 - (t->range_id - 1) % RANGE_BLOCK_IDS);
	t->ranges = NULL;
	t->range_id = RANGE_NO_BLOCK;
	t->ranges_ended = 0;
}

static enum tx_kind kind_of(struct range_slot *slot)
{
	const struct tx_domain *domain = atomic_load(&slot->domain);

	return domain && domain != RANGE_DETAILED ? TX_KIND_MSTX_RANGE : TX_KIND_RANGE;
}

static void count_block(const struct seen_block *s, uint64_t open[TX_KINDS])
{
	for (uint32_t i = 0; i < s->given; i++) {
		struct range_slot *slot = &s->block->slot[i];

		/* In another life of the block no id is the same. */
		if (atomic_load_explicit(&slot->id, memory_order_acquire) == s->first_id + i)
			open[kind_of(slot)]++;
	}
}

void range_count(uint64_t open[TX_KINDS])
{
	struct seen_block seen[COUNT_BLOCKS];
	unsigned int nr = 0;

	open[TX_KIND_RANGE] = open[TX_KIND_MSTX_RANGE] = 0;
	/* Who needs a new block waits for this, so slots are not looked at here. */
	pthread_mutex_lock(&lock);
	for (struct range_block *b = in_use; b; b = b->next) {
		uint32_t given = atomic_load_explicit(&b->given, memory_order_relaxed);

		if (nr < COUNT_BLOCKS) {
			seen[nr++] = (struct seen_block){ b, b->first_id, given };
		} else {
			uint32_t left = atomic_load_explicit(&b->left, memory_order_relaxed), free = RANGE_BLOCK_IDS - given;

			open[kind_of(b->slot)] += left > free ? left - free : 0;
		}
	}
	pthread_mutex_unlock(&lock);
	for (unsigned int i = 0; i < nr; i++)
		count_block(&seen[i], open);
}

void range_end_all(uint64_t open[TX_KINDS], struct tx_oldest *oldest)
{
	struct range_block *b, *next;

	open[TX_KIND_RANGE] = open[TX_KIND_MSTX_RANGE] = 0;
	pthread_mutex_lock(&lock);
	for (b = in_use; b; b = next) {
		uint32_t here = 0;

		next = b->next;
		for (uint32_t i = 0; i < RANGE_BLOCK_IDS; i++) {
			struct range_slot *slot = &b->slot[i];
			uint32_t id = b->first_id + i;

			if (!atomic_compare_exchange_strong(&slot->id, &id, RANGE_ENDED))
				continue;
			open[kind_of(slot)]++;
			tx_oldest_see(oldest, slot->start, range_message(slot), slot->message_len);
			pages_drop(slot);
			here++;
		}
		if (here && atomic_fetch_sub(&b->left, here) == here)
			block_retire_locked(b);
	}
	pthread_mutex_unlock(&lock);
}

void range_fork_lock(void)
{
	pthread_mutex_lock(&lock);
}

void range_fork_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void range_child(void)
{
	/* The parent's open ranges are not the child's. Numbers go on, so that
	 * an id from before the fork is refused here. */
	for (struct range_block *b = in_use; b; b = b->next)
		for (uint32_t i = 0; i < RANGE_BLOCK_IDS; i++)
			atomic_store_explicit(&b->slot[i].id, RANGE_ENDED, memory_order_relaxed);
	in_use = NULL;
	unused = NULL;
}
