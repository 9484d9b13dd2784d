/* SPDX-License-Identifier: Apache-2.0 */
/* The hot path: into and out of an annotation, and one record into the ring. */
#ifndef ASCPROF_EMIT_H
#define ASCPROF_EMIT_H

#include <string.h>

#include "acl/acl_base.h"
#include "annotate/gate.h"
#include "annotate/thread.h"
#include "clock/clock.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Not inlined: what is rare must not cost the others registers. */
struct tx_thread *emit_attach(void);
bool emit_wait(struct tx_thread *t, uint64_t need);
aclError emit_no_room(struct tx_thread *t, enum tx_kind kind);
void emit_wake(void);

enum enter { ENTER_OK, ENTER_OFF, ENTER_NO_MEMORY, ENTER_BUSY };

/*
 * Marks the calling thread as inside an annotation of the session that runs.
 * A signal handler that annotates while its thread is inside one is refused:
 * it would find the ring half changed.
 */
static inline enum enter enter(struct tx_thread **out)
{
	uint32_t state = atomic_load_explicit(&gate.state, memory_order_relaxed);
	struct tx_thread *t;

	if (!(state & GATE_ON))
		return ENTER_OFF;
	t = tx_self;
	if (unlikely(!t)) {
		t = emit_attach();
		if (!t)
			return ENTER_NO_MEMORY;
	}
	*out = t;
	if (unlikely(atomic_load_explicit(&t->busy, memory_order_relaxed)))
		return ENTER_BUSY;
	if (unlikely(state & GATE_FENCE))
		atomic_store_explicit(&t->busy, 1, memory_order_seq_cst);
	else
		atomic_store_explicit(&t->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	/* Sequentially consistent loads cost nothing more; the store above does. */
	if (unlikely(atomic_load_explicit(&gate.state, memory_order_seq_cst) != state)) {
		atomic_store_explicit(&t->busy, 0, memory_order_release);
		tx_count_refused();
		return ENTER_OFF;
	}
	/* What was pushed in a session that is over is not on the stack of this one. */
	if (unlikely(atomic_load_explicit(&t->generation, memory_order_relaxed) != state)) {
		atomic_store_explicit(&t->depth, 0, memory_order_relaxed);
		atomic_store_explicit(&t->generation, state, memory_order_relaxed);
	}
	return ENTER_OK;
}

static inline void leave(struct tx_thread *t)
{
	atomic_store_explicit(&t->busy, 0, memory_order_release);
}

static inline void count(_Atomic uint64_t *counter)
{
	/* one writer: no locked instruction */
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

static inline void copy_message(char *to, const char *from, uint32_t n)
{
	/* Overlapping moves instead of a call; both sides have room to 16 bytes. */
	if (likely(n >= 8)) {
		uint32_t i = 0;

		for (; i + 8 < n; i += 8)
			memcpy(to + i, from + i, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else {
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[i];
	}
}

/* Room for a record with a body of @body bytes, its head filled; NULL: counted why not. */
static inline __attribute__((always_inline)) struct tx_record *emit_begin(struct tx_thread *t, enum tx_kind kind,
									   uint32_t body)
{
	uint32_t need = (uint32_t)(sizeof(struct tx_record) + body + 7) & ~7u;
	uint32_t at = (uint32_t)t->w & (TX_RING_BYTES - 1);
	uint32_t to_end = TX_RING_BYTES - at;
	uint32_t pad = unlikely(need > to_end) ? to_end : 0;
	struct tx_record *r;

	count(&t->counts.produced[kind]);
	if (unlikely(t->w + pad + need - t->tail_seen > TX_RING_BYTES)) {
		t->tail_seen = atomic_load_explicit(&t->tail, memory_order_acquire);
		if (t->w + pad + need - t->tail_seen > TX_RING_BYTES && !emit_wait(t, pad + need))
			return NULL;
	}
	r = (struct tx_record *)(t->ring + at);
	if (unlikely(pad)) {
		r->len = pad;
		r->kind = TX_RECORD_PAD;
		r = (struct tx_record *)t->ring;
	}
	r->len = need;
	r->kind = (uint8_t)kind;
	t->w += pad + need;
	return r;
}

/* The record is whole: the flusher may have it. */
static inline __attribute__((always_inline)) void emit_end(struct tx_thread *t)
{
	atomic_store_explicit(&t->head, t->w, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* with gate_barrier(): see flusher.c */
	if (unlikely(t->w >= t->wake_at) ||
	    unlikely(atomic_load_explicit(&gate.sleeping, memory_order_relaxed))) {
		t->wake_at = t->w + TX_RING_BYTES / 4;
		emit_wake();
	}
}

/* Puts one finished annotation into the ring, or counts why not. */
static inline aclError emit(struct tx_thread *t, enum tx_kind kind, uint64_t start, uint64_t end,
			    const char *message, uint32_t len)
{
	struct tx_record *r = emit_begin(t, kind, len);

	if (unlikely(!r))
		return emit_no_room(t, kind);
	r->extended = false;
	r->message_len = (uint16_t)len;
	r->start = start;
	r->end = end;
	copy_message(r->body, message, len);
	emit_end(t);
	return ACL_SUCCESS;
}

/* The same with an extension, and a message of up to TX_LONG_MAX bytes. */
static inline aclError emit_extended(struct tx_thread *t, enum tx_kind kind, uint64_t start, uint64_t end,
				     const struct tx_extension *extension, const char *message, uint32_t len)
{
	struct tx_record *r = emit_begin(t, kind, (uint32_t)sizeof(*extension) + len);

	if (unlikely(!r))
		return emit_no_room(t, kind);
	r->extended = true;
	r->message_len = (uint16_t)len;
	r->start = start;
	r->end = end;
	memcpy(r->body, extension, sizeof(*extension));
	if (likely(len <= TX_MESSAGE_MAX))
		copy_message(r->body + sizeof(*extension), message, len);
	else
		memcpy(r->body + sizeof(*extension), message, len);
	emit_end(t);
	return ACL_SUCCESS;
}

static inline uint64_t next_mark_id(struct tx_thread *t)
{
	if (unlikely(t->mark_id == t->mark_ids_end))
		tx_take_mark_ids(t);
	return t->mark_id++;
}

#endif /* ASCPROF_EMIT_H */
