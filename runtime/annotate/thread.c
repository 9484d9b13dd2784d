/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/thread.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "annotate/by_thread.h"
#include "annotate/emit.h"
#include "annotate/pages.h"
#include "annotate/range.h"

_Thread_local struct tx_thread *tx_self;

static struct tx_thread *_Atomic threads;
static pthread_key_t exit_key;
static bool key_made;
static struct by_thread gone; /* of contexts that other threads may have; the flusher's own */
static struct tx_counts lost_outside; /* of threads that could get no context */
static _Atomic uint64_t refused;

/* Whether `depth` and `launching` are of the session that runs now, or ran last. */
static bool is_current(struct tx_thread *t)
{
	uint32_t now = atomic_load_explicit(&gate.state, memory_order_relaxed);
	uint32_t then = atomic_load_explicit(&t->generation, memory_order_relaxed);

	return !((now ^ then) & ~(GATE_ON | GATE_REPORTS));
}

static uint32_t open_depth(struct tx_thread *t)
{
	return is_current(t) ? atomic_load_explicit(&t->depth, memory_order_relaxed) : 0;
}

static uint32_t open_launches(struct tx_thread *t)
{
	return is_current(t) ? atomic_load_explicit(&t->launching, memory_order_relaxed) : 0;
}

static void thread_gone(void *arg)
{
	struct tx_thread *t = arg;

	/* A handler that annotates could need the lock that is taken here. */
	atomic_store_explicit(&t->pass, TX_INSIDE, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	range_release(t);
	atomic_fetch_add_explicit(&t->counts.left_pushed, open_depth(t), memory_order_relaxed);
	atomic_fetch_add_explicit(&t->counts.left_launching, open_launches(t), memory_order_relaxed);
	atomic_store_explicit(&t->depth, 0, memory_order_relaxed);
	atomic_store_explicit(&t->launching, 0, memory_order_relaxed);
	tx_self = NULL;
	leave(t);
	atomic_store_explicit(&t->life, TX_ORPHAN, memory_order_release);
}

int tx_threads_setup(void)
{
	int err;

	if (key_made)
		return 0;
	err = pthread_key_create(&exit_key, thread_gone);
	key_made = !err;
	return err;
}

static struct tx_thread *adopt(void)
{
	for (struct tx_thread *t = tx_threads(); t; t = t->next) {
		uint32_t want = TX_FREE;

		if (!atomic_compare_exchange_strong(&t->life, &want, TX_LIVE))
			continue;
		t->ring = pages_get(TX_RING_BYTES);
		if (t->ring)
			return t;
		atomic_store_explicit(&t->life, TX_FREE, memory_order_release);
		break;
	}
	return NULL;
}

#define AHEAD (4u << 20)
#define BURST (64u << 10) /* in the ring at once: others have memory as they touch it */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

void tx_ring_ahead(struct tx_thread *t, uint64_t head)
{
	uint64_t to, tail = atomic_load_explicit(&t->tail, memory_order_relaxed);

	if (t->ready >= TX_RING_BYTES || head - tail < BURST || head + AHEAD / 2 < t->ready)
		return;
	to = (head + AHEAD) / AHEAD * AHEAD;
	if (to > TX_RING_BYTES)
		to = TX_RING_BYTES;
	/*
	 * Huge pages, for they are cheaper to make and to walk; only now, since a
	 * thread that says little should not take two megabytes for it. Where the
	 * kernel cannot do it, pages come when they are touched.
	 */
	madvise(t->ring + t->ready, to - t->ready, MADV_HUGEPAGE);
	if (to > t->ready && madvise(t->ring + t->ready, to - t->ready, MADV_POPULATE_WRITE))
		to = TX_RING_BYTES;
	t->ready = to;
}

static struct tx_thread *create(void)
{
	struct tx_thread *t = pages_get(sizeof(*t));

	if (!t)
		return NULL;
	t->ring = pages_get(TX_RING_BYTES);
	if (!t->ring) {
		munmap(t, sizeof(*t));
		return NULL;
	}
	t->wake_at = TX_FIRST_WAKE / 4;
	t->range_id = RANGE_NO_BLOCK;
	t->next = atomic_load_explicit(&threads, memory_order_relaxed);
	while (!atomic_compare_exchange_weak(&threads, &t->next, t))
		;
	return t;
}

struct tx_thread *tx_attach(void)
{
	struct tx_thread *t = adopt();

	if (!t)
		t = create();
	if (!t)
		return NULL;
	atomic_store_explicit(&t->tid, (uint32_t)syscall(SYS_gettid), memory_order_relaxed);
	if (pthread_setspecific(exit_key, t)) {
		atomic_store_explicit(&t->life, TX_ORPHAN, memory_order_release);
		return NULL;
	}
	tx_self = t;
	return t;
}

struct tx_thread *tx_threads(void)
{
	return atomic_load_explicit(&threads, memory_order_acquire);
}

void tx_threads_child(void)
{
	/* The contexts of threads that do not exist here are left behind: the
	 * memory is the child's own copy, and nobody knows what state it was in. */
	atomic_store_explicit(&threads, NULL, memory_order_relaxed);
	tx_self = NULL;
	if (key_made)
		pthread_setspecific(exit_key, NULL);
	memset(&lost_outside, 0, sizeof(lost_outside));
}

void tx_count_lost(enum tx_kind kind, enum tx_drop why)
{
	struct tx_thread *t = why == TX_DROP_REENTRANT ? tx_self : NULL;
	struct tx_counts *c = t ? &t->counts : &lost_outside;

	/* What a handler interrupted may be about to count, too; but never this. */
	if (!t)
		atomic_fetch_add_explicit(&c->produced[kind], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&c->dropped[kind][why], 1, memory_order_relaxed);
}

void tx_take_mark_ids(struct tx_thread *t)
{
	static _Atomic uint64_t next = 1;

	t->mark_id = atomic_fetch_add_explicit(&next, TX_MARK_IDS, memory_order_relaxed);
	t->mark_ids_end = t->mark_id + TX_MARK_IDS;
}

void tx_count_refused(void)
{
	atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed);
}

static void counts_zero(struct tx_counts *c)
{
	for (int k = 0; k < TX_KINDS; k++) {
		atomic_store_explicit(&c->produced[k], 0, memory_order_relaxed);
		for (int d = 0; d < TX_DROPS; d++)
			atomic_store_explicit(&c->dropped[k][d], 0, memory_order_relaxed);
	}
}

static void counts_reset(struct tx_counts *c)
{
	counts_zero(c);
	atomic_store_explicit(&c->left_pushed, 0, memory_order_relaxed);
	atomic_store_explicit(&c->left_launching, 0, memory_order_relaxed);
}

static void counts_read(struct thread_count *out, struct tx_counts *c)
{
	for (int k = 0; k < TX_KINDS; k++) {
		out->produced[k] = atomic_load_explicit(&c->produced[k], memory_order_relaxed);
		for (int d = 0; d < TX_DROPS; d++)
			out->dropped[k][d] = atomic_load_explicit(&c->dropped[k][d], memory_order_relaxed);
	}
}

static void thread_read(struct thread_count *out, struct tx_thread *t)
{
	*out = (struct thread_count){ .tid = atomic_load_explicit(&t->tid, memory_order_relaxed) };
	counts_read(out, &t->counts);
	memcpy(out->taken, t->taken, sizeof(out->taken));
	for (int k = 0; k < TX_KINDS; k++)
		out->produced[k] += out->dropped[k][TX_DROP_REENTRANT];
}

void tx_totals_reset(void)
{
	counts_reset(&lost_outside);
	by_thread_reset(&gone);
	atomic_store_explicit(&refused, 0, memory_order_relaxed);
	for (struct tx_thread *t = tx_threads(); t; t = t->next) {
		counts_reset(&t->counts);
		memset(t->taken, 0, sizeof(t->taken));
	}
}

static void totals_add(struct tx_totals *out, const struct thread_count *one)
{
	for (int k = 0; k < TX_KINDS; k++) {
		out->produced[k] += one->produced[k];
		for (int d = 0; d < TX_DROPS; d++)
			out->dropped[k][d] += one->dropped[k][d];
	}
}

void tx_totals_read(struct tx_totals *out, struct by_thread *by_thread)
{
	struct thread_count one = { 0 };

	memset(out, 0, sizeof(*out));
	*by_thread = gone;
	counts_read(&one, &lost_outside);
	by_thread_add(by_thread, &one);
	out->refused = atomic_load_explicit(&refused, memory_order_relaxed);
	for (struct tx_thread *t = tx_threads(); t; t = t->next) {
		thread_read(&one, t);
		by_thread_add(by_thread, &one);
		out->left_pushed += atomic_load_explicit(&t->counts.left_pushed, memory_order_relaxed) + open_depth(t);
		out->left_launching += atomic_load_explicit(&t->counts.left_launching, memory_order_relaxed) +
				       open_launches(t);
	}
	for (uint32_t i = 0; i < by_thread->n; i++)
		totals_add(out, &by_thread->thread[i]);
	totals_add(out, &by_thread->others);
}

void tx_oldest_see(struct tx_oldest *oldest, uint64_t start, const char *message, uint32_t len)
{
	if (oldest->start && oldest->start <= start)
		return;
	oldest->start = start;
	oldest->message_len = len < TX_MESSAGE_MAX ? len : TX_MESSAGE_MAX;
	memcpy(oldest->message, message, oldest->message_len);
	oldest->message[oldest->message_len] = '\0';
}

void tx_oldest_pushed(struct tx_oldest *oldest)
{
	for (struct tx_thread *t = tx_threads(); t; t = t->next)
		if (open_depth(t)) /* the lowest level began first */
			tx_oldest_see(oldest, t->pushed->start, t->pushed->message,
				      head_message_len(t->pushed->head));
}

void tx_recycle(struct tx_thread *t)
{
	struct thread_count one;

	if (atomic_load_explicit(&t->life, memory_order_acquire) != TX_ORPHAN ||
	    atomic_load_explicit(&t->head, memory_order_acquire) !=
		    atomic_load_explicit(&t->tail, memory_order_relaxed))
		return;
	thread_read(&one, t);
	by_thread_add(&gone, &one);
	/* What it left open stays: that is the session's. */
	counts_zero(&t->counts);
	memset(t->taken, 0, sizeof(t->taken));
	/* Its addresses too: of threads that come and go, many may have gone since the last look. */
	munmap(t->ring, TX_RING_BYTES);
	atomic_store_explicit(&t->life, TX_FREE, memory_order_release);
}
