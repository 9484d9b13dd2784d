// SPDX-License-Identifier: Apache-2.0
/*
 * Test vector 152: a hundred threads make the first call of the process at once.
 * The tool is asked to connect once, and no call is lost.
 */
#include "mstx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include <mstx/ms_tools_ext.h>

#define THREADS 100

static atomic_uint connected;
static pthread_barrier_t barrier;

/* The client finds this one before the library's, behind which it stands. */
__attribute__((visibility("default"))) int InitInjectionMstx(mstxGetModuleFuncTableFunc getter);

int InitInjectionMstx(mstxGetModuleFuncTableFunc getter)
{
	void *next = dlsym(RTLD_NEXT, "InitInjectionMstx");
	mstxInitInjectionFunc library;

	atomic_fetch_add(&connected, 1);
	t_check(next, "no InitInjectionMstx in the library");
	memcpy(&library, &next, sizeof(library));
	t_sleep_us(20000); /* the others wait meanwhile */
	return next ? library(getter) : MSTX_FAIL;
}

static void *first_call(void *arg)
{
	intptr_t number = (intptr_t)arg;
	uint64_t tool = 0;

	pthread_barrier_wait(&barrier);
	switch (number % 4) {
	case 0:
		mstxMarkA("mark", NULL);
		break;
	case 1:
		mstxRangeEnd(mstxRangeStartA("range", NULL));
		break;
	case 2:
		mstxDomainMarkA(mstxDomainCreateA("d"), "mark of d", NULL);
		break;
	default:
		mstxGetToolId(&tool);
		t_equal((long long)tool, MSTX_TOOL_MSPROF_ID, "tool");
	}
	return NULL;
}

int main(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	pthread_t threads[THREADS];
	struct mstx_events all;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (intptr_t i = 0; i < THREADS; i++)
		t_equal(pthread_create(&threads[i], NULL, first_call, (void *)i), 0, "pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	t_stop(config);
	t_equal(atomic_load(&connected), 1, "times the tool was asked");
	prof_check(dir, "", NULL);
	mstx_read(&all, prof_only(dir));
	t_equal((long long)mstx_count(&all, ROW_TX_MARK), THREADS / 2, "marks");
	t_equal((long long)mstx_count(&all, ROW_TX_RANGE), THREADS / 4, "ranges");
	t_equal(t_lines(all.names), 2, "names of domains:\n%s", all.names);
	mstx_free(&all);
	return t_end();
}
