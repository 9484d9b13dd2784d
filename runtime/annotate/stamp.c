/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/stamp.h"

#include <pthread.h>

#include "annotate/pages.h"

#define SLAB_STAMPS 16 /* that a thread takes at a time: few, for there may be many threads */
#define SLAB_BYTES (SLAB_STAMPS * sizeof(struct tx_stamp))
#define FREE_STAMPS_MAX 4096u /* a thread that only frees what others create must not keep it all */
#define GROW_BYTES (64u << 10) /* of the region at a time: whole pages, whatever their size */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tx_stamp *given; /* by threads that had no use for them */

struct stamp_region stamp_region = { .base = STAMP_NOWHERE };

static bool region_make(struct stamp_region *r)
{
	char *base;

	if (r->base != STAMP_NOWHERE)
		return true;
	base = pages_show(STAMP_REGION);
	if (base)
		r->base = (uintptr_t)base;
	return base;
}

/* The next slab of the region, which is made when first needed. */
static struct tx_stamp *slab_get(void)
{
	struct stamp_region *r = &stamp_region;
	struct tx_stamp *slab = NULL;

	pthread_mutex_lock(&lock);
	if (!region_make(r))
		goto out;
	if (r->used + SLAB_BYTES > r->memory && r->memory < STAMP_REGION &&
	    pages_use((char *)r->base + r->memory, GROW_BYTES))
		r->memory += GROW_BYTES;
	if (r->used + SLAB_BYTES <= r->memory) {
		slab = (struct tx_stamp *)(r->base + r->used);
		r->used += SLAB_BYTES;
	}
out:
	pthread_mutex_unlock(&lock);
	return slab;
}

static void take_given(struct tx_thread *t)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; given && i < SLAB_STAMPS; i++) {
		struct tx_stamp *s = given;

		given = s->next;
		s->next = t->free_stamps;
		t->free_stamps = s;
		t->nr_free_stamps++;
	}
	pthread_mutex_unlock(&lock);
}

static bool refill(struct tx_thread *t)
{
	struct tx_stamp *slab;

	take_given(t);
	if (t->free_stamps)
		return true;
	slab = slab_get();
	if (!slab)
		return false;
	for (int i = 0; i < SLAB_STAMPS; i++) {
		slab[i].state = STAMP_FREE;
		slab[i].next = i + 1 < SLAB_STAMPS ? &slab[i + 1] : NULL;
	}
	t->free_stamps = slab;
	t->nr_free_stamps = SLAB_STAMPS;
	return true;
}

struct tx_stamp *stamp_take(struct tx_thread *t)
{
	struct tx_stamp *s;

	if (!t->free_stamps && !refill(t))
		return NULL;
	s = t->free_stamps;
	t->free_stamps = s->next;
	t->nr_free_stamps--;
	return s;
}

void stamp_put(struct tx_thread *t, struct tx_stamp *stamp)
{
	if (t->nr_free_stamps >= FREE_STAMPS_MAX) {
		stamp_give(stamp);
		return;
	}
	stamp->next = t->free_stamps;
	t->free_stamps = stamp;
	t->nr_free_stamps++;
}

void stamp_give(struct tx_stamp *stamp)
{
	pthread_mutex_lock(&lock);
	stamp->next = given;
	given = stamp;
	pthread_mutex_unlock(&lock);
}

void stamp_fork_lock(void)
{
	pthread_mutex_lock(&lock);
}

void stamp_fork_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void stamp_child(void)
{
	given = NULL;
}
