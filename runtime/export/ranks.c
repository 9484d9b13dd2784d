/* SPDX-License-Identifier: Apache-2.0 */
#include "export/ranks.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
	double value;
	unsigned int rank; /* twice: ties have the mean of theirs */
	unsigned char of_a;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int by_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double ranks_median(double *v, unsigned int nr)
{
	qsort(v, nr, sizeof(*v), by_double);
	return nr % 2 ? v[nr / 2] : (v[nr / 2 - 1] + v[nr / 2]) / 2;
}

/* Sorts and ranks. Return: the sum of t^3 - t over ties of t values */
static double rank(struct ranked *r, unsigned int nr)
{
	double ties = 0;

	qsort(r, nr, sizeof(*r), by_value);
	for (unsigned int i = 0, j; i < nr; i = j) {
		double t;

		for (j = i; j < nr && r[j].value == r[i].value; j++)
			;
		for (unsigned int k = i; k < j; k++)
			r[k].rank = i + 1 + j;
		t = j - i;
		ties += t * t * t - t;
	}
	return ties;
}

/* How many of all ways to choose @nr_a values have a sum of ranks at least as far from the middle. */
static double exact(const struct ranked *r, unsigned int nr, unsigned int nr_a, double middle, double off)
{
	enum { SUMS = RANKS_EXACT * (RANKS_EXACT + 1) + 1 };
	static const double slack = 1e-9;
	double (*ways)[SUMS] = calloc(nr_a + 1, sizeof(*ways)), all = 0, far = 0;

	if (!ways)
		return 1;
	ways[0][0] = 1;
	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int k = nr_a; k--;)
			for (unsigned int s = 0; s + r[i].rank < SUMS; s++)
				ways[k + 1][s + r[i].rank] += ways[k][s];
	for (unsigned int s = 0; s < SUMS; s++) {
		all += ways[nr_a][s];
		if (fabs(s - middle) >= off - slack)
			far += ways[nr_a][s];
	}
	free(ways);
	return far / all;
}

double ranks_differ(const double *a, unsigned int nr_a, const double *b, unsigned int nr_b)
{
	unsigned int nr = nr_a + nr_b;
	struct ranked *r = calloc(nr, sizeof(*r));
	double sum = 0, middle = (double)nr_a * (nr + 1), ties, variance, p;

	if (!r)
		return 1;
	for (unsigned int i = 0; i < nr; i++)
		r[i] = (struct ranked){ .value = i < nr_a ? a[i] : b[i - nr_a], .of_a = i < nr_a };
	ties = rank(r, nr);
	for (unsigned int i = 0; i < nr; i++)
		if (r[i].of_a)
			sum += r[i].rank;
	if (nr <= RANKS_EXACT) {
		p = exact(r, nr, nr_a, middle, fabs(sum - middle));
	} else {
		/* ranks are doubled, and so is the correction for steps */
		variance = (double)nr_a * nr_b / 3 * (nr + 1 - ties / ((double)nr * (nr - 1)));
		p = variance > 0 ? erfc(fmax(fabs(sum - middle) - 1, 0) / sqrt(2 * variance)) : 1;
	}
	free(r);
	return p > 1 ? 1 : p;
}
