/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A framework, as libraries are that report to the public runtime's
 * libprofapi.so: it names its types, waits to be told of a start, and reports
 * while it is told to. With what it reports everything that the export shows is
 * made. Usage: framework RESULT_DIR
 */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "acl/acl_prof.h"
#include "ascprof/report.h"

#define MODULE 45u /* GE */
#define ROUNDS 400u
#define US 1000u

static uint64_t bits; /* 0: not told to report */
static uint64_t now;
static int failures;

static int32_t told(uint32_t type, void *data, uint32_t len)
{
	const struct MsprofCommandHandle *h = data;

	if (type != PROF_CTRL_SWITCH || len != sizeof(*h))
		failures++;
	if (h->type == PROF_COMMANDHANDLE_TYPE_START)
		bits = h->profSwitch;
	else if (h->type == PROF_COMMANDHANDLE_TYPE_STOP)
		bits = 0;
	return 0;
}

static uint64_t number(const char *text)
{
	return MsprofGetHashId(text, strlen(text));
}

static void report(int32_t code)
{
	failures += code != 0;
}

/* Durations of no pattern, so that sums and variances have many digits. */
static uint64_t some(uint64_t most)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return 1 + state % most;
}

static void call(uint16_t level, uint32_t type, uint32_t tid, const char *item)
{
	struct MsprofApi api = { .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM, .level = level, .type = type,
				 .threadId = tid, .beginTime = now, .endTime = now + some(90 * US),
				 .itemId = item ? number(item) : 0 };

	report(MsprofReportApi(type & 1, &api));
	now += 100 * US;
}

static void event(uint32_t tid, uint32_t request, uint64_t item, uint64_t when)
{
	struct MsprofEvent e = { .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM, .level = MSPROF_REPORT_MODEL_LEVEL,
				 .type = 1, .threadId = tid, .requestId = request, .timeStamp = when,
				 .eventFlag = MSPROF_EVENT_FLAG, .itemId = item };

	report(MsprofReportEvent(1, &e));
}

/* An operator is launched: what is known of it before the device has run it. */
static void node(uint32_t tid, const char *name, const char *type)
{
	struct MsprofCompactInfo info = { .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM, .level = MSPROF_REPORT_NODE_LEVEL,
					  .type = 0, .threadId = tid, .dataLen = 28, .timeStamp = now };
	uint64_t op = number(name), op_type = number(type);
	uint32_t task = 0, blocks = 24, flag = 0;

	memcpy(info.data.info, &op, 8);
	memcpy(info.data.info + 8, &task, 4);
	memcpy(info.data.info + 12, &op_type, 8);
	memcpy(info.data.info + 20, &blocks, 4);
	memcpy(info.data.info + 24, &flag, 4);
	report(MsprofReportCompactInfo(0, &info, sizeof(info)));
}

/* Parts that it is made of, which have numbers. */
static void parts(uint32_t tid, const char *name, uint32_t first)
{
	struct MsprofAdditionalInfo info = { .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM, .level = MSPROF_REPORT_NODE_LEVEL,
					     .type = 4, .threadId = tid, .dataLen = 24, .timeStamp = now };
	uint64_t op = number(name);
	uint32_t numbers[4] = { 3, first, first + 1, first + 7 };

	memcpy(info.data, &op, 8);
	memcpy(info.data + 8, numbers, sizeof(numbers));
	report(MsprofReportAdditionalInfo(1, &info, sizeof(info)));
}

static void round_of(uint32_t i, uint32_t tid)
{
	char name[32];

	snprintf(name, sizeof(name), "Add_%u", i % 7);
	event(tid, i, 3, now);
	call(MSPROF_REPORT_ACL_LEVEL, 0x30001, tid, NULL);
	call(MSPROF_REPORT_ACL_LEVEL, 0x20002, tid, "model \"quoted\", with a comma");
	call(MSPROF_REPORT_MODEL_LEVEL, 2, tid + 1, NULL);
	node(tid, name, "Add");
	if (i % 10 == 0)
		parts(tid, name, i);
	call(MSPROF_REPORT_NODE_LEVEL, 5, tid, name);
	call(MSPROF_REPORT_RUNTIME_LEVEL, 801, tid, NULL);
	call(MSPROF_REPORT_RUNTIME_LEVEL, 4711, tid, NULL); /* a type without a name */
	call(MSPROF_REPORT_HCCL_NODE_LEVEL, 0x10001, tid, i % 2 ? "hcom_allReduce_" : "hcom_\xe5\xb9\xbf\xe6\x92\xad_");
	event(tid, i, 3, now);
}

int main(int argc, char **argv)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid), device = 0;
	aclprofConfig *config;

	if (argc != 2)
		return 2;
	MsprofRegTypeInfo(MSPROF_REPORT_ACL_LEVEL, 0x30001, "aclrtMemcpy");
	MsprofRegTypeInfo(MSPROF_REPORT_ACL_LEVEL, 0x20002, "aclmdlExecute");
	MsprofRegTypeInfo(MSPROF_REPORT_MODEL_LEVEL, 1, "ModelExecute");
	MsprofRegTypeInfo(MSPROF_REPORT_MODEL_LEVEL, 2, "ModelLoad");
	MsprofRegTypeInfo(MSPROF_REPORT_RUNTIME_LEVEL, 801, "KERNEL_AICORE");
	report(MsprofRegisterCallback(MODULE, told));
	if (aclprofInit(argv[1], strlen(argv[1])))
		return 1;
	config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_ACL_API | ACL_PROF_TASK_TIME);
	if (!config || aclprofStart(config))
		return 1;
	if (!(bits & ACL_PROF_ACL_API))
		failures++;
	now = MsprofSysCycleTime();
	for (uint32_t i = 0; i < ROUNDS && bits; i++)
		round_of(i, tid);
	event(tid, 77777, 3, now); /* without its second */
	while (MsprofSysCycleTime() < now)
		usleep(1000);
	if (aclprofStop(config) || aclprofFinalize() || bits)
		failures++;
	aclprofDestroyConfig(config);
	return failures ? 1 : 0;
}
