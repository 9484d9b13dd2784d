// SPDX-License-Identifier: Apache-2.0
/*
 * Eight threads report while others subscribe, unsubscribe, announce models and
 * read: every record that was taken arrives once, whole, and in order.
 */
#include "ops.h"
#include "t.h"

#define THREADS 8
#define OPS 3000u
#define STEADY 40u /* models from here on are subscribed all the time */
#define ROUNDS 60

static atomic_bool ended;
static atomic_ulong taken, refused, come_and_gone;
static unsigned long steady_lost[THREADS];

static void count(aclError code)
{
	t_check(code == 0 || code == ACL_ERROR_PROFILING_FAILURE || code == ACL_ERROR_PROF_NOT_RUN, "report: %d", code);
	atomic_fetch_add(code ? &refused : &taken, 1);
}

static void *report(void *arg)
{
	uint32_t which = (uint32_t)(uintptr_t)arg;

	for (uint64_t i = 1; i <= OPS; i++) {
		aclError code = ops_report(STEADY + which, i);

		t_check(code == 0 || code == ACL_ERROR_PROFILING_FAILURE, "report: %d", code);
		steady_lost[which] += code != 0; /* full: on a busy machine */
		count(ops_report(which, i)); /* comes and goes */
		t_sleep_us(20);
	}
	return NULL;
}

/* Begins and ends subscriptions to models that others report on, each with its own reader. */
static void *subscribe(void *arg)
{
	uint32_t model = (uint32_t)(uintptr_t)arg;

	for (int round = 0; round < ROUNDS; round++) {
		struct ops_reader reader;
		aclError code;
		int fds[2];

		t_equal(pipe(fds), 0, "pipe");
		ops_subscribe(model, &fds[1]);
		ops_reader_start(&reader, fds[0], 0);
		t_sleep_us(2000);
		code = aclprofModelUnSubscribe(model);
		t_check(!code || code == ACL_ERROR_PROFILING_FAILURE, "UnSubscribe: %d", code);
		t_equal(fds[1], -1, "the descriptor's number");
		atomic_fetch_add(&come_and_gone, ops_reader_end(&reader));
	}
	return NULL;
}

static void *announce(void *arg)
{
	(void)arg;
	while (!atomic_load(&ended)) {
		for (uint32_t model = 1000; model < 1040; model++)
			MsprofSetDeviceIdByGeModelIdx(model, 1);
		for (uint32_t model = 1000; model < 1040; model++)
			MsprofUnsetDeviceIdByGeModelIdx(model, 1);
		t_code(t_init("."), ACL_ERROR_PROF_API_CONFLICT);
		t_sleep_us(5000);
	}
	return NULL;
}

int main(void)
{
	pthread_t reporters[THREADS], subscribers[4], announcer;
	struct ops_reader steady;
	unsigned long lost = 0;
	int fds[2];

	t_stderr_begin();
	t_equal(pipe(fds), 0, "pipe");
	for (uint32_t i = 0; i < THREADS; i++) {
		ops_subscribe(STEADY + i, &fds[1]);
		t_code(MsprofSetDeviceIdByGeModelIdx(i, 0), 0);
	}
	ops_reader_start(&steady, fds[0], 0);
	pthread_create(&announcer, NULL, announce, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&reporters[i], NULL, report, (void *)i);
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&subscribers[i], NULL, subscribe, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(subscribers[i], NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(reporters[i], NULL);
	atomic_store(&ended, true);
	pthread_join(announcer, NULL);
	for (uint32_t i = 0; i < THREADS; i++) {
		t_code(aclprofModelUnSubscribe(STEADY + i), steady_lost[i] ? ACL_ERROR_PROFILING_FAILURE : 0);
		lost += steady_lost[i];
	}
	t_stderr_end();
	t_equal(ops_reader_end(&steady), (long long)(THREADS * OPS - lost), "records of the steady subscriptions");
	t_equal(atomic_load(&come_and_gone), (long long)atomic_load(&taken), "records of those that came and went");
	printf("%lu records of subscriptions that came and went, %lu reports refused\n", atomic_load(&come_and_gone),
	       atomic_load(&refused));
	return t_end();
}
