// SPDX-License-Identifier: Apache-2.0
/* aclGetRecentErrMsg: the EK code of each kind of failure, once, for the thread that failed. */
#include "tests/unit/test_api_cases.h"

#include <pthread.h>
#include <regex.h>

#include "acl/acl.h"
#include "acl/acl_prof_optional.h"
#include "tests/process/prof.h"

/* The last failure has this code, and its line is the one of ascprof_last_error(). */
static void told(const char *ek)
{
	const char *text = aclGetRecentErrMsg();
	char pattern[256];
	regex_t form;

	snprintf(pattern, sizeof(pattern),
		 "^%s: \\[PID: %d\\] 20[0-9]{2}-[0-9]{2}-[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}\\.[0-9]{3} .+$",
		 ek, getpid());
	t_check(text != NULL, "no message, expected one with %s", ek);
	if (!text)
		return;
	t_code(regcomp(&form, pattern, REG_EXTENDED | REG_NOSUB), 0);
	t_check(!regexec(&form, text, 0, NULL, 0), "message is \"%s\", expected %s", text, pattern);
	regfree(&form);
	t_check(strlen(ascprof_last_error()) > 0 && strstr(text, ascprof_last_error()),
		"message \"%s\" lacks \"%s\"", text, ascprof_last_error());
	t_check(!aclGetRecentErrMsg(), "a message was given twice");
}

static void nothing_failed(void)
{
	t_check(!aclGetRecentErrMsg(), "a message before anything failed");
	t_code(t_init(t_dir()), 0);
	t_check(!aclGetRecentErrMsg(), "a message after a success");
}

static void values(void)
{
	t_code(aclprofInit("/tmp", 3), ACL_ERROR_INVALID_PARAM);
	told("EK0001");
	t_code(t_init("/tmp/a;b"), ACL_ERROR_INVALID_FILE);
	told("EK0001");
	t_code(t_init(t_dir()), 0);
	t_code(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "101"), ACL_ERROR_INVALID_PROFILING_CONFIG);
	told("EK0001");
	t_check(!aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, 0), "a configuration of nothing");
	told("EK0001");
}

static void order(void)
{
	aclprofConfig *config;

	t_code(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN);
	told("EK0002");
	t_code(t_set(ACL_PROF_LLC_MODE, "read"), ACL_ERROR_UNINITIALIZE);
	told("EK0002");
	config = t_start(t_dir());
	t_code(t_init(t_dir()), ACL_ERROR_REPEAT_INITIALIZE);
	told("EK0002");
	t_code(aclprofStart(config), ACL_ERROR_PROF_ALREADY_RUN);
	told("EK0002");
	t_code(aclprofPop(), ACL_ERROR_PROF_NOT_RUN);
	told("EK0002");
	t_code(aclprofWarmup(config), ACL_ERROR_PROF_API_CONFLICT);
	told("EK0002");
}

static void null(void)
{
	uint32_t id;

	t_code(aclprofInit(NULL, 4), ACL_ERROR_INVALID_PARAM);
	told("EK0006");
	t_code(aclprofStart(NULL), ACL_ERROR_INVALID_PARAM);
	told("EK0006");
	t_code(aclprofDestroyConfig(NULL), ACL_ERROR_INVALID_PARAM);
	told("EK0006");
	t_start(t_dir());
	t_code(aclprofMark(NULL), ACL_ERROR_INVALID_PARAM);
	told("EK0006");
	t_code(aclprofRangeStart(NULL, &id), ACL_ERROR_INVALID_PARAM);
	told("EK0006");
	t_code(aclprofSetStampTraceMessage(t_stamp("a"), NULL, 1), ACL_ERROR_INVALID_PARAM);
	told("EK0006");
}

static aclError init_with(const char *profiler)
{
	const char *path = t_path("%s/acl.json", t_dir());

	t_write_file(path, profiler);
	return aclInit(path);
}

static void json(void)
{
	t_code(init_with("{\"profiler\":{\"switch\":\"on\",\"sys_hardware_mem_freq\":101}}"), ACL_ERROR_INVALID_PARAM);
	told("EK0003");
	t_code(init_with("{\"profiler\":{\"switch\":\"on\",\"sys_hardware_mem_freq\":\"50\"}}"),
	       ACL_ERROR_INVALID_PARAM);
	told("EK0003");
	t_code(init_with("{\"profiler\":{\"switch\":\"on\",\"task_trace\":\"on\"}}"), ACL_ERROR_INVALID_PARAM);
	told("EK0005");
}

static void mode(void)
{
	t_code(init_with(t_path("{\"profiler\":{\"switch\":\"on\",\"output\":\"%s\"}}", t_dir())), 0);
	t_code(t_init(t_dir()), ACL_ERROR_PROF_ALREADY_RUN);
	told("EK0007");
	t_code(aclprofFinalize(), ACL_ERROR_PROF_ALREADY_RUN);
	told("EK0007");
	t_code(aclFinalize(), 0);
	t_code(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
	told("EK0002");
}

static void not_possible(void)
{
	aclprofConfig *config;

	setenv("PROFILING_MODE", "dynamic", 1);
	t_code(t_init(t_dir()), ACL_ERROR_FEATURE_UNSUPPORTED);
	told("EK0004");
	unsetenv("PROFILING_MODE");
	t_code(t_init(t_dir()), 0);
	config = t_config(0x10000 | ACL_PROF_MSPROFTX, 1, 0);
	t_code(aclprofStart(config), ACL_ERROR_PROF_MODULES_UNSUPPORTED);
	told("EK0005");
}

static void *no_message(void *arg)
{
	(void)arg;
	t_check(!aclGetRecentErrMsg(), "a message of another thread");
	t_code(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN);
	told("EK0002");
	return NULL;
}

static void threads(void)
{
	pthread_t thread;

	t_code(aclprofInit(NULL, 4), ACL_ERROR_INVALID_PARAM);
	t_code(pthread_create(&thread, NULL, no_message, NULL), 0);
	t_code(pthread_join(thread, NULL), 0);
	told("EK0006");
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(nothing_failed), CASE(values), CASE(order), CASE(null), CASE(json),
		CASE(mode), CASE(not_possible), CASE(threads),
	};

	return api_cases("aclGetRecentErrMsg", cases, sizeof(cases) / sizeof(cases[0]));
}
