// SPDX-License-Identifier: Apache-2.0
/* The table of domains: one entry for a name, one number for an entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "mstx/domain.h"

#define THREADS 8
#define NAMES 500

static void same_name_same_entry(void **state)
{
	domain_entry *a = domain_create("a"), *b = domain_create("b");

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(domain_create("a"), a);
	assert_string_equal(domain_get(a)->name, "a");
	assert_int_not_equal(domain_get(a)->hash, domain_get(b)->hash);
	assert_int_not_equal(domain_get(a)->hash, 0);
	assert_int_not_equal(domain_get(a)->hash, domain_default.hash);
}

static void destroyed_and_created_again(void **state)
{
	domain_entry *e = domain_create("passing");
	uint64_t hash = domain_get(e)->hash;

	(void)state;
	domain_destroy(domain_get(e));
	assert_null(domain_get(e));
	assert_ptr_equal(domain_create("passing"), e);
	assert_int_equal(domain_get(e)->hash, hash);
}

static void any_pointer(void **state)
{
	domain_entry *e = domain_create("real");
	volatile uintptr_t begin = (uintptr_t)domain_table; /* the compiler need not know what we do */
	int local;

	(void)state;
	assert_non_null(domain_get(e));
	assert_null(domain_get(NULL));
	assert_null(domain_get(&local));
	assert_null(domain_get((char *)e + 1));
	assert_null(domain_get((void *)(begin - 1)));
	assert_null(domain_get((void *)(begin + sizeof(domain_table))));
	assert_null(domain_get((void *)UINTPTR_MAX));
	assert_null(domain_get(&domain_default));
}

/* Three names that FNV-1a makes 0 of, and what follows them. */
static void equal_numbers(void **state)
{
	static const char *const names[] = {
		"77kepQFQ8Kl", "!0IC=VloaY", "\xd5\x6b\xb9\x53\x42\x87\x08\x36",
		"77kepQFQ8Kl.", "!0IC=VloaY.", "\xd5\x6b\xb9\x53\x42\x87\x08\x36.",
	};
	domain_entry *entry[6];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 6; i++) {
			domain_entry *e = domain_create(names[i]);

			assert_non_null(domain_get(e));
			assert_string_equal(domain_get(e)->name, names[i]);
			assert_true(domain_get(e)->hash > 1);
			if (round)
				assert_ptr_equal(e, entry[i]);
			entry[i] = e;
			for (int j = 0; j < i; j++) {
				assert_ptr_not_equal(entry[j], e);
				assert_int_not_equal(domain_get(entry[j])->hash, domain_get(e)->hash);
			}
		}
	}
}

static domain_entry *made[THREADS][NAMES];
static pthread_barrier_t barrier;

static void *create_all(void *arg)
{
	domain_entry **mine = arg;
	char name[32];

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "shared %d", i);
		mine[i] = domain_create(name);
	}
	return NULL;
}

static void threads_at_once(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int t = 0; t < THREADS; t++)
		assert_int_equal(pthread_create(&threads[t], NULL, create_all, made[t]), 0);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	for (int i = 0; i < NAMES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "shared %d", i);
		assert_string_equal(domain_get(made[0][i])->name, name);
		for (int t = 1; t < THREADS; t++)
			assert_ptr_equal(made[t][i], made[0][i]);
	}
}

/* The last test: afterwards there is no room. */
static void full_table(void **state)
{
	unsigned int used = 0, created = 0;
	domain_entry *e;
	char name[32];

	(void)state;
	for (unsigned int i = 0; i < DOMAINS_MAX; i++)
		used += domain_table[i] != NULL;
	for (;;) {
		snprintf(name, sizeof(name), "one of many %u", created);
		e = domain_create(name);
		if (!e)
			break;
		assert_string_equal(domain_get(e)->name, name);
		created++;
		assert_true(used + created <= DOMAINS_MAX);
	}
	assert_int_equal(used + created, DOMAINS_MAX);
	assert_non_null(domain_create("one of many 0"));
	assert_non_null(domain_create("77kepQFQ8Kl"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_name_same_entry),
		cmocka_unit_test(destroyed_and_created_again),
		cmocka_unit_test(any_pointer),
		cmocka_unit_test(equal_numbers),
		cmocka_unit_test(threads_at_once),
		cmocka_unit_test(full_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
