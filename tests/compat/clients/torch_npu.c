// SPDX-License-Identifier: Apache-2.0
/*
 * The calls that PyTorch's NPU back end makes of libmsprofiler.so, in its order
 * and with its arguments. As there, no function is linked: every one is looked
 * up by name when it is first needed, and in a preloaded library before.
 *
 *   torch_npu SCENARIO DIR
 *
 * Compiled against the headers, for types alone. Prints what is wrong.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl_prof.h>
#include <mstx/ms_tools_ext.h>

#include "check.h"

#define LEVEL_0 (ACL_PROF_TASK_TIME_L0 | ACL_PROF_ACL_API)
#define LEVEL_1 (ACL_PROF_TASK_TIME | ACL_PROF_ACL_API | ACL_PROF_HCCL_TRACE | ACL_PROF_AICORE_METRICS)
#define LEVEL_2 (LEVEL_1 | ACL_PROF_RUNTIME_API | ACL_PROF_AICPU)

/* What it goes on without, with a line in its log. */
static void done_or_unsupported(const char *what, long long got)
{
	if (got != ACL_ERROR_FEATURE_UNSUPPORTED && got != ACL_ERROR_PROF_MODULES_UNSUPPORTED)
		is(what, got, ACL_SUCCESS);
}

static int newest_era(void)
{
	const char *compat = getenv("ASCPROF_COMPAT");

	return compat && !strcmp(compat, "head");
}

/* ---- look-up ---- */

static void *handles[2];
static const char *const files[2] = { "libmsprofiler.so", "libms_tools_ext.so" };
static const int flags[2] = { RTLD_LAZY | RTLD_GLOBAL, RTLD_LAZY };

/* NULL: there is no such function */
static void *look_up(int library, const char *name)
{
	const char *preload = getenv("LD_PRELOAD");
	void *function = NULL;

	if (preload && *preload)
		function = dlsym(RTLD_DEFAULT, name);
	if (function)
		return function;
	if (!handles[library])
		handles[library] = dlopen(files[library], flags[library]);
	if (!handles[library]) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return dlsym(handles[library], name);
}

static void *find(int library, const char *name)
{
	void *function = look_up(library, name);

	if (!function) {
		printf("%s has no %s\n", files[library], name);
		exit(1);
	}
	return function;
}

#define CALL(name) (*(__typeof__(name) *)find(0, #name))
#define MSTX(name) (*(__typeof__(name) *)find(1, #name))

/* Every name that a release of it needs, or would like to find. */
static void names(const char *dir)
{
	static const char *const prof[] = {
		"aclprofInit", "aclprofStart", "aclprofStop", "aclprofFinalize", "aclprofCreateConfig",
		"aclprofDestroyConfig", "aclprofCreateStepInfo", "aclprofGetStepTimestamp", "aclprofDestroyStepInfo",
		"aclprofSetConfig", "aclprofMarkEx", "aclprofCreateStamp", "aclprofDestroyStamp",
		"aclprofSetCategoryName", "aclprofSetStampCategory", "aclprofSetStampPayload",
		"aclprofSetStampTraceMessage", "aclprofMark", "aclprofPush", "aclprofPop", "aclprofRangeStart",
		"aclprofRangeStop", "aclprofWarmup", "aclprofGetSupportedFeatures", "aclprofGetSupportedFeaturesV2",
		"aclprofRegisterDeviceCallback",
	};
	static const char *const tools[] = {
		"mstxMarkA", "mstxRangeStartA", "mstxRangeEnd", "mstxDomainCreateA", "mstxDomainDestroy",
		"mstxDomainMarkA", "mstxDomainRangeStartA", "mstxDomainRangeEnd", "mstxMemHeapRegister",
		"mstxMemHeapUnregister", "mstxMemRegionsRegister", "mstxMemRegionsUnregister",
	};

	(void)dir;
	for (size_t i = 0; i < sizeof(prof) / sizeof(prof[0]); i++)
		is(prof[i], look_up(0, prof[i]) != NULL, 1);
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		is(tools[i], look_up(1, tools[i]) != NULL, 1);
}

/* ---- what the library can do ---- */

/* A record as that back end reads it: two C++ objects with virtual destructors. */
struct feature {
	void *vtable;
	char name[64];
	struct {
		void *vtable;
		char compatibility[16], version[16], component[16], component_version[16], log[128];
	} info;
};

static int for_us(const struct feature *f)
{
	return (!strcmp(f->info.component, "all") || !strcmp(f->info.component, "PTA")) &&
	       !strcmp(f->info.component_version, "all");
}

/* Its own version of each feature is "1"; a later one is good if it is compatible. */
static int has_feature(const char *name)
{
	aclError (*get)(size_t *, void **) = look_up(0, "aclprofGetSupportedFeaturesV2");
	const struct feature *f;
	void *data = NULL;
	size_t count = 0;

	if (!get)
		get = look_up(0, "aclprofGetSupportedFeatures");
	if (!get)
		return 0;
	is("features", get(&count, &data), ACL_SUCCESS);
	f = data;
	for (size_t i = 0; f && i < count; i++, f++)
		if (for_us(f) && *f->info.log && !strcmp(f->name, name))
			return !strcmp(f->info.version, "1") ||
			       (strcmp("1", f->info.version) < 0 && !strcmp(f->info.compatibility, "1"));
	return 0;
}

/* ---- a run ---- */

static void set(aclprofConfigType type, const char *text)
{
	char what[64];

	snprintf(what, sizeof(what), "SetConfig(%d, \"%s\")", (int)type, text);
	is(what, CALL(aclprofSetConfig)(type, text, strlen(text)), ACL_SUCCESS);
}

/* Done before Warmup, and before Start again. */
static uint64_t prepare(uint64_t bits, int level)
{
	set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50");
	set(ACL_PROF_HOST_SYS, "cpu,mem");
	set(ACL_PROF_SYS_IO_FREQ, "100");
	set(ACL_PROF_SYS_INTERCONNECTION_FREQ, "50");
	bits |= ACL_PROF_L2CACHE | ACL_PROF_TASK_MEMORY;
	if (has_feature("ATTR"))
		bits |= ACL_PROF_OP_ATTR;
	if (level == 0 && has_feature("AICORE_SHAPE"))
		bits |= ACL_PROF_AICORE_SHAPE;
	return bits;
}

static void init(const char *dir)
{
	is("Init", CALL(aclprofInit)(dir, strlen(dir)), ACL_SUCCESS);
}

static aclprofConfig *create(uint32_t device, aclprofAicoreMetrics metrics, uint64_t bits)
{
	return CALL(aclprofCreateConfig)(&device, 1, metrics, NULL, bits);
}

static void start(const aclprofConfig *config)
{
	int (*callback)(void);

	is("Start", CALL(aclprofStart)(config), ACL_SUCCESS);
	callback = (int (*)(void))look_up(0, "aclprofRegisterDeviceCallback");
	if (callback)
		done_or_unsupported("RegisterDeviceCallback", callback());
}

static void stop(const aclprofConfig *config)
{
	is("Stop", CALL(aclprofStop)(config), ACL_SUCCESS);
	is("DestroyConfig", CALL(aclprofDestroyConfig)(config), ACL_SUCCESS);
}

static void finalize(void)
{
	is("Finalize", CALL(aclprofFinalize)(), ACL_SUCCESS);
}

static void levels(const char *dir)
{
	static const uint64_t level[] = { 0, LEVEL_0, LEVEL_1, LEVEL_2 };

	for (int i = 0; i < 4; i++) {
		for (int metric = ACL_AICORE_ARITHMETIC_UTILIZATION; metric <= ACL_AICORE_MEMORY_ACCESS; metric++) {
			aclprofConfig *config;

			init(dir);
			config = create(0, (aclprofAicoreMetrics)metric,
					prepare(level[i], i - 1) | ACL_PROF_AICORE_METRICS);
			is("CreateConfig", config != NULL, 1);
			start(config);
			stop(config);
			finalize();
		}
	}
}

/* Everything off: level none, no metric. The mask is 0, and still valid. */
static void nothing(const char *dir)
{
	aclprofConfig *config;

	init(dir);
	config = create(0, ACL_AICORE_NONE, 0);
	start(config);
	stop(config);
	finalize();
}

/* A schedule of three steps, each with a warm-up; then one whose warm-up is not followed by Start. */
static void warmup(const char *dir)
{
	for (int step = 0; step < 4; step++) {
		aclError (*warm)(const aclprofConfig *);
		aclprofConfig *config;
		void *stamp;

		init(dir);
		config = create(0, ACL_AICORE_PIPE_UTILIZATION, prepare(LEVEL_1 | ACL_PROF_MSPROFTX, 1));
		warm = (aclError (*)(const aclprofConfig *))look_up(0, "aclprofWarmup");
		if (warm)
			is("Warmup", warm(config), ACL_SUCCESS);
		is("stamp before Start", CALL(aclprofCreateStamp)() != NULL, 0);
		if (step == 3) {
			is("Stop after Warmup", CALL(aclprofStop)(config),
			   newest_era() ? ACL_SUCCESS : ACL_ERROR_PROF_NOT_RUN);
			is("DestroyConfig", CALL(aclprofDestroyConfig)(config), ACL_SUCCESS);
			finalize();
			return;
		}
		prepare(0, 1);
		start(config);
		stamp = CALL(aclprofCreateStamp)();
		CALL(aclprofSetStampTraceMessage)(stamp, "step", 4);
		is("Mark", CALL(aclprofMark)(stamp), ACL_SUCCESS);
		CALL(aclprofDestroyStamp)(stamp);
		stop(config);
		finalize();
	}
}

/* CreateConfig refuses the device: Start is left out, Stop and DestroyConfig are not. */
static void no_config(const char *dir)
{
	init(dir);
	is("CreateConfig", create(64, ACL_AICORE_PIPE_UTILIZATION, prepare(LEVEL_1, 1)) != NULL, 0);
	is("Stop(NULL)", CALL(aclprofStop)(NULL), newest_era() ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM);
	is("DestroyConfig(NULL)", CALL(aclprofDestroyConfig)(NULL), ACL_ERROR_INVALID_PARAM);
	finalize();
	/* and the next run is as if nothing had been */
	nothing(dir);
}

/* Its older releases: a config before Init, Finalize whatever failed, stamps for operators. */
static void operators(const char *dir)
{
	aclError (*tag)(void *, const char *, uint16_t) =
		(aclError (*)(void *, const char *, uint16_t))look_up(0, "aclprofSetStampTagName");
	aclError (*stack)(void *, const char *, uint32_t) =
		(aclError (*)(void *, const char *, uint32_t))look_up(0, "aclprofSetStampCallStack");
	aclError (*category)(void *, uint32_t) = (aclError (*)(void *, uint32_t))find(0, "aclprofSetStampCategory");
	aclprofConfig *config = create(0, ACL_AICORE_PIPE_UTILIZATION,
				       ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS |
					       ACL_PROF_AICPU | ACL_PROF_L2CACHE | ACL_PROF_HCCL_TRACE |
					       ACL_PROF_TRAINING_TRACE | ACL_PROF_MSPROFTX);
	void *stamp;
	uint32_t id;

	is("Finalize before Init", CALL(aclprofFinalize)(), newest_era() ? ACL_SUCCESS : ACL_ERROR_PROF_NOT_RUN);
	init(dir);
	start(config);
	for (int i = 0; i < 1000; i++) {
		stamp = CALL(aclprofCreateStamp)();
		if (tag)
			done_or_unsupported("SetStampTagName", tag(stamp, "torch_op", 8));
		if (stack)
			done_or_unsupported("SetStampCallStack", stack(stamp, "model.py(1): forward", 20));
		is("SetStampCategory", category(stamp, 1), ACL_SUCCESS);
		is("SetStampTraceMessage", CALL(aclprofSetStampTraceMessage)(stamp, "aten::add", 9), ACL_SUCCESS);
		is("RangeStart", CALL(aclprofRangeStart)(stamp, &id), ACL_SUCCESS);
		is("Mark", CALL(aclprofMark)(stamp), ACL_SUCCESS);
		is("RangeStop", CALL(aclprofRangeStop)(id), ACL_SUCCESS);
		CALL(aclprofDestroyStamp)(stamp);
	}
	stop(config);
	finalize();
}

/* An iteration between two time stamps of the device, where there is no device runtime. */
static void steps(const char *dir)
{
	aclprofConfig *config;
	aclprofStepInfo *step;
	int on_queue;

	init(dir);
	config = create(0, ACL_AICORE_NONE, LEVEL_0 | ACL_PROF_MSPROFTX);
	start(config);
	step = CALL(aclprofCreateStepInfo)();
	is("CreateStepInfo", step != NULL, 1);
	is("start", CALL(aclprofGetStepTimestamp)(step, ACL_STEP_START, &on_queue), ACL_ERROR_FEATURE_UNSUPPORTED);
	is("end", CALL(aclprofGetStepTimestamp)(step, ACL_STEP_END, &on_queue), ACL_ERROR_FEATURE_UNSUPPORTED);
	CALL(aclprofDestroyStepInfo)(step);
	is("MarkEx", CALL(aclprofMarkEx)("iteration", 9, &on_queue), ACL_ERROR_FEATURE_UNSUPPORTED);
	stop(config);
	finalize();
}

/* torch_npu.npu.mstx, through the other library; the session is the same. */
static void tools(const char *dir)
{
	aclprofConfig *config;
	mstxDomainHandle_t domain = MSTX(mstxDomainCreateA)("test");
	mstxRangeId id;

	is("domains are supported", domain != NULL, 1);
	init(dir);
	config = create(0, ACL_AICORE_NONE, ACL_PROF_MSPROFTX);
	start(config);
	MSTX(mstxMarkA)("mark", NULL);
	id = MSTX(mstxRangeStartA)("range", NULL);
	MSTX(mstxDomainMarkA)(domain, "mark", NULL);
	MSTX(mstxRangeEnd)(id);
	id = MSTX(mstxDomainRangeStartA)(domain, "range", NULL);
	MSTX(mstxDomainRangeEnd)(domain, id);
	is("MemHeapRegister", MSTX(mstxMemHeapRegister)(domain, NULL) != NULL, 0);
	stop(config);
	finalize();
}

static const struct {
	const char *name;
	void (*run)(const char *dir);
} scenarios[] = {
	{ "names", names },   { "levels", levels },	  { "nothing", nothing }, { "warmup", warmup },
	{ "steps", steps },   { "operators", operators }, { "tools", tools },	  { "no_config", no_config },
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (!strcmp(scenarios[i].name, argv[1]))
			scenarios[i].run(argv[2]);
	/* as its destructors do */
	for (int i = 0; i < 2; i++)
		if (handles[i])
			dlclose(handles[i]);
	return failures != 0;
}
