/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations that a device takes part in; their contract is in acl/acl_prof.h.
 * The device runtime is called between two annotations, never inside of one.
 */
#include "acl/acl_prof.h"

#include "annotate/emit.h"
#include "annotate/launch.h"
#include "device/trace.h"
#include "log/log.h"
#include "log/strict.h"
#include "mstx/domain.h"

#define MARK_EX_MAX ROW_TX_MESSAGE_MAX

/* What a call that could not be entered returns. */
static aclError not_entered(const char *call, enum enter why)
{
	if (why == ENTER_OFF)
		return ACL_ERROR_PROF_NOT_RUN;
	if (why == ENTER_NO_MEMORY)
		return fail_often(ACL_ERROR_BAD_ALLOC, "%s: no memory", call);
	return fail_often(ACL_ERROR_PROFILING_FAILURE,
			  "%s: called by a signal handler inside another annotation", call);
}

/* Enters again what was left for the device runtime; the session may be over, or be another one. */
static enum enter enter_again(struct tx_thread **t, uint32_t generation)
{
	enum enter why = enter(t);

	if (why == ENTER_OK && atomic_load_explicit(&(*t)->generation, memory_order_relaxed) != generation) {
		leave(*t);
		return ENTER_OFF;
	}
	return why;
}

/* ---- marks ---- */

static aclError check_mark(const char *msg, size_t len, const void *stream)
{
	if (!msg)
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "aclprofMarkEx: msg is NULL, expected text");
	if (!stream)
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM,
				     "aclprofMarkEx: stream is NULL, expected a stream");
	if (!len || len > MARK_EX_MAX)
		return fail_often(ACL_ERROR_INVALID_PARAM, "aclprofMarkEx: msgLen is %zu, expected 1 to %d bytes", len,
				  MARK_EX_MAX);
	if (strnlen(msg, len + 1) != len)
		return fail_often(ACL_ERROR_INVALID_PARAM, "aclprofMarkEx: msgLen is %zu, expected the length of msg",
				  len);
	return ACL_SUCCESS;
}

/* The same for one that would have made a record at once: it is counted. */
static aclError mark_not_entered(enum enter why)
{
	if (why == ENTER_NO_MEMORY)
		tx_count_lost(TX_KIND_MARK_EX, TX_DROP_NO_MEMORY);
	else if (why == ENTER_BUSY)
		tx_count_lost(TX_KIND_MARK_EX, TX_DROP_REENTRANT);
	return not_entered("aclprofMarkEx", why);
}

aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream)
{
	struct tx_extension extension = { .domain = &domain_default };
	struct device_answer answer;
	struct tx_thread *t;
	uint32_t generation;
	enum enter why;
	uint64_t now;
	aclError ret;

	if (!gate_is_on())
		return ACL_ERROR_PROF_NOT_RUN;
	ret = check_mark(msg, msgLen, stream);
	if (ret)
		return ret;
	why = enter(&t);
	if (unlikely(why != ENTER_OK))
		return mark_not_entered(why);
	generation = atomic_load_explicit(&t->generation, memory_order_relaxed);
	extension.mark_id = next_mark_id(t);
	extension.tid = t->tid;
	now = clock_ticks();
	leave(t);
	answer = device_trace(extension.mark_id, DEVICE_TAG_MARK, stream);
	if (unlikely(answer.verdict != DEVICE_DONE))
		return device_fail("aclprofMarkEx", &answer, ACL_ERROR_PROFILING_FAILURE);
	why = enter_again(&t, generation);
	if (unlikely(why != ENTER_OK))
		return mark_not_entered(why);
	ret = emit_extended(t, TX_KIND_MARK_EX, now, now, &extension, msg, (uint32_t)msgLen);
	leave(t);
	return ret;
}

/* ---- tensors of operators ---- */

static aclError check_tensors(const aclprofTensorInfo *info)
{
	if (!info)
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM,
				     "aclprofRangePushEx: message.tensorInfo is NULL");
	if (info->tensorNum > LAUNCH_TENSORS_MAX)
		return fail_often(ACL_ERROR_INVALID_PARAM, "aclprofRangePushEx: tensorNum is %u, expected at most %u",
				  info->tensorNum, LAUNCH_TENSORS_MAX);
	if (info->tensorNum && !info->tensors)
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM,
				     "aclprofRangePushEx: tensors is NULL, expected %u of them", info->tensorNum);
	for (uint32_t i = 0; i < info->tensorNum; i++)
		if (info->tensors[i].shapeDim > ACL_PROF_TENSOR_DATA_SHAPE_LEN)
			return fail_often(ACL_ERROR_INVALID_PARAM,
					  "aclprofRangePushEx: tensors[%u].shapeDim is %u, expected at most %d", i,
					  info->tensors[i].shapeDim, ACL_PROF_TENSOR_DATA_SHAPE_LEN);
	return ACL_SUCCESS;
}

static aclError check_attributes(const aclprofEventAttributes *attr)
{
	if (!attr)
		return fail_often_as(EK_NULL, ACL_ERROR_INVALID_PARAM, "aclprofRangePushEx: attr is NULL");
	if (attr->messageType != ACL_PROF_MESSAGE_TYPE_TENSOR_INFO)
		return fail_often(ACL_ERROR_INVALID_PARAM, "aclprofRangePushEx: messageType is %u, expected %d",
				  attr->messageType, ACL_PROF_MESSAGE_TYPE_TENSOR_INFO);
	return check_tensors(attr->message.tensorInfo);
}

aclError aclprofRangePushEx(aclprofEventAttributes *attr)
{
	struct device_answer answer;
	struct tx_thread *t;
	struct launch *l;
	enum enter why;
	aclError ret;

	if (!gate_is_on())
		return attr ? ACL_ERROR_PROF_NOT_RUN : ACL_ERROR_INVALID_PARAM;
	ret = check_attributes(attr);
	if (ret)
		return ret;
	answer = device_knows_streams();
	if (answer.verdict != DEVICE_DONE)
		return device_fail("aclprofRangePushEx", &answer, ACL_ERROR_PROFILING_FAILURE);
	why = enter(&t);
	if (why != ENTER_OK)
		return not_entered("aclprofRangePushEx", why);
	l = launch_push(t, attr->message.tensorInfo);
	if (l)
		l->start = clock_ticks();
	leave(t);
	return l ? ACL_SUCCESS :
		   fail_often(ACL_ERROR_BAD_ALLOC, "aclprofRangePushEx: no memory for another operator");
}

/* Rows are what is counted: one has room for a few tensors only. */
static void count_more_rows(_Atomic uint64_t *counter, uint32_t tensors)
{
	uint64_t more = tensors ? (tensors - 1) / ROW_TENSORS : 0;

	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
			      memory_order_relaxed);
}

static aclError emit_launch(struct tx_thread *t, const struct launch *l, uint64_t now)
{
	uint32_t tensors = (uint32_t)(l->info.nr * sizeof(struct row_tensor));
	struct tx_record *r = emit_begin(t, TX_KIND_TENSOR, (uint32_t)sizeof(struct tx_launch) + tensors);
	struct tx_launch *to;

	count_more_rows(&t->counts.produced[TX_KIND_TENSOR], l->info.nr);
	if (!r) {
		count_more_rows(&t->counts.dropped[TX_KIND_TENSOR][TX_DROP_RING_FULL], l->info.nr);
		return emit_no_room(t, TX_KIND_TENSOR);
	}
	r->has = TX_BODY_LAUNCH;
	r->message_len = 0;
	r->start = r->end = l->start + (now - l->start) / 2;
	to = (struct tx_launch *)r->body;
	to->op_name = l->info.op_name;
	to->nr = l->info.nr;
	memcpy(to->tensor, l->info.tensor, tensors);
	emit_end(t, r);
	return ACL_SUCCESS;
}

static aclError nothing_begun(const void *caller)
{
	static const char text[] = "aclprofRangePop: this thread has begun nothing with aclprofRangePushEx";
	aclError ret = fail_often(ACL_ERROR_PROF_NOT_RUN, "%s", text);

	strict_misuse(caller, "%s", text);
	return ret;
}

aclError aclprofRangePop(void)
{
	struct device_answer answer;
	struct tx_thread *t;
	enum enter why = enter(&t);
	bool keeps = false;
	uint32_t generation;
	struct launch *l;
	uint64_t now;
	aclError ret = ACL_SUCCESS;

	if (why != ENTER_OK)
		return not_entered("aclprofRangePop", why);
	now = clock_ticks();
	generation = atomic_load_explicit(&t->generation, memory_order_relaxed);
	l = launch_top(t);
	leave(t);
	if (!l)
		return nothing_begun(CALLER);
	/* It is this thread's alone, and stays while the runtime reads it. */
	answer = device_stream_keeps_ops(l->stream, &keeps);
	if (answer.verdict == DEVICE_DONE && keeps)
		answer = device_keep_op(&l->info, launch_info_bytes(l->info.nr));
	if (answer.verdict != DEVICE_DONE)
		ret = device_fail("aclprofRangePop", &answer, ACL_ERROR_PROFILING_FAILURE);
	why = enter_again(&t, generation);
	if (why != ENTER_OK)
		return ret ? ret : not_entered("aclprofRangePop", why);
	/* What interrupted us, or the runtime, may have ended it. */
	if (launch_top(t) != l) {
		leave(t);
		return nothing_begun(CALLER);
	}
	if (!ret && !keeps)
		ret = emit_launch(t, l, now);
	launch_pop(t);
	leave(t);
	return ret;
}
