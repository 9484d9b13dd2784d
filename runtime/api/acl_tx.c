/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The msproftx functions of acl/acl_prof.h, where their contract is written.
 * Outside a session each is a load and a branch; NULL is told apart there only
 * because the documentation does.
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

/* What a call that could not be entered returns. */
static __attribute__((noinline)) aclError not_entered(const char *call, enum enter why, const void *argument)
{
	if (why == ENTER_OFF)
		return off(argument);
	if (why == ENTER_NO_MEMORY)
		return fail_often(ACL_ERROR_BAD_ALLOC, "%s: no memory", call);
	return fail_often(ACL_ERROR_PROFILING_FAILURE,
			  "%s: called by a signal handler inside another annotation", call);
}

static inline void *created(struct tx_thread *t, struct tx_stamp *s)
{
	s->state = STAMP_LIVE;
	s->message_len = 0;
	leave(t);
	return s;
}

static __attribute__((noinline)) void *create_from_list(struct tx_thread *t)
{
	struct tx_stamp *s = stamp_take(t);

	if (s)
		return created(t, s);
	leave(t);
	fail_often(ACL_ERROR_BAD_ALLOC, "aclprofCreateStamp: no memory");
	return NULL;
}

static __attribute__((noinline)) void *create_slowly(void)
{
	struct tx_thread *t;

	return enter(&t) == ENTER_OK ? create_from_list(t) : NULL;
}

void *aclprofCreateStamp(void)
{
	struct tx_thread *t = enter_quickly();
	struct tx_stamp *s;

	if (unlikely(!t))
		return gate_is_on() ? create_slowly() : NULL;
	s = t->spare;
	if (unlikely(!s))
		return create_from_list(t);
	t->spare = NULL;
	return created(t, s);
}

static __attribute__((noinline)) void destroy_slowly(struct tx_stamp *s, const void *caller)
{
	struct tx_thread *t = tx_self;

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
	if (atomic_load_explicit(&t->busy, memory_order_relaxed))
		return;
	atomic_store_explicit(&t->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	stamp_put(t, s);
	leave(t);
}

/* Also after Stop: the free list is the thread's own. */
void aclprofDestroyStamp(void *stamp)
{
	struct tx_thread *t = tx_self;
	struct tx_stamp *s = stamp;

	if (unlikely(!live(s)) || unlikely(!t) || unlikely(t->spare != NULL) ||
	    unlikely(atomic_load_explicit(&t->busy, memory_order_relaxed))) {
		if (s)
			destroy_slowly(s, CALLER);
		return;
	}
	atomic_store_explicit(&t->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	s->state = STAMP_FREE;
	t->spare = s;
	leave(t);
}

static __attribute__((noinline)) aclError set_message_slowly(struct tx_stamp *s, const char *msg, uint32_t len,
							     const void *caller)
{
	const char *zero;

	if (!gate_is_on())
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
	s->message_len = zero ? (uint32_t)(zero - msg) : len;
	copy_message(s->message, msg, s->message_len);
	return ACL_SUCCESS;
}

aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen)
{
	struct tx_stamp *s = stamp;

	if (unlikely(!gate_is_on()))
		return off(s);
	if (unlikely(!live(s)) || unlikely(!msg) || unlikely(msgLen > TX_MESSAGE_MAX) ||
	    !copy_has_no_zero(s->message, msg, msgLen))
		return set_message_slowly(s, msg, msgLen, CALLER);
	s->message_len = msgLen;
	return ACL_SUCCESS;
}

/* With a stamp that has details, or is none. */
static __attribute__((noinline)) aclError mark_other(struct tx_thread *t, const struct tx_stamp *s, const void *caller)
{
	uint64_t now = clock_ticks();
	aclError ret;

	if (!stamp_is_detailed(s)) {
		leave(t);
		return bad_stamp("aclprofMark", s, caller);
	}
	ret = emit_detailed(t, TX_KIND_MARK, now, now, &s->details, s->message, s->message_len);
	leave(t);
	return ret;
}

/* Each of these comes twice: inlined where nothing was in the way, and once for all other cases. */
#define BODY static inline __attribute__((always_inline)) aclError
#define APART static __attribute__((noinline)) aclError

BODY mark_entered(struct tx_thread *t, const struct tx_stamp *s, const void *caller)
{
	uint64_t now;
	aclError ret;

	if (unlikely(!live(s)))
		return mark_other(t, s, caller);
	now = clock_ticks();
	ret = emit(t, TX_KIND_MARK, now, now, s->message, s->message_len);
	leave(t);
	return ret;
}

APART mark_slowly(const struct tx_stamp *s, const void *caller)
{
	struct tx_thread *t;
	enum enter why = enter(&t);

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
	struct tx_thread *t = enter_quickly();

	if (likely(t != NULL))
		return mark_entered(t, stamp, CALLER);
	return gate_is_on() ? mark_slowly(stamp, CALLER) : off(stamp);
}

static inline void open_fill(struct tx_open *open, const struct tx_stamp *s)
{
	open->message_len = s->message_len;
	copy_message(open->message, s->message, s->message_len);
	open->start = clock_ticks(); /* last: what we do is not part of the range */
}

static __attribute__((noinline)) bool push_grow(struct tx_thread *t)
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

BODY push_entered(struct tx_thread *t, const struct tx_stamp *s, const void *caller)
{
	bool detailed = false;
	uint32_t depth;

	if (unlikely(!live(s))) {
		detailed = stamp_is_detailed(s);
		if (!detailed) {
			leave(t);
			return bad_stamp("aclprofPush", s, caller);
		}
	}
	depth = atomic_load_explicit(&t->depth, memory_order_relaxed);
	if (unlikely(depth == t->push_room) && !push_grow(t)) {
		leave(t);
		return fail_often(ACL_ERROR_BAD_ALLOC, "aclprofPush: no memory for level %u, limit %u", depth,
				  TX_PUSH_MAX);
	}
	open_fill(&t->pushed[depth], s);
	if (unlikely(detailed)) {
		t->pushed[depth].message_len |= TX_OPEN_DETAILED;
		t->pushed[depth].details = s->details;
	}
	atomic_store_explicit(&t->depth, depth + 1, memory_order_relaxed);
	leave(t);
	return ACL_SUCCESS;
}

APART push_slowly(const struct tx_stamp *s, const void *caller)
{
	struct tx_thread *t;
	enum enter why = enter(&t);

	return why == ENTER_OK ? push_entered(t, s, caller) : not_entered("aclprofPush", why, s);
}

aclError aclprofPush(void *stamp)
{
	struct tx_thread *t = enter_quickly();

	if (likely(t != NULL))
		return push_entered(t, stamp, CALLER);
	return gate_is_on() ? push_slowly(stamp, CALLER) : off(stamp);
}

static __attribute__((noinline)) aclError nothing_pushed(const void *caller)
{
	aclError ret = fail_often(ACL_ERROR_PROF_NOT_RUN, "aclprofPop: this thread has pushed nothing");

	strict_misuse(caller, "aclprofPop: this thread has pushed nothing");
	return ret;
}

static __attribute__((noinline)) aclError pop_detailed(struct tx_thread *t, const struct tx_open *top, uint64_t now)
{
	return emit_detailed(t, TX_KIND_PUSH_POP, top->start, now, &top->details, top->message,
			     top->message_len & ~TX_OPEN_DETAILED);
}

BODY pop_entered(struct tx_thread *t, const void *caller)
{
	const struct tx_open *top;
	uint64_t now = clock_ticks();
	uint32_t depth = atomic_load_explicit(&t->depth, memory_order_relaxed);
	aclError ret;

	if (unlikely(!depth)) {
		leave(t);
		return nothing_pushed(caller);
	}
	top = &t->pushed[depth - 1];
	if (unlikely(top->message_len & TX_OPEN_DETAILED))
		ret = pop_detailed(t, top, now);
	else
		ret = emit(t, TX_KIND_PUSH_POP, top->start, now, top->message, top->message_len);
	atomic_store_explicit(&t->depth, depth - 1, memory_order_relaxed);
	leave(t);
	return ret;
}

APART pop_slowly(const void *caller)
{
	struct tx_thread *t;
	enum enter why = enter(&t);

	return why == ENTER_OK ? pop_entered(t, caller) : not_entered("aclprofPop", why, &gate);
}

aclError aclprofPop(void)
{
	struct tx_thread *t = enter_quickly();

	if (likely(t != NULL))
		return pop_entered(t, CALLER);
	return gate_is_on() ? pop_slowly(CALLER) : ACL_ERROR_PROF_NOT_RUN;
}

BODY range_start_entered(struct tx_thread *t, const struct tx_stamp *s, uint32_t *rangeId, const void *caller)
{
	struct range_slot *slot;
	bool detailed = false;

	if (unlikely(!live(s))) {
		detailed = stamp_is_detailed(s);
		if (!detailed) {
			leave(t);
			return bad_stamp("aclprofRangeStart", s, caller);
		}
	}
	if (unlikely(!rangeId)) {
		leave(t);
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "aclprofRangeStart: rangeId is NULL");
	}
	slot = range_next(t, rangeId, s->message, s->message_len);
	if (unlikely(!slot)) {
		leave(t);
		return fail_often(ACL_ERROR_BAD_ALLOC, "aclprofRangeStart: no memory");
	}
	atomic_store_explicit(&slot->domain, NULL, memory_order_relaxed);
	if (unlikely(detailed)) {
		atomic_store_explicit(&slot->domain, RANGE_DETAILED, memory_order_relaxed);
		slot->details = s->details;
	}
	slot->start = clock_ticks(); /* last, as in open_fill() */
	range_publish(slot, *rangeId);
	leave(t);
	return ACL_SUCCESS;
}

APART range_start_slowly(const struct tx_stamp *s, uint32_t *rangeId, const void *caller)
{
	struct tx_thread *t;
	enum enter why = enter(&t);

	return why == ENTER_OK ? range_start_entered(t, s, rangeId, caller) :
				 not_entered("aclprofRangeStart", why, rangeId ? s : NULL);
}

aclError aclprofRangeStart(void *stamp, uint32_t *rangeId)
{
	struct tx_thread *t = enter_quickly();

	if (likely(t != NULL))
		return range_start_entered(t, stamp, rangeId, CALLER);
	return gate_is_on() ? range_start_slowly(stamp, rangeId, CALLER) : off(rangeId ? stamp : NULL);
}

/* What is no open range of a stamp without details. */
static __attribute__((noinline)) aclError stop_other(struct tx_thread *t, uint32_t id, enum range_end why, uint64_t now,
						     const void *caller)
{
	struct range_slot *slot = NULL;
	aclError ret;

	if (why == RANGE_OTHER_DOMAIN)
		why = range_take(id, RANGE_DETAILED, &slot);
	if (why == RANGE_OK) {
		ret = emit_detailed(t, TX_KIND_RANGE, slot->start, now, &slot->details, slot->text,
				    slot->message_len);
		range_put(slot, id);
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

BODY range_stop_entered(struct tx_thread *t, uint32_t rangeId, const void *caller)
{
	struct range_slot *slot;
	uint64_t now = clock_ticks();
	enum range_end how = range_take(rangeId, NULL, &slot);
	aclError ret;

	if (unlikely(how != RANGE_OK))
		return stop_other(t, rangeId, how, now, caller);
	ret = emit(t, TX_KIND_RANGE, slot->start, now, slot->text, slot->message_len);
	range_put(slot, rangeId);
	leave(t);
	return ret;
}

APART range_stop_slowly(uint32_t rangeId, const void *caller)
{
	struct tx_thread *t;
	enum enter why = enter(&t);

	return why == ENTER_OK ? range_stop_entered(t, rangeId, caller) : not_entered("aclprofRangeStop", why, &gate);
}

aclError aclprofRangeStop(uint32_t rangeId)
{
	struct tx_thread *t = enter_quickly();

	if (likely(t != NULL))
		return range_stop_entered(t, rangeId, CALLER);
	return gate_is_on() ? range_stop_slowly(rangeId, CALLER) : ACL_ERROR_PROF_NOT_RUN;
}
