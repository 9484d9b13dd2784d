// SPDX-License-Identifier: Apache-2.0
/*
 * A program that loads the library, records, and closes it: nothing is lost,
 * whether it ends, lives on and is killed, or loads it again.
 */
#include "prof.h"
#include "t.h"

#include <libgen.h>
#include <limits.h>
#include <signal.h>

#define MARKS 1000

static char here[PATH_MAX];

/* The program, as soon as it has closed the library. */
static pid_t run(const char *library, const char *dir, const char *mode, const char *err)
{
	char *arguments[] = { (char *)t_path("%s/../device/closer", here), (char *)library, (char *)dir, (char *)mode,
			      NULL };
	char line[16] = "";
	int out[2];
	pid_t pid;

	t_equal(pipe(out), 0, "pipe");
	fflush(NULL);
	pid = fork();
	if (!pid) {
		t_forked(60);
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		if (freopen(err, "w", stderr))
			execv(arguments[0], arguments);
		_exit(T_FAIL);
	}
	close(out[1]);
	t_check(read(out[0], line, sizeof(line) - 1) > 0 && !strcmp(line, "closed\n"), "it said '%s'", line);
	close(out[0]);
	return pid;
}

static void check(const char *dir, const char *options, unsigned int marks)
{
	struct prof_rows rows;

	prof_check(dir, options, NULL);
	prof_rows(&rows, prof_only(dir));
	t_equal((long long)rows.count, marks, "rows");
	prof_rows_free(&rows);
}

static void close_it(const char *library)
{
	const char *dir = t_dir(), *err = t_path("%s/err", dir);
	pid_t pid = run(library, dir, "exit", err);

	t_equal(t_wait(pid), 0, "status");
	check(dir, "--state exit", MARKS);

	dir = t_dir();
	pid = run(library, dir, "stay", t_path("%s/err", dir));
	t_sleep_us(300000);
	kill(pid, SIGKILL);
	t_equal(t_wait(pid), 128 + SIGKILL, "status");
	check(dir, "--state running", MARKS);

	dir = t_dir();
	pid = run(library, dir, "again", t_path("%s/err", dir));
	t_equal(t_wait(pid), 0, "status");
	check(dir, "", MARKS + 1);
}

/* Others have taken most of what libraries that are loaded late may have of static TLS. */
static void little_tls(const char *library)
{
	const char *dir = t_dir();
	pid_t pid;

	setenv("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=0:glibc.rtld.nns=1", 1);
	pid = run(library, dir, "exit", t_path("%s/err", dir));
	unsetenv("GLIBC_TUNABLES");
	t_equal(t_wait(pid), 0, "status with little static TLS");
	check(dir, "--state exit", MARKS);
}

int main(void)
{
	if (readlink("/proc/self/exe", here, sizeof(here) - 1) < 0)
		return T_FAIL;
	dirname(here);
	close_it(t_path("%s/../../libascprof.so.1", here));
	close_it(t_path("%s/../../ascprof/libmsprofiler.so", here));
	little_tls(t_path("%s/../../libascprof.so.1", here));
	return t_end();
}
