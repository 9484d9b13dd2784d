/* SPDX-License-Identifier: Apache-2.0 */
/* aclprofWarmup and ACL_PROF_PATH: test vectors 76 to 78 and 103 to 105. */
#include "tests/unit/test_api_cases.h"

#include "acl/acl_prof_optional.h"
#include "tests/process/prof.h"

/* Exported, and declared by no public header: clients find it by name. */

static void one_mark(aclprofConfig *config)
{
	void *stamp;

	t_code(aclprofStart(config), 0);
	stamp = t_stamp("one");
	t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_code(aclprofStop(config), 0);
}

static void expect_one_below(const char *path)
{
	struct prof_totals totals;

	prof_check(path, "", &totals);
	t_equal(totals.dirs, 1, "directories below %s", path);
	t_equal(totals.mark.written, 1, "marks below %s", path);
}

static void vector_76(void)
{
	const char *first = t_dir(), *second = t_dir();
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);

	t_code(t_init(first), 0);
	t_code(t_set(ACL_PROF_PATH, second), 0);
	one_mark(config);
	expect_one_below(second);
	/* a refused path changes nothing */
	t_refused(t_set(ACL_PROF_PATH, "/tmp/a$b"), ACL_ERROR_INVALID_PROFILING_CONFIG, "character");
	t_code(t_set(ACL_PROF_PATH, ""), 0);
	t_code(t_set(ACL_PROF_PATH, first), 0);
	one_mark(config);
	expect_one_below(first);
	t_code(aclprofFinalize(), 0);
	aclprofDestroyConfig(config);
}

static void vector_76_missing(void)
{
	const char *path = t_path("%s/a/b", t_dir());
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);

	t_code(t_init(t_dir()), 0);
	t_code(t_set(ACL_PROF_PATH, path), 0);
	one_mark(config);
	expect_one_below(path);
	t_code(aclprofFinalize(), 0);
	aclprofDestroyConfig(config);
}

/* The newest release takes the option before Init, and Init wins over it. */
static void vector_77(void)
{
	const char *first = t_dir(), *second = t_dir();
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);

	setenv("ASCPROF_COMPAT", "head", 1);
	t_code(t_set(ACL_PROF_PATH, first), 0);
	one_mark(config);
	expect_one_below(first);
	t_code(aclprofFinalize(), 0);
	t_code(t_init(second), 0);
	one_mark(config);
	expect_one_below(second);
	t_code(aclprofFinalize(), 0);
	aclprofDestroyConfig(config);
}

static void warmup(void)
{
	const char *out = t_dir();
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);
	unsigned int threads;

	t_refused(aclprofWarmup(NULL), ACL_ERROR_INVALID_PARAM, "aclprofWarmup profilerConfig NULL");
	t_refused(aclprofWarmup(config), ACL_ERROR_PROF_NOT_RUN, "aclprofWarmup aclprofInit");
	t_code(t_init(out), 0);
	threads = t_count_threads(1);
	t_code(aclprofWarmup(config), 0);
	t_equal(t_count_threads(threads + 1), threads + 1, "threads after warming up");
	t_check(!aclprofCreateStamp(), "a stamp before Start");
	t_refused(aclprofWarmup(config), ACL_ERROR_PROF_API_CONFLICT, "aclprofWarmup already");
	t_code(aclprofStart(config), 0);
	t_refused(aclprofWarmup(config), ACL_ERROR_PROF_API_CONFLICT, "aclprofWarmup running");
	t_code(aclprofStop(config), 0);
	/* and once more, ended by Finalize alone */
	t_code(aclprofWarmup(config), 0);
	t_code(aclprofFinalize(), 0);
	t_equal(t_count_threads(threads), threads, "threads after Finalize");
	aclprofDestroyConfig(config);
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(vector_76), CASE(vector_76_missing), CASE(vector_77), CASE(warmup),
	};

	return api_cases("api_later", cases, sizeof(cases) / sizeof(cases[0]));
}
