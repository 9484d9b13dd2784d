// SPDX-License-Identifier: Apache-2.0
/* ASCPROF_COMPAT=head: what differs from the documented era beyond return codes. */
#include "tests/unit/test_api_cases.h"

#include "tests/process/prof.h"

#define TX ACL_PROF_MSPROFTX

static void mark(void)
{
	void *stamp = t_stamp("head");

	t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
}

/* Vector 31: Init makes nothing, Start does. */
static void vector_31(void)
{
	const char *dir = t_path("%s/new", t_dir());
	aclprofConfig *config = t_config(TX, 1, 0);

	t_code(t_init(dir), 0);
	t_check(!t_exists(dir), "Init made the directory");
	t_code(aclprofFinalize(), 0);
	t_check(!t_exists(dir), "Finalize made the directory");
	t_code(t_init(dir), 0);
	t_code(aclprofStart(config), 0);
	t_stop(config);
	prof_check(dir, "", NULL);
}

/* Vector 32: a path that cannot be is found out by Start. */
static void vector_32(void)
{
	const char *file = t_path("%s/file", t_dir());
	aclprofConfig *config = t_config(TX, 1, 0);

	t_write_file(file, "");
	t_code(t_init(file), 0);
	t_refused(aclprofStart(config), ACL_ERROR_INVALID_FILE, "aclprofStart directory");
	t_check(!aclprofCreateStamp(), "a stamp without a session");
	/* the flag of a failed Start must not make the next one succeed */
	t_refused(aclprofStart(config), ACL_ERROR_INVALID_FILE, "aclprofStart");
	t_code(aclprofFinalize(), 0);
	/* characters are still looked at by Init */
	t_refused(t_init("/tmp/a;b"), ACL_ERROR_INVALID_FILE, "aclprofInit profilerResultPath ;");
}

/* Vector 87: Start without Init writes to the current directory. */
static void vector_87(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_config(TX, 1, 0);

	t_equal(chdir(dir), 0, "chdir");
	t_code(t_set(ACL_PROF_LLC_MODE, "write"), 0);
	t_code(aclprofStart(config), 0);
	mark();
	t_stop(config);
	prof_check(dir, "", NULL);
	prof_only(dir);
}

/* Vectors 89 to 92: while something runs, Start changes nothing. */
static void vector_89(void)
{
	const char *dir = t_dir();
	aclprofConfig *zero = t_config(TX, 1, 0), *one = t_config(TX, 1, 1),
		      *other = t_config(TX | ACL_PROF_ACL_API, 1, 1);

	t_code(t_init(dir), 0);
	t_code(aclprofStart(zero), 0);
	t_code(aclprofStart(zero), 0);
	t_code(aclprofStart(one), 0);
	t_refused(aclprofStart(other), ACL_ERROR_INVALID_PROFILING_CONFIG,
		  "aclprofStart dataTypeConfig");
	mark();
	t_code(aclprofStop(one), 0); /* stops all */
	t_check(!aclprofCreateStamp(), "a stamp after Stop");
	t_code(aclprofStop(zero), 0);
	t_code(aclprofFinalize(), 0);
	prof_only(dir);
	prof_check(dir, "", NULL);
}

/* Vector 95: Stop(NULL) stops all; and Start is possible again after Finalize. */
static void vector_95(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_config(TX, 1, 0);
	struct prof_totals totals;

	t_code(aclprofStop(NULL), 0);
	t_code(t_init(dir), 0);
	t_code(aclprofStart(config), 0);
	mark();
	t_code(aclprofStop(NULL), 0);
	t_code(aclprofStop(NULL), 0);
	t_code(aclprofStart(config), 0);
	mark();
	t_code(aclprofStop(config), 0);
	t_code(aclprofFinalize(), 0);
	t_code(t_init(dir), 0);
	t_code(aclprofStart(config), 0);
	mark();
	t_stop(config);
	prof_check(dir, "", &totals);
	t_equal(totals.dirs, 3, "directories");
	t_equal(totals.mark.written, 3, "marks");
}

int main(int argc, char **argv)
{
	static const struct api_case cases[] = {
		CASE(vector_31), CASE(vector_32), CASE(vector_87), CASE(vector_89), CASE(vector_95),
	};

	(void)argc;
	if (!getenv("ASCPROF_COMPAT")) {
		/* before the library can have looked */
		setenv("ASCPROF_COMPAT", "head", 1);
		execv("/proc/self/exe", argv);
		return 1;
	}
	return api_cases("api_head", cases, sizeof(cases) / sizeof(cases[0]));
}
