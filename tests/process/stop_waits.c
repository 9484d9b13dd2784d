// SPDX-License-Identifier: Apache-2.0
/*
 * Stop while a thread is held up in the middle of an annotation (by a signal
 * handler that sleeps): Stop waits for it, and what the call returned is true.
 */
#include "prof.h"
#include "t.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define SESSIONS 150
#define HELD_US 3000
#define BUDGET 5000 /* marks of one session */

static atomic_uint session;
static unsigned long written, dropped;

static void hold(int number)
{
	(void)number;
	t_sleep_us(HELD_US);
}

static void *mark(void *arg)
{
	unsigned int seen = 0, now, left = 0;
	void *stamp = NULL;

	(void)arg;
	while ((now = atomic_load(&session)) <= SESSIONS) {
		if (now != seen) {
			aclprofDestroyStamp(stamp);
			stamp = aclprofCreateStamp();
			if (!stamp)
				continue;
			seen = now;
			left = BUDGET;
		}
		if (!left)
			continue;
		left--;
		switch (aclprofMark(stamp)) {
		case ACL_SUCCESS:
			written++;
			break;
		case ACL_ERROR_PROFILING_FAILURE:
			dropped++;
			break;
		default:
			left = 0; /* stopped */
		}
	}
	aclprofDestroyStamp(stamp);
	return NULL;
}

static atomic_bool inside;

/* Three tenths of a second, of the process's own. */
static void hold_long(int number)
{
	(void)number;
	atomic_store(&inside, true);
	for (int i = 0; i < 30; i++)
		t_sleep_us(10000);
}

static void *mark_until_held(void *stamp)
{
	while (!atomic_load(&inside))
		aclprofMark(stamp);
	return NULL;
}

static void stop_while_held(const void *arg)
{
	struct sigaction action = { .sa_handler = hold_long };
	aclprofConfig *config = t_start(t_dir());
	const char *told;
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, mark_until_held, t_stamp("held"));
	t_sleep_us(20000);
	t_stderr_begin();
	pthread_kill(thread, SIGUSR1);
	while (!atomic_load(&inside))
		;
	t_write_file(arg, "");
	t_code(aclprofStop(config), 0);
	told = t_stderr_end();
	t_check(!strstr(told, "stays inside"), "told: %s", told);
	pthread_join(thread, NULL);
}

/* What a debugger does, or a machine that is paused: time goes on, and no thread does. */
static void paused(void)
{
	const char *ready = t_path("%s/ready", t_dir());
	pid_t pid = t_spawn(stop_while_held, ready);

	while (!t_exists(ready))
		t_sleep_us(1000);
	t_sleep_us(50000);
	kill(pid, SIGSTOP);
	t_sleep_us(1500000);
	kill(pid, SIGCONT);
	t_equal(t_wait(pid), 0, "a Stop that was paused");
}

int main(void)
{
	struct sigaction action = { .sa_handler = hold };
	const char *dir = t_dir();
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	unsigned int random = (unsigned int)getpid();
	struct prof_totals totals;
	pthread_t thread;

	for (int i = 0; i < 3; i++) /* the signal may come between two annotations */
		paused();
	sigaction(SIGUSR1, &action, NULL);
	t_code(t_init(dir), 0);
	pthread_create(&thread, NULL, mark, NULL);
	for (int i = 0; i < SESSIONS; i++) {
		t_equal(aclprofStart(config), 0, "Start %d (%s)", i, ascprof_last_error());
		atomic_fetch_add(&session, 1);
		t_sleep_us(t_random(&random, 150));
		pthread_kill(thread, SIGUSR1);
		t_equal(aclprofStop(config), 0, "Stop %d (%s)", i, ascprof_last_error());
	}
	atomic_store(&session, SESSIONS + 1);
	pthread_join(thread, NULL);
	t_code(aclprofFinalize(), 0);
	aclprofDestroyConfig(config);
	prof_check(dir, "--dropped", &totals);
	t_equal(totals.mark.written, (long long)written, "marks, by the calls' results");
	t_equal(totals.mark.dropped, (long long)dropped, "dropped, by the calls' results");
	return t_end();
}
