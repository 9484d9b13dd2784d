// SPDX-License-Identifier: Apache-2.0
/*
 * Fork while subscribed, with threads that report: the child has no subscription,
 * writes nothing and leaves its parent's descriptors alone; it may begin its own.
 */
#include "ops.h"
#include "t.h"

#include <fcntl.h>

#define THREADS 4
#define FORKS 60

static atomic_bool ended;
static atomic_ulong reported, lost;

static void *report(void *arg)
{
	uint32_t model = (uint32_t)(uintptr_t)arg;

	for (uint64_t i = 1; !atomic_load(&ended); i++) {
		aclError code = ops_report(model, i);

		t_check(!code || code == ACL_ERROR_PROFILING_FAILURE, "report: %d", code);
		atomic_fetch_add(code ? &lost : &reported, 1);
		t_sleep_us(50);
	}
	return NULL;
}

static void own_subscription(void)
{
	struct ops_reader reader;
	int own[2];

	t_equal(pipe(own), 0, "pipe");
	ops_subscribe(1, &own[1]);
	ops_reader_start(&reader, own[0], 0);
	for (uint64_t i = 1; i <= 100; i++)
		t_code(ops_report(1, i), 0);
	t_code(aclprofModelUnSubscribe(1), 0);
	t_equal(ops_reader_end(&reader), 100, "records of the child");
}

struct place {
	int number; /* of this child */
	int write_end;
	const int *fd;
	const char *dir;
};

static void child(const void *arg)
{
	const struct place *p = arg;

	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO); /* refusals are expected */
	t_check(fcntl(p->write_end, F_GETFL) >= 0, "the parent's descriptor is closed in the child");
	t_equal(*p->fd, p->write_end, "its number in the child");
	t_code(ops_report(1, 1000000), ACL_ERROR_PROF_NOT_RUN);
	t_code(aclprofModelUnSubscribe(1), ACL_ERROR_INVALID_MODEL_ID);
	t_code(t_init(p->dir), 0); /* it is not in the state of a subscription */
	t_code(aclprofFinalize(), 0);
	t_equal(*p->fd, p->write_end, "its number in the child");
	close(p->write_end);
	/* threads and memory of a child with threads behind it: not for sanitizers */
	if (!T_SANITIZED)
		own_subscription();
	if (p->number % 2 || T_SANITIZED)
		_exit(t_end());
}

int main(void)
{
	pthread_t threads[THREADS];
	const char *dir = t_dir();
	struct ops_reader reader;
	int fds[2];

	t_equal(pipe(fds), 0, "pipe");
	for (uint32_t model = 1; model <= THREADS; model++)
		ops_subscribe(model, &fds[1]);
	ops_reader_start(&reader, fds[0], 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, report, (void *)(i + 1));
	for (int i = 0; i < FORKS; i++) {
		struct place place = { i, fds[1], &fds[1], dir };

		t_equal(t_child(child, &place), 0, "status of child %d", i);
	}
	atomic_store(&ended, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t model = 1; model <= THREADS; model++)
		t_code(aclprofModelUnSubscribe(model), 0);
	t_equal(fds[1], -1, "the descriptor's number");
	t_equal(ops_reader_end(&reader), (long long)atomic_load(&reported), "records, all the parent's");
	t_equal(atomic_load(&lost), 0, "lost");
	return t_end();
}
