// SPDX-License-Identifier: Apache-2.0
/*
 * Linked and unused, or used without a recording: no output, no thread, no
 * descriptor, no directory, no signal handler.
 */
#include "prof.h"
#include "t.h"

#include <dirent.h>
#include <signal.h>

static int nothing(const char *dir)
{
	(void)dir;
	return t_end();
}

static int configs(const char *dir)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 0);

	(void)dir;
	t_check(config, "no config");
	t_code(aclprofDestroyConfig(config), 0);
	t_check(!aclprofCreateStamp(), "a stamp");
	return t_end();
}

static int init_only(const char *dir)
{
	t_code(t_init(dir), 0);
	t_code(aclprofFinalize(), 0);
	return t_end();
}

static const struct {
	const char *name;
	int (*use)(const char *dir);
} uses[] = { { "nothing", nothing }, { "configs", configs }, { "init", init_only } };

static void check_process(void)
{
	if (!T_TSAN)
		t_equal(t_count_threads(1), 1, "threads");
	t_equal(t_count_fds(), 3, "open descriptors");
	for (int i = 1; i < NSIG && !T_SANITIZED; i++) {
		struct sigaction action;

		if (i != SIGKILL && i != SIGSTOP && !sigaction(i, NULL, &action))
			t_check(action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN,
				"signal %d has a handler", i);
	}
}

static long size_of(const char *path)
{
	FILE *file = fopen(path, "r");
	long size;

	if (!file)
		return -1;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	fclose(file);
	return size;
}

int main(int argc, char **argv)
{
	if (argc == 3) {
		int code = T_FAIL;

		check_process();
		for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
			if (!strcmp(uses[i].name, argv[1]))
				code = uses[i].use(argv[2]);
		check_process();
		return t_end() || code;
	}
	close_range(3, ~0u, 0);
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		const char *dir = t_dir(), *logs = t_dir();
		const char *out = t_path("%s/out", logs), *err = t_path("%s/err", logs);
		char *arguments[] = { argv[0], (char *)uses[i].name, (char *)dir, NULL };
		struct dirent *entry;
		DIR *list;

		t_equal(t_wait(t_exec_self(arguments, out, err)), 0, "status, %s", uses[i].name);
		t_print_file(out);
		t_equal(size_of(out), 0, "bytes of output, %s", uses[i].name);
		t_equal(size_of(err), 0, "bytes of error output, %s", uses[i].name);
		list = opendir(dir);
		while ((entry = readdir(list)))
			t_check(entry->d_name[0] == '.', "left behind: %s", entry->d_name);
		closedir(list);
	}
	return t_end();
}
