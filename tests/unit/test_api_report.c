/* SPDX-License-Identifier: Apache-2.0 */
/* What frameworks report: arguments, numbers, names, and who is told of what. */
#include "tests/unit/test_api_cases.h"

#include "ascprof/report.h"
#include "tests/process/prof.h"

static const char *dir;

static struct MsprofApi call_of(uint16_t level, uint32_t type)
{
	return (struct MsprofApi){ .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM, .level = level, .type = type,
				   .threadId = (uint32_t)getpid(), .beginTime = MsprofSysCycleTime(),
				   .endTime = MsprofSysCycleTime() };
}

static void arguments(void)
{
	struct MsprofApi call = call_of(MSPROF_REPORT_ACL_LEVEL, 1), no_level = call_of(0, 1);
	struct MsprofEvent event = { .level = 0 };
	struct MsprofAdditionalInfo info = { .level = MSPROF_REPORT_NODE_LEVEL, .type = 6 };
	struct MsprofAdditionalInfo mark = { .level = MSPROF_REPORT_TX_LEVEL };

	t_code(MsprofReportApi(1, NULL), MSPROF_ERROR_CONFIG_INVALID);
	t_check(strstr(ascprof_last_error(), "MsprofReportApi: api is NULL"), "%s", ascprof_last_error());
	t_code(MsprofReportApi(1, &no_level), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportEvent(1, NULL), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportEvent(1, &event), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportCompactInfo(1, NULL, 64), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportCompactInfo(1, &info, 23), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportCompactInfo(1, &info, 65), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportCompactInfo(1, &info, 0), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportCompactInfo(1, &event, 24), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportAdditionalInfo(1, NULL, 256), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportAdditionalInfo(1, &info, 257), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportAdditionalInfo(1, &mark, 256), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportBatchAdditionalInfo(1, NULL, 256), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportBatchAdditionalInfo(1, &info, 0), MSPROF_ERROR_NONE);
	t_code(MsprofReportBatchAdditionalInfo(1, &mark, 256), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportBatchAdditionalInfo(1, &info, 255), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofReportBatchAdditionalInfo(1, &info, 131072 + 256), MSPROF_ERROR_CONFIG_INVALID);
	t_code((long long)MsprofGetBatchReportMaxSize(MSPROF_BATCH_ADDITIONAL_INFO), 131072);
	t_code((long long)MsprofGetBatchReportMaxSize(1), 0);
	t_code(MsprofRegTypeInfo(0, 1, "name"), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofRegTypeInfo(1, 1, NULL), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofRegTypeInfo(1, 1, ""), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofRegisterCallback(45, NULL), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofNotifySetDevice(0, 0, true), MSPROF_ERROR_NONE);
	/* Outside of a session all is well, and nothing is kept. */
	t_code(MsprofReportApi(1, &call), MSPROF_ERROR_UNINITIALIZE);
	t_code(MsprofReportAdditionalInfo(1, &info, 256), MSPROF_ERROR_UNINITIALIZE);
	t_code(MsprofReportBatchAdditionalInfo(1, &info, 256), MSPROF_ERROR_UNINITIALIZE);
}

/* Known answers, of the public runtime's own tests and of its formula. */
static void numbers(void)
{
	uint64_t id = MsprofGetHashId("ABCDEFGHIJK", 11);
	char *text;

	t_check(id == 4667050837169873462u, "number %llu", (unsigned long long)id);
	t_check(MsprofStr2Id("ABCDEFGHIJK and more", 11) == id, "the length is not looked at");
	t_check(aclprofStr2Id("ABCDEFGHIJK") == id, "another number by aclprofStr2Id");
	text = MsprofId2Str(id);
	t_check(!strcmp(text, "ABCDEFGHIJK"), "text \"%s\"", text);
	t_check(!*MsprofId2Str(id + 1), "a text of an unknown number");
	t_check(MsprofGetHashId(NULL, 1) == UINT64_MAX && MsprofGetHashId("a", 0) == UINT64_MAX, "a number of nothing");
	t_check(MsprofGetHashId("ab", 2) == ((97ull * 29 + 98) << 32 | (97 * 131 + 98)), "the formula");
}

static void time_is_raw(void)
{
	uint64_t before = t_raw_ns(), now = MsprofSysCycleTime(), after = t_raw_ns();

	t_check(before <= now && now <= after, "%llu is not in %llu to %llu", (unsigned long long)now,
		(unsigned long long)before, (unsigned long long)after);
}

/* ---- callbacks ---- */

#define TOLD_MAX 32

static struct told {
	uint32_t module, type, devices, first_device;
	uint64_t bits;
} told[TOLD_MAX];
static unsigned int nr_told;

static int32_t note(uint32_t module, uint32_t type, const void *data, uint32_t len)
{
	const struct MsprofCommandHandle *h = data;

	t_code(type, PROF_CTRL_SWITCH);
	t_code(len, sizeof(*h));
	if (nr_told < TOLD_MAX)
		told[nr_told++] = (struct told){ module, h->type, h->devNums, h->devIdList[0], h->profSwitch };
	return 0;
}

#define MODULE(number)                                                     \
	static int32_t module_##number(uint32_t type, void *data, uint32_t len) \
	{                                                                  \
		return note(number, type, data, len);                      \
	}
MODULE(3)
MODULE(7)
MODULE(8)
MODULE(45)
MODULE(48)
MODULE(99)

/* @wanted: "module type, ..." in order. */
static void expect(const char *wanted)
{
	char got[512] = "";

	for (unsigned int i = 0; i < nr_told; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%u %u", i ? ", " : "", told[i].module,
			 told[i].type);
	t_check(!strcmp(got, wanted), "told \"%s\", expected \"%s\"", got, wanted);
	nr_told = 0;
}

static void callbacks(void)
{
	aclprofConfig *config = t_config(ACL_PROF_ACL_API | ACL_PROF_TASK_TIME, 2, 0, 3);
	aclprofConfig *host = t_config(ACL_PROF_MSPROFTX, 0);
	struct prof_list list;

	dir = t_dir();
	t_code(MsprofRegisterCallback(45, module_45), 0);
	t_code(MsprofRegisterCallback(3, module_3), 0);
	t_code(MsprofRegisterCallback(48, module_48), 0);
	t_code(MsprofRegisterCallback(7, module_7), 0);
	t_code(MsprofRegisterCallback(7, module_7), 0);
	t_code(MsprofRegisterCallback(7, module_8), 0); /* another one of the module comes behind the first */
	expect("");
	t_code(t_init(dir), 0);
	expect("");
	t_code(aclprofStart(config), 0);
	t_check(told[2].module == 48 && told[5].devices == 2 && told[5].bits & 1ull << 63 && told[5].bits & ACL_PROF_TASK_TIME,
		"START with %u devices and bits 0x%llx", told[5].devices, (unsigned long long)told[4].bits);
	expect("7 0, 8 0, 48 0, 45 0, 3 0, 7 1, 8 1, 48 1, 45 1, 3 1");
	t_code(MsprofRegisterCallback(99, module_99), 0); /* missed it */
	expect("99 0, 99 1");
	t_code(aclprofStop(config), 0);
	expect("45 2, 48 2, 7 2, 8 2, 3 2, 99 2");
	t_code(aclprofStop(config), ACL_ERROR_PROF_NOT_RUN);
	expect("");
	t_code(aclprofStart(host), 0); /* the host is no device */
	t_code(aclprofStop(host), 0);
	expect("");
	prof_check(dir, "", NULL);
	t_code(aclprofStart(config), 0);
	nr_told = 0;
	t_code(aclprofFinalize(), 0);
	expect("45 2, 48 2, 7 2, 8 2, 3 2, 99 2, 45 3, 48 3, 7 3, 8 3, 3 3, 99 3");
	prof_find(&list, dir);
	t_code((long long)list.count, 3);
	prof_check(list.path[list.count - 1], "--state finalized", NULL);
	prof_free(&list);
}

/* A framework that keeps its reports back until the end. */
static int32_t reports_late(uint32_t type, void *data, uint32_t len)
{
	const struct MsprofCommandHandle *h = data;
	struct MsprofApi call = call_of(MSPROF_REPORT_ACL_LEVEL, 0x30000);

	(void)type;
	(void)len;
	if (h->type == PROF_COMMANDHANDLE_TYPE_STOP)
		t_code(MsprofReportApi(1, &call), 0);
	if (h->type == PROF_COMMANDHANDLE_TYPE_FINALIZE)
		t_code(MsprofReportApi(1, &call), MSPROF_ERROR_UNINITIALIZE);
	t_code(MsprofRegisterCallback(99, module_99), 0); /* from inside of one */
	return 0;
}

static void inside_callbacks(void)
{
	aclprofConfig *config = t_config(ACL_PROF_ACL_API, 1, 0);
	struct prof_account api;

	dir = t_dir();
	t_code(MsprofRegisterCallback(48, reports_late), 0);
	t_code(t_init(dir), 0);
	t_code(aclprofStart(config), 0);
	t_code(aclprofStop(config), 0);
	t_code(aclprofFinalize(), 0);
	prof_check(dir, "", NULL);
	prof_account(&api, prof_only(dir), "api");
	t_code((long long)api.written, 1);
}

/* AscendCL hands over the profiler object of acl.json. */
static void from_acl(void)
{
	char json[1024];

	dir = t_dir();
	snprintf(json, sizeof(json), "{\"switch\": \"on\", \"output\": \"%s\", \"msproftx\": \"on\"}", dir);
	t_code(MsprofInit(MSPROF_CTRL_INIT_DYNA, NULL, 0), 0);
	t_code(MsprofInit(MSPROF_CTRL_INIT_ACL_JSON, NULL, 0), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofInit(MSPROF_CTRL_INIT_ACL_JSON, (void *)(uintptr_t) "[]", 2), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofInit(MSPROF_CTRL_INIT_ACL_JSON, (void *)(uintptr_t) "{", 1), MSPROF_ERROR_CONFIG_INVALID);
	t_code(MsprofInit(MSPROF_CTRL_INIT_ACL_JSON, json, (uint32_t)strlen(json) + 1), 0);
	t_code(aclprofMark(t_stamp("from acl")), 0);
	t_code(MsprofFinalize(), 0);
	prof_check(dir, "--state finalized", NULL);
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(arguments), CASE(numbers), CASE(time_is_raw), CASE(callbacks),
		CASE(inside_callbacks), CASE(from_acl),
	};

	return api_cases("reports", cases, sizeof(cases) / sizeof(cases[0]));
}
