// SPDX-License-Identifier: Apache-2.0
/*
 * Signal handlers that annotate find no lock that their own thread holds: not
 * in fork(), nor where a thread ends. A handler that jumps out of an
 * annotation costs that one, and no other thread anything.
 */
#include "t.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <unistd.h>

#define FORKS 300
#define TIMER_US 50 /* or as often as the kernel can */

static atomic_uint handled;

/* All that may need a lock: stamps, and a block of range ids, are used up soon. */
static void annotate(int number)
{
	int saved = errno;
	uint32_t id;

	(void)number;
	for (int i = 0; i < 64; i++) {
		void *stamp = aclprofCreateStamp();

		if (!stamp || aclprofRangeStart(stamp, &id))
			break;
		aclprofRangeStop(id);
	}
	atomic_fetch_add(&handled, 1);
	errno = saved;
}

static void timer(unsigned int us, void (*handler)(int))
{
	struct itimerval time = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	if (handler)
		sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &time, NULL);
}

static void forks(const void *arg)
{
	aclprofConfig *config = t_start(t_dir());

	(void)arg;
	timer(TIMER_US, annotate);
	for (int i = 0; i < FORKS; i++) {
		sigset_t mask;
		pid_t pid = fork();

		if (!pid) {
			sigprocmask(SIG_BLOCK, NULL, &mask);
			_exit(sigismember(&mask, SIGPROF));
		}
		t_equal(t_wait(pid), 0, "SIGPROF blocked in child %d", i);
	}
	timer(0, NULL);
	t_check(atomic_load(&handled), "no signals");
	t_stop(config);
}

/* Signals that come while prepare handlers that run after the library's are at work. */
static bool raise_in_fork;

static void annotate_in_fork(void)
{
	if (raise_in_fork)
		raise(SIGPROF);
}

static void in_fork(const void *arg)
{
	aclprofConfig *config = t_start(t_dir());
	sigset_t mask;
	pid_t pid;

	(void)arg;
	timer(0, annotate);
	raise_in_fork = true;
	pid = fork();
	if (!pid)
		_exit(0);
	raise_in_fork = false;
	t_equal(t_wait(pid), 0, "child");
	t_check(atomic_load(&handled) == 1, "%u signals handled", atomic_load(&handled));
	sigprocmask(SIG_BLOCK, NULL, &mask);
	t_equal(sigismember(&mask, SIGPROF), 0, "SIGPROF blocked");
	t_stop(config);
}

static _Thread_local sigjmp_buf out;
static void *jump_stamp;

static void jump(int number)
{
	(void)number;
	if (aclprofMark(jump_stamp) == ACL_ERROR_PROFILING_FAILURE)
		siglongjmp(out, 1);
}

static void *jump_and_end(void *arg)
{
	sigset_t profile;

	(void)arg;
	sigemptyset(&profile);
	sigaddset(&profile, SIGPROF);
	if (!sigsetjmp(out, 0)) {
		pthread_sigmask(SIG_UNBLOCK, &profile, NULL);
		for (;;)
			aclprofMark(jump_stamp);
	}
	pthread_sigmask(SIG_BLOCK, &profile, NULL);
	return NULL;
}

static void *mark(void *arg)
{
	(void)arg;
	t_code(aclprofMark(jump_stamp), 0);
	return NULL;
}

static void run_thread(void *(*body)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, body, NULL);
	pthread_join(thread, NULL);
}

static void jumps(const void *arg)
{
	aclprofConfig *config;
	const char *told;
	sigset_t profile;

	(void)arg;
	sigemptyset(&profile);
	sigaddset(&profile, SIGPROF);
	sigprocmask(SIG_BLOCK, &profile, NULL);
	config = t_start(t_dir());
	jump_stamp = t_stamp("left");
	t_stderr_begin();
	timer(1000, jump);
	for (int i = 0; i < 20; i++) {
		run_thread(jump_and_end);
		t_sleep_us(i % 4 ? 0 : 150000); /* contexts are used again when they have been read */
		run_thread(mark);
	}
	timer(0, NULL);
	t_code(aclprofStop(config), 0);
	told = t_stderr_end();
	t_check(!strstr(told, "stays inside"), "told: %s", told);
}

int main(void)
{
	pthread_atfork(annotate_in_fork, NULL, NULL);
	t_equal(t_child(jumps, NULL), 0, "jumps out of annotations");
	t_equal(t_child(in_fork, NULL), 0, "a signal within fork()");
	t_equal(t_child(forks, NULL), 0, "signals at forks");
	return t_end();
}
