/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscription: what acl/acl_prof.h says of it, but for the configuration, and
 * the functions of ascprof/models.h.
 */
#include "acl/acl_prof.h"
#include "ascprof/models.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log/log.h"
#include "session/session.h"
#include "subscribe/models.h"
#include "subscribe/record.h"
#include "subscribe/subscribe.h"
#include "subscribe/op_texts.h"

#define BAD ACL_ERROR_INVALID_PARAM

aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig)
{
	return session_subscribe(modelId, profSubscribeConfig);
}

aclError aclprofModelUnSubscribe(uint32_t modelId)
{
	return session_unsubscribe(modelId);
}

/* ---- who executes models ---- */

/* The function of that name in AscendCL, if it is in the process behind us. */
static int32_t tell_theirs(const char *name, uint32_t model, uint32_t device)
{
	int32_t (*theirs)(uint32_t, uint32_t) = (int32_t(*)(uint32_t, uint32_t))dlsym(RTLD_NEXT, name);

	return theirs ? theirs(model, device) : 0;
}

int32_t MsprofSetDeviceIdByGeModelIdx(const uint32_t geModelIdx, const uint32_t deviceId)
{
	/* The hooks first, so that no fork finds the table's lock taken. */
	if (!session_install_hooks() || !models_set(geModelIdx, deviceId))
		return fail(ACL_ERROR_BAD_ALLOC, "MsprofSetDeviceIdByGeModelIdx: no memory");
	return tell_theirs("MsprofSetDeviceIdByGeModelIdx", geModelIdx, deviceId);
}

int32_t MsprofUnsetDeviceIdByGeModelIdx(const uint32_t geModelIdx, const uint32_t deviceId)
{
	models_unset(geModelIdx);
	return tell_theirs("MsprofUnsetDeviceIdByGeModelIdx", geModelIdx, deviceId);
}

aclError ascprof_report_op(const struct ascprof_op *op)
{
	if (!op)
		return fail_often(BAD, "ascprof_report_op: op is NULL");
	if (!atomic_load_explicit(&subscriptions, memory_order_relaxed))
		return ACL_ERROR_PROF_NOT_RUN;
	return subscribe_report(op);
}

/* ---- readers of records ---- */

static bool whole_records(const char *call, const void *data, size_t length)
{
	if (!data) {
		fail_often(BAD, "%s: opInfo is NULL", call);
		return false;
	}
	if (length % sizeof(struct op_record)) {
		fail_often(BAD, "%s: opInfoLen is %zu, expected a multiple of %zu", call, length,
			   sizeof(struct op_record));
		return false;
	}
	return true;
}

/* Copies record @index, since a buffer of bytes may lie anywhere. Return: false with the reason told. */
static bool get(const char *call, const void *data, size_t length, size_t index, struct op_record *out)
{
	if (!whole_records(call, data, length))
		return false;
	if (index >= length / sizeof(*out)) {
		fail_often(BAD, "%s: index is %zu, expected below %zu", call, index, length / sizeof(*out));
		return false;
	}
	memcpy(out, (const char *)data + index * sizeof(*out), sizeof(*out));
	if (op_record_is_whole(out))
		return true;
	fail_often(BAD, "%s: opInfo: record %zu is damaged: its signature is wrong", call, index);
	return false;
}

aclError aclprofGetOpDescSize(size_t *opDescSize)
{
	if (!opDescSize)
		return fail_often(BAD, "aclprofGetOpDescSize: opDescSize is NULL");
	*opDescSize = sizeof(struct op_record);
	return ACL_SUCCESS;
}

aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber)
{
	size_t n = opInfoLen / sizeof(struct op_record);
	struct op_record r;

	if (!opNumber)
		return fail_often(BAD, "aclprofGetOpNum: opNumber is NULL");
	if (!whole_records(__func__, opInfo, opInfoLen))
		return BAD;
	if (n > UINT32_MAX)
		return fail_often(BAD, "aclprofGetOpNum: opInfoLen is %zu, expected at most %u records", opInfoLen,
				  UINT32_MAX);
	for (size_t i = 0; i < n; i++)
		if (!get(__func__, opInfo, opInfoLen, i, &r))
			return BAD;
	*opNumber = (uint32_t)n;
	return ACL_SUCCESS;
}

static aclError no_text(const char *call, uint32_t index)
{
	return fail_often(BAD,
			  "%s: index %u: there is no text: it was fetched already, is older than the last %u operators "
			  "or %u MiB of texts, or another process reported it",
			  call, index, TEXTS_OPS, TEXTS_BYTES >> 20);
}

static aclError text_length(const char *call, const void *data, size_t bytes, uint32_t index, enum text which,
			    size_t *length)
{
	struct op_record r;

	if (!length)
		return fail_often(BAD, "%s: the address for the length is NULL", call);
	if (!get(call, data, bytes, index, &r))
		return BAD;
	if (!op_texts_length(r.op_index, which, length))
		return no_text(call, index);
	++*length; /* its zero */
	return ACL_SUCCESS;
}

static aclError text(const char *call, const void *data, size_t bytes, uint32_t index, enum text which, char *out,
		     size_t room)
{
	struct op_record r;

	if (!out || !room)
		return fail_often(BAD, "%s: the buffer is %p with %zu bytes, expected at least one", call,
				  (const void *)out, room);
	if (!get(call, data, bytes, index, &r))
		return BAD;
	return op_texts_take(r.op_index, which, out, room) ? ACL_SUCCESS : no_text(call, index);
}

aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen)
{
	return text_length(__func__, opInfo, opInfoLen, index, TEXT_TYPE, opTypeLen);
}

aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType, size_t opTypeLen)
{
	return text(__func__, opInfo, opInfoLen, index, TEXT_TYPE, opType, opTypeLen);
}

aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen)
{
	return text_length(__func__, opInfo, opInfoLen, index, TEXT_NAME, opNameLen);
}

aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName, size_t opNameLen)
{
	return text(__func__, opInfo, opInfoLen, index, TEXT_NAME, opName, opNameLen);
}

uint64_t aclprofGetOpStart(const void *opInfo, size_t opInfoLen, uint32_t index)
{
	struct op_record r;

	return get(__func__, opInfo, opInfoLen, index, &r) ? r.start : 0;
}

uint64_t aclprofGetOpEnd(const void *opInfo, size_t opInfoLen, uint32_t index)
{
	struct op_record r;

	return get(__func__, opInfo, opInfoLen, index, &r) ? r.end : 0;
}

uint64_t aclprofGetOpDuration(const void *opInfo, size_t opInfoLen, uint32_t index)
{
	struct op_record r;

	return get(__func__, opInfo, opInfoLen, index, &r) ? r.duration : 0;
}

size_t aclprofGetModelId(const void *opInfo, size_t opInfoLen, uint32_t index)
{
	struct op_record r;

	return get(__func__, opInfo, opInfoLen, index, &r) ? r.model_id : BAD;
}

aclprofSubscribeOpFlag aclprofGetOpFlag(const void *opInfo, size_t opInfoLen, uint32_t index)
{
	struct op_record r;

	return get(__func__, opInfo, opInfoLen, index, &r) ? (aclprofSubscribeOpFlag)r.flag : ACL_SUBSCRIBE_NONE;
}

const char *aclprofGetOpAttriValue(const void *opInfo, size_t opInfoLen, uint32_t index,
				   aclprofSubscribeOpAttri attri)
{
	static _Thread_local char value[16];
	struct op_record r;

	if (!get(__func__, opInfo, opInfoLen, index, &r))
		return NULL;
	if (attri != ACL_SUBSCRIBE_ATTRI_THREADID || r.flag != ACL_SUBSCRIBE_OP_THREAD) {
		fail_often(BAD, "aclprofGetOpAttriValue: attri is %d, and flag %u of record %u, expected %d and %d",
			   (int)attri, r.flag, index, ACL_SUBSCRIBE_ATTRI_THREADID, ACL_SUBSCRIBE_OP_THREAD);
		return NULL;
	}
	snprintf(value, sizeof(value), "%" PRIu32, r.thread_id);
	return value;
}
