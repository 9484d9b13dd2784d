// SPDX-License-Identifier: Apache-2.0
/*
 * Small resource limits: locked memory 0 costs nothing but perhaps io_uring;
 * too few descriptors is an error of Start, not a crash; a file size limit ends
 * writing, not the program.
 */
#include "prof.h"
#include "t.h"

#include <sys/resource.h>
#include <sys/stat.h>

#define MARKS 40000 /* 10 MB */

static void limit(int resource, rlim_t value)
{
	struct rlimit limits = { value, value };

	t_equal(setrlimit(resource, &limits), 0, "setrlimit");
}

static void record(const char *dir)
{
	aclprofConfig *config = t_start(dir);
	void *stamp = t_stamp("limited");

	for (unsigned int i = 0; i < MARKS; i++)
		t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_stop(config);
}

static void no_locked_memory(const void *arg)
{
	t_drop_root(); /* root may lock without limit */
	limit(RLIMIT_MEMLOCK, 0);
	record(arg);
}

static void few_descriptors(const void *arg)
{
	limit(RLIMIT_NOFILE, 64);
	record(arg);
}

/* With any number of descriptors Start works or says why not; with enough it works again. */
static void descriptors_run_out(const void *arg)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 2, 0, 1);
	unsigned int fds, refused = 0;
	struct rlimit limits;
	int lowest = dup(2);

	getrlimit(RLIMIT_NOFILE, &limits);
	t_code(t_init(arg), 0);
	close(lowest);
	fds = t_count_fds();
	for (rlim_t more = 0; more < 24; more++) {
		struct rlimit few = { (rlim_t)lowest + more, limits.rlim_max };
		const char *text;
		aclError code;

		setrlimit(RLIMIT_NOFILE, &few);
		code = aclprofStart(config);
		setrlimit(RLIMIT_NOFILE, &limits);
		if (!code) {
			t_code(aclprofStop(config), 0);
			break;
		}
		refused++;
		t_check(code == ACL_ERROR_PROFILING_FAILURE || code == ACL_ERROR_INVALID_FILE,
			"code %d with %u more", code, (unsigned int)more);
		text = ascprof_last_error();
		t_check(strstr(text, "aclprofStart") && strstr(text, "Too many open files"),
			"reason: '%s'", text);
		/* one may stay for the life of the process */
		t_check(t_count_fds() <= fds + 1,
			"%u descriptors after a refused Start with %u more, %u before",
			t_count_fds(), (unsigned int)more, fds);
	}
	t_check(refused, "Start needs no descriptor?");
	t_code(aclprofStart(config), 0);
	t_code(aclprofStop(config), 0);
	t_code(aclprofFinalize(), 0);
}

static const char *backend;

static void small_files(const void *arg)
{
	const char *dir = arg;
	struct prof_totals totals;
	aclprofConfig *config;
	void *stamp;

	setenv("ASCPROF_IO", backend, 1);
	limit(RLIMIT_FSIZE, 1 << 20); /* half a slice; SIGXFSZ kills by default */
	t_stderr_begin();
	config = t_start(dir);
	stamp = t_stamp("limited");
	for (unsigned int i = 0; i < MARKS; i++) {
		aclError code = aclprofMark(stamp);

		t_check(code == ACL_SUCCESS || code == ACL_ERROR_PROFILING_FAILURE, "mark: %d",
			code);
		if (i % 1000 == 0)
			t_sleep_us(1000);
	}
	t_code(aclprofStop(config), ACL_ERROR_PROFILING_FAILURE);
	t_check(strstr(ascprof_last_error(), "File too large"), "reason: '%s'",
		ascprof_last_error());
	t_code(aclprofFinalize(), 0);
	t_stderr_end();
	aclprofDestroyConfig(config);
	prof_check(dir, "--dropped --error", &totals);
	t_equal(totals.mark.produced, MARKS, "produced");
	t_equal(totals.mark.written, 4096, "written: as many as the limit allows");
}

int main(void)
{
	const char *dir = t_open_dir(), *own = t_path("%s/own", dir);
	static const char *const backends[] = { "pwritev", "io_uring" };

	chmod(dir, 0777);
	t_equal(t_child(no_locked_memory, own), 0, "status without locked memory");
	prof_check(own, "", NULL);
	dir = t_dir();
	t_equal(t_child(few_descriptors, dir), 0, "status with 64 descriptors");
	prof_check(dir, "", NULL);
	t_stderr_begin();
	t_equal(t_child(descriptors_run_out, t_dir()), 0, "status with too few descriptors");
	t_stderr_end();
	for (size_t i = 0; i < 2; i++) {
		backend = backends[i];
		t_equal(t_child(small_files, t_dir()), 0, "status with small files and %s",
			backend);
	}
	return t_end();
}
