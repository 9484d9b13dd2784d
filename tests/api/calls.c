// SPDX-License-Identifier: Apache-2.0
/*
 * What rows can call: every function of the interface by its name without
 * "aclprof", looked up as a framework does, and a few of our own that look at
 * what was recorded. Arguments that a row leaves out are those of a sensible
 * caller, mostly the length of a text.
 */
#include "rows.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "acl/acl_prof_optional.h"
#include "tests/process/prof.h"
#include "tests/process/t.h"

#define MSTX_NO_IMPL
#include "mstx/ms_tools_ext.h"

/* The bytes of a record are those of the public reader, see Records(). */
#define RECORD_BYTES 80

static void *symbol(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found)
		row_broken("%s is not exported", name);
	return found;
}

#define NAMED(type, name) ((type)symbol(name))
#define ACL(name) NAMED(__typeof__(aclprof##name) *, "aclprof" #name)

#define CALL(name) static struct answer do_##name(__attribute__((unused)) const struct arguments *a)

static struct answer code(aclError value)
{
	return (struct answer){ ANSWER_NUMBER, (uint64_t)(int64_t)value, NULL };
}

static struct answer number(uint64_t value)
{
	return (struct answer){ ANSWER_NUMBER, value, NULL };
}

static struct answer pointer(const void *value)
{
	return (struct answer){ ANSWER_POINTER, (uintptr_t)value, NULL };
}

static struct answer text(const char *value)
{
	return (struct answer){ ANSWER_TEXT, (uintptr_t)value, value };
}

static const struct answer nothing = { ANSWER_NOTHING, 0, NULL };

/* An argument as the parameter's type. */
static uint64_t num(const struct arguments *a, unsigned int i, uint64_t missing)
{
	return i < a->count ? a->at[i].number : missing;
}

static void *ptr(const struct arguments *a, unsigned int i)
{
	if (i >= a->count)
		return NULL;
	return a->at[i].text ? a->at[i].text : (void *)(uintptr_t)a->at[i].number;
}

static size_t length(const struct arguments *a, unsigned int i)
{
	return a->at[i].text ? strlen(a->at[i].text) : 0;
}

static uint64_t *out(const struct arguments *a, unsigned int i)
{
	return i < a->count ? a->at[i].out : NULL;
}

/* ---- life cycle ---- */

CALL(Init)
{
	return code(ACL(Init)(ptr(a, 0), num(a, 1, length(a, 0))));
}

CALL(Finalize)
{
	return code(ACL(Finalize)());
}

CALL(SetConfig)
{
	return code(ACL(SetConfig)((aclprofConfigType)num(a, 0, 0), ptr(a, 1), num(a, 2, length(a, 1))));
}

/* CreateConfig([ids] or NULL, count, bits, metrics, events) */
CALL(CreateConfig)
{
	struct argument list = a->at[0];

	return pointer(ACL(CreateConfig)(list.listed ? list.list : NULL, (uint32_t)num(a, 1, list.listed),
					 (aclprofAicoreMetrics)num(a, 3, ACL_AICORE_NONE), ptr(a, 4),
					 num(a, 2, ACL_PROF_MSPROFTX)));
}

CALL(DestroyConfig)
{
	return code(ACL(DestroyConfig)(ptr(a, 0)));
}

CALL(Warmup)
{
	return code(ACL(Warmup)(ptr(a, 0)));
}

CALL(Start)
{
	return code(ACL(Start)(ptr(a, 0)));
}

CALL(Stop)
{
	return code(ACL(Stop)(ptr(a, 0)));
}

/* aclInit(JSON): of a file that holds this text; aclInit(NULL) without one. */
CALL(aclInit)
{
	if (!a->at[0].text)
		return code(NAMED(__typeof__(aclInit) *, "aclInit")(NULL));
	t_write_file("acl.json", a->at[0].text);
	return code(NAMED(__typeof__(aclInit) *, "aclInit")("acl.json"));
}

CALL(aclFinalize)
{
	return code(NAMED(__typeof__(aclFinalize) *, "aclFinalize")());
}

/* ---- annotations ---- */

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

/* ---- subscription ---- */

/* CreateSubscribeConfig(switch, metrics, &fd or NULL) */
CALL(CreateSubscribeConfig)
{
	static int fds[4];
	static unsigned int used;
	int *fd = NULL;

	if (out(a, 2)) {
		fd = &fds[used++ % 4];
		*fd = (int)*out(a, 2);
	}
	return pointer(ACL(CreateSubscribeConfig)((int8_t)num(a, 0, 0), (aclprofAicoreMetrics)num(a, 1, 0), fd));
}

CALL(DestroySubscribeConfig)
{
	return code(ACL(DestroySubscribeConfig)(ptr(a, 0)));
}

CALL(ModelSubscribe)
{
	return code(ACL(ModelSubscribe)((uint32_t)num(a, 0, 0), ptr(a, 1)));
}

CALL(ModelUnSubscribe)
{
	return code(ACL(ModelUnSubscribe)((uint32_t)num(a, 0, 0)));
}

/* Model(id, device): it is loaded. */
CALL(Model)
{
	return code(NAMED(int32_t(*)(const uint32_t, const uint32_t), "MsprofSetDeviceIdByGeModelIdx")(
		(uint32_t)num(a, 0, 0), (uint32_t)num(a, 1, 0)));
}

/* Pipe(&end): the end to write to; what is written stays in the pipe. */
CALL(Pipe)
{
	int fds[2];

	if (pipe(fds))
		row_broken("pipe: no descriptors");
	*out(a, 0) = (uint64_t)fds[1];
	return code(0);
}

static uint32_t crc32c(const unsigned char *bytes, size_t count)
{
	uint32_t crc = 0xFFFFFFFF;

	while (count--) {
		crc ^= *bytes++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78 : 0);
	}
	return crc;
}

static void put(unsigned char *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

/*
 * Records(count, flag): as they come through the pipe. Model 7, thread 1234,
 * begin 1000 + 100 * index, end 50 later, duration 3.
 */
CALL(Records)
{
	static unsigned char buffer[8 * RECORD_BYTES];

	for (unsigned int i = 0; i < num(a, 0, 1); i++) {
		unsigned char *record = buffer + (size_t)i * RECORD_BYTES;

		put(record + 4, 7, 4);
		put(record + 8, num(a, 1, 0), 4);
		put(record + 12, 1234, 4);
		put(record + 16, 987654321 + i, 8);
		put(record + 24, 3, 8);
		put(record + 32, 1000 + 100 * i, 8);
		put(record + 40, 1050 + 100 * i, 8);
		put(record, crc32c(record + 4, RECORD_BYTES - 4), 4);
	}
	return pointer(buffer);
}

/* Flip(buffer, byte): damages it. */
CALL(Flip)
{
	((unsigned char *)ptr(a, 0))[num(a, 1, 0)] ^= 1;
	return nothing;
}

CALL(GetOpDescSize)
{
	size_t size = 0;
	aclError ret = ACL(GetOpDescSize)(out(a, 0) ? &size : NULL);

	if (out(a, 0))
		*out(a, 0) = size;
	return code(ret);
}

CALL(GetOpNum)
{
	uint32_t count = 0;
	aclError ret = ACL(GetOpNum)(ptr(a, 0), num(a, 1, 0), out(a, 2) ? &count : NULL);

	if (out(a, 2))
		*out(a, 2) = count;
	return code(ret);
}

static struct answer op_length(__typeof__(aclprofGetOpTypeLen) *get, const struct arguments *a)
{
	size_t size = 0;
	aclError ret = get(ptr(a, 0), num(a, 1, 0), (uint32_t)num(a, 2, 0), out(a, 3) ? &size : NULL);

	if (out(a, 3))
		*out(a, 3) = size;
	return code(ret);
}

CALL(GetOpTypeLen)
{
	return op_length(ACL(GetOpTypeLen), a);
}

CALL(GetOpNameLen)
{
	return op_length(ACL(GetOpNameLen), a);
}

/* (buffer, bytes, index, bytes of the text or 0 for NULL) */
static struct answer op_text(__typeof__(aclprofGetOpType) *get, const struct arguments *a)
{
	static char found[512];

	return code(get(ptr(a, 0), num(a, 1, 0), (uint32_t)num(a, 2, 0), num(a, 3, 0) ? found : NULL, num(a, 3, 0)));
}

CALL(GetOpType)
{
	return op_text(ACL(GetOpType), a);
}

CALL(GetOpName)
{
	return op_text(ACL(GetOpName), a);
}

#define GETTER(name)                                                                              \
	CALL(name)                                                                                \
	{                                                                                         \
		return number(ACL(name)(ptr(a, 0), num(a, 1, 0), (uint32_t)num(a, 2, 0)));        \
	}
GETTER(GetOpStart)
GETTER(GetOpEnd)
GETTER(GetOpDuration)
GETTER(GetModelId)
GETTER(GetOpFlag)

CALL(GetOpAttriValue)
{
	return text(ACL(GetOpAttriValue)(ptr(a, 0), num(a, 1, 0), (uint32_t)num(a, 2, 0),
					 (aclprofSubscribeOpAttri)num(a, 3, 0)));
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

/* ---- of our own ---- */

CALL(Env)
{
	setenv(ptr(a, 0), ptr(a, 1), 1);
	return nothing;
}

/* Equal(x, y): 1 or 0 */
CALL(Equal)
{
	return number(num(a, 0, 0) == num(a, 1, 0));
}

CALL(Value)
{
	return number(num(a, 0, 0));
}

CALL(Exists)
{
	return number(t_exists(ptr(a, 0)));
}

/* File(path): makes one */
CALL(File)
{
	t_write_file(ptr(a, 0), "");
	return nothing;
}

/* Results(path): PROF_ directories in it */
CALL(Results)
{
	struct prof_list list;

	prof_find(&list, ptr(a, 0));
	prof_free(&list);
	return number(list.count);
}

/* Only(path, file, text): 1 when that file of the only PROF_ directory has the text */
CALL(Only)
{
	static char content[1 << 16];
	const char *prof = prof_only(ptr(a, 0));
	FILE *file = prof ? fopen(t_path("%s/%s", prof, (const char *)ptr(a, 1)), "r") : NULL;

	if (!file)
		return number(0);
	content[fread(content, 1, sizeof(content) - 1, file)] = 0;
	fclose(file);
	return number(strstr(content, ptr(a, 2)) != NULL);
}

/* Written(kind, "all"): rows of a kind; Written(kind): of a kind with stamps' rows only */
static struct answer written(const struct arguments *a, enum row_tx_event event)
{
	struct prof_rows rows;
	size_t count = 0;

	prof_rows(&rows, prof_only(ptr(a, 0)));
	for (size_t i = 0; i < rows.count; i++)
		count += rows.row[i].event == event && (a->count < 2 || !strcmp(rows.row[i].message, ptr(a, 1)));
	prof_rows_free(&rows);
	return number(count);
}

/* Marks(path), Marks(path, message), ...: rows in the only PROF_ directory */
CALL(Marks)
{
	return written(a, ROW_TX_MARK);
}

CALL(Pushes)
{
	return written(a, ROW_TX_PUSH_POP);
}

CALL(Ranges)
{
	return written(a, ROW_TX_RANGE);
}

/* Message(path, row): the text of a row */
CALL(Message)
{
	static char kept[ROW_TX_MESSAGE_MAX + 1];
	struct prof_rows rows;
	uint64_t i = num(a, 1, 0);

	prof_rows(&rows, prof_only(ptr(a, 0)));
	if (i >= rows.count)
		row_broken("%zu rows were written", rows.count);
	snprintf(kept, sizeof(kept), "%s", rows.row[i].message);
	prof_rows_free(&rows);
	return text(kept);
}

/* Stamps(n): the last of n that are created and kept */
CALL(Stamps)
{
	void *stamp = NULL;

	for (uint64_t i = 0; i < num(a, 0, 0); i++)
		stamp = ACL(CreateStamp)();
	return pointer(stamp);
}

/* Loop(n): n times create, message, mark, destroy; calls that did not return 0 */
CALL(Loop)
{
	uint64_t bad = 0;

	for (uint64_t i = 0; i < num(a, 0, 0); i++) {
		void *stamp = ACL(CreateStamp)();

		bad += ACL(SetStampTraceMessage)(stamp, "test msprof tx", 14) != 0;
		bad += ACL(Mark)(stamp) != 0;
		ACL(DestroyStamp)(stamp);
	}
	return number(bad);
}

#define ENTRY(name, least, most) { #name, do_##name, least, most }

static const struct row_call calls[] = {
	ENTRY(Init, 1, 2), ENTRY(Finalize, 0, 0), ENTRY(SetConfig, 2, 3), ENTRY(CreateConfig, 1, 5),
	ENTRY(DestroyConfig, 1, 1), ENTRY(Warmup, 1, 1), ENTRY(Start, 1, 1), ENTRY(Stop, 1, 1),
	ENTRY(aclInit, 1, 1), ENTRY(aclFinalize, 0, 0),
	ENTRY(CreateStamp, 0, 0), ENTRY(DestroyStamp, 1, 1), ENTRY(SetStampTraceMessage, 2, 3),
	ENTRY(Mark, 1, 1), ENTRY(MarkEx, 2, 3), ENTRY(Push, 1, 1), ENTRY(Pop, 0, 0),
	ENTRY(RangeStart, 2, 2), ENTRY(RangeStop, 1, 1), ENTRY(Str2Id, 1, 1),
	ENTRY(RangePushEx, 1, 4), ENTRY(RangePop, 0, 0),
	ENTRY(CreateStepInfo, 0, 0), ENTRY(GetStepTimestamp, 3, 3), ENTRY(DestroyStepInfo, 1, 1),
	ENTRY(SetCategoryName, 2, 2), ENTRY(SetStampCategory, 2, 2), ENTRY(SetStampPayload, 3, 3),
	ENTRY(SetStampTagName, 2, 3), ENTRY(SetStampCallStack, 2, 3),
	ENTRY(GetSupportedFeatures, 2, 2), ENTRY(GetSupportedFeaturesV2, 2, 2),
	ENTRY(RegisterDeviceCallback, 0, 0),
	ENTRY(CreateSubscribeConfig, 3, 3), ENTRY(DestroySubscribeConfig, 1, 1),
	ENTRY(ModelSubscribe, 2, 2), ENTRY(ModelUnSubscribe, 1, 1), ENTRY(Model, 2, 2), ENTRY(Pipe, 1, 1),
	ENTRY(Records, 1, 2), ENTRY(Flip, 2, 2),
	ENTRY(GetOpDescSize, 1, 1), ENTRY(GetOpNum, 3, 3), ENTRY(GetOpTypeLen, 4, 4), ENTRY(GetOpNameLen, 4, 4),
	ENTRY(GetOpType, 4, 4), ENTRY(GetOpName, 4, 4), ENTRY(GetOpStart, 3, 3), ENTRY(GetOpEnd, 3, 3),
	ENTRY(GetOpDuration, 3, 3), ENTRY(GetModelId, 3, 3), ENTRY(GetOpFlag, 3, 3), ENTRY(GetOpAttriValue, 4, 4),
	ENTRY(mstxMarkA, 1, 1), ENTRY(mstxRangeStartA, 1, 1), ENTRY(mstxRangeEnd, 1, 1),
	ENTRY(mstxDomainCreateA, 1, 1), ENTRY(mstxDomainDestroy, 1, 1), ENTRY(mstxDomainMarkA, 2, 2),
	ENTRY(mstxDomainRangeStartA, 2, 2), ENTRY(mstxDomainRangeEnd, 2, 2),
	ENTRY(Env, 2, 2), ENTRY(Equal, 2, 2), ENTRY(Value, 1, 1), ENTRY(Exists, 1, 1), ENTRY(File, 1, 1),
	ENTRY(Results, 1, 1), ENTRY(Only, 3, 3), ENTRY(Marks, 1, 2), ENTRY(Pushes, 1, 2), ENTRY(Ranges, 1, 2),
	ENTRY(Message, 2, 2), ENTRY(Stamps, 1, 1), ENTRY(Loop, 1, 1),
};

const struct row_call *row_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

#define CONSTANT(name) { #name, (uint64_t)(name) }

static const struct row_name names[] = {
	CONSTANT(ACL_PROF_ACL_API), CONSTANT(ACL_PROF_TASK_TIME), CONSTANT(ACL_PROF_AICORE_METRICS),
	CONSTANT(ACL_PROF_AICPU), CONSTANT(ACL_PROF_L2CACHE), CONSTANT(ACL_PROF_HCCL_TRACE),
	CONSTANT(ACL_PROF_TRAINING_TRACE), CONSTANT(ACL_PROF_MSPROFTX), CONSTANT(ACL_PROF_RUNTIME_API),
	CONSTANT(ACL_PROF_GE_API_L0), CONSTANT(ACL_PROF_TASK_TIME_L0), CONSTANT(ACL_PROF_TASK_MEMORY),
	CONSTANT(ACL_PROF_TASK_TIME_L2), CONSTANT(ACL_PROF_OP_ATTR), CONSTANT(ACL_PROF_TASK_TIME_L3),
	CONSTANT(ACL_PROF_GE_API_L1), CONSTANT(ACL_PROF_API_STATS), CONSTANT(ACL_PROF_AICORE_SHAPE),
	CONSTANT(ACL_AICORE_ARITHMETIC_UTILIZATION), CONSTANT(ACL_AICORE_PIPE_UTILIZATION),
	CONSTANT(ACL_AICORE_MEMORY_BANDWIDTH), CONSTANT(ACL_AICORE_MEMORY_ACCESS), CONSTANT(ACL_AICORE_NONE),
	CONSTANT(ACL_PROF_STORAGE_LIMIT), CONSTANT(ACL_PROF_SYS_HARDWARE_MEM_FREQ), CONSTANT(ACL_PROF_LLC_MODE),
	CONSTANT(ACL_PROF_SYS_IO_FREQ), CONSTANT(ACL_PROF_SYS_INTERCONNECTION_FREQ),
	CONSTANT(ACL_PROF_DVPP_FREQ), CONSTANT(ACL_PROF_HOST_SYS), CONSTANT(ACL_PROF_HOST_SYS_USAGE),
	CONSTANT(ACL_PROF_HOST_SYS_USAGE_FREQ), CONSTANT(ACL_PROF_LOW_POWER_FREQ),
	CONSTANT(ACL_PROF_SYS_MEM_SERVICEFLOW), CONSTANT(ACL_PROF_SYS_CPU_FREQ), CONSTANT(ACL_PROF_OPTYPE),
	CONSTANT(ACL_PROF_NTS_METRICS), CONSTANT(ACL_PROF_PATH),
	CONSTANT(ACL_STEP_START), CONSTANT(ACL_STEP_END),
	CONSTANT(ACL_SUBSCRIBE_OP), CONSTANT(ACL_SUBSCRIBE_OP_THREAD), CONSTANT(ACL_SUBSCRIBE_NONE),
	CONSTANT(ACL_SUBSCRIBE_ATTRI_THREADID), CONSTANT(ACL_SUBSCRIBE_ATTRI_NONE),
	{ "NULL", 0 },
};

const struct row_name *row_name(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, name))
			return &names[i];
	return NULL;
}
