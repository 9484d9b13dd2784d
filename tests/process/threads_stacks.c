// SPDX-License-Identifier: Apache-2.0
/*
 * Push and Pop are a stack per thread; ranges cross threads; both nest 10,000
 * deep. Rows carry the thread that reported.
 */
#include "prof.h"
#include "t.h"

#include <pthread.h>
#include <sys/syscall.h>

#define THREADS 4
#define ROUNDS 500
#define DEEP 10000

static pthread_barrier_t barrier;
static uint32_t crossing;
static pid_t stopper;

/* Each thread pushes two and pops two, in step with the others. */
static void *stacks(void *arg)
{
	unsigned int number = *(unsigned int *)arg;
	char outer[32], inner[32];

	for (unsigned int i = 0; i < ROUNDS; i++) {
		void *a, *b;

		snprintf(outer, sizeof(outer), "outer %u %u", number, i);
		snprintf(inner, sizeof(inner), "inner %u %u", number, i);
		a = t_stamp(outer);
		b = t_stamp(inner);
		t_code(aclprofPush(a), 0);
		pthread_barrier_wait(&barrier);
		t_code(aclprofPush(b), 0);
		pthread_barrier_wait(&barrier);
		t_code(aclprofPop(), 0);
		pthread_barrier_wait(&barrier);
		t_code(aclprofPop(), 0);
		t_code(aclprofPop(), ACL_ERROR_PROF_NOT_RUN);
		aclprofDestroyStamp(a);
		aclprofDestroyStamp(b);
	}
	return NULL;
}

static void check_stacks(const struct prof_rows *rows)
{
	pid_t tids[THREADS] = { 0 };

	t_equal(prof_rows_of(rows, ROW_TX_PUSH_POP), THREADS * ROUNDS * 2 + DEEP, "push_pop rows");
	for (size_t i = 0; i < rows->count; i++) {
		unsigned int number, round;
		char which;

		if (sscanf(rows->row[i].message, "%c%*s %u %u", &which, &number, &round) != 3 ||
		    number >= THREADS)
			continue;
		if (!tids[number])
			tids[number] = (pid_t)rows->row[i].tid;
		t_equal(rows->row[i].tid, tids[number], "thread of '%s'", rows->row[i].message);
	}
	for (int i = 0; i < THREADS; i++)
		for (int j = 0; j < i; j++)
			t_check(tids[i] != tids[j], "threads %d and %d have one id", i, j);
}

static void *stop_range(void *arg)
{
	(void)arg;
	stopper = (pid_t)syscall(SYS_gettid);
	t_code(aclprofRangeStop(crossing), 0);
	t_code(aclprofRangeStop(crossing), ACL_ERROR_PROF_NOT_RUN);
	return NULL;
}

static void cross(void)
{
	void *stamp = t_stamp("crossing");
	pthread_t thread;

	t_code(aclprofRangeStart(stamp, &crossing), 0);
	aclprofDestroyStamp(stamp);
	pthread_create(&thread, NULL, stop_range, NULL);
	pthread_join(thread, NULL);
	t_code(aclprofRangeStop(crossing), ACL_ERROR_PROF_NOT_RUN);
}

static void deep(void)
{
	char text[32];
	void *stamp = aclprofCreateStamp();

	for (unsigned int i = 0; i < DEEP; i++) {
		snprintf(text, sizeof(text), "deep %u", i);
		t_equal(aclprofSetStampTraceMessage(stamp, text, (uint32_t)strlen(text)), 0,
			"message");
		t_equal(aclprofPush(stamp), 0, "push %u (%s)", i, ascprof_last_error());
	}
	for (unsigned int i = 0; i < DEEP; i++)
		t_equal(aclprofPop(), 0, "pop %u (%s)", i, ascprof_last_error());
	t_code(aclprofPop(), ACL_ERROR_PROF_NOT_RUN);
	aclprofDestroyStamp(stamp);
}

static void check_deep(const struct prof_rows *rows)
{
	unsigned int expected = DEEP, depth;

	for (size_t i = 0; i < rows->count; i++) {
		if (sscanf(rows->row[i].message, "deep %u", &depth) != 1)
			continue;
		t_equal(depth, --expected, "order of pops");
	}
	t_equal(expected, 0, "pops missing");
}

/* A stamp may be destroyed by another thread than its maker. */
static void *destroy(void *arg)
{
	aclprofDestroyStamp(arg);
	return NULL;
}

static void foreign_stamps(void)
{
	for (int i = 0; i < 200; i++) {
		void *stamp = t_stamp("foreign");
		pthread_t thread;

		t_code(aclprofMark(stamp), 0);
		pthread_create(&thread, NULL, destroy, stamp);
		pthread_join(thread, NULL);
		t_code(aclprofMark(stamp), ACL_ERROR_INVALID_PARAM);
	}
}

int main(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	unsigned int numbers[THREADS];
	pthread_t threads[THREADS];
	struct prof_rows rows;

	t_stderr_begin(); /* refusals are printed, at most one a second */
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (unsigned int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, stacks, &numbers[i]);
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cross();
	deep();
	foreign_stamps();
	t_stderr_end();
	t_stop(config);

	prof_check(dir, "", NULL);
	prof_rows(&rows, prof_only(dir));
	check_stacks(&rows);
	check_deep(&rows);
	t_equal(prof_rows_of(&rows, ROW_TX_RANGE), 1, "range rows");
	for (size_t i = 0; i < rows.count; i++)
		if (rows.row[i].event == ROW_TX_RANGE)
			t_equal(rows.row[i].tid, stopper, "thread of the range");
	prof_rows_free(&rows);
	return t_end();
}
