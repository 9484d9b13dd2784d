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

void *aclprofCreateStamp(void)
{
	struct tx_thread *t;
	struct tx_stamp *s;

	if (enter(&t) != ENTER_OK)
		return NULL;
	if (unlikely(!t->free_stamps) && !stamp_refill(t)) {
		leave(t);
		fail_often(ACL_ERROR_BAD_ALLOC, "aclprofCreateStamp: no memory");
		return NULL;
	}
	s = t->free_stamps;
	t->free_stamps = s->next;
	t->nr_free_stamps--;
	s->state = STAMP_LIVE;
	s->message_len = 0;
	leave(t);
	return s;
}

/* A thread that only frees what others create must not keep it all. */
#define FREE_STAMPS_MAX 4096u

void aclprofDestroyStamp(void *stamp)
{
	struct tx_thread *t = tx_self;
	struct tx_stamp *s = stamp;

	if (!live(s) && !stamp_is_detailed(s)) {
		if (s)
			bad_stamp("aclprofDestroyStamp", stamp, CALLER);
		return;
	}
	s->state = STAMP_FREE;
	if (unlikely(!t)) {
		stamp_give(s);
		return;
	}
	/* Also after Stop: the free list is the thread's own. In a signal handler
	 * that interrupted an annotation it is not, and the stamp is left lying. */
	if (unlikely(atomic_load_explicit(&t->busy, memory_order_relaxed)))
		return;
	if (unlikely(t->nr_free_stamps >= FREE_STAMPS_MAX)) {
		stamp_give(s);
		return;
	}
	atomic_store_explicit(&t->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	s->next = t->free_stamps;
	t->free_stamps = s;
	t->nr_free_stamps++;
	leave(t);
}

aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen)
{
	struct tx_stamp *s = stamp;
	const char *zero;

	if (!gate_is_on())
		return off(stamp);
	if (unlikely(!live(s)) && !stamp_is_detailed(s))
		return bad_stamp("aclprofSetStampTraceMessage", stamp, CALLER);
	if (unlikely(!msg))
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "aclprofSetStampTraceMessage: msg is NULL");
	if (unlikely(msgLen > TX_MESSAGE_MAX))
		return fail_often(ACL_ERROR_INVALID_PARAM,
				  "aclprofSetStampTraceMessage: msgLen is %u, expected 0 to %d bytes", msgLen,
				  TX_MESSAGE_MAX);
	zero = memchr(msg, 0, msgLen);
	if (unlikely(zero != NULL))
		msgLen = (uint32_t)(zero - msg);
	copy_message(s->message, msg, msgLen);
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

aclError aclprofMark(void *stamp)
{
	struct tx_stamp *s = stamp;
	struct tx_thread *t;
	enum enter why = enter(&t);
	uint64_t now;
	aclError ret;

	if (unlikely(why != ENTER_OK)) {
		if (why == ENTER_NO_MEMORY)
			tx_count_lost(TX_KIND_MARK, TX_DROP_NO_MEMORY);
		else if (why == ENTER_BUSY)
			tx_count_lost(TX_KIND_MARK, TX_DROP_REENTRANT);
		return not_entered("aclprofMark", why, stamp);
	}
	if (unlikely(!live(s)))
		return mark_other(t, s, CALLER);
	now = clock_ticks();
	ret = emit(t, TX_KIND_MARK, now, now, s->message, s->message_len);
	leave(t);
	return ret;
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

aclError aclprofPush(void *stamp)
{
	struct tx_stamp *s = stamp;
	struct tx_thread *t;
	enum enter why = enter(&t);
	bool detailed = false;
	uint32_t depth;

	if (unlikely(why != ENTER_OK))
		return not_entered("aclprofPush", why, stamp);
	if (unlikely(!live(s))) {
		detailed = stamp_is_detailed(s);
		if (!detailed) {
			leave(t);
			return bad_stamp("aclprofPush", stamp, CALLER);
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

aclError aclprofPop(void)
{
	struct tx_thread *t;
	enum enter why = enter(&t);
	const struct tx_open *top;
	uint64_t now;
	uint32_t depth;
	aclError ret;

	if (unlikely(why != ENTER_OK))
		return not_entered("aclprofPop", why, &gate);
	now = clock_ticks();
	depth = atomic_load_explicit(&t->depth, memory_order_relaxed);
	if (unlikely(!depth)) {
		leave(t);
		return nothing_pushed(CALLER);
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

aclError aclprofRangeStart(void *stamp, uint32_t *rangeId)
{
	struct tx_stamp *s = stamp;
	struct range_slot *slot;
	struct tx_thread *t;
	enum enter why = enter(&t);
	bool detailed = false;

	if (unlikely(why != ENTER_OK))
		return not_entered("aclprofRangeStart", why, rangeId ? stamp : NULL);
	if (unlikely(!live(s))) {
		detailed = stamp_is_detailed(s);
		if (!detailed) {
			leave(t);
			return bad_stamp("aclprofRangeStart", stamp, CALLER);
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

aclError aclprofRangeStop(uint32_t rangeId)
{
	struct tx_thread *t;
	enum enter why = enter(&t);
	struct range_slot *slot;
	enum range_end how;
	uint64_t now;
	aclError ret;

	if (unlikely(why != ENTER_OK))
		return not_entered("aclprofRangeStop", why, &gate);
	now = clock_ticks();
	how = range_take(rangeId, NULL, &slot);
	if (unlikely(how != RANGE_OK))
		return stop_other(t, rangeId, how, now, CALLER);
	ret = emit(t, TX_KIND_RANGE, slot->start, now, slot->text, slot->message_len);
	range_put(slot, rangeId);
	leave(t);
	return ret;
}
