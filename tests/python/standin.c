// SPDX-License-Identifier: Apache-2.0
/*
 * Stands in for the library and for AscendCL, by LD_PRELOAD: each function
 * tells its name and arguments, sleeps STANDIN_MS milliseconds, and returns
 * something that no other does. What it told is the text of aclGetRecentErrMsg().
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char told[512];

__attribute__((format(printf, 2, 3))) static int tell(int result, const char *format, ...)
{
	const char *ms = getenv("STANDIN_MS");
	struct timespec nap = { 0, ms ? atol(ms) * 1000000 : 0 };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(told, sizeof(told), format, arguments);
	va_end(arguments);
	nanosleep(&nap, NULL);
	return result;
}

const char *aclGetRecentErrMsg(void)
{
	return *told ? told : NULL;
}

int aclInit(const char *path)
{
	return tell(1, "aclInit %s", path ? path : "NULL");
}

int aclFinalize(void)
{
	return tell(2, "aclFinalize");
}

int aclrtSetDevice(int32_t id)
{
	return tell(3, "aclrtSetDevice %d", id);
}

int aclrtResetDevice(int32_t id)
{
	return tell(4, "aclrtResetDevice %d", id);
}

int aclprofInit(const char *path, size_t length)
{
	return tell(11, "aclprofInit %s %zu", path, length);
}

int aclprofFinalize(void)
{
	return tell(12, "aclprofFinalize");
}

int aclprofSetConfig(int type, const char *config, size_t length)
{
	return tell(13, "aclprofSetConfig %d %s %zu", type, config, length);
}

void *aclprofCreateConfig(const uint32_t *ids, uint32_t n, int metrics, const void *events, uint64_t bits)
{
	char list[128] = "";

	for (uint32_t i = 0; i < n && i < 8; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%u,", ids[i]);
	tell(0, "aclprofCreateConfig %s %u %d %zx %llx", list, n, metrics, (size_t)events, (unsigned long long)bits);
	return (void *)UINTPTR_MAX;
}

int aclprofDestroyConfig(const void *config)
{
	return tell(14, "aclprofDestroyConfig %zx", (size_t)config);
}

int aclprofStart(const void *config)
{
	return tell(15, "aclprofStart %zx", (size_t)config);
}

int aclprofStop(const void *config)
{
	return tell(16, "aclprofStop %zx", (size_t)config);
}

void *aclprofCreateStamp(void)
{
	tell(0, "aclprofCreateStamp");
	return (void *)(UINTPTR_MAX - 1);
}

void aclprofDestroyStamp(void *stamp)
{
	tell(0, "aclprofDestroyStamp %zx", (size_t)stamp);
}

int aclprofSetStampTraceMessage(void *stamp, const char *message, uint32_t length)
{
	return tell(17, "aclprofSetStampTraceMessage %zx %s %u", (size_t)stamp, message, length);
}

int aclprofMark(void *stamp)
{
	return tell(18, "aclprofMark %zx", (size_t)stamp);
}

int aclprofPush(void *stamp)
{
	return tell(19, "aclprofPush %zx", (size_t)stamp);
}

int aclprofPop(void)
{
	return tell(20, "aclprofPop");
}

/* Fails with an id set when the stamp is 0. */
int aclprofRangeStart(void *stamp, uint32_t *id)
{
	*id = UINT32_MAX;
	return tell(stamp ? 0 : 21, "aclprofRangeStart %zx", (size_t)stamp);
}

int aclprofRangeStop(uint32_t id)
{
	return tell(22, "aclprofRangeStop %u", id);
}

int aclprofMarkEx(const char *message, size_t length, void *stream)
{
	return tell(23, "aclprofMarkEx %s %zu %zx", message, length, (size_t)stream);
}

void *aclprofCreateStepInfo(void)
{
	tell(0, "aclprofCreateStepInfo");
	return (void *)(UINTPTR_MAX - 2);
}

int aclprofGetStepTimestamp(void *info, int tag, void *stream)
{
	return tell(24, "aclprofGetStepTimestamp %zx %d %zx", (size_t)info, tag, (size_t)stream);
}

void aclprofDestroyStepInfo(void *info)
{
	tell(0, "aclprofDestroyStepInfo %zx", (size_t)info);
}

/*
 * Configurations are 0x100, 0x200, ...: each keeps the address of its
 * descriptor, as the public implementation does, and unsubscribing model n
 * closes the descriptor of configuration n.
 */
static int *descriptor[8];
static unsigned int configs;

void *aclprofCreateSubscribeConfig(int8_t time_info, int metrics, void *fd)
{
	tell(0, "aclprofCreateSubscribeConfig %d %d %d", time_info, metrics, *(int *)fd);
	if (time_info < 0 || configs == 7)
		return NULL;
	descriptor[++configs] = fd;
	return (void *)(size_t)(configs * 0x100);
}

int aclprofDestroySubscribeConfig(const void *config)
{
	return tell(config ? 0 : 25, "aclprofDestroySubscribeConfig %zx", (size_t)config);
}

/* Fails for model 0. */
int aclprofModelSubscribe(uint32_t model, const void *config)
{
	return tell(model ? 0 : 26, "aclprofModelSubscribe %u %zx", model, (size_t)config);
}

int aclprofModelUnSubscribe(uint32_t model)
{
	int fd = 0;

	if (model && model <= configs) {
		fd = *descriptor[model];
		*descriptor[model] = -1;
	}
	return tell(27, "aclprofModelUnSubscribe %u, descriptor %d", model, fd);
}

int aclprofGetOpDescSize(size_t *size)
{
	*size = 80;
	return tell(28, "aclprofGetOpDescSize");
}

int aclprofGetOpNum(const void *data, size_t length, uint32_t *number)
{
	*number = UINT32_MAX;
	return tell(29, "aclprofGetOpNum %zx %zu", (size_t)data, length);
}

/* The type has 5000 bytes and the name 3, and a zero; there is none at index 9. */
int aclprofGetOpTypeLen(const void *data, size_t length, uint32_t index, size_t *type_length)
{
	*type_length = 5001;
	return tell(index == 9 ? 30 : 0, "aclprofGetOpTypeLen %zx %zu %u", (size_t)data, length, index);
}

int aclprofGetOpNameLen(const void *data, size_t length, uint32_t index, size_t *name_length)
{
	*name_length = 4;
	return tell(index == 9 ? 31 : 0, "aclprofGetOpNameLen %zx %zu %u", (size_t)data, length, index);
}

/* A buffer that is too small is filled, without a zero, and the call fails. */
int aclprofGetOpType(const void *data, size_t length, uint32_t index, char *type, size_t size)
{
	memset(type, 't', size < 5000 ? size : 5000);
	return tell(size < 5001 ? 32 : 0, "aclprofGetOpType %zx %zu %u %zu", (size_t)data, length, index, size);
}

int aclprofGetOpName(const void *data, size_t length, uint32_t index, char *name, size_t size)
{
	memset(name, 'n', size < 3 ? size : 3);
	if (index == 8)
		name[1] = '\xff';
	return tell(size < 4 ? 33 : 0, "aclprofGetOpName %zx %zu %u %zu", (size_t)data, length, index, size);
}

uint64_t aclprofGetOpStart(const void *data, size_t length, uint32_t index)
{
	tell(0, "aclprofGetOpStart %zx %zu %u", (size_t)data, length, index);
	return UINT64_MAX;
}

uint64_t aclprofGetOpEnd(const void *data, size_t length, uint32_t index)
{
	tell(0, "aclprofGetOpEnd %zx %zu %u", (size_t)data, length, index);
	return UINT64_MAX - 1;
}

uint64_t aclprofGetOpDuration(const void *data, size_t length, uint32_t index)
{
	tell(0, "aclprofGetOpDuration %zx %zu %u", (size_t)data, length, index);
	return UINT64_MAX - 2;
}

size_t aclprofGetModelId(const void *data, size_t length, uint32_t index)
{
	tell(0, "aclprofGetModelId %zx %zu %u", (size_t)data, length, index);
	return SIZE_MAX;
}
