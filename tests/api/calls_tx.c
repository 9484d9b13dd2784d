// SPDX-License-Identifier: Apache-2.0
/* Rows: annotations, of aclprof, of what frameworks look up by name, and of mstx. */
#include "calls.h"

#include "acl/acl_prof_optional.h"
#include "tests/process/t.h"

#define MSTX_NO_IMPL
#include "mstx/ms_tools_ext.h"

CALL(CreateStamp)
{
	return pointer(ACL(CreateStamp)());
}

CALL(DestroyStamp)
{
	ACL(DestroyStamp)(ptr(a, 0));
	return nothing;
}

CALL(SetStampTraceMessage)
{
	return code(ACL(SetStampTraceMessage)(ptr(a, 0), ptr(a, 1), (uint32_t)num(a, 2, length(a, 1))));
}

CALL(Mark)
{
	return code(ACL(Mark)(ptr(a, 0)));
}

CALL(MarkEx)
{
	return code(ACL(MarkEx)(ptr(a, 0), num(a, 2, length(a, 0)), ptr(a, 1)));
}

CALL(Push)
{
	return code(ACL(Push)(ptr(a, 0)));
}

CALL(Pop)
{
	return code(ACL(Pop)());
}

CALL(RangeStart)
{
	uint32_t id = 0;
	aclError ret = ACL(RangeStart)(ptr(a, 0), out(a, 1) ? &id : NULL);

	if (out(a, 1))
		*out(a, 1) = id;
	return code(ret);
}

CALL(RangeStop)
{
	return code(ACL(RangeStop)((uint32_t)num(a, 0, 0)));
}

CALL(Str2Id)
{
	return number(ACL(Str2Id)(ptr(a, 0)));
}

/* RangePushEx(NULL), or (tensors, version, size, messageType) of attributes made here. */
CALL(RangePushEx)
{
	static aclprofTensor tensors[16];
	static aclprofTensorInfo info;
	static aclprofEventAttributes attr;

	if (!num(a, 0, 0))
		return code(ACL(RangePushEx)(NULL));
	info = (aclprofTensorInfo){ .tensorNum = (uint32_t)num(a, 0, 1), .tensors = tensors, .blockNums = 1 };
	attr = (aclprofEventAttributes){
		.version = (uint16_t)num(a, 1, ACL_PROF_EVENT_ATTR_VERSION),
		.size = (uint16_t)num(a, 2, sizeof(attr)),
		.messageType = (uint32_t)num(a, 3, ACL_PROF_MESSAGE_TYPE_TENSOR_INFO),
		.message.tensorInfo = &info,
	};
	return code(ACL(RangePushEx)(&attr));
}

CALL(RangePop)
{
	return code(ACL(RangePop)());
}

CALL(CreateStepInfo)
{
	return pointer(ACL(CreateStepInfo)());
}

CALL(GetStepTimestamp)
{
	return code(ACL(GetStepTimestamp)(ptr(a, 0), (aclprofStepTag)num(a, 1, 0), ptr(a, 2)));
}

CALL(DestroyStepInfo)
{
	ACL(DestroyStepInfo)(ptr(a, 0));
	return nothing;
}

/* Not in the public header; named by the public source. */

CALL(SetCategoryName)
{
	return code(NAMED(aclError(*)(uint32_t, const char *), "aclprofSetCategoryName")((uint32_t)num(a, 0, 0),
											 ptr(a, 1)));
}

CALL(SetStampCategory)
{
	return code(NAMED(aclError(*)(void *, uint32_t), "aclprofSetStampCategory")(ptr(a, 0),
										   (uint32_t)num(a, 1, 0)));
}

CALL(SetStampPayload)
{
	return code(NAMED(aclError(*)(void *, const int32_t, void *), "aclprofSetStampPayload")(
		ptr(a, 0), (int32_t)num(a, 1, 0), out(a, 2)));
}

CALL(SetStampTagName)
{
	return code(NAMED(aclError(*)(void *, const char *, uint16_t), "aclprofSetStampTagName")(
		ptr(a, 0), ptr(a, 1), (uint16_t)num(a, 2, length(a, 1))));
}

CALL(SetStampCallStack)
{
	return code(NAMED(aclError(*)(void *, const char *, uint32_t), "aclprofSetStampCallStack")(
		ptr(a, 0), ptr(a, 1), (uint32_t)num(a, 2, length(a, 1))));
}

typedef int32_t features_call(size_t *, void **);

static struct answer features(const char *name, const struct arguments *a)
{
	size_t count = 0;
	void *data = out(a, 1) ? (void *)(uintptr_t)*out(a, 1) : NULL;
	int32_t ret = NAMED(features_call *, name)(out(a, 0) ? &count : NULL, out(a, 1) ? &data : NULL);

	if (out(a, 0))
		*out(a, 0) = count;
	if (out(a, 1))
		*out(a, 1) = (uintptr_t)data;
	return code(ret);
}

CALL(GetSupportedFeatures)
{
	return features("aclprofGetSupportedFeatures", a);
}

CALL(GetSupportedFeaturesV2)
{
	return features("aclprofGetSupportedFeaturesV2", a);
}

CALL(RegisterDeviceCallback)
{
	return code(NAMED(int (*)(void), "aclprofRegisterDeviceCallback")());
}

/* ---- mstx ---- */

#define MSTX(name) NAMED(__typeof__(name) *, #name)

CALL(mstxMarkA)
{
	MSTX(mstxMarkA)(ptr(a, 0), NULL);
	return nothing;
}

CALL(mstxRangeStartA)
{
	return number(MSTX(mstxRangeStartA)(ptr(a, 0), NULL));
}

CALL(mstxRangeEnd)
{
	MSTX(mstxRangeEnd)(num(a, 0, 0));
	return nothing;
}

CALL(mstxDomainCreateA)
{
	return pointer(MSTX(mstxDomainCreateA)(ptr(a, 0)));
}

CALL(mstxDomainDestroy)
{
	MSTX(mstxDomainDestroy)(ptr(a, 0));
	return nothing;
}

CALL(mstxDomainMarkA)
{
	MSTX(mstxDomainMarkA)(ptr(a, 0), ptr(a, 1), NULL);
	return nothing;
}

CALL(mstxDomainRangeStartA)
{
	return number(MSTX(mstxDomainRangeStartA)(ptr(a, 0), ptr(a, 1), NULL));
}

CALL(mstxDomainRangeEnd)
{
	MSTX(mstxDomainRangeEnd)(ptr(a, 0), num(a, 1, 0));
	return nothing;
}

const struct row_call calls_tx[] = {
	ENTRY(CreateStamp, 0, 0), ENTRY(DestroyStamp, 1, 1), ENTRY(SetStampTraceMessage, 2, 3),
	ENTRY(Mark, 1, 1), ENTRY(MarkEx, 2, 3), ENTRY(Push, 1, 1), ENTRY(Pop, 0, 0),
	ENTRY(RangeStart, 2, 2), ENTRY(RangeStop, 1, 1), ENTRY(Str2Id, 1, 1),
	ENTRY(RangePushEx, 1, 4), ENTRY(RangePop, 0, 0), ENTRY(CreateStepInfo, 0, 0),
	ENTRY(GetStepTimestamp, 3, 3), ENTRY(DestroyStepInfo, 1, 1), ENTRY(SetCategoryName, 2, 2),
	ENTRY(SetStampCategory, 2, 2), ENTRY(SetStampPayload, 3, 3), ENTRY(SetStampTagName, 2, 3),
	ENTRY(SetStampCallStack, 2, 3), ENTRY(GetSupportedFeatures, 2, 2),
	ENTRY(GetSupportedFeaturesV2, 2, 2), ENTRY(RegisterDeviceCallback, 0, 0),
	ENTRY(mstxMarkA, 1, 1), ENTRY(mstxRangeStartA, 1, 1), ENTRY(mstxRangeEnd, 1, 1),
	ENTRY(mstxDomainCreateA, 1, 1), ENTRY(mstxDomainDestroy, 1, 1),
	ENTRY(mstxDomainMarkA, 2, 2), ENTRY(mstxDomainRangeStartA, 2, 2),
	ENTRY(mstxDomainRangeEnd, 2, 2),
	{ 0 },
};
