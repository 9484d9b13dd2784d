/* SPDX-License-Identifier: Apache-2.0 */
/* The hot path: into and out of an annotation, and one record into the ring. */
#ifndef ASCPROF_EMIT_H
#define ASCPROF_EMIT_H

#include <string.h>

#include "acl/acl_base.h"
#include "annotate/gate.h"
#include "annotate/thread.h"
#include "clock/clock.h"
#include "format/words.h"

/* A report begins as other records do. */
_Static_assert(offsetof(struct tx_report, kind) == offsetof(struct tx_record, kind), "reports in the ring");
_Static_assert(offsetof(struct tx_report, has) == offsetof(struct tx_record, has), "reports in the ring");
_Static_assert(offsetof(struct tx_report, row) == offsetof(struct tx_record, start), "reports in the ring");

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Not inlined: what is rare must not cost the others registers. */
struct tx_thread *emit_attach(void);
struct tx_record *emit_make_room(struct tx_thread *t, uint32_t len);
aclError emit_no_room(struct tx_thread *t, enum tx_kind kind);
void emit_wake(void);

static inline bool is_inside(struct tx_thread *t)
{
	return atomic_load_explicit(&t->pass, memory_order_relaxed) == TX_INSIDE;
}

/* @pass: what is known to have been there when it was entered */
static inline void leave_to(struct tx_thread *t, uint32_t pass)
{
	atomic_store_explicit(&t->pass, pass, memory_order_release);
}

static inline void leave(struct tx_thread *t)
{
	leave_to(t, t->pass_outside);
}

/* Not a session, but the thread's own lists are used: false when it is inside an annotation. Left to @pass. */
static inline bool enter_lists(struct tx_thread *t, uint32_t *pass)
{
	*pass = atomic_load_explicit(&t->pass, memory_order_relaxed);
	if (unlikely(*pass == TX_INSIDE))
		return false;
	atomic_store_explicit(&t->pass, TX_INSIDE, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return true;
}

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
	if (unlikely(is_inside(t)))
		return ENTER_BUSY;
	if (unlikely(state & GATE_FENCE))
		atomic_store_explicit(&t->pass, TX_INSIDE, memory_order_seq_cst);
	else
		atomic_store_explicit(&t->pass, TX_INSIDE, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	/* Sequentially consistent loads cost nothing more; the store above does. */
	if (unlikely(atomic_load_explicit(&gate.state, memory_order_seq_cst) != state)) {
		leave(t);
		tx_count_refused();
		return ENTER_OFF;
	}
	/* What was pushed in a session that is over is not on the stack of this one. */
	if (unlikely(atomic_load_explicit(&t->generation, memory_order_relaxed) != state)) {
		atomic_store_explicit(&t->depth, 0, memory_order_relaxed);
		atomic_store_explicit(&t->launching, 0, memory_order_relaxed);
		atomic_store_explicit(&t->generation, state, memory_order_relaxed);
		t->pass_outside = state & GATE_FENCE || !clock_uses_cycles ? 0 : state;
	}
	return ENTER_OK;
}

static inline enum enter enter(struct tx_thread **out)
{
	return enter_for(GATE_ON, out);
}

/*
 * The same for a thread whose session runs, as @state says, where nothing is in
 * the way, which is nearly always. NULL: enter() finds out what is. What comes
 * then is best made apart and left to by a tail call, so that the usual case
 * saves no register.
 */
static inline __attribute__((always_inline)) struct tx_thread *enter_quickly(uint32_t state)
{
	struct tx_thread *t = tx_self;

	if (unlikely(!t) || unlikely(atomic_load_explicit(&t->pass, memory_order_relaxed) != state))
		return NULL;
	atomic_store_explicit(&t->pass, TX_INSIDE, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (likely(atomic_load_explicit(&gate.state, memory_order_seq_cst) == state))
		return t;
	leave_to(t, state);
	return NULL;
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

/* Of any text; so many may be written behind a record, for which the ring keeps room. */
#define COPIED_AT_LEAST 32u

/*
 * The same for what copy_has_no_zero() has put together: in the pieces that it
 * stored, so that the processor need not wait for what it has just stored. All
 * is copied up to the next multiple of eight, and COPIED_AT_LEAST in any case:
 * no text of the usual length needs a loop.
 */
static inline __attribute__((always_inline)) void copy_pieces(char *to, const char *from, uint32_t n)
{
	memcpy(to, from, 16);
	memcpy(to + 16, from + 16, 8);
	memcpy(to + 24, from + 24, 8);
	if (unlikely(n > COPIED_AT_LEAST)) {
		uint32_t i = COPIED_AT_LEAST;

		for (; i + 16 <= n; i += 16)
			memcpy(to + i, from + i, 16);
		for (; i < n; i += 8)
			memcpy(to + i, from + i, 8);
	}
}

#define PAGE_AT_LEAST 4096u

/* Not zero if one of its eight bytes is; there may be more bits than one for each. */
static inline uint64_t zeros_in(uint64_t word)
{
	return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

#if defined(__SSE2__)
typedef __m128i piece; /* sixteen bytes */

static inline uint64_t zeros_in_two(piece a, piece b)
{
	const piece none = _mm_setzero_si128();

	return (uint64_t)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(a, none), _mm_cmpeq_epi8(b, none)));
}

static inline piece piece_of(uint64_t low, uint64_t high)
{
	return _mm_set_epi64x((long long)high, (long long)low);
}
#else
typedef struct {
	uint64_t low, high;
} piece;

static inline uint64_t zeros_in_two(piece a, piece b)
{
	return zeros_in(a.low) | zeros_in(a.high) | zeros_in(b.low) | zeros_in(b.high);
}

static inline piece piece_of(uint64_t low, uint64_t high)
{
	return (piece){ low, high };
}
#endif

static inline piece piece_at(const char *from)
{
	piece p;

	memcpy(&p, from, sizeof(p));
	return p;
}

static inline uint64_t copy_word(char *to, const char *from)
{
	uint64_t word = word_at(from);

	memcpy(to, &word, sizeof(word));
	return zeros_in(word);
}

/*
 * Copies a text of the program's that has no zero in its @n bytes to @to, which
 * has TX_MESSAGE_MAX + 1, and fills up to the next multiple of eight with zeros.
 * False when there may be a zero, no text, too much or little of it: @to is then
 * undefined, and the text has to be looked at byte by byte, for what is behind
 * a zero may not be there to be read. Within a page it always is; but the
 * address sanitizer knows better.
 */
static inline __attribute__((always_inline)) bool copy_has_no_zero(char *to, const char *from, uint32_t n)
{
#if defined(__SANITIZE_ADDRESS__)
	(void)to;
	(void)from;
	(void)n;
	return false;
#else
	uint64_t last, zeros;
	piece first;

	if (unlikely(n - 8 > TX_MESSAGE_MAX - 8) ||
	    unlikely((((uintptr_t)from - 1) & (PAGE_AT_LEAST - 1)) + n >= PAGE_AT_LEAST))
		return false;
	/* What no whole word holds; where there is nothing, what is written is behind the text. */
	last = word_at(from + n - 8);
	if (n < 16) {
		zeros = zeros_in(word_at(from)) | zeros_in(last);
		first = piece_of(word_at(from), last >> -n % 8 * 8);
		memcpy(to, &first, sizeof(first));
		return likely(!zeros);
	}
	first = piece_at(from);
	zeros = zeros_in_two(first, piece_at(from + n - 16));
	memcpy(to, &first, sizeof(first));
	last >>= -n % 8 * 8;
	memcpy(to + (n & ~7u), &last, sizeof(last));
	if (unlikely(n >= COPIED_AT_LEAST)) {
		zeros |= copy_word(to + 16, from + 16) | copy_word(to + 24, from + 24);
		for (uint32_t i = COPIED_AT_LEAST; i + 16 <= n; i += 16) {
			piece p = piece_at(from + i);

			zeros |= zeros_in_two(p, p);
			memcpy(to + i, &p, sizeof(p));
		}
	}
	if (n & 8)
		zeros |= copy_word(to + (n & ~15u), from + (n & ~15u));
	return likely(!zeros);
#endif
}

/* The first eight bytes of a record without extension, but for its kind. */
static inline uint64_t plain_head(uint32_t message_len)
{
	return ((sizeof(struct tx_record) + message_len + 7) & ~7u) | (uint64_t)message_len << 48;
}

/* Where a record with a body of @body bytes begins; NULL: emit_no_room(). */
static inline __attribute__((always_inline)) struct tx_record *emit_begin(struct tx_thread *t, enum tx_kind kind,
									   uint32_t body)
{
	uint32_t need = (uint32_t)(sizeof(struct tx_record) + body + 7) & ~7u;
	uint64_t w = atomic_load_explicit(&t->head, memory_order_relaxed);
	struct tx_record *r = (struct tx_record *)(t->ring + (w & (TX_RING_BYTES - 1)));

	if (unlikely(w + need > t->limit)) {
		r = emit_make_room(t, need);
		if (!r)
			return NULL;
	}
	r->len = need;
	r->kind = (uint8_t)kind;
	return r;
}

/* The record is whole: the flusher may have it, and it counts. One that is left by a jump does not. */
static inline __attribute__((always_inline)) void emit_end(struct tx_thread *t, const struct tx_record *r)
{
	count(&t->counts.produced[r->kind]);
	atomic_store_explicit(&t->head, atomic_load_explicit(&t->head, memory_order_relaxed) + r->len,
			      memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* with gate_barrier(): see flusher.c */
	if (unlikely(atomic_load_explicit(&gate.sleeping, memory_order_relaxed)))
		emit_wake();
}

/* Puts a finished annotation of plain_head() into the ring, or counts why not; and leaves it. */
aclError emit_slowly(struct tx_thread *t, uint64_t head, uint64_t start, uint64_t end, const char *message);
aclError emit_wake_and_leave(struct tx_thread *t);

static inline uint64_t emit_at(const struct tx_thread *t)
{
	return atomic_load_explicit(&t->head, memory_order_relaxed);
}

/* Whether a record of @head has room at @w, where the thread is. */
static inline __attribute__((always_inline)) bool emit_has_room(const struct tx_thread *t, uint64_t w, uint64_t head)
{
	return likely(w + (uint32_t)head <= t->limit);
}

/* A whole record, where there is room. @message: has room up to the next multiple of eight */
static inline __attribute__((always_inline)) void emit_plain(struct tx_thread *t, uint64_t w, uint64_t head,
							      enum tx_kind kind, uint64_t start, uint64_t end,
							      const char *message)
{
	struct tx_record *r = (struct tx_record *)(t->ring + (w & (TX_RING_BYTES - 1)));

	head |= (uint64_t)kind << 32;
	memcpy(r, &head, sizeof(head));
	r->start = start;
	r->end = end;
	copy_pieces(r->body, message, head_message_len(head));
	count(&t->counts.produced[kind]);
	atomic_store_explicit(&t->head, w + (uint32_t)head, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst); /* with gate_barrier(): see flusher.c */
}

/* Behind emit_plain(), for a thread that entered quickly with @state. */
static inline __attribute__((always_inline)) aclError emit_leave(struct tx_thread *t, uint32_t state)
{
	if (unlikely(atomic_load_explicit(&gate.sleeping, memory_order_relaxed)))
		return emit_wake_and_leave(t);
	leave_to(t, state);
	return ACL_SUCCESS;
}

/* All of it. @head: of plain_head() */
static inline __attribute__((always_inline)) aclError emit_quickly(struct tx_thread *t, uint32_t state, uint64_t head,
								    enum tx_kind kind, uint64_t start, uint64_t end,
								    const char *message)
{
	uint64_t w = emit_at(t);

	if (unlikely(!emit_has_room(t, w, head)))
		return emit_slowly(t, head | (uint64_t)kind << 32, start, end, message);
	emit_plain(t, w, head, kind, start, end, message);
	return emit_leave(t, state);
}

/* Puts one with an extension, and a message of up to TX_LONG_MAX bytes, into the ring, or counts why not. */
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
	emit_end(t, r);
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
	emit_end(t, r);
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
	emit_end(t, (void *)r);
	return true;
}

static inline uint64_t next_mark_id(struct tx_thread *t)
{
	if (unlikely(t->mark_id == t->mark_ids_end))
		tx_take_mark_ids(t);
	return t->mark_id++;
}

#endif /* ASCPROF_EMIT_H */
