/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The msproftx functions of acl/acl_prof.h, where their contract is written.
 * Outside a session each is a load and a branch, which is not taken: a call then costs
 * what one of an empty function does. NULL is told apart there only because the
 * documentation does.
 */
#include "acl/acl_prof.h"

#include "annotate/emit.h"
#include "annotate/pages.h"
#include "annotate/range.h"
#include "annotate/stamp.h"
#include "log/log.h"
#include "log/strict.h"

#define FIRST_PUSH_ROOM 25u /* of tx_open: just below one page */

static inline aclError off(const void *argument)
{
	return argument ? ACL_ERROR_PROF_NOT_RUN : ACL_ERROR_INVALID_PARAM;
}

/* Of those without details: the others are sorted out where bad ones are. */
static inline bool live(const struct tx_stamp *stamp)
{
	return likely(stamp_is_live(stamp));
}

static __attribute__((noinline)) aclError bad_stamp(const char *call, const void *stamp, const void *caller)
{
	aclError ret;

	if (!stamp)
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM,
				     "%s: stamp is NULL, expected one from aclprofCreateStamp", call);
	ret = fail_often(ACL_ERROR_INVALID_PARAM,
			 "%s: stamp %p is not in use, expected one from aclprofCreateStamp", call, stamp);
	if (stamp_in_state(stamp, STAMP_FREE))
		strict_misuse(caller, "%s: stamp %p was destroyed before", call, stamp);
	return ret;
}

/*
 * Functions below come in two parts. What is inlined has no call but those that
 * it ends with; so it needs no frame, and saves no register.
 */
#define APART static __attribute__((noinline))

/* Where the gate was open a moment ago. */
static enum enter enter_slowly(struct tx_thread **t)
{
	if (!gate_is_on()) {
		tx_count_refused();
		return ENTER_OFF;
	}
	return enter(t);
}

/* What a call that could not be entered returns. */
APART aclError not_entered(const char *call, enum enter why, const void *argument)
{
	if (why == ENTER_OFF)
		return off(argument);
	if (why == ENTER_NO_MEMORY)
		return fail_often(ACL_ERROR_BAD_ALLOC, "%s: no memory", call);
	return fail_often(ACL_ERROR_PROFILING_FAILURE,
			  "%s: called by a signal handler inside another annotation", call);
}

static inline void *created(struct tx_stamp *s)
{
	s->state = STAMP_LIVE;
	s->head = plain_head(0);
	return s;
}

APART void *create_from_list(struct tx_thread *t)
{
	struct tx_stamp *s = stamp_take(t);

	leave(t);
	if (s)
		return created(s);
	fail_often(ACL_ERROR_BAD_ALLOC, "aclprofCreateStamp: no memory");
	return NULL;
}

APART void *create_slowly(void)
{
	struct tx_thread *t;

	return enter_slowly(&t) == ENTER_OK ? create_from_list(t) : NULL;
}

/* It makes no record: nobody needs to know that a session ended meanwhile. */
void *aclprofCreateStamp(void)
{
	struct tx_thread *t;
	struct tx_stamp *s;
	uint32_t pass;

	if (likely(!gate_is_on()))
		return NULL;
	t = tx_self;
	if (unlikely(!t) || unlikely(!enter_lists(t, &pass)))
		return create_slowly();
	s = t->spare;
	if (unlikely(!s))
		return create_from_list(t);
	t->spare = NULL;
	leave_to(t, pass);
	return created(s);
}

APART void destroy_slowly(struct tx_stamp *s, const void *caller)
{
	struct tx_thread *t = tx_self;
	uint32_t pass;

	if (!live(s) && !stamp_is_detailed(s)) {
		bad_stamp("aclprofDestroyStamp", s, caller);
		return;
	}
	s->state = STAMP_FREE;
	if (!t) {
		stamp_give(s);
		return;
	}
	/* In a signal handler that interrupted an annotation the list is not ours: the stamp is left lying. */
	if (!enter_lists(t, &pass))
		return;
	stamp_put(t, s);
	leave_to(t, pass);
}

/*
 * Also after Stop: the free list is the thread's own. A signal handler that comes between the look
 * at the spare one and its store, and destroys another, leaves that lying; nothing else can happen.
 */
void aclprofDestroyStamp(void *stamp)
{
	struct tx_thread *t = tx_self;
	struct tx_stamp *s = stamp;

	if (!s)
		return;
	if (unlikely(!live(s)) || unlikely(!t) || unlikely(t->spare != NULL)) {
		destroy_slowly(s, CALLER);
		return;
	}
	s->state = STAMP_FREE;
	t->spare = s;
}

APART aclError set_message_slowly(struct tx_stamp *s, const char *msg, uint32_t len,
							     const void *caller)
{
	const char *zero;

	if (likely(!gate_is_on()))
		return off(s);
	if (!live(s) && !stamp_is_detailed(s))
		return bad_stamp("aclprofSetStampTraceMessage", s, caller);
	if (!msg)
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "aclprofSetStampTraceMessage: msg is NULL");
	if (len > TX_MESSAGE_MAX)
		return fail_often(ACL_ERROR_INVALID_PARAM,
				  "aclprofSetStampTraceMessage: msgLen is %u, expected 0 to %d bytes", len,
				  TX_MESSAGE_MAX);
	zero = memchr(msg, 0, len);
	if (zero)
		len = (uint32_t)(zero - msg);
	s->head = plain_head(len);
	memset(s->message + (len & ~7u), 0, 8);
	copy_message(s->message, msg, len);
	return ACL_SUCCESS;
}

aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen)
{
	struct tx_stamp *s = stamp;

	if (likely(!gate_is_on()))
		return off(s);
	if (unlikely(!live(s)) || unlikely(!copy_has_no_zero(s->message, msg, msgLen)))
		return set_message_slowly(s, msg, msgLen, CALLER);
	s->head = plain_head(msgLen);
	return ACL_SUCCESS;
}

/* ---- marks ---- */

/* Whatever stamp and clock there are. */
APART aclError mark_entered(struct tx_thread *t, const struct tx_stamp *s, const void *caller)
{
	uint64_t now = clock_ticks();
	aclError ret;

	if (live(s))
		return emit_slowly(t, s->head | (uint64_t)TX_KIND_MARK << 32, now, now, s->message);
	if (!stamp_is_detailed(s)) {
		leave(t);
		return bad_stamp("aclprofMark", s, caller);
	}
	ret = emit_detailed(t, TX_KIND_MARK, now, now, &s->details, s->message, head_message_len(s->head));
	leave(t);
	return ret;
}

APART aclError mark_slowly(const struct tx_stamp *s, const void *caller)
{
	struct tx_thread *t;
	enum enter why = enter_slowly(&t);

	if (why == ENTER_OK)
		return mark_entered(t, s, caller);
	if (why == ENTER_NO_MEMORY)
		tx_count_lost(TX_KIND_MARK, TX_DROP_NO_MEMORY);
	else if (why == ENTER_BUSY)
		tx_count_lost(TX_KIND_MARK, TX_DROP_REENTRANT);
	return not_entered("aclprofMark", why, s);
}

aclError aclprofMark(void *stamp)
{
	const struct tx_stamp *s = stamp;
	uint32_t state = gate_now();
	struct tx_thread *t;
	uint64_t now;

	if (likely(!(state & GATE_ON)))
		return off(s);
	t = enter_quickly(state);
	if (unlikely(!t))
		return mark_slowly(s, CALLER);
	if (unlikely(!live(s)))
		return mark_entered(t, s, CALLER);
	now = clock_cycles();
	return emit_quickly(t, state, s->head, TX_KIND_MARK, now, now, s->message);
}

/* ---- push and pop ---- */

APART bool push_grow(struct tx_thread *t)
{
	uint32_t room = t->push_room ? t->push_room * 2 : FIRST_PUSH_ROOM;
	struct tx_open *more;

	if (t->push_room >= TX_PUSH_MAX)
		return false;
	more = pages_grow(t->pushed, t->push_room * sizeof(*more), room * sizeof(*more));
	if (!more)
		return false;
	t->pushed = more;
	t->push_room = room;
	return true;
}

static inline void open_fill(struct tx_open *open, const struct tx_stamp *s)
{
	open->head = s->head;
	open->detailed = false;
	copy_pieces(open->message, s->message, head_message_len(s->head));
}

APART aclError push_entered(struct tx_thread *t, const struct tx_stamp *s, const void *caller)
{
	uint32_t depth = atomic_load_explicit(&t->depth, memory_order_relaxed);
	bool detailed = stamp_is_detailed(s);
	struct tx_open *open;

	if (!detailed && !live(s)) {
		leave(t);
		return bad_stamp("aclprofPush", s, caller);
	}
	if (depth == t->push_room && !push_grow(t)) {
		leave(t);
		return fail_often(ACL_ERROR_BAD_ALLOC, "aclprofPush: no memory for level %u, limit %u", depth,
				  TX_PUSH_MAX);
	}
	open = &t->pushed[depth];
	open_fill(open, s);
	if (detailed) {
		open->detailed = true;
		open->details = s->details;
	}
	open->start = clock_ticks(); /* last: what we do is not part of the range */
	atomic_store_explicit(&t->depth, depth + 1, memory_order_relaxed);
	leave(t);
	return ACL_SUCCESS;
}

APART aclError push_slowly(const struct tx_stamp *s, const void *caller)
{
	struct tx_thread *t;
	enum enter why = enter_slowly(&t);

	return why == ENTER_OK ? push_entered(t, s, caller) : not_entered("aclprofPush", why, s);
}

aclError aclprofPush(void *stamp)
{
	const struct tx_stamp *s = stamp;
	uint32_t state = gate_now(), depth;
	struct tx_thread *t;
	struct tx_open *open;

	if (likely(!(state & GATE_ON)))
		return off(s);
	t = enter_quickly(state);
	if (unlikely(!t))
		return push_slowly(s, CALLER);
	depth = atomic_load_explicit(&t->depth, memory_order_relaxed);
	if (unlikely(!live(s)) || unlikely(depth == t->push_room))
		return push_entered(t, s, CALLER);
	open = &t->pushed[depth];
	open_fill(open, s);
	open->start = clock_cycles(); /* last, as above */
	atomic_store_explicit(&t->depth, depth + 1, memory_order_relaxed);
	leave_to(t, state);
	return ACL_SUCCESS;
}

APART aclError nothing_pushed(const void *caller)
{
	aclError ret = fail_often(ACL_ERROR_PROF_NOT_RUN, "aclprofPop: this thread has pushed nothing");

	strict_misuse(caller, "aclprofPop: this thread has pushed nothing");
	return ret;
}

APART aclError pop_detailed(struct tx_thread *t, const struct tx_open *top, uint64_t now)
{
	aclError ret = emit_detailed(t, TX_KIND_PUSH_POP, top->start, now, &top->details, top->message,
				     head_message_len(top->head));

	leave(t);
	return ret;
}

static inline __attribute__((always_inline)) aclError pop_at(struct tx_thread *t, uint32_t state, uint64_t now,
							      const void *caller)
{
	uint32_t depth = atomic_load_explicit(&t->depth, memory_order_relaxed);
	const struct tx_open *top;

	if (unlikely(!depth)) {
		leave(t);
		return nothing_pushed(caller);
	}
	/* What is there stays there until the next push. */
	atomic_store_explicit(&t->depth, depth - 1, memory_order_relaxed);
	top = &t->pushed[depth - 1];
	if (unlikely(top->detailed))
		return pop_detailed(t, top, now);
	return emit_quickly(t, state, top->head, TX_KIND_PUSH_POP, top->start, now, top->message);
}

APART aclError pop_slowly(const void *caller)
{
	struct tx_thread *t;
	enum enter why = enter_slowly(&t);

	return why == ENTER_OK ? pop_at(t, t->pass_outside, clock_ticks(), caller) :
				 not_entered("aclprofPop", why, &gate);
}

aclError aclprofPop(void)
{
	uint32_t state = gate_now();
	struct tx_thread *t;

	if (likely(!(state & GATE_ON)))
		return ACL_ERROR_PROF_NOT_RUN;
	t = enter_quickly(state);
	if (unlikely(!t))
		return pop_slowly(CALLER);
	return pop_at(t, state, clock_cycles(), CALLER);
}

/* ---- ranges ---- */

APART aclError range_start_entered(struct tx_thread *t, const struct tx_stamp *s, uint32_t *rangeId,
				   const void *caller)
{
	bool detailed = stamp_is_detailed(s);
	struct range_slot *slot;

	if (!detailed && !live(s)) {
		leave(t);
		return bad_stamp("aclprofRangeStart", s, caller);
	}
	if (!rangeId) {
		leave(t);
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "aclprofRangeStart: rangeId is NULL");
	}
	slot = range_next(t, rangeId, s->message, head_message_len(s->head));
	if (!slot) {
		leave(t);
		return fail_often(ACL_ERROR_BAD_ALLOC, "aclprofRangeStart: no memory");
	}
	atomic_store_explicit(&slot->domain, detailed ? RANGE_DETAILED : NULL, memory_order_relaxed);
	if (detailed)
		slot->details = s->details;
	slot->start = clock_ticks(); /* last, as for push */
	range_publish(slot, *rangeId);
	leave(t);
	return ACL_SUCCESS;
}

APART aclError range_start_slowly(const struct tx_stamp *s, uint32_t *rangeId, const void *caller)
{
	struct tx_thread *t;
	enum enter why = enter_slowly(&t);

	return why == ENTER_OK ? range_start_entered(t, s, rangeId, caller) :
				 not_entered("aclprofRangeStart", why, rangeId ? s : NULL);
}

aclError aclprofRangeStart(void *stamp, uint32_t *rangeId)
{
	const struct tx_stamp *s = stamp;
	uint32_t state = gate_now(), len;
	struct range_slot *slot;
	struct tx_thread *t;

	if (likely(!(state & GATE_ON)))
		return off(rangeId ? s : NULL);
	t = enter_quickly(state);
	if (unlikely(!t))
		return range_start_slowly(s, rangeId, CALLER);
	if (unlikely(!live(s)) || unlikely(!rangeId))
		return range_start_entered(t, s, rangeId, CALLER);
	slot = range_next_quickly(t, rangeId);
	if (unlikely(!slot))
		return range_start_entered(t, s, rangeId, CALLER);
	len = head_message_len(s->head);
	slot->message_len = len;
	copy_pieces(slot->text, s->message, len);
	atomic_store_explicit(&slot->domain, NULL, memory_order_relaxed);
	slot->start = clock_cycles(); /* last, as for push */
	range_publish(slot, *rangeId);
	leave_to(t, state);
	return ACL_SUCCESS;
}

/* One that was taken, where something is in the way of the usual end. */
APART aclError range_stop_taken(struct tx_thread *t, struct range_slot *slot, uint32_t id, uint64_t now)
{
	struct tx_record *r = emit_begin(t, TX_KIND_RANGE, slot->message_len);
	aclError ret = ACL_SUCCESS;

	if (r) {
		r->has = TX_BODY_PLAIN;
		r->message_len = (uint16_t)slot->message_len;
		r->start = slot->start;
		r->end = now;
		copy_pieces(r->body, slot->text, slot->message_len);
		emit_end(t, r);
	} else {
		ret = emit_no_room(t, TX_KIND_RANGE);
	}
	range_put(t, slot, id);
	leave(t);
	return ret;
}

/* Whatever range it is, and if it is none. */
APART aclError range_stop_entered(struct tx_thread *t, uint32_t id, uint64_t now, const void *caller)
{
	struct range_slot *slot;
	enum range_end why = range_take(id, NULL, &slot);
	aclError ret;

	if (why == RANGE_OK)
		return range_stop_taken(t, slot, id, now);
	if (why == RANGE_OTHER_DOMAIN)
		why = range_take(id, RANGE_DETAILED, &slot);
	if (why == RANGE_OK) {
		ret = emit_detailed(t, TX_KIND_RANGE, slot->start, now, &slot->details, slot->text,
				    slot->message_len);
		range_put(t, slot, id);
		leave(t);
		return ret;
	}
	leave(t);
	if (why != RANGE_ENDED_BEFORE)
		return fail_often(ACL_ERROR_INVALID_PARAM,
				  "aclprofRangeStop: rangeId %u was never given out by aclprofRangeStart", id);
	ret = fail_often(ACL_ERROR_PROF_NOT_RUN, "aclprofRangeStop: range %u has ended already", id);
	strict_misuse(caller, "aclprofRangeStop: range %u has ended already", id);
	return ret;
}

APART aclError range_stop_slowly(uint32_t id, const void *caller)
{
	struct tx_thread *t;
	enum enter why = enter_slowly(&t);

	return why == ENTER_OK ? range_stop_entered(t, id, clock_ticks(), caller) :
				 not_entered("aclprofRangeStop", why, &gate);
}

aclError aclprofRangeStop(uint32_t rangeId)
{
	uint32_t state = gate_now();
	struct range_slot *slot;
	struct tx_thread *t;
	uint64_t now, head, w;

	if (likely(!(state & GATE_ON)))
		return ACL_ERROR_PROF_NOT_RUN;
	t = enter_quickly(state);
	if (unlikely(!t))
		return range_stop_slowly(rangeId, CALLER);
	now = clock_cycles();
	slot = range_take_quickly(rangeId);
	if (unlikely(!slot))
		return range_stop_entered(t, rangeId, now, CALLER);
	head = plain_head(slot->message_len);
	w = emit_at(t);
	if (unlikely(!emit_has_room(t, w, head)) || unlikely(!range_put_quickly(t, rangeId)))
		return range_stop_taken(t, slot, rangeId, now);
	/* The slot is ours until this thread, at some later call, has told how many of its block ended. */
	emit_plain(t, w, head, TX_KIND_RANGE, slot->start, now, slot->text);
	return emit_leave(t, state);
}
