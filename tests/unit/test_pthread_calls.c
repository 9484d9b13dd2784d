// SPDX-License-Identifier: Apache-2.0
/* Calls of pthread functions, told by threads that we make ourselves: what is kept, what is lost, who reads. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock/clock.h"
#include "host/pthread_calls.h"

#define RING 16384
#define RINGS 128

static char buf[HOST_TEXT_MAX];

static void begin(void)
{
	pthread_calls_begin(clock_ns(CLOCK_MONOTONIC_RAW), "a program>");
}

/* Whether it was to be told. */
static bool call(const char *name, int result)
{
	uint64_t ns = ascprof_pthread_begin(NULL);

	if (ns)
		ascprof_pthread_end(ns, name, result);
	return ns;
}

/* Calls that can be read now; the last line that was. */
static unsigned long read_all(char line[160])
{
	unsigned long n = 0;
	bool more;

	do {
		struct host_text t = { buf, sizeof(buf), 0 };

		more = pthread_calls_read(&t);
		buf[t.len < sizeof(buf) ? t.len : sizeof(buf) - 1] = '\0';
		for (char *at = buf, *end; at < buf + t.len; at = end + 1, n++) {
			end = strchr(at, '\n');
			assert_non_null(end);
			assert_true(pthread_calls_stamp(at));
			if (line)
				snprintf(line, 160, "%.*s", (int)(end - at), at);
		}
	} while (more);
	return n;
}

static void test_off(void **state)
{
	(void)state;
	assert_false(call("pthread_join", 0));
	begin();
	assert_true(call("pthread_join", 0));
	pthread_calls_end();
	assert_false(call("pthread_join", 0));
	assert_int_equal(read_all(NULL), 1);
	begin(); /* what nobody read is nothing of the next recording */
	assert_int_equal(read_all(NULL), 0);
	call("pthread_join", 0);
	begin();
	assert_int_equal(read_all(NULL), 0);
	pthread_calls_end();
}

static void test_line(void **state)
{
	unsigned long long s, ns, length;
	char line[160], anchor[96];
	int tid, result;
	uint64_t now;

	(void)state;
	now = clock_ns(CLOCK_MONOTONIC_RAW);
	begin();
	call("pthread_cond_timedwait", 110);
	assert_int_equal(read_all(line), 1);
	assert_int_equal(sscanf(line, "[pid %d] %llu.%9llu a_program_->pthread_cond_timedwait() = %d <0.%9llu>", &tid, &s, &ns,
				&result, &length), 5);
	assert_int_equal(tid, getpid());
	assert_int_equal(result, 110);
	assert_int_equal(pthread_calls_stamp(line), s * 1000000000 + ns);
	assert_in_range(pthread_calls_stamp(line), now, clock_ns(CLOCK_MONOTONIC_RAW));
	pthread_calls_end();
	pthread_calls_anchor(anchor, sizeof(anchor), 5000000000017);
	assert_non_null(strstr(anchor, "] 5000.000000017 ascprof->pthread_once() = 0 <0.000000000>\n"));
	assert_int_equal(pthread_calls_stamp(anchor), 0);
}

/* Those under way when recording begins, and those of the library itself: this program is linked with it. */
static void test_not_ours(void **state)
{
	uint64_t ns;

	(void)state;
	begin();
	assert_int_equal(ascprof_pthread_begin((const void *)(uintptr_t)test_not_ours), 0);
	ns = ascprof_pthread_begin(NULL);
	begin();
	ascprof_pthread_end(ns, "pthread_join", 0);
	assert_int_equal(read_all(NULL), 0);
	assert_int_equal(pthread_calls_lost(), 0);
	pthread_calls_end();
}

static void test_full(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < RING + 100; i++)
		call("pthread_mutex_lock", 0);
	assert_int_equal(pthread_calls_lost(), 100);
	assert_int_equal(read_all(NULL), RING);
	call("pthread_mutex_lock", 0);
	assert_int_equal(read_all(NULL), 1);
	assert_int_equal(pthread_calls_lost(), 100);
	begin();
	assert_int_equal(pthread_calls_lost(), 0);
	pthread_calls_end();
}

static pthread_barrier_t barrier;

static atomic_int nr_tids;
static pid_t tids[RINGS + 2];

static void *one_call(void *arg)
{
	tids[atomic_fetch_add(&nr_tids, 1)] = (pid_t)syscall(SYS_gettid);
	call("pthread_join", 0);
	pthread_barrier_wait(&barrier);
	return arg;
}

static void threads(int n)
{
	pthread_t thread[RINGS + 2];

	pthread_barrier_init(&barrier, NULL, (unsigned int)n);
	for (int i = 0; i < n; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, one_call, NULL), 0);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&barrier);
	/* a thread that was joined is there for a moment still */
	for (int i = atomic_exchange(&nr_tids, 0); i > 0; i--)
		while (!syscall(SYS_tgkill, getpid(), tids[i - 1], 0))
			sched_yield();
}

/* Rings of threads that ended are for others; more threads than rings lose calls, and these are counted. */
static void test_rings(void **state)
{
	(void)state;
	begin();
	call("pthread_join", 0); /* this thread has one */
	threads(RINGS + 1);
	assert_int_equal(pthread_calls_lost(), 2);
	assert_int_equal(read_all(NULL), RINGS);
	threads(RINGS - 1);
	assert_int_equal(pthread_calls_lost(), 2);
	assert_int_equal(read_all(NULL), RINGS - 1);
	pthread_calls_end();
}

static void test_child(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	begin();
	call("pthread_join", 0);
	pid = fork();
	if (!pid) {
		bool right;

		pthread_calls_child();
		right = !call("pthread_join", 0);
		begin();
		right = right && call("pthread_mutex_lock", 0) && read_all(NULL) == 1;
		_exit(right ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read_all(NULL), 1);
	pthread_calls_end();
}

static atomic_bool stopped;
static atomic_ulong told;

static void *call_on(void *arg)
{
	unsigned long n = 0;

	while (!atomic_load(&stopped))
		n += call("pthread_mutex_unlock", 0);
	atomic_fetch_add(&told, n);
	return arg;
}

static void test_while_read(void **state)
{
	pthread_t thread[3];
	unsigned long n = 0;

	(void)state;
	begin();
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, call_on, NULL), 0);
	while (n < 20000) /* a round ends although they do not */
		n += read_all(NULL);
	atomic_store(&stopped, true);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	pthread_calls_end();
	n += read_all(NULL);
	assert_int_equal(n + pthread_calls_lost(), atomic_load(&told));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_off),   cmocka_unit_test(test_line),  cmocka_unit_test(test_not_ours),
		cmocka_unit_test(test_full),  cmocka_unit_test(test_rings), cmocka_unit_test(test_child),
		cmocka_unit_test(test_while_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
