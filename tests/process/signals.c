// SPDX-License-Identifier: Apache-2.0
/*
 * The library leaves signals alone: SIGTERM and SIGINT end a recording program
 * as they would without it, dispositions and masks are the program's, and a
 * handler may annotate inside an annotation.
 */
#include "prof.h"
#include "t.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static void *handler_stamp;
static atomic_uint handled, written, dropped;

static void record_and_wait(const void *arg)
{
	const char *dir = arg;
	void *stamp;

	t_start(dir);
	stamp = t_stamp("until signal");
	for (int i = 0; i < 1000; i++)
		t_code(aclprofMark(stamp), 0);
	t_sleep_us(1500000); /* idle, so that also the accounting comes to rest */
	t_write_file(t_path("%s/ready", dir), "");
	for (;;)
		pause();
}

static void dies_of(int number)
{
	const char *dir = t_dir();
	struct prof_totals totals;
	struct prof_rows rows;
	pid_t pid = t_spawn(record_and_wait, dir);

	for (int i = 0; i < 30000 && !t_exists(t_path("%s/ready", dir)); i++)
		t_sleep_us(1000);
	kill(pid, number);
	t_equal(t_wait(pid), 128 + number, "status after signal %d", number);
	prof_check(dir, "--state running", &totals);
	prof_rows(&rows, prof_only(dir));
	t_equal(rows.count, 1000, "rows after signal %d", number);
	t_equal(totals.mark.produced, 1000, "produced, by ascprof.json, after signal %d", number);
	prof_rows_free(&rows);
}

static void count(aclError code)
{
	if (code == ACL_SUCCESS)
		atomic_fetch_add(&written, 1);
	else if (code == ACL_ERROR_PROFILING_FAILURE)
		atomic_fetch_add(&dropped, 1);
	else
		t_check(false, "mark: %d", code);
}

static void mark_in_handler(int number)
{
	(void)number;
	atomic_fetch_add(&handled, 1);
	count(aclprofMark(handler_stamp));
}

static void handler(const void *arg)
{
	struct itimerval timer = { { 0, 200 }, { 0, 200 } }, off = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = mark_in_handler }, before;
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	struct prof_totals totals;
	void *stamp = t_stamp("interrupted");

	(void)arg;
	handler_stamp = t_stamp("in handler");
	sigaction(SIGALRM, &action, &before);
	t_stderr_begin();
	setitimer(ITIMER_REAL, &timer, NULL);
	while (atomic_load(&handled) < 1000)
		count(aclprofMark(stamp));
	setitimer(ITIMER_REAL, &off, NULL);
	t_stderr_end();
	sigaction(SIGALRM, &before, NULL);
	t_stop(config);
	prof_check(dir, "--dropped", &totals);
	t_equal(totals.mark.written, atomic_load(&written), "marks written, by the calls' results");
	t_equal(totals.mark.dropped, atomic_load(&dropped), "marks dropped, by the calls' results");
}

static void dispositions(const void *arg)
{
	struct sigaction before[NSIG], after;
	sigset_t mask, mask_after;
	aclprofConfig *config;

	(void)arg;
	for (int i = 1; i < NSIG; i++)
		sigaction(i, NULL, &before[i]);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	config = t_start(t_dir());
	for (int round = 0; round < 2; round++) {
		for (int i = 1; i < NSIG; i++) {
			memset(&after, 0, sizeof(after));
			if (!sigaction(i, NULL, &after))
				t_check(after.sa_handler == before[i].sa_handler,
					"handler of signal %d", i);
		}
		sigprocmask(SIG_BLOCK, NULL, &mask_after);
		for (int i = 1; i < NSIG; i++)
			t_equal(sigismember(&mask_after, i), sigismember(&mask, i),
				"mask of signal %d", i);
		if (!round)
			t_stop(config);
	}
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* A handler may have interrupted malloc: an annotation in it must not come back there. */
static _Thread_local bool in_handler;
static atomic_uint allocated;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);

void *malloc(size_t size)
{
	atomic_fetch_add(&allocated, in_handler);
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	atomic_fetch_add(&allocated, in_handler);
	return __libc_calloc(n, size);
}

static void first_mark(int number)
{
	uint32_t id;

	(void)number;
	in_handler = true;
	count(aclprofMark(handler_stamp));
	count(aclprofPush(handler_stamp));
	count(aclprofPop());
	if (!aclprofRangeStart(handler_stamp, &id))
		count(aclprofRangeStop(id));
	in_handler = false;
}

static void *raise_it(void *unused)
{
	(void)unused;
	raise(SIGUSR1);
	return NULL;
}

/* The first annotations of a thread, and of the process. */
static void first_in_handler(const void *arg)
{
	struct sigaction action = { .sa_handler = first_mark };
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	struct prof_totals totals;
	pthread_t thread;

	(void)arg;
	handler_stamp = t_stamp("first");
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 3; i++) {
		t_equal(pthread_create(&thread, NULL, raise_it, NULL), 0, "thread");
		pthread_join(thread, NULL);
	}
	t_stop(config);
	prof_check(dir, "", &totals);
	t_equal(totals.mark.written, 3, "marks");
	t_equal(totals.range.written, 3, "ranges");
	t_equal(atomic_load(&allocated), 0, "allocations in the handler");
}
#endif

int main(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	t_equal(t_child(first_in_handler, NULL), 0, "first in a handler");
#endif
	dies_of(SIGTERM);
	dies_of(SIGINT);
	t_equal(t_child(dispositions, NULL), 0, "dispositions");
	t_equal(t_child(handler, NULL), 0, "handler");
	return t_end();
}
