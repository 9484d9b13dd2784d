/* SPDX-License-Identifier: Apache-2.0 */
/* The hot path: into and out of an annotation, and one record into the ring. */
#ifndef ASCPROF_EMIT_H
#define ASCPROF_EMIT_H

#include <string.h>

#include "acl/acl_base.h"
#include "annotate/gate.h"
#include "annotate/thread.h"
#include "clock/clock.h"

/* A report begins as other records do. */
_Static_assert(offsetof(struct tx_report, kind) == offsetof(struct tx_record, kind), "reports in the ring");
_Static_assert(offsetof(struct tx_report, has) == offsetof(struct tx_record, has), "reports in the ring");
_Static_assert(offsetof(struct tx_report, row) == offsetof(struct tx_record, start), "reports in the ring");

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Not inlined: what is rare must not cost the others registers. */
struct tx_thread *emit_attach(void);
char *emit_make_room(struct tx_thread *t, uint32_t need);
aclError emit_no_room(struct tx_thread *t, enum tx_kind kind);
void emit_wake(void);

enum enter { ENTER_OK, ENTER_OFF, ENTER_NO_MEMORY, ENTER_BUSY };

/*
 * Marks the calling thread as inside an annotation of the session that runs.
 * A signal handler that annotates while its thread is inside one is refused:
 * it would find the ring half changed.
 */
static inline enum enter enter_for(uint32_t what, struct tx_thread **out)
{
	uint32_t state = atomic_load_explicit(&gate.state, memory_order_relaxed);
	struct tx_thread *t;

	if (!(state & what))
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
		atomic_store_explicit(&t->launching, 0, memory_order_relaxed);
		atomic_store_explicit(&t->generation, state, memory_order_relaxed);
		atomic_store_explicit(&t->quick, state & GATE_FENCE ? 0 : state, memory_order_relaxed);
	}
	return ENTER_OK;
}

static inline enum enter enter(struct tx_thread **out)
{
	return enter_for(GATE_ON, out);
}

/*
 * The same where nothing is in the way, which is nearly always. NULL: enter()
 * finds out what is; what comes then is best made apart and not inlined.
 */
static inline __attribute__((always_inline)) struct tx_thread *enter_quickly_for(uint32_t what)
{
	uint32_t state = atomic_load_explicit(&gate.state, memory_order_relaxed);
	struct tx_thread *t = tx_self;

	if (unlikely(!(state & what)) || unlikely(!t) ||
	    unlikely(atomic_load_explicit(&t->quick, memory_order_relaxed) != state) ||
	    unlikely(atomic_load_explicit(&t->busy, memory_order_relaxed)))
		return NULL;
	atomic_store_explicit(&t->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (likely(atomic_load_explicit(&gate.state, memory_order_seq_cst) == state))
		return t;
	atomic_store_explicit(&t->busy, 0, memory_order_release);
	tx_count_refused();
	return NULL;
}

static inline __attribute__((always_inline)) struct tx_thread *enter_quickly(void)
{
	return enter_quickly_for(GATE_ON);
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

/* Moves that may overlap: fewer than a call costs. Nothing beyond @n bytes is read or written. */
static inline __attribute__((always_inline)) void copy_message(char *to, const char *from, uint32_t n)
{
	if (likely(n >= 8)) {
		for (uint32_t i = 0; i + 8 < n; i += 8)
			memcpy(to + i, from + i, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else {
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[i];
	}
}

#define PAGE_AT_LEAST 4096u

/*
 * Copies a text of the program's that has no zero in its @n bytes. False when
 * it may have one, or is short: @to is then undefined, and the text has to be
 * looked at byte by byte, for what is behind a zero may not be there to be
 * read. Within a page it always is; but the address sanitizer knows better.
 */
static inline __attribute__((always_inline)) bool copy_has_no_zero(char *to, const char *from, uint32_t n)
{
#if defined(__SANITIZE_ADDRESS__)
	(void)to;
	(void)from;
	(void)n;
	return false;
#else
	const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
	uint64_t word, zero = 0;

	if (unlikely(((uintptr_t)from & (PAGE_AT_LEAST - 1)) + n > PAGE_AT_LEAST) || unlikely(n < 8))
		return false;
	for (uint32_t i = 0; i + 8 < n; i += 8) {
		memcpy(&word, from + i, 8);
		memcpy(to + i, &word, 8);
		zero |= (word - ones) & ~word;
	}
	memcpy(&word, from + n - 8, 8);
	memcpy(to + n - 8, &word, 8);
	zero |= (word - ones) & ~word;
	return likely(!(zero & highs));
#endif
}

/* Room for a record with a body of @body bytes, its head filled; NULL: counted why not. */
static inline __attribute__((always_inline)) struct tx_record *emit_begin(struct tx_thread *t, enum tx_kind kind,
									   uint32_t body)
{
	uint32_t need = (uint32_t)(sizeof(struct tx_record) + body + 7) & ~7u;
	struct tx_record *r = (struct tx_record *)(t->ring + (t->w & (TX_RING_BYTES - 1)));

	count(&t->counts.produced[kind]);
	if (unlikely(t->w + need > t->limit)) {
		r = (struct tx_record *)emit_make_room(t, need);
		if (!r)
			return NULL;
	}
	r->len = need;
	r->kind = (uint8_t)kind;
	t->w += need;
	return r;
}

/* The record is whole: the flusher may have it. */
static inline __attribute__((always_inline)) void emit_end(struct tx_thread *t)
{
	atomic_store_explicit(&t->head, t->w, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* with gate_barrier(): see flusher.c */
	if (unlikely(atomic_load_explicit(&gate.sleeping, memory_order_relaxed)))
		emit_wake();
}

/* Puts one finished annotation into the ring, or counts why not. */
static inline __attribute__((always_inline)) aclError emit(struct tx_thread *t, enum tx_kind kind, uint64_t start,
							    uint64_t end, const char *message, uint32_t len)
{
	struct tx_record *r = emit_begin(t, kind, len);

	if (unlikely(!r))
		return emit_no_room(t, kind);
	r->has = TX_BODY_PLAIN;
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
	r->has = TX_BODY_EXTENDED;
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

/* The same for a stamp with details: rare, and so not for speed. */
static inline aclError emit_detailed(struct tx_thread *t, enum tx_kind kind, uint64_t start, uint64_t end,
				     const struct tx_details *details, const char *message, uint32_t len)
{
	struct tx_record *r = emit_begin(t, kind, (uint32_t)sizeof(*details) + len);

	if (!r)
		return emit_no_room(t, kind);
	r->has = TX_BODY_DETAILED;
	r->message_len = (uint16_t)len;
	r->start = start;
	r->end = end;
	memcpy(r->body, details, sizeof(*details));
	memcpy(r->body + sizeof(*details), message, len);
	emit_end(t);
	return ACL_SUCCESS;
}

/*
 * A reported row of @size bytes, at least @len, of which @len are at @from and
 * the rest are zeros.
 */
static inline __attribute__((always_inline)) bool emit_report(struct tx_thread *t, enum tx_kind kind, bool stays,
							       const void *from, uint32_t len, uint32_t size)
{
	struct tx_report *r = (void *)emit_begin(t, kind, size - (uint32_t)(sizeof(struct tx_record) - sizeof(*r)));

	if (unlikely(!r))
		return false;
	r->has = TX_BODY_REPORT;
	r->stays = stays;
	memcpy(r->row, from, len);
	if (len < size)
		memset(r->row + len, 0, size - len);
	emit_end(t);
	return true;
}

static inline uint64_t next_mark_id(struct tx_thread *t)
{
	if (unlikely(t->mark_id == t->mark_ids_end))
		tx_take_mark_ids(t);
	return t->mark_id++;
}

#endif /* ASCPROF_EMIT_H */
