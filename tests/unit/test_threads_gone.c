/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of threads that have gone: their rings are given back, and a thread that comes later gets a new one. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "annotate/thread.h"

#define NR 20

static pthread_barrier_t all_there;

static void *attach(void *arg)
{
	struct tx_thread *t = tx_attach();

	if (t)
		memset(t->ring, 1, 4096);
	if (arg)
		pthread_barrier_wait(&all_there);
	return t;
}

static bool is_mapped(void *page)
{
	unsigned char in_core;

	return !mincore(page, 4096, &in_core) || errno != ENOMEM;
}

static unsigned int contexts(void)
{
	unsigned int n = 0;

	for (struct tx_thread *t = tx_threads(); t; t = t->next)
		n++;
	return n;
}

static void rings_of_many(void **state)
{
	struct tx_thread *t[NR];
	pthread_t thread[NR];
	void *later;

	(void)state;
	pthread_barrier_init(&all_there, NULL, NR);
	for (int i = 0; i < NR; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, attach, &all_there), 0);
	for (int i = 0; i < NR; i++) {
		pthread_join(thread[i], (void **)&t[i]);
		assert_non_null(t[i]);
	}
	pthread_barrier_destroy(&all_there);
	assert_int_equal(contexts(), NR);
	for (int i = 0; i < NR; i++) {
		assert_true(is_mapped(t[i]->ring)); /* nobody has read it yet */
		tx_recycle(t[i]);
	}
	for (int i = 0; i < NR; i++)
		assert_false(is_mapped(t[i]->ring));

	assert_int_equal(pthread_create(&thread[0], NULL, attach, NULL), 0);
	pthread_join(thread[0], &later);
	assert_non_null(later);
	assert_int_equal(contexts(), NR);
	tx_recycle(later);
}

/* What has not been read keeps its ring. */
static void unread(void **state)
{
	pthread_t thread;
	void *arg;
	struct tx_thread *t;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, attach, NULL), 0);
	pthread_join(thread, &arg);
	t = arg;
	atomic_fetch_add(&t->head, 8);
	tx_recycle(t);
	assert_true(is_mapped(t->ring));
	atomic_store(&t->tail, atomic_load(&t->head));
	tx_recycle(t);
	assert_false(is_mapped(t->ring));
}

static int setup(void **state)
{
	(void)state;
	return tx_threads_setup();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_of_many),
		cmocka_unit_test(unread),
	};

	return cmocka_run_group_tests_name("threads_gone", tests, setup, NULL);
}
