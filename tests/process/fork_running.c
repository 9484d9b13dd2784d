// SPDX-License-Identifier: Apache-2.0
/*
 * fork() while eight threads record: the child has no session, may call
 * everything, end by _exit(), exit() or exec, and adds nothing to the parent's
 * directory. A child that starts a session has its own. (Not under sanitizers:
 * their allocators and threads do not survive a fork of many threads.)
 */
#include "prof.h"
#include "t.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define THREADS 8
#define FORKS 150
#define CHILD_SECONDS 10

static atomic_bool ended;
static atomic_ulong written, dropped;

static void *annotate(void *arg)
{
	void *stamp = t_stamp("parent");

	(void)arg;
	while (!atomic_load(&ended)) {
		aclError code = aclprofMark(stamp);

		t_check(code == ACL_SUCCESS || code == ACL_ERROR_PROFILING_FAILURE, "mark: %d",
			code);
		atomic_fetch_add(code ? &dropped : &written, 1);
		t_sleep_us(20);
	}
	return NULL;
}

static void *child_thread(void *stamp)
{
	t_check(!aclprofCreateStamp(), "a stamp in a child");
	t_code(aclprofMark(stamp), ACL_ERROR_PROF_NOT_RUN);
	return NULL;
}

/* No session here, whatever the parent had. */
static void child(aclprofConfig *config, void *stamp, uint32_t id)
{
	aclprofConfig *own;

	t_check(!aclprofCreateStamp(), "a stamp in a child");
	t_code(aclprofSetStampTraceMessage(stamp, "child", 5), ACL_ERROR_PROF_NOT_RUN);
	t_code(aclprofMark(stamp), ACL_ERROR_PROF_NOT_RUN);
	t_code(aclprofPush(stamp), ACL_ERROR_PROF_NOT_RUN);
	t_code(aclprofPop(), ACL_ERROR_PROF_NOT_RUN);
	t_code(aclprofRangeStart(stamp, &id), ACL_ERROR_PROF_NOT_RUN);
	t_code(aclprofRangeStop(id), ACL_ERROR_PROF_NOT_RUN);
	aclprofDestroyStamp(stamp);
	t_code(t_set(ACL_PROF_LLC_MODE, "read"), ACL_ERROR_UNINITIALIZE);
	t_code(aclprofStop(config), ACL_ERROR_PROF_NOT_RUN);
	t_code(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN);
	if (T_SANITIZED)
		return;
	own = t_config(ACL_PROF_MSPROFTX, 1, 0);
	t_check(own, "no config in a child");
	t_code(aclprofDestroyConfig(own), 0);
}

static void child_with_threads(void *stamp)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, child_thread, stamp);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void child_session(const char *result)
{
	aclprofConfig *config = t_start(result);
	void *stamp = t_stamp("child");

	for (int i = 0; i < 100; i++)
		t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_stop(config);
}

static void one_fork(int i, aclprofConfig *config, void *stamp, uint32_t id, const char *result)
{
	char *const arguments[] = { (char *)"true", NULL };
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		t_check(false, "fork");
	if (pid > 0) {
		t_equal(t_wait(pid), 0, "status of child %d", i);
		return;
	}
	t_forked(CHILD_SECONDS);
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO); /* refusals are expected */
	child(config, stamp, id);
	if (i % 10 == 0 && !T_SANITIZED)
		child_session(result);
	if (i % 4 == 0 && !T_SANITIZED)
		child_with_threads(stamp);
	if (i % 4 == 0 && !T_SANITIZED)
		exit(t_end());
	if (i % 4 == 1 && !t_end()) {
		execv("/bin/true", arguments);
		_exit(T_FAIL);
	}
	_exit(t_end());
}

int main(void)
{
	const char *dir = t_dir(), *children = t_dir();
	aclprofConfig *config = t_start(dir);
	pthread_t threads[THREADS];
	struct prof_totals totals;
	uint32_t id = 0;
	void *stamp = t_stamp("shared");

	t_code(aclprofPush(stamp), 0);
	t_code(aclprofRangeStart(stamp, &id), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, annotate, NULL);
	for (int i = 0; i < FORKS; i++)
		one_fork(i, config, stamp, id, children);
	atomic_store(&ended, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	t_code(aclprofRangeStop(id), 0);
	t_code(aclprofPop(), 0);
	t_stop(config);

	/* every row carries the parent's pid, or the check of rows fails */
	prof_check(dir, "--dropped", &totals);
	t_equal(totals.mark.written, (long long)atomic_load(&written),
		"marks, by the calls' results");
	t_equal(totals.mark.dropped, (long long)atomic_load(&dropped),
		"dropped, by the calls' results");
	t_equal(totals.push_pop.written, 1, "push_pop");
	t_equal(totals.range.written, 1, "range");
	if (!T_SANITIZED) {
		prof_check(children, "", &totals);
		t_equal(totals.dirs, FORKS / 10, "directories of children");
		t_equal(totals.mark.written, FORKS / 10 * 100, "marks of children");
	}
	return t_end();
}
