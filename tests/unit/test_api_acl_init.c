/* SPDX-License-Identifier: Apache-2.0 */
/* aclInit, aclFinalize and acl.json; test vectors 36 and 148 to 151. */
#include "tests/unit/test_api_cases.h"

#include "acl/acl.h"
#include "tests/process/prof.h"

#define BAD ACL_ERROR_INVALID_PARAM
#define ALREADY ACL_ERROR_PROF_ALREADY_RUN

static const char *json_file(const char *text)
{
	const char *path = t_path("%s/acl.json", t_dir());

	t_write_file(path, text);
	return path;
}

/* A profiler that is on and writes into @out, with @more keys. */
static const char *profiler(const char *out, const char *more)
{
	return json_file(t_path("{\"profiler\":{\"switch\":\"on\",\"output\":\"%s\"%s%s}}", out, *more ? "," : "",
				more));
}

static void records(void)
{
	const char *out = t_dir();
	struct prof_totals totals;

	t_code(aclInit(profiler(out, "\"msproftx\":\"on\",\"sys_hardware_mem_freq\":50")), 0);
	for (int i = 0; i < 100; i++) {
		void *stamp = t_stamp("from acl.json");

		t_code(aclprofMark(stamp), 0);
		aclprofDestroyStamp(stamp);
	}
	t_code(aclFinalize(), 0);
	prof_check(out, "--state finalized", &totals);
	t_equal(totals.mark.written, 100, "marks");
}

static void vector_36(void)
{
	const char *out = t_dir();
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);

	t_code(aclInit(profiler(out, "")), 0);
	t_refused(t_init(out), ALREADY, "aclprofInit aclInit");
	t_refused(aclprofStart(config), ALREADY, "aclprofStart aclInit");
	t_refused(aclprofStop(config), ALREADY, "aclprofStop aclInit");
	t_refused(aclprofFinalize(), ALREADY, "aclprofFinalize aclInit");
	t_check(!aclprofCreateStamp(), "a stamp without msproftx");
	t_code(aclFinalize(), 0);
	/* and then the process is free again */
	t_code(t_init(out), 0);
	t_code(aclprofFinalize(), 0);
	aclprofDestroyConfig(config);
}

static void life(void)
{
	t_refused(aclFinalize(), ACL_ERROR_UNINITIALIZE, "aclFinalize aclInit");
	t_code(aclInit(NULL), 0);
	t_refused(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE, "aclInit already");
	t_code(aclFinalize(), 0);
	t_refused(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclFinalize already");
	t_code(aclInit(""), 0);
	t_code(aclFinalize(), 0);
}

static void api_first(void)
{
	const char *out = t_dir();

	t_code(t_init(out), 0);
	t_stderr_begin();
	t_code(aclInit(profiler(out, "")), 0);
	t_equal(t_lines(t_stderr_end()), 1, "lines that say it is ignored");
	/* aclFinalize ends what aclprofInit began */
	t_code(aclFinalize(), 0);
	t_refused(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN, "aclprofFinalize");
}

/* Profiling stays off, and one line says why. */
static void stays_off(const char *path, const char *word)
{
	const char *out;

	t_stderr_begin();
	t_code(aclInit(path), 0);
	out = t_stderr_end();
	t_equal(t_lines(out), *word ? 1 : 0, "lines about %s", path);
	t_check(strstr(out, word), "no '%s' in: %s", word, out);
	t_code(t_init(t_dir()), 0);
	t_code(aclprofFinalize(), 0);
	t_code(aclFinalize(), 0);
}

static void off(void)
{
	char *large = malloc((1 << 20) + 3);

	stays_off("/nonexistent/acl.json", "No such file");
	stays_off(json_file("{"), "byte");
	stays_off(json_file(""), "byte");
	stays_off(json_file("{}"), "");
	stays_off(json_file("[]"), "");
	stays_off(json_file("{\"dump\":{}}"), "");
	stays_off(json_file("{\"profiler\":{}}"), "");
	stays_off(json_file("{\"profiler\":{\"switch\":\"off\",\"task_trace\":\"on\"}}"), "");
	stays_off(json_file("{\"profiler\":{\"switch\":\"ON\"}}"), "");
	memset(large, ' ', (1 << 20) + 1);
	memcpy(large + (1 << 20) - 1, "{}", 3);
	stays_off(json_file(large), "1 MiB");
	free(large);
}

static const struct refusal {
	const char *text; /* further keys of a profiler that is on */
	const char *words;
} refusals[] = {
	{ "\"task_trace\":\"on\"", "task_trace unknown" },
	{ "\"ge_api\":\"L1\"", "ge_api l1" },
	{ "\"ge_api\":1", "ge_api" },
	{ "\"sys_hardware_mem_freq\":101", "sys_hardware_mem_freq 101 100" },
	{ "\"sys_hardware_mem_freq\":0", "sys_hardware_mem_freq" },
	{ "\"sys_hardware_mem_freq\":\"50\"", "sys_hardware_mem_freq whole" },
	{ "\"sys_hardware_mem_freq\":5.5", "sys_hardware_mem_freq whole" },
	{ "\"sys_hardware_mem_freq\":-1", "sys_hardware_mem_freq whole" },
	{ "\"sys_lp_freq\":\"100\"", "sys_lp_freq whole" },
	{ "\"sys_interconnection_freq\":51", "sys_interconnection_freq" },
	{ "\"llc_profiling\":\"capacity\"", "llc_profiling read write" },
	{ "\"storage_limit\":\"199MB\"", "storage_limit 199MB" },
	{ "\"storage_limit\":200", "storage_limit string" },
	{ "\"aic_metrics\":\"Nothing\"", "aic_metrics" },
	{ "\"aic_metrics\":\"Custom:1,2,3,4,5,6,7,8,9\"", "aic_metrics" },
	{ "\"aic_metrics\":\"Custom:1x\"", "aic_metrics" },
	{ "\"task_time\":\"l4\"", "task_time" },
	{ "\"msproftx\":true", "msproftx" },
	{ "\"instr_profiling_freq\":299", "instr_profiling_freq 300" },
	{ "\"host_sys\":\"cpu,\"", "host_sys" },
	{ "\"output\":1", "output" },
};

static const char *const accepted[] = {
	"\"sys_hardware_mem_freq\":50", "\"llc_profiling\":\"write\"", "\"storage_limit\":\"200MB\"",
	"\"storage_limit\":\"\"", "\"aic_metrics\":\"\"", "\"aic_metrics\":\"L2Cache\"",
	"\"aic_metrics\":\"Custom:0x49,8\"", "\"task_time\":\"l3\"", "\"task_time\":\"off\"", "\"ge_api\":\"l1\"",
	"\"instr_profiling\":\"on\",\"instr_profiling_freq\":30000", "\"host_sys\":\"cpu,mem\"",
	"\"host_sys_usage\":\"cpu\",\"host_sys_usage_freq\":50", "\"sys_lp_freq\":100", "\"sys_cpu_freq\":50",
	"\"sys_mem_serviceflow\":\"a,b\"", "\"optype\":\"MatMul\"", "\"dvpp_freq\":1,\"sys_io_sampling_freq\":100",
	"\"ascendcl\":\"off\",\"runtime_api\":\"off\",\"aicpu\":\"on\",\"l2\":\"on\",\"hccl\":\"on\"",
	"\"task_memory\":\"on\",\"task_tsfw\":\"on\"", "\"l2\":\"on\",\"l2\":\"off\"",
};

static void values(void)
{
	const char *out = t_dir();

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		t_refused(aclInit(profiler(out, refusals[i].text)), BAD, t_path("aclInit profiler %s", refusals[i].words));
	for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
		t_equal(aclInit(profiler(out, accepted[i])), 0, "%s", accepted[i]);
		t_refused(t_init(out), ALREADY, "aclInit");
		t_code(aclFinalize(), 0);
	}
}

static void bad_output(void)
{
	const char *file = t_path("%s/file", t_dir());

	t_write_file(file, "");
	t_refused(aclInit(profiler(file, "")), ACL_ERROR_INVALID_FILE, "aclInit not directory");
	t_code(aclInit(NULL), 0);
	t_code(aclFinalize(), 0);
}

static void work_path(void)
{
	const char *work = t_dir();
	struct prof_totals totals;

	setenv("ASCEND_WORK_PATH", work, 1);
	t_code(aclInit(json_file("{\"profiler\":{\"switch\":\"on\"}}")), 0);
	t_code(aclFinalize(), 0);
	prof_check(t_path("%s/profiling_data", work), "--state finalized", &totals);
	t_equal(totals.dirs, 1, "directories below ASCEND_WORK_PATH");
}

static void in_child(const void *out)
{
	t_refused(aclFinalize(), ACL_ERROR_UNINITIALIZE, "aclFinalize aclInit");
	t_check(!aclprofCreateStamp(), "a stamp of the parent's session");
	t_code(aclInit(profiler(out, "\"msproftx\":\"on\"")), 0);
	t_code(aclFinalize(), 0);
	exit(t_end());
}

/* A child has not called aclInit, whatever its parent did, and may. */
static void forked(void)
{
	const char *out = t_dir(), *childs = t_dir();
	struct prof_totals totals;

	t_code(aclInit(profiler(out, "\"msproftx\":\"on\"")), 0);
	t_equal(t_child(in_child, childs), 0, "status of the child");
	t_code(aclFinalize(), 0);
	prof_check(out, "--state finalized", &totals);
	t_equal(totals.dirs, 1, "directories of the parent");
	prof_check(childs, "--state finalized", &totals);
	t_equal(totals.dirs, 1, "directories of the child");
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(records), CASE(vector_36), CASE(life), CASE(api_first),  CASE(off),
		CASE(values),  CASE(bad_output), CASE(work_path), CASE(forked),
	};

	return api_cases("api_acl_init", cases, sizeof(cases) / sizeof(cases[0]));
}
