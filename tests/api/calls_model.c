// SPDX-License-Identifier: Apache-2.0
/* Rows: subscription, and the readers of what it gives. */
#include "calls.h"

#include "tests/process/t.h"

#define RECORD_BYTES 80

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

const struct row_call calls_model[] = {
	ENTRY(CreateSubscribeConfig, 3, 3), ENTRY(DestroySubscribeConfig, 1, 1),
	ENTRY(ModelSubscribe, 2, 2), ENTRY(ModelUnSubscribe, 1, 1), ENTRY(Model, 2, 2),
	ENTRY(Pipe, 1, 1), ENTRY(Records, 1, 2), ENTRY(Flip, 2, 2), ENTRY(GetOpDescSize, 1, 1),
	ENTRY(GetOpNum, 3, 3), ENTRY(GetOpTypeLen, 4, 4), ENTRY(GetOpNameLen, 4, 4),
	ENTRY(GetOpType, 4, 4), ENTRY(GetOpName, 4, 4), ENTRY(GetOpStart, 3, 3),
	ENTRY(GetOpEnd, 3, 3), ENTRY(GetOpDuration, 3, 3), ENTRY(GetModelId, 3, 3),
	ENTRY(GetOpFlag, 3, 3), ENTRY(GetOpAttriValue, 4, 4),
	{ 0 },
};
