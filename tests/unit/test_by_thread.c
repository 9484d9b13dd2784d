// SPDX-License-Identifier: Apache-2.0
/* The list of threads: bounded, with those that lost something, and nothing left out of the sum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "annotate/by_thread.h"

static struct by_thread all;

static void add(uint32_t tid, uint64_t produced, uint64_t dropped)
{
	struct thread_count one = { .tid = tid };

	one.produced[TX_KIND_RANGE] = produced;
	one.taken[TX_KIND_RANGE] = produced - dropped;
	one.dropped[TX_KIND_RANGE][TX_DROP_RING_FULL] = dropped;
	by_thread_add(&all, &one);
}

static void test_few(void **state)
{
	(void)state;
	by_thread_reset(&all);
	add(7, 5, 0);
	add(8, 0, 0); /* has done nothing */
	add(9, 6, 2);
	assert_int_equal(all.n, 2);
	assert_int_equal(all.nr_others, 0);
	assert_int_equal(all.thread[0].tid, 7);
	assert_int_equal(all.thread[1].dropped[TX_KIND_RANGE][TX_DROP_RING_FULL], 2);
	add(0, 3, 3); /* of nobody knows whom */
	assert_int_equal(all.n, 2);
	assert_int_equal(all.others.produced[TX_KIND_RANGE], 3);
}

static void test_many(void **state)
{
	uint64_t produced = 0, dropped = 0, losers = 0;

	(void)state;
	by_thread_reset(&all);
	for (uint32_t i = 1; i <= 1000; i++)
		add(i, i, i % 20 == 0 ? 1 : 0);
	assert_int_equal(all.n, BY_THREAD_MAX);
	assert_int_equal(all.nr_others, 1000 - BY_THREAD_MAX);
	for (uint32_t i = 0; i < all.n; i++) {
		produced += all.thread[i].produced[TX_KIND_RANGE];
		dropped += all.thread[i].dropped[TX_KIND_RANGE][TX_DROP_RING_FULL];
		losers += all.thread[i].dropped[TX_KIND_RANGE][TX_DROP_RING_FULL] != 0;
	}
	assert_int_equal(losers, 50); /* all of them */
	assert_int_equal(all.others.dropped[TX_KIND_RANGE][TX_DROP_RING_FULL], 0);
	assert_int_equal(produced + all.others.produced[TX_KIND_RANGE], 1000 * 1001 / 2);
	assert_int_equal(all.others.taken[TX_KIND_RANGE], all.others.produced[TX_KIND_RANGE]);
	assert_int_equal(dropped, 50);
}

static void test_all_lose(void **state)
{
	(void)state;
	by_thread_reset(&all);
	for (uint32_t i = 1; i <= BY_THREAD_MAX + 10; i++)
		add(i, 2, 1);
	assert_int_equal(all.n, BY_THREAD_MAX);
	assert_int_equal(all.nr_others, 10);
	assert_int_equal(all.others.dropped[TX_KIND_RANGE][TX_DROP_RING_FULL], 10);
	assert_int_equal(all.others.produced[TX_KIND_RANGE], 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_all_lose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
