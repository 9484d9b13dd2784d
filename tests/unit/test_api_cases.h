/* SPDX-License-Identifier: Apache-2.0 */
/* A list of functions as one cmocka group, each in a process of its own. */
#ifndef ASCPROF_TEST_API_CASES_H
#define ASCPROF_TEST_API_CASES_H

#include "tests/process/t.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct api_case {
	const char *name;
	void (*run)(void);
};

#define CASE(function)              \
	{                           \
#function, function \
	}

static void api_case_child(const void *arg)
{
	((const struct api_case *)arg)->run();
}

static void api_case_test(void **state)
{
	assert_int_equal(t_child(api_case_child, *state), 0);
}

static inline int api_cases(const char *group, const struct api_case *cases, size_t count)
{
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));
	int failed;

	if (!tests)
		return 1;
	for (size_t i = 0; i < count; i++)
		tests[i] = (struct CMUnitTest){ cases[i].name, api_case_test, NULL, NULL,
						(void *)&cases[i] };
	failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
	free(tests);
	return failed;
}

#endif /* ASCPROF_TEST_API_CASES_H */
