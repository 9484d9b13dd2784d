// SPDX-License-Identifier: Apache-2.0
/*
 * Four threads call Init, SetConfig, Start, Stop and Finalize in random order
 * while four annotate: only documented codes, all that was started is in order.
 */
#include "prof.h"
#include "t.h"

#include <pthread.h>
#include <stdatomic.h>

#define CALLERS 4
#define CALLS 150

static const char *dir;
static atomic_bool ended;
static atomic_uint marked, dropped;

static bool one_of(aclError code, const aclError *codes)
{
	while (*codes && *codes != code)
		codes++;
	return *codes == code; /* the list ends in 0, success */
}

static void call(unsigned int *random, aclprofConfig *config)
{
	static const aclError init[] = { ACL_ERROR_REPEAT_INITIALIZE, 0 };
	static const aclError set[] = { ACL_ERROR_UNINITIALIZE, 0 };
	static const aclError start[] = { ACL_ERROR_PROF_NOT_RUN, ACL_ERROR_PROF_ALREADY_RUN, 0 };
	static const aclError stop[] = { ACL_ERROR_PROF_NOT_RUN, 0 };
	unsigned int which = t_random(random, 10);
	aclError code;

	if (which < 3) {
		code = t_init(dir);
		t_check(one_of(code, init), "aclprofInit: %d", code);
	} else if (which < 4) {
		code = t_set(ACL_PROF_LLC_MODE, "write");
		t_check(one_of(code, set), "aclprofSetConfig: %d", code);
	} else if (which < 7) {
		code = aclprofStart(config);
		t_check(one_of(code, start), "aclprofStart: %d", code);
	} else if (which < 9) {
		code = aclprofStop(config);
		t_check(one_of(code, stop), "aclprofStop: %d", code);
	} else {
		code = aclprofFinalize();
		t_check(one_of(code, stop), "aclprofFinalize: %d", code);
	}
}

static void *calls(void *arg)
{
	unsigned int random = *(unsigned int *)arg;
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, random % 3);

	for (int i = 0; i < CALLS; i++)
		call(&random, config);
	aclprofDestroyConfig(config);
	return NULL;
}

static void *annotate(void *arg)
{
	void *stamp;

	(void)arg;
	while (!atomic_load(&ended)) {
		t_sleep_us(100);
		stamp = aclprofCreateStamp();
		if (!stamp)
			continue;
		switch (aclprofMark(stamp)) {
		case ACL_SUCCESS:
			atomic_fetch_add(&marked, 1);
			break;
		case ACL_ERROR_PROFILING_FAILURE:
			atomic_fetch_add(&dropped, 1);
			break;
		case ACL_ERROR_PROF_NOT_RUN:
			break;
		default:
			t_check(false, "aclprofMark: %s", ascprof_last_error());
		}
		aclprofDestroyStamp(stamp);
	}
	return NULL;
}

/* Directories end as stopped or, by a Finalize, as finalized. */
static void check_by_state(struct prof_totals *sum)
{
	const char *by_state[] = { "stopped", "finalized" };
	struct prof_list list;
	struct prof_totals totals;
	char text[65536];

	memset(sum, 0, sizeof(*sum));
	prof_find(&list, dir);
	for (size_t i = 0; i < list.count; i++) {
		FILE *file = fopen(t_path("%s/ascprof.json", list.path[i]), "r");
		size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

		text[length] = 0;
		if (file)
			fclose(file);
		rename(list.path[i],
		       t_path("%s/%s/%s", dir, by_state[strstr(text, "\"finalized\"") != NULL],
			      strrchr(list.path[i], '/') + 1));
	}
	prof_free(&list);
	for (size_t i = 0; i < 2; i++) {
		prof_check(t_path("%s/%s", dir, by_state[i]),
			   t_path("--dropped --state %s", by_state[i]), &totals);
		sum->mark.written += totals.mark.written;
		sum->mark.dropped += totals.mark.dropped;
	}
}

int main(void)
{
	pthread_t callers[CALLERS], annotators[CALLERS];
	unsigned int seeds[CALLERS], seed = (unsigned int)getpid();
	struct prof_totals totals;

	printf("seed %u\n", seed);
	dir = t_dir();
	t_code(t_init(t_path("%s/stopped", dir)), 0); /* makes the folders of check_by_state() */
	t_code(aclprofFinalize(), 0);
	t_code(t_init(t_path("%s/finalized", dir)), 0);
	t_code(aclprofFinalize(), 0);
	t_stderr_begin();
	for (unsigned int i = 0; i < CALLERS; i++) {
		seeds[i] = seed + i;
		pthread_create(&callers[i], NULL, calls, &seeds[i]);
		pthread_create(&annotators[i], NULL, annotate, NULL);
	}
	for (unsigned int i = 0; i < CALLERS; i++)
		pthread_join(callers[i], NULL);
	atomic_store(&ended, true);
	for (unsigned int i = 0; i < CALLERS; i++)
		pthread_join(annotators[i], NULL);
	aclprofFinalize();
	t_stderr_end();
	check_by_state(&totals);
	t_equal(totals.mark.written, atomic_load(&marked), "marks, by the calls' results");
	t_equal(totals.mark.dropped, atomic_load(&dropped), "dropped, by the calls' results");
	return t_end();
}
