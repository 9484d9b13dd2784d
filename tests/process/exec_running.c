// SPDX-License-Identifier: Apache-2.0
/* A program that a recording program runs inherits no descriptor and no session. */
#include "prof.h"
#include "t.h"

#include <spawn.h>

static int inherited(void)
{
	t_equal(t_count_fds(), 3, "descriptors");
	t_check(!aclprofCreateStamp(), "a stamp");
	t_stderr_begin();
	t_code(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN);
	t_stderr_end();
	return t_end();
}

int main(int argc, char **argv)
{
	char *arguments[] = { argv[0], (char *)"inherited", NULL };
	const char *dir = t_dir(), *out = t_path("%s/out", t_dir());
	aclprofConfig *config;
	void *stamp;
	pid_t pid;

	if (argc == 2)
		return inherited();
	close_range(3, ~0u, 0);
	config = t_start(dir);
	stamp = t_stamp("before exec");
	t_code(aclprofMark(stamp), 0);
	t_equal(t_wait(t_exec_self(arguments, out, NULL)), 0, "status by fork and exec");
	t_print_file(out);
	/* no handlers of fork run here */
	t_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ), 0, "spawn");
	t_equal(t_wait(pid), 0, "status by posix_spawn");
	t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_stop(config);
	prof_check(dir, "", NULL);
	return t_end();
}
