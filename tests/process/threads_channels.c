// SPDX-License-Identifier: Apache-2.0
/*
 * Channels of several NPUs begin and end in threads of their own, while another one forks:
 * every directory is whole, nothing is lost, and a child has neither channels nor descriptors.
 */
#include "prof.h"
#include "t.h"

#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#define DEVICES 3
#define ROUNDS (T_TSAN ? 5 : 8)

static atomic_bool done;

static void *record(void *arg)
{
	unsigned int device = (unsigned int)(uintptr_t)arg;
	aclprofConfig *config = t_config(ACL_PROF_TASK_TIME | ACL_PROF_AICPU, 1, device);

	for (int i = 0; i < ROUNDS; i++) {
		t_code(aclprofStart(config), 0);
		t_sleep_us(20000);
		t_code(aclprofStop(config), 0);
	}
	aclprofDestroyConfig(config);
	return NULL;
}

/* Nobody reads channels in a child. */
static int has_threads(void)
{
	return t_count_threads(1) != 1;
}

static void *fork_on(void *arg)
{
	(void)arg;
	while (!atomic_load(&done)) {
		pid_t child = fork();

		if (!child) {
			t_forked(20);
			_exit(has_threads());
		}
		t_equal(t_wait(child), 0, "a child that does nothing");
		t_sleep_us(20000);
	}
	return NULL;
}

int main(void)
{
	char self[PATH_MAX] = "";
	pthread_t threads[DEVICES + 1];
	struct prof_list list;
	const char *dir = t_dir();

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		abort();
	setenv("ASCPROF_HAL", t_path("%s/../hal/libascend_hal.so", dirname(self)), 1);
	setenv("HAL_MODEL", "chip=5 devices=3 rate=100 shuffle pieces", 1);
	t_code(t_init(dir), 0);
	t_code(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "100"), 0);
	t_code(t_set(ACL_PROF_SYS_IO_FREQ, "100"), 0);
	for (uintptr_t i = 0; i < DEVICES; i++)
		pthread_create(&threads[i], NULL, record, (void *)i);
	pthread_create(&threads[DEVICES], NULL, fork_on, NULL);
	for (int i = 0; i < DEVICES; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&done, true);
	pthread_join(threads[DEVICES], NULL);
	t_code(aclprofFinalize(), 0);

	prof_find(&list, dir);
	t_equal((long long)list.count, DEVICES * ROUNDS, "directories");
	prof_free(&list);
	prof_check(dir, "", NULL);
	return t_end();
}
