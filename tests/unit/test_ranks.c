// SPDX-License-Identifier: Apache-2.0
/* The test behind ascprof diff: against counting all divisions, and against its own approximation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/ranks.h"

static void near(double got, double want, double off)
{
	if (fabs(got - want) > off)
		fail_msg("%.12f instead of %.12f", got, want);
}

static void test_known(void **state)
{
	const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 11, 12, 13, 14, 15 }, same[] = { 7, 7, 7 };

	(void)state;
	near(ranks_differ(low, 1, high, 1), 1, 1e-12);
	near(ranks_differ(low, 2, high, 2), 1.0 / 3, 1e-12);
	near(ranks_differ(low, 3, high, 3), 0.1, 1e-12);
	near(ranks_differ(high, 3, low, 3), 0.1, 1e-12);
	near(ranks_differ(low, 4, high, 4), 2.0 / 70, 1e-12);
	near(ranks_differ(low, 5, high, 5), 2.0 / 252, 1e-12);
	near(ranks_differ(low, 5, high, 3), 2.0 / 56, 1e-12);
	near(ranks_differ(low, 5, low, 5), 1, 1e-12);
	near(ranks_differ(same, 3, same, 3), 1, 1e-12);
}

/* U by its definition: pairs in which a is above b, ties half; doubled. */
static int u_of(const double *v, unsigned int nr, unsigned int of_a)
{
	int u = 0;

	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int j = 0; j < nr; j++)
			if (of_a >> i & 1 && !(of_a >> j & 1))
				u += v[i] > v[j] ? 2 : v[i] == v[j];
	return u;
}

static void test_counted(void **state)
{
	uint32_t dice = 1;

	(void)state;
	for (int turn = 0; turn < 60; turn++) {
		unsigned int nr_a = 2 + (unsigned int)turn % 4, nr_b = 2 + (unsigned int)turn / 4 % 4, nr = nr_a + nr_b;
		unsigned int first = (1u << nr_a) - 1, all = 0, far = 0;
		int middle = (int)(nr_a * nr_b), off;
		double v[10];

		for (unsigned int i = 0; i < nr; i++) {
			dice = dice * 1664525 + 1013904223;
			v[i] = dice >> 24 & (turn % 2 ? 3 : 255); /* with many ties, or few */
		}
		off = u_of(v, nr, first) - middle;
		for (unsigned int set = 0; set < 1u << nr; set++) {
			if ((unsigned int)__builtin_popcount(set) != nr_a)
				continue;
			all++;
			far += fabs(u_of(v, nr, set) - middle + 0.0) >= fabs(off + 0.0);
		}
		near(ranks_differ(v, nr_a, v + nr_a, nr_b), (double)far / all, 1e-9);
	}
}

/* Where exact counting ends, the approximation goes on where it was. */
static void test_many(void **state)
{
	double a[300], b[300];
	uint32_t dice = 7;

	(void)state;
	for (int i = 0; i < 300; i++) {
		dice = dice * 1664525 + 1013904223;
		a[i] = dice >> 20;
		dice = dice * 1664525 + 1013904223;
		b[i] = (dice >> 20) + 900;
	}
	near(ranks_differ(a, 20, b, 20), ranks_differ(a, 21, b, 20), 0.1);
	assert_true(ranks_differ(a, 300, b, 300) < 1e-9);
	near(ranks_differ(a, 300, a, 300), 1, 1e-12);
	for (int i = 0; i < 300; i++)
		a[i] = 1;
	near(ranks_differ(a, 300, a, 300), 1, 1e-12);
}

static void test_median(void **state)
{
	double v[] = { 5, 1, 3 }, w[] = { 4, 1, 3, 2 };

	(void)state;
	near(ranks_median(v, 3), 3, 0);
	near(ranks_median(w, 4), 2.5, 0);
	near(ranks_median(w, 1), 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_median),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
