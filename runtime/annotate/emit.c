/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/emit.h"

#include <errno.h>

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

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Behind the limit: looks at the tail, goes on at the ring's begin, wakes the
 * flusher when there is a quarter of the ring for it. NULL: full.
 */
char *emit_make_room(struct tx_thread *t, uint32_t need)
{
	uint64_t lap_end = (t->w | (TX_RING_BYTES - 1)) + 1;
	uint32_t pad = lap_end - t->w < need ? (uint32_t)(lap_end - t->w) : 0;

	if (t->w + pad + need - t->tail_seen > TX_RING_BYTES) {
		t->tail_seen = atomic_load_explicit(&t->tail, memory_order_acquire);
		if (t->w + pad + need - t->tail_seen > TX_RING_BYTES)
			return NULL;
	}
	if (pad) {
		struct tx_record *r = (struct tx_record *)(t->ring + (t->w & (TX_RING_BYTES - 1)));

		r->len = pad;
		r->kind = TX_RECORD_PAD;
		t->w += pad;
		lap_end += TX_RING_BYTES;
	}
	if (t->w >= t->wake_at) {
		t->wake_at = t->w + TX_RING_BYTES / 4;
		emit_wake();
	}
	t->limit = least(least(t->tail_seen + TX_RING_BYTES, lap_end), t->wake_at);
	return t->ring + (t->w & (TX_RING_BYTES - 1));
}

aclError emit_no_room(struct tx_thread *t, enum tx_kind kind)
{
	count(&t->counts.dropped[kind][TX_DROP_RING_FULL]);
	emit_wake();
	return fail_often(ACL_ERROR_PROFILING_FAILURE,
			  "annotation dropped and counted: the ring of thread %u is full (%u MiB)", t->tid,
			  TX_RING_BYTES >> 20);
}
