/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/emit.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "log/cancel.h"
#include "log/log.h"

struct tx_thread *emit_attach(void)
{
	int saved = errno;
	struct tx_thread *t = tx_attach();

	errno = saved;
	return t;
}

void emit_wake(void)
{
	int fd = atomic_load_explicit(&gate.wake_fd, memory_order_acquire);
	int saved = errno;

	/* One of many threads is enough to wake the flusher. */
	atomic_store_explicit(&gate.sleeping, 0, memory_order_relaxed);
	if (fd >= 0 && cancel_free_wake(fd) < 0)
		errno = saved; /* the counter is at its limit: awake already */
}

/* No cancellation point: the thread is inside an annotation. */
static void pause_ms(void)
{
	struct timespec t = { .tv_nsec = 1000000 };

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
}

/*
 * For ASCPROF_ON_FULL=wait: until an eighth of the ring is free, so that a
 * program that is faster than the disk is woken rarely. Not beyond the session
 * that the annotation belongs to: Stop waits for it to leave.
 * Return: whether there is room for @need bytes.
 */
static bool wait_for_room(struct tx_thread *t, uint64_t need)
{
	uint32_t state = atomic_load_explicit(&t->generation, memory_order_relaxed);
	uint64_t w = atomic_load_explicit(&t->head, memory_order_relaxed);
	uint64_t most = TX_RING_BYTES - (need > TX_RING_BYTES / 8 ? need : TX_RING_BYTES / 8);
	int saved = errno;

	while (w - t->tail_seen > most && atomic_load_explicit(&gate.waits, memory_order_relaxed) &&
	       atomic_load_explicit(&gate.state, memory_order_relaxed) == state) {
		emit_wake();
		pause_ms();
		t->tail_seen = atomic_load_explicit(&t->tail, memory_order_acquire);
	}
	errno = saved;
	return w + need - t->tail_seen <= TX_RING_BYTES;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Behind the limit: looks at the tail, goes on at the ring's begin, wakes the
 * flusher when there is a quarter of the ring for it, and in the first lap more
 * often: it has the memory made. NULL: full.
 */
struct tx_record *emit_make_room(struct tx_thread *t, uint32_t len)
{
	uint64_t w = atomic_load_explicit(&t->head, memory_order_relaxed);
	uint64_t lap_end = (w | (TX_RING_BYTES - 1)) + 1;
	uint32_t need = len + COPIED_AT_LEAST;
	uint32_t pad = lap_end - w < need ? (uint32_t)(lap_end - w) : 0;

	if (w + pad + need - t->tail_seen > TX_RING_BYTES) {
		t->tail_seen = atomic_load_explicit(&t->tail, memory_order_acquire);
		if (w + pad + need - t->tail_seen > TX_RING_BYTES && !wait_for_room(t, pad + need))
			return NULL;
	}
	if (pad) {
		struct tx_record *r = (struct tx_record *)(t->ring + (w & (TX_RING_BYTES - 1)));

		r->len = pad;
		r->kind = TX_RECORD_PAD;
		w += pad;
		lap_end += TX_RING_BYTES;
		atomic_store_explicit(&t->head, w, memory_order_release);
	}
	if (w >= t->wake_at) {
		t->wake_at = w + (w < TX_RING_BYTES ? TX_FIRST_WAKE : TX_RING_BYTES / 4);
		emit_wake();
	}
	t->limit = least(least(t->tail_seen + TX_RING_BYTES, lap_end) - COPIED_AT_LEAST, t->wake_at);
	return (struct tx_record *)(t->ring + (w & (TX_RING_BYTES - 1)));
}

aclError emit_no_room(struct tx_thread *t, enum tx_kind kind)
{
	count(&t->counts.produced[kind]);
	count(&t->counts.dropped[kind][TX_DROP_RING_FULL]);
	emit_wake();
	return fail_often(ACL_ERROR_PROFILING_FAILURE,
			  "%s dropped and counted: the ring of thread %u is full (%u MiB)",
			  kind < TX_KIND_TENSOR ? "annotation" : "report", t->tid, TX_RING_BYTES >> 20);
}

aclError emit_slowly(struct tx_thread *t, uint64_t head, uint64_t start, uint64_t end, const char *message)
{
	enum tx_kind kind = (enum tx_kind)(head >> 32 & 0xff);
	struct tx_record *r = emit_begin(t, kind, head_message_len(head));
	aclError ret = ACL_SUCCESS;

	if (r) {
		memcpy(r, &head, sizeof(head));
		r->start = start;
		r->end = end;
		copy_pieces(r->body, message, head_message_len(head));
		emit_end(t, r);
	} else {
		ret = emit_no_room(t, kind);
	}
	leave(t);
	return ret;
}

aclError emit_wake_and_leave(struct tx_thread *t)
{
	emit_wake();
	leave(t);
	return ACL_SUCCESS;
}
