// SPDX-License-Identifier: Apache-2.0
/*
 * System calls of threads by the kernel's tracepoints: each one that a thread
 * makes between Start and Stop, with its result; and where there are none, why.
 */
#include "prof.h"
#include "t.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define CALLS 1000
#define TRACING "/sys/kernel/tracing"

static const char *here;

/* A mount of its own, which is gone with the process. */
static bool make_tracefs(void)
{
	return t_exists(TRACING "/events/raw_syscalls/sys_enter/id") ||
	       (!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		!mount("tracefs", TRACING, "tracefs", 0, NULL) &&
		t_exists(TRACING "/events/raw_syscalls/sys_enter/id"));
}

static aclprofConfig *begin(const char *dir)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);

	t_code(t_init(dir), 0);
	t_code(t_set(ACL_PROF_HOST_SYS, "osrt"), 0);
	t_code(aclprofStart(config), 0);
	return config;
}

static void *yield(void *arg)
{
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	for (int i = 0; i < CALLS; i++)
		sched_yield();
	pthread_barrier_wait(arg); /* what ends is not read any more, in the end */
	pthread_barrier_wait(arg);
	return NULL;
}

static void record(const void *arg)
{
	pthread_barrier_t barrier;
	aclprofConfig *config;
	pthread_t thread;

	if (!make_tracefs())
		t_skip("no tracefs can be mounted here");
	pthread_barrier_init(&barrier, NULL, 2);
	t_code(pthread_create(&thread, NULL, yield, &barrier), 0);
	pthread_barrier_wait(&barrier);
	config = begin(arg);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < CALLS; i++)
		t_equal(write(-1, "", 1), -1, "writing nowhere");
	pthread_barrier_wait(&barrier);
	t_stop(config);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

static bool file_has(const char *path, const char *word)
{
	static char text[1 << 20];
	FILE *file = fopen(path, "r");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[length] = 0;
	if (file)
		fclose(file);
	return strstr(text, word) != NULL;
}

static void without_rights(const void *arg)
{
	t_drop_root();
	t_stop(begin(arg));
}

int main(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *dir = t_dir(), *other = t_open_dir(), *prof;
	struct prof_account account;
	int status;

	self[n > 0 ? n : 0] = '\0';
	*strrchr(self, '/') = '\0';
	here = self;

	chmod(other, 0777);
	t_equal(t_child(without_rights, other), 0, "status without rights");
	prof_check(other, "", NULL);
	prof = prof_only(other);
	t_check(file_has(t_path("%s/ascprof.json", prof), "osrt: /sys/kernel/tracing/") ||
		file_has(t_path("%s/ascprof.json", prof), "osrt: perf_event_open: "),
		"ascprof.json does not say why there are no system calls");

	status = t_child(record, dir);
	if (status == T_SKIP)
		return T_SKIP;
	t_equal(status, 0, "status");
	prof = prof_only(dir);
	if (!file_has(t_path("%s/ascprof.json", prof), "\"kind\":\"syscall\""))
		t_skip("the kernel does not let us have tracepoints");
	prof_check(dir, "", NULL);
	prof_account(&account, prof, "syscall");
	t_check(account.written >= 2 * CALLS, "%lu calls", account.written);
	t_equal(system(t_path("python3 '%s/hostcheck.py' '%s' write_calls=%d sched_yield_calls=%d", here, prof, CALLS,
			      CALLS)), 0, "calls of both threads");
	t_check(file_has(t_path("%s/host/data/host_syscall.data.slice_0", prof), "write(ret: -9)"),
		"no write that failed with EBADF");
	t_code(prof_export(prof), 0);
	return t_end();
}
