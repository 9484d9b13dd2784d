/* SPDX-License-Identifier: Apache-2.0 */
/* ASCPROF_STRICT: misuse is reported with its place. And, strict or not: ranges that nobody ended. */
#include "tests/unit/test_api_cases.h"

#include <signal.h>
#include <sys/wait.h>

#include "acl/acl.h"
#include "acl/acl_prof_optional.h"
#define MSTX_NO_IMPL
#include "mstx/ms_tools_ext.h"
#include "tests/process/device.h"

#define BAD ACL_ERROR_INVALID_PARAM
#define NOT_RUN ACL_ERROR_PROF_NOT_RUN

static aclprofConfig *config;

/* The line about misuse that @text holds, once; it names the call, what is wrong, and this program. */
static void reported(const char *text, const char *what)
{
	const char *line = strstr(text, "misuse: ");
	char one[512] = "";

	t_check(line, "no report of '%s': %s", what, text);
	if (!line)
		return;
	t_check(!strstr(line + 1, "misuse: "), "two reports: %s", text);
	snprintf(one, sizeof(one), "%.*s", (int)strcspn(line, "\n"), line);
	t_check(strstr(one, what), "'%s' is not in: %s", what, one);
	t_check(strstr(one, "called from 0x") && strstr(one, "+0x") && strstr(one, " in test_api_strict"),
		"no place of the call in: %s", one);
}

#define misuse(call, what)                    \
	do {                                  \
		t_stderr_begin();             \
		call;                         \
		reported(t_stderr_end(), what); \
	} while (0)

#define clean(call)                                                                  \
	do {                                                                         \
		const char *text_;                                                   \
		t_stderr_begin();                                                    \
		call;                                                                \
		text_ = t_stderr_end();                                              \
		t_check(!strstr(text_, "misuse"), "%s: reported: %s", #call, text_); \
	} while (0)

static void strict(const char *mode)
{
	setenv("ASCPROF_STRICT", mode, 1);
	t_code(aclInit(NULL), 0);
}

static void stamps(void)
{
	void *stamp;

	strict("1");
	config = t_start(t_dir());
	stamp = t_stamp("stamp");
	clean(aclprofDestroyStamp(stamp));
	misuse(aclprofDestroyStamp(stamp), "aclprofDestroyStamp: stamp");
	misuse(t_code(aclprofMark(stamp), BAD), "aclprofMark: stamp");
	misuse(t_code(aclprofPush(stamp), BAD), "aclprofPush: stamp");
	misuse(t_code(aclprofRangeStart(stamp, &(uint32_t){ 0 }), BAD), "aclprofRangeStart: stamp");
	misuse(t_code(aclprofSetStampTraceMessage(stamp, "x", 1), BAD), "aclprofSetStampTraceMessage: stamp");
	misuse(t_code(aclprofSetStampCategory(stamp, 1), BAD), "aclprofSetStampCategory: stamp");
	clean(t_code(aclprofMark(NULL), BAD));
	clean(t_code(aclprofMark(&config), BAD));
	clean(t_stop(config));
}

static void ranges(void)
{
	uint32_t id;
	void *stamp;

	strict("1");
	config = t_start(t_dir());
	stamp = t_stamp("range");
	misuse(t_code(aclprofPop(), NOT_RUN), "aclprofPop: this thread has pushed nothing");
	misuse(t_code(aclprofRangePop(), NOT_RUN), "aclprofRangePop: this thread has begun nothing");
	t_code(aclprofRangeStart(stamp, &id), 0);
	clean(t_code(aclprofRangeStop(id), 0));
	misuse(t_code(aclprofRangeStop(id), NOT_RUN), "has ended already");
	aclprofDestroyStamp(stamp);
	clean(t_stop(config));
}

static void objects(void)
{
	aclprofConfig *other;
	aclprofStepInfo *step;

	strict("1");
	config = t_start(t_dir());
	other = t_config(ACL_PROF_ACL_API, 1, 0);
	misuse(t_code(aclprofStop(other), ACL_ERROR_INVALID_PROFILING_CONFIG), "aclprofStop: dataTypeConfig");
	clean(t_code(aclprofDestroyConfig(other), 0));
	misuse(t_code(aclprofDestroyConfig(other), BAD), "aclprofDestroyConfig: profilerConfig");
	misuse(t_code(aclprofStop(other), BAD), "aclprofStop: profilerConfig");
	other = t_config(ACL_PROF_MSPROFTX, 1, 5);
	misuse(t_code(aclprofStop(other), NOT_RUN), "none of its devices is running");
	aclprofDestroyConfig(other);
	step = aclprofCreateStepInfo();
	clean(aclprofDestroyStepInfo(step));
	misuse(aclprofDestroyStepInfo(step), "aclprofDestroyStepInfo: stepInfo");
	clean(t_stop(config));
}

static void others(void)
{
	aclprofSubscribeConfig *subscribe;
	mstxDomainHandle_t domain;
	mstxRangeId id;
	int fd = 1;

	strict("1");
	config = t_start(t_dir());
	subscribe = aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &fd);
	clean(t_code(aclprofDestroySubscribeConfig(subscribe), 0));
	misuse(t_code(aclprofDestroySubscribeConfig(subscribe), BAD), "aclprofDestroySubscribeConfig: profSubscribeConfig");
	id = mstxRangeStartA("range", NULL);
	clean(mstxRangeEnd(id));
	misuse(mstxRangeEnd(id), "mstxRangeEnd: range");
	domain = mstxDomainCreateA("domain");
	id = mstxDomainRangeStartA(domain, "range", NULL);
	clean(mstxDomainRangeEnd(domain, id));
	misuse(mstxDomainRangeEnd(domain, id), "mstxDomainRangeEnd: range");
	clean(mstxDomainMarkA((mstxDomainHandle_t)&config, "mark", NULL));
	clean(mstxDomainDestroy(domain));
	misuse(mstxDomainDestroy(domain), "mstxDomainDestroy: domain");
	misuse(mstxDomainMarkA(domain, "mark", NULL), "mstxDomainMarkA: domain");
	misuse(mstxDomainMarkA(domain, "mark", &fd), "mstxDomainMarkA: domain");
	misuse((void)mstxDomainRangeStartA(domain, "range", NULL), "mstxDomainRangeStartA: domain");
	misuse((void)mstxDomainRangeStartA(domain, "range", &fd), "mstxDomainRangeStartA: domain");
	misuse(mstxDomainRangeEnd(domain, id), "mstxDomainRangeEnd: domain");
	clean(t_stop(config));
}

static void before_acl_init(void)
{
	setenv("ASCPROF_STRICT", "1", 1);
	misuse(t_code(t_init(t_dir()), 0), "aclprofInit: expected aclInit before");
	t_code(aclprofFinalize(), 0);
	t_code(aclInit(NULL), 0);
	clean(t_code(t_init(t_dir()), 0));
	t_code(aclprofFinalize(), 0);
}

/* Two pushed, one detailed, and a range, of which one push is the oldest. */
static void leave_open(void)
{
	void *stamp;
	uint32_t id;

	config = t_start(t_dir());
	stamp = t_stamp("the oldest");
	t_code(aclprofSetStampCategory(stamp, 1), 0);
	t_code(aclprofPush(stamp), 0);
	aclprofDestroyStamp(stamp);
	stamp = t_stamp("younger");
	t_code(aclprofRangeStart(stamp, &id), 0);
	t_code(aclprofPush(stamp), 0);
}

static void open_strict(void)
{
	strict("1");
	leave_open();
	misuse(t_code(aclprofStop(config), 0), "aclprofStop: 3 begun and not ended, the oldest is \"the oldest\"");
	t_code(aclprofFinalize(), 0);
}

static void open_range_is_oldest(void)
{
	uint32_t id;

	strict("1");
	config = t_start(t_dir());
	t_code(aclprofRangeStart(t_stamp("a range"), &id), 0);
	t_code(aclprofPush(t_stamp("pushed")), 0);
	misuse(t_code(aclprofFinalize(), 0), "aclprofFinalize: 2 begun and not ended, the oldest is \"a range\"");
}

/* A session that aclInit began and aclFinalize ends. */
static void open_at_acl_finalize(void)
{
	const char *dir = t_dir(), *path = t_path("%s/acl.json", dir);

	setenv("ASCPROF_STRICT", "1", 1);
	t_write_file(path, t_path("{\"profiler\":{\"switch\":\"on\",\"output\":\"%s\",\"msproftx\":\"on\"}}", dir));
	t_code(aclInit(path), 0);
	t_code(aclprofPush(t_stamp("of a file")), 0);
	misuse(t_code(aclFinalize(), 0), "aclFinalize: 1 begun and not ended, the oldest is \"of a file\"");
}

/* One line without strict mode, and none where all is well. */
static void open_warning(void)
{
	const char *text;
	uint32_t id;

	leave_open();
	t_stderr_begin();
	t_code(aclprofStop(config), 0);
	text = t_stderr_end();
	t_check(t_lines(text) == 1 && strstr(text, "warning: aclprofStop: 3 ranges were begun and not ended"),
		"printed: %s", text);
	t_code(aclprofStart(config), 0);
	t_code(aclprofRangeStart(t_stamp("one"), &id), 0);
	t_stderr_begin();
	t_code(aclprofStop(config), 0);
	t_check(strstr(t_stderr_end(), "1 range was begun and not ended"), "not told");
	t_code(aclprofStart(config), 0);
	t_stderr_begin();
	t_code(aclprofStop(config), 0);
	text = t_stderr_end();
	t_check(!*text, "printed: %s", text);
}

static void off(void)
{
	setenv("ASCPROF_STRICT", "0", 1);
	config = t_start(t_dir());
	clean(t_code(aclprofPop(), NOT_RUN));
	clean(t_code(aclprofDestroyConfig((void *)&config), BAD));
	clean(t_stop(config));
}

static void name_of_the_caller(void)
{
	void *library;
	int (*calls)(aclError (*)(void));
	const char *text;

	strict("1");
	device_load(RTLD_GLOBAL);
	library = dlopen(NULL, RTLD_NOW);
	calls = (int (*)(aclError (*)(void)))dlsym(library, "device_calls");
	config = t_start(t_dir());
	t_stderr_begin();
	t_code(calls(aclprofPop), NOT_RUN);
	text = t_stderr_end();
	t_check(strstr(text, " device_calls+0x") && strstr(text, " in libruntime.so"), "printed: %s", text);
	t_stop(config);
}

static void aborts(const void *arg)
{
	signal(SIGABRT, SIG_DFL);
	strict("abort");
	config = t_start(arg);
	t_code(aclprofMark(t_stamp("before")), 0);
	aclprofPop();
	exit(0);
}

static void abort_mode(void)
{
	char text[4096] = "";
	int pipes[2], saved = dup(STDERR_FILENO);
	const char *line;

	t_equal(pipe(pipes), 0, "pipe");
	dup2(pipes[1], STDERR_FILENO);
	t_equal(t_child(aborts, t_dir()), 128 + SIGABRT, "child");
	dup2(saved, STDERR_FILENO);
	close(pipes[1]);
	t_check(read(pipes[0], text, sizeof(text) - 1) > 0, "nothing printed");
	line = strstr(text, "misuse: aclprofPop");
	t_check(line && t_lines(line) == 1, "the last line is no report: %s", text);
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(stamps), CASE(ranges), CASE(objects), CASE(others), CASE(before_acl_init), CASE(open_strict),
		CASE(open_range_is_oldest), CASE(open_at_acl_finalize), CASE(open_warning), CASE(off),
		CASE(name_of_the_caller), CASE(abort_mode),
	};

	return api_cases("api_strict", cases, sizeof(cases) / sizeof(cases[0]));
}
