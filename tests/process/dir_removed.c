// SPDX-License-Identifier: Apache-2.0
/*
 * The result directory is removed while recording: Stop fails with the reason,
 * the program runs on, and can record elsewhere.
 */
#include "prof.h"
#include "t.h"

#define MARKS 60000 /* eight slices */

static const char *backend;

static aclprofConfig *begin(const char *dir)
{
	setenv("ASCPROF_IO", backend, 1);
	return t_start(dir);
}

static void mark(void)
{
	void *stamp = t_stamp("a mark on a disk that forgets");

	for (unsigned int i = 0; i < MARKS; i++) {
		aclError code = aclprofMark(stamp);

		t_check(!code || code == ACL_ERROR_PROFILING_FAILURE, "mark: %d", code);
		if (i % 1000 == 0)
			t_sleep_us(3000);
	}
	aclprofDestroyStamp(stamp);
}

static void removed(const void *dir)
{
	aclprofConfig *config = begin(dir);
	const char *prof = prof_only(dir);

	t_stderr_begin();
	mark();
	while (t_exists(prof)) /* a slice may appear meanwhile */
		t_remove(prof);
	mark();
	t_code(aclprofStop(config), ACL_ERROR_PROFILING_FAILURE);
	t_check(strstr(ascprof_last_error(), "No such file or directory"), "reason: '%s'", ascprof_last_error());
	t_code(aclprofFinalize(), 0);
	aclprofDestroyConfig(config);
	t_check(t_lines(t_stderr_end()) <= 3, "more than three lines");
	t_stop(begin(t_dir()));
	t_check(!t_exists(dir) || rmdir(dir) == 0, "something is left");
}

int main(void)
{
	static const char *const backends[] = { "pwritev", "io_uring" };

	for (size_t i = 0; i < 2; i++) {
		backend = backends[i];
		t_equal(t_child(removed, t_dir()), 0, "status with %s", backend);
	}
	return t_end();
}
