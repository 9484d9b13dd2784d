/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions, records and their readers; test vectors 134 to 145, and ascprof/models.h. */
#include "tests/unit/test_api_cases.h"

#include <fcntl.h>

#include "acl/acl.h"
#include "acl/acl_prof_optional.h"
#include "tests/process/ops.h"

#define BAD ACL_ERROR_INVALID_PARAM
#define NO_MODEL ACL_ERROR_INVALID_MODEL_ID
#define CONFLICT ACL_ERROR_PROF_API_CONFLICT
#define NONE ACL_AICORE_NONE
#define PIPE ACL_AICORE_PIPE_UTILIZATION

/* Refused; for what prints at most one line a second. */
#define t_reason(call, code, word)                                                                      \
	do {                                                                                            \
		t_stderr_begin();                                                                       \
		long long got_ = (long long)(call);                                                     \
		t_check(t_lines(t_stderr_end()) <= 1, "%s: more than one line", #call);                 \
		t_equal(got_, (long long)(code), "%s", #call);                                          \
		t_check(strstr(ascprof_last_error(), word), "%s: no '%s' in: %s", #call, word,          \
			ascprof_last_error());                                                          \
	} while (0)

static int fds[2];

static aclprofSubscribeConfig *config_of(int8_t times, aclprofAicoreMetrics metrics, int *fd)
{
	aclprofSubscribeConfig *config = aclprofCreateSubscribeConfig(times, metrics, fd);

	t_check(config, "no config: %s", ascprof_last_error());
	return config;
}

static void load(uint32_t model, uint32_t device)
{
	t_code(MsprofSetDeviceIdByGeModelIdx(model, device), 0);
}

static void open_pipe(void)
{
	t_equal(pipe2(fds, O_CLOEXEC), 0, "pipe");
}

/* Reports @op, and reads its record. */
static void one(const struct ascprof_op *op, char record[OPS_BYTES])
{
	t_equal(ascprof_report_op(op), 0, "report (%s)", ascprof_last_error());
	t_check(ops_read(fds[0], record), "no record");
}

/* ---- the vectors ---- */

static void vector_134(void)
{
	t_refused(!aclprofCreateSubscribeConfig(0, NONE, NULL), 1, "aclprofCreateSubscribeConfig fd NULL");
	t_refused(!aclprofCreateSubscribeConfig(1, PIPE, NULL), 1, "aclprofCreateSubscribeConfig fd NULL");
}

static void vector_135(void)
{
	int fd = 1;
	aclprofSubscribeConfig *config = config_of(1, NONE, &fd), *other = config_of(0, (aclprofAicoreMetrics)77, &fd);

	t_refused(!aclprofCreateSubscribeConfig(2, NONE, &fd), 1, "timeInfoSwitch 2");
	t_refused(!aclprofCreateSubscribeConfig(-1, NONE, &fd), 1, "timeInfoSwitch -1");
	t_code(aclprofDestroySubscribeConfig(config), 0);
	t_refused(aclprofDestroySubscribeConfig(config), BAD, "aclprofDestroySubscribeConfig destroyed");
	t_refused(aclprofDestroySubscribeConfig(NULL), BAD, "aclprofDestroySubscribeConfig");
	t_refused(aclprofDestroySubscribeConfig((void *)&fd), BAD, "aclprofDestroySubscribeConfig");
	t_code(aclprofDestroySubscribeConfig(other), 0);
	t_refused(aclprofDestroySubscribeConfig(other), BAD, "aclprofDestroySubscribeConfig");
}

static void vector_136(void)
{
	int fd = 1;
	aclprofSubscribeConfig *config = config_of(1, NONE, &fd);

	t_refused(aclprofModelSubscribe(3, config), NO_MODEL, "aclprofModelSubscribe modelId 3 loaded");
	t_refused(aclprofModelSubscribe(3, NULL), NO_MODEL, "aclprofModelSubscribe modelId 3 loaded");
	load(3, 0);
	t_refused(aclprofModelSubscribe(3, NULL), BAD, "aclprofModelSubscribe profSubscribeConfig");
	t_refused(aclprofModelSubscribe(3, (void *)&fd), BAD, "aclprofModelSubscribe profSubscribeConfig");
	t_code(aclprofDestroySubscribeConfig(config), 0);
	t_refused(aclprofModelSubscribe(3, config), BAD, "aclprofModelSubscribe profSubscribeConfig");
	t_code(MsprofUnsetDeviceIdByGeModelIdx(3, 0), 0);
	t_refused(aclprofModelSubscribe(3, NULL), NO_MODEL, "modelId 3");
	t_code(MsprofUnsetDeviceIdByGeModelIdx(3, 0), 0);
}

static void vector_137(void)
{
	t_refused(aclprofModelUnSubscribe(3), NO_MODEL, "aclprofModelUnSubscribe modelId 3 loaded");
	load(3, 0);
	t_refused(aclprofModelUnSubscribe(3), NO_MODEL, "aclprofModelUnSubscribe modelId 3 subscribed");
}

static void vector_138(void)
{
	aclprofSubscribeConfig *times, *pipe_metrics, *both;

	open_pipe();
	times = config_of(1, NONE, &fds[1]);
	pipe_metrics = config_of(0, PIPE, &fds[1]);
	both = config_of(1, PIPE, &fds[1]);
	load(1, 0);
	load(2, 0);
	load(3, 1);
	t_code(aclprofModelSubscribe(1, times), 0);
	t_refused(aclprofModelSubscribe(2, pipe_metrics), ACL_ERROR_INVALID_PROFILING_CONFIG, "modelId 2 device 0");
	t_refused(aclprofModelSubscribe(2, both), ACL_ERROR_INVALID_PROFILING_CONFIG, "modelId 2 device 0");
	t_code(aclprofModelSubscribe(2, times), 0);
	t_code(aclprofModelSubscribe(3, pipe_metrics), 0); /* another device */
	t_code(aclprofModelUnSubscribe(1), 0);
	t_code(aclprofModelUnSubscribe(2), 0);
	t_code(aclprofModelSubscribe(1, both), 0);
	t_code(aclprofModelUnSubscribe(1), 0);
	t_code(aclprofModelUnSubscribe(3), 0);
	t_equal(fds[1], -1, "the descriptor's number");
}

static void vector_139(void)
{
	open_pipe();
	load(1, 0);
	t_refused(aclprofModelSubscribe(1, config_of(0, NONE, &fds[1])), BAD, "timeInfoSwitch 0 aicoreMetrics 255");
	t_refused(aclprofModelSubscribe(1, config_of(1, (aclprofAicoreMetrics)9, &fds[1])), BAD, "aicoreMetrics 9");
	t_refused(aclprofModelSubscribe(1, config_of(1, (aclprofAicoreMetrics)-1, &fds[1])), BAD, "aicoreMetrics");
	t_code(t_init(t_dir()), 0); /* and no subscription began */
}

static void vector_140(void)
{
	aclprofSubscribeConfig *config;

	open_pipe();
	config = config_of(1, NONE, &fds[1]);
	load(1, 0);
	t_code(aclprofModelSubscribe(1, config), 0);
	t_refused(aclprofModelSubscribe(1, config), ACL_ERROR_PROF_REPEAT_SUBSCRIBE, "modelId 1 already");
	t_code(aclprofModelUnSubscribe(1), 0);
	t_refused(aclprofModelUnSubscribe(1), NO_MODEL, "modelId 1 subscribed");
}

static void vector_141(void)
{
	const char *out = t_dir();
	aclprofSubscribeConfig *config;
	aclprofConfig *session = t_config(ACL_PROF_MSPROFTX, 0);

	open_pipe();
	config = config_of(1, NONE, &fds[1]);
	load(1, 0);
	t_code(t_init(out), 0);
	t_refused(aclprofModelSubscribe(1, config), CONFLICT, "aclprofModelSubscribe initialised");
	t_refused(aclprofModelUnSubscribe(1), CONFLICT, "aclprofModelUnSubscribe initialised");
	t_refused(aclprofModelSubscribe(2, config), NO_MODEL, "modelId 2");
	t_refused(aclprofModelUnSubscribe(2), NO_MODEL, "modelId 2");
	t_refused(aclprofModelSubscribe(1, NULL), BAD, "profSubscribeConfig");
	t_code(aclprofStart(session), 0);
	t_refused(aclprofModelSubscribe(1, config), CONFLICT, "aclprofModelSubscribe running");
	t_refused(aclprofModelUnSubscribe(1), CONFLICT, "aclprofModelUnSubscribe running");
	t_code(aclprofStop(session), 0);
	t_code(aclprofFinalize(), 0);
	t_code(aclprofModelSubscribe(1, config), 0);
	t_code(aclprofModelUnSubscribe(1), 0);
}

static void vector_142(void)
{
	size_t bytes = 0;

	t_refused(aclprofGetOpDescSize(NULL), BAD, "aclprofGetOpDescSize opDescSize");
	t_code(aclprofGetOpDescSize(&bytes), 0);
	t_equal(bytes, 80, "bytes of a record");
}

static void two_records(char records[2 * OPS_BYTES])
{
	struct ascprof_op op = ops_make(9, 1);

	open_pipe();
	ops_subscribe(9, &fds[1]);
	one(&op, records);
	op = ops_make(9, 2);
	one(&op, records + OPS_BYTES);
}

static void vector_143(void)
{
	char records[2 * OPS_BYTES + 1], *damaged = records + 1;
	uint32_t n = 77;

	two_records(records);
	t_code(aclprofGetOpNum(records, 160, &n), 0);
	t_equal(n, 2, "records");
	t_code(aclprofGetOpNum(records, 0, &n), 0);
	t_equal(n, 0, "records");
	memmove(damaged, records, 160); /* and nothing asks for aligned buffers */
	t_code(aclprofGetOpNum(damaged, 160, &n), 0);
	t_reason(aclprofGetOpNum(NULL, 160, &n), BAD, "opInfo is NULL");
	t_reason(aclprofGetOpNum(damaged, 160, NULL), BAD, "opNumber is NULL");
	t_reason(aclprofGetOpNum(damaged, ((size_t)UINT32_MAX + 1) * OPS_BYTES, &n), BAD, "at most 4294967295 records");
	for (size_t length = 1; length < 160; length++)
		if (length != OPS_BYTES)
			t_reason(aclprofGetOpNum(damaged, length, &n), BAD, "opInfoLen");
	for (int bit = 0; bit < 160 * 8; bit++) {
		damaged[bit / 8] = (char)(damaged[bit / 8] ^ 1 << bit % 8);
		t_reason(aclprofGetOpNum(damaged, 160, &n), BAD, t_path("record %d is damaged", bit / 8 / OPS_BYTES));
		t_equal(aclprofGetOpDuration(damaged, 160, 0), bit < OPS_BYTES * 8 ? 0 : 1, "the first, bit %d", bit);
		t_equal(aclprofGetOpDuration(damaged, 160, 1), bit < OPS_BYTES * 8 ? 2 : 0, "the second, bit %d", bit);
		damaged[bit / 8] = (char)(damaged[bit / 8] ^ 1 << bit % 8);
	}
	t_code(aclprofGetOpNum(damaged, 160, &n), 0);
	t_equal(n, 2, "records");
}

static void vector_144(void)
{
	struct ascprof_op op = ops_make(9, 1);
	char record[OPS_BYTES];

	t_reason(aclprofGetOpFlag(NULL, 80, 0), 0xFF, "aclprofGetOpFlag");
	open_pipe();
	ops_subscribe(9, &fds[1]);
	op.flag = ASCPROF_OP_THREAD;
	op.thread_id = UINT32_MAX;
	one(&op, record);
	t_code(aclprofGetOpFlag(record, 80, 0), ACL_SUBSCRIBE_OP_THREAD);
	t_check(!strcmp(aclprofGetOpAttriValue(record, 80, 0, ACL_SUBSCRIBE_ATTRI_THREADID), "4294967295"), "thread");
	t_reason(!aclprofGetOpAttriValue(record, 80, 0, ACL_SUBSCRIBE_ATTRI_NONE), 1, "attri is 1");
	t_reason(!aclprofGetOpAttriValue(record, 80, 0, (aclprofSubscribeOpAttri)-7), 1, "attri is");
	t_reason(!aclprofGetOpAttriValue(NULL, 80, 0, ACL_SUBSCRIBE_ATTRI_THREADID), 1, "opInfo");
	t_reason(!aclprofGetOpAttriValue(record, 80, 1, ACL_SUBSCRIBE_ATTRI_THREADID), 1, "index is 1");
	t_reason(aclprofGetOpFlag(record, 80, 1), 0xFF, "index is 1");
	record[20] ^= 1;
	t_reason(aclprofGetOpFlag(record, 80, 0), 0xFF, "damaged");
	op.flag = ASCPROF_OP_SUBGRAPH;
	one(&op, record);
	t_code(aclprofGetOpFlag(record, 80, 0), ACL_SUBSCRIBE_SUBGRAPH);
	t_reason(!aclprofGetOpAttriValue(record, 80, 0, ACL_SUBSCRIBE_ATTRI_THREADID), 1, "flag 1");
}

static void vector_145(void)
{
	char records[2 * OPS_BYTES], text[65] = "";
	size_t length = 0;

	two_records(records);
	t_code(aclprofGetOpTypeLen(records, 160, 0, &length), 0);
	t_equal(length, 7, "bytes of the type");
	t_code(aclprofGetOpType(records, 160, 0, text, length), 0);
	t_check(!strcmp(text, "MatMul"), "type '%s'", text);
	t_reason(aclprofGetOpType(records, 160, 0, text, sizeof(text)), BAD, "fetched already");
	t_reason(aclprofGetOpTypeLen(records, 160, 0, &length), BAD, "fetched already");
	/* the name is a text of its own, and so are those of other records */
	t_code(aclprofGetOpNameLen(records, 160, 0, &length), 0);
	t_equal(length, 17, "bytes of the name");
	t_code(aclprofGetOpName(records, 160, 0, text, sizeof(text)), 0);
	t_check(!strcmp(text, "net/layer/MatMul"), "name '%s'", text);
	t_reason(aclprofGetOpName(records, 160, 0, text, sizeof(text)), BAD, "fetched already");
	t_code(aclprofGetOpType(records, 160, 1, text, sizeof(text)), 0);
	t_code(aclprofGetOpName(records, 160, 1, text, sizeof(text)), 0);
}

/* ---- records and texts ---- */

/* One bit at a time, unlike the library. */
static uint32_t signature(const char *record)
{
	uint32_t crc = 0xFFFFFFFF;

	for (int i = 4; i < OPS_BYTES; i++) {
		crc ^= (unsigned char)record[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78 : 0);
	}
	return crc;
}

static uint64_t number(const char *record, size_t at, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, record + at, bytes);
	return value;
}

static const struct ascprof_op whole = {
	.size = sizeof(struct ascprof_op), .model_id = 4000000000, .device_id = 3000000000, .flag = 2, .thread_id = 17,
	.type = "Conv2D", .name = "n", .start_ns = 1000000000001, .end_ns = 1000000000002, .duration_us = 1003,
	.execution_us = 1004, .cube_fops = 1005, .vector_fops = 1006,
};

static void expect_layout(const char *record, bool times, bool counters)
{
	static const struct {
		const char *name;
		size_t at, bytes;
		uint64_t value;
		char kind;
	} fields[] = {
		{ "model", 4, 4, 4000000000, 0 },	  { "flag", 8, 4, 2, 0 },
		{ "thread", 12, 4, 17, 0 },		  { "duration", 24, 8, 1003, 't' },
		{ "start", 32, 8, 1000000000001, 't' },	  { "end", 40, 8, 1000000000002, 't' },
		{ "execution time", 48, 8, 1004, 't' },	  { "cube", 56, 8, 1005, 'c' },
		{ "vector", 64, 8, 1006, 'c' },		  { "device", 72, 4, 3000000000, 0 },
		{ "padding", 76, 4, 0, 0 },
	};

	t_equal(number(record, 0, 4), signature(record), "signature");
	t_check(number(record, 16, 8), "index 0");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		bool there = fields[i].kind == 't' ? times : fields[i].kind == 'c' ? counters : true;

		t_equal(number(record, fields[i].at, fields[i].bytes), there ? fields[i].value : 0, "%s", fields[i].name);
	}
}

static void layout(void)
{
	static const struct {
		int8_t times;
		aclprofAicoreMetrics metrics;
	} wishes[] = { { 1, NONE }, { 0, ACL_AICORE_ARITHMETIC_UTILIZATION }, { 1, ACL_AICORE_MEMORY_ACCESS } };
	char record[OPS_BYTES];

	load(whole.model_id, whole.device_id);
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		aclprofSubscribeConfig *config;

		open_pipe();
		config = config_of(wishes[i].times, wishes[i].metrics, &fds[1]);
		t_code(aclprofModelSubscribe(whole.model_id, config), 0);
		t_code(aclprofDestroySubscribeConfig(config), 0);
		one(&whole, record);
		expect_layout(record, wishes[i].times, wishes[i].metrics != NONE);
		t_equal(aclprofGetModelId(record, 80, 0), whole.model_id, "model");
		t_equal(aclprofGetOpStart(record, 80, 0), wishes[i].times ? 1000000000001 : 0, "start");
		t_equal(aclprofGetOpEnd(record, 80, 0), wishes[i].times ? 1000000000002 : 0, "end");
		t_equal(aclprofGetOpDuration(record, 80, 0), wishes[i].times ? 1003 : 0, "duration");
		t_code(aclprofModelUnSubscribe(whole.model_id), 0);
		t_check(!ops_read(fds[0], record), "the pipe did not end");
		close(fds[0]);
	}
}

static void arguments(void)
{
	char records[2 * OPS_BYTES], text[8] = "untouch";
	static const uint32_t indexes[] = { 2, 3, UINT32_MAX, UINT32_MAX / 80 + 1, 1u << 31 };
	size_t length = 77;

	two_records(records);
	for (size_t i = 0; i < sizeof(indexes) / sizeof(indexes[0]); i++) {
		t_reason(aclprofGetOpStart(records, 160, indexes[i]), 0, "aclprofGetOpStart: index");
		t_reason(aclprofGetOpEnd(records, 160, indexes[i]), 0, "aclprofGetOpEnd: index");
		t_reason(aclprofGetOpDuration(records, 160, indexes[i]), 0, "aclprofGetOpDuration: index");
		t_reason(aclprofGetModelId(records, 160, indexes[i]), BAD, "aclprofGetModelId: index");
		t_reason(aclprofGetOpFlag(records, 160, indexes[i]), 0xFF, "aclprofGetOpFlag: index");
		t_reason(aclprofGetOpTypeLen(records, 160, indexes[i], &length), BAD, "aclprofGetOpTypeLen: index");
		t_reason(aclprofGetOpNameLen(records, 160, indexes[i], &length), BAD, "aclprofGetOpNameLen: index");
		t_reason(aclprofGetOpType(records, 160, indexes[i], text, 8), BAD, "aclprofGetOpType: index");
		t_reason(aclprofGetOpName(records, 160, indexes[i], text, 8), BAD, "aclprofGetOpName: index");
	}
	t_reason(aclprofGetOpStart(NULL, 160, 0), 0, "opInfo is NULL");
	t_reason(aclprofGetModelId(records, 159, 0), BAD, "opInfoLen is 159");
	t_reason(aclprofGetModelId(records, 0, 0), BAD, "index is 0");
	t_reason(aclprofGetOpTypeLen(records, 160, 0, NULL), BAD, "NULL");
	t_reason(aclprofGetOpType(records, 160, 0, NULL, 8), BAD, "buffer");
	t_reason(aclprofGetOpName(records, 160, 0, text, 0), BAD, "buffer");
	t_equal(length, 77, "a length after failures");
	t_check(!strcmp(text, "untouch"), "a buffer after failures: %s", text);
	t_code(aclprofGetOpName(records, 160, 0, text, 8), 0);
}

static void cut(void)
{
	/* bytes 1 to 3: U+6570, then an a, then U+1F600 */
	static const char *const expected[] = { "", "", "", "数", "数a", "数a", "数a", "数a", "数a\xf0\x9f\x98\x80" };
	struct ascprof_op op = ops_make(9, 1);
	char record[OPS_BYTES], text[16];

	open_pipe();
	ops_subscribe(9, &fds[1]);
	op.type = "数a\xf0\x9f\x98\x80";
	for (size_t room = 1; room < 12; room++) {
		const char *should = expected[room > 8 ? 8 : room - 1];

		one(&op, record);
		memset(text, 'x', sizeof(text));
		t_code(aclprofGetOpType(record, 80, 0, text, room), 0);
		t_check(!strcmp(text, should), "%zu bytes: '%s', expected '%s'", room, text, should);
		t_equal(text[room], 'x', "the byte behind the buffer");
		t_reason(aclprofGetOpType(record, 80, 0, text, 16), BAD, "fetched already");
	}
	op.name = "a\xff" "b\xe6\x95"; /* no UTF-8, and a character that is cut off */
	one(&op, record);
	t_code(aclprofGetOpName(record, 80, 0, text, 16), 0);
	t_check(!strcmp(text, "a\xef\xbf\xbd" "b"), "name '%s'", text);
	op.type = op.name = "";
	one(&op, record);
	t_code(aclprofGetOpName(record, 80, 0, text, 1), 0);
	t_check(!*text, "name '%s'", text);
}

#define LONG 4095

static void long_texts(void)
{
	struct ascprof_op op = ops_make(9, 1);
	char record[OPS_BYTES], text[LONG + 2], got[LONG + 1];
	size_t length = 0;

	open_pipe();
	ops_subscribe(9, &fds[1]);
	memset(text, 'n', sizeof(text));
	text[LONG + 1] = '\0';
	op.name = text;
	t_reason(ascprof_report_op(&op), BAD, "op->name");
	text[LONG] = '\0';
	one(&op, record);
	t_code(aclprofGetOpNameLen(record, 80, 0, &length), 0);
	t_equal(length, LONG + 1, "bytes of the name");
	t_code(aclprofGetOpName(record, 80, 0, got, sizeof(got)), 0);
	t_check(!strcmp(text, got), "the name differs");
}

#define KEPT 65536u

/* Texts that nobody fetches take no more than so much memory. */
static void unread(void)
{
	struct ascprof_op op = ops_make(9, 1);
	char first[OPS_BYTES], second[OPS_BYTES], record[OPS_BYTES], text[256], name[201];
	long before, after;

	open_pipe();
	ops_subscribe(9, &fds[1]);
	memset(name, 'n', 200);
	name[200] = '\0';
	op.name = name;
	one(&op, first);
	one(&op, second);
	for (uint32_t i = 2; i < KEPT; i++)
		one(&op, record);
	t_code(aclprofGetOpName(first, 80, 0, text, sizeof(text)), 0);
	before = t_status_kb("VmRSS");
	for (uint32_t i = 0; i < 4 * KEPT; i++)
		one(&op, record);
	after = t_status_kb("VmRSS");
	t_check(T_SANITIZED || after < before + 8192, "%ld kB, and then %ld kB", before, after);
	t_reason(aclprofGetOpName(second, 80, 0, text, sizeof(text)), BAD, "65536 operators");
	t_code(aclprofGetOpName(record, 80, 0, text, sizeof(text)), 0);
	t_check(!strcmp(text, name), "name '%s'", text);
}

/* Bytes are bounded as well, and a text is whole or not there. */
static void unread_bytes(void)
{
	static char records[6000][OPS_BYTES];
	struct ascprof_op op = ops_make(9, 1);
	char name[LONG + 1], text[LONG + 1];
	unsigned int kept = 0;

	open_pipe();
	ops_subscribe(9, &fds[1]);
	op.name = name;
	for (int i = 0; i < 6000; i++) {
		memset(name, 'a' + i % 26, LONG);
		name[LONG] = '\0';
		one(&op, records[i]);
	}
	t_stderr_begin();
	for (int i = 0; i < 6000; i++) {
		if (aclprofGetOpName(records[i], 80, 0, text, sizeof(text)))
			continue;
		memset(name, 'a' + i % 26, LONG);
		t_check(!strcmp(text, name), "operator %d: %.8s...", i, text);
		kept++;
	}
	t_stderr_end();
	t_check(kept > 4000 && kept <= (16 << 20) / LONG, "%u texts were kept", kept);
}

/* ---- the feed ---- */

static void reports(void)
{
	struct ascprof_op op = ops_make(9, 1);
	union {
		struct ascprof_op op;
		char bytes[4096 + 8];
	} later = { .op = op };
	char record[OPS_BYTES];

	t_reason(ascprof_report_op(NULL), BAD, "op is NULL");
	t_code(ascprof_report_op(&op), ACL_ERROR_PROF_NOT_RUN); /* nothing at all is subscribed */
	open_pipe();
	ops_subscribe(8, &fds[1]);
	t_reason(ascprof_report_op(&op), NO_MODEL, "model_id is 9");
	load(9, 0);
	t_code(ascprof_report_op(&op), ACL_ERROR_PROF_NOT_RUN);
	ops_subscribe(9, &fds[1]);
#define REFUSED(field, value, word)                                       \
	do {                                                              \
		op = ops_make(9, 1);                                      \
		op.field = (value);                                       \
		t_reason(ascprof_report_op(&op), BAD, "op->" word);       \
	} while (0)
	REFUSED(size, 0, "size is 0");
	REFUSED(size, sizeof(op) - 1, "size");
	REFUSED(size, 5000, "size is 5000");
	REFUSED(flag, 3, "flag is 3");
	REFUSED(flag, 0xFF, "flag is 255");
	REFUSED(reserved, 1, "reserved");
	REFUSED(device_id, 1, "device_id is 1, expected 0");
	REFUSED(type, NULL, "type is NULL");
	REFUSED(name, NULL, "name is NULL");
	REFUSED(end_ns, op.start_ns - 1, "end_ns");
	/* of a later version: what it appends is 0, or refused */
	later.op.size = sizeof(later.op) + 8;
	memset(later.bytes + sizeof(later.op), 0, 8);
	one(&later.op, record);
	later.bytes[sizeof(later.op) + 7] = 1;
	t_reason(ascprof_report_op(&later.op), BAD, "does not know");
	t_code(aclprofModelUnSubscribe(8), 0);
	t_code(aclprofModelUnSubscribe(9), 0);
	op = ops_make(9, 1);
	t_code(ascprof_report_op(&op), ACL_ERROR_PROF_NOT_RUN);
}

/* Results may come after the model was unloaded, and programs unsubscribe then. */
static void unloaded(void)
{
	char record[OPS_BYTES];

	open_pipe();
	ops_subscribe(9, &fds[1]);
	t_code(MsprofUnsetDeviceIdByGeModelIdx(9, 0), 0);
	t_code(ops_report(9, 1), 0);
	t_check(ops_read(fds[0], record), "no record");
	t_code(aclprofModelUnSubscribe(9), 0);
	t_refused(aclprofModelUnSubscribe(9), NO_MODEL, "loaded");
}

static void moved(void)
{
	struct ascprof_op op = ops_make(9, 1);
	char record[OPS_BYTES];

	open_pipe();
	load(9, 5);
	for (uint32_t i = 0; i < 200; i++) /* some of many */
		load(100 + i, i);
	ops_subscribe(9, &fds[1]); /* says device 0 */
	one(&op, record);
	op.device_id = 5;
	t_reason(ascprof_report_op(&op), BAD, "device_id is 5, expected 0");
}

static void descriptors(void)
{
	int fd = -1;
	aclprofSubscribeConfig *config = config_of(1, NONE, &fd);

	open_pipe();
	load(1, 0);
	t_refused(aclprofModelSubscribe(1, config), BAD, "fd -1 writing");
	fd = 9999;
	t_refused(aclprofModelSubscribe(1, config), BAD, "fd 9999 writing");
	fd = fds[0];
	t_refused(aclprofModelSubscribe(1, config), BAD, "fd writing");
	t_equal(fd, fds[0], "the number");
	t_code(t_init(t_dir()), 0); /* and no subscription began */
	t_code(aclprofFinalize(), 0);
	fd = fds[1];
	t_code(aclprofModelSubscribe(1, config), 0);
	t_code(aclprofModelUnSubscribe(1), 0);
	t_equal(fd, -1, "the number");
	t_refused(aclprofModelSubscribe(1, config), BAD, "fd -1 writing");
}

/* ---- the state ---- */

static void refuse_all(const char *out)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);

	t_refused(t_init(out), CONFLICT, "aclprofInit subscribed aclprofModelUnSubscribe");
	t_refused(aclprofStart(config), CONFLICT, "aclprofStart subscribed");
	t_refused(aclprofStop(config), CONFLICT, "aclprofStop subscribed");
	t_refused(aclprofWarmup(config), CONFLICT, "aclprofWarmup subscribed");
	t_refused(aclprofFinalize(), CONFLICT, "aclprofFinalize subscribed");
	/* bad arguments come first */
	t_refused(aclprofInit(NULL, 1), BAD, "aclprofInit");
	t_refused(aclprofWarmup(NULL), BAD, "aclprofWarmup");
	t_code(t_set(ACL_PROF_LLC_MODE, "read"), 0);
	t_check(!aclprofCreateStamp(), "a stamp");
	t_code(aclprofDestroyConfig(config), 0);
}

static void state_of(const char *era)
{
	const char *out = t_dir(), *json = t_path("%s/acl.json", out);
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);
	char record[OPS_BYTES];

	if (era)
		setenv("ASCPROF_COMPAT", era, 1);
	open_pipe();
	ops_subscribe(9, &fds[1]);
	refuse_all(out);
	/* aclInit neither records nor ends the subscription, and nor does aclFinalize */
	t_write_file(json, t_path("{\"profiler\":{\"switch\":\"on\",\"output\":\"%s/no\"}}", out));
	t_stderr_begin();
	t_code(aclInit(json), 0);
	t_equal(t_lines(t_stderr_end()), 1, "lines that say it is ignored");
	refuse_all(out);
	t_code(aclFinalize(), 0);
	t_check(!t_exists(t_path("%s/no", out)), "aclInit recorded");
	refuse_all(out);
	t_code(ops_report(9, 1), 0);
	t_check(ops_read(fds[0], record), "no record");
	t_code(aclprofModelUnSubscribe(9), 0);
	t_code(t_init(out), 0);
	t_code(aclprofStart(config), 0);
	t_code(aclprofStop(config), 0);
	t_code(aclprofFinalize(), 0);
	t_code(aclprofDestroyConfig(config), 0);
}

static void state(void)
{
	state_of(NULL);
}

static void state_head(void)
{
	state_of("head");
}

static void command(void)
{
	const char *out = t_dir(), *json = t_path("%s/acl.json", out);

	open_pipe();
	load(1, 0);
	t_write_file(json, t_path("{\"profiler\":{\"switch\":\"on\",\"output\":\"%s\"}}", out));
	t_code(aclInit(json), 0);
	t_refused(aclprofModelSubscribe(1, config_of(1, NONE, &fds[1])), ACL_ERROR_PROF_ALREADY_RUN, "aclInit");
	t_refused(aclprofModelUnSubscribe(1), ACL_ERROR_PROF_ALREADY_RUN, "aclInit");
	t_refused(aclprofModelSubscribe(2, config_of(1, NONE, &fds[1])), NO_MODEL, "modelId 2");
	t_code(aclFinalize(), 0);
	ops_subscribe(1, &fds[1]);
	t_code(aclprofModelUnSubscribe(1), 0);
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(vector_134), CASE(vector_135), CASE(vector_136), CASE(vector_137), CASE(vector_138),
		CASE(vector_139), CASE(vector_140), CASE(vector_141), CASE(vector_142), CASE(vector_143),
		CASE(vector_144), CASE(vector_145), CASE(layout),     CASE(arguments),  CASE(cut),
		CASE(long_texts), CASE(unread),	    CASE(unread_bytes), CASE(reports),  CASE(unloaded),
		CASE(moved),	  CASE(descriptors), CASE(state),     CASE(state_head), CASE(command),
	};

	return api_cases("api_subscribe", cases, sizeof(cases) / sizeof(cases[0]));
}
