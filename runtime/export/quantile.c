/* SPDX-License-Identifier: Apache-2.0 */
#include "export/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The class of a value, and the middle of a class. */
static unsigned int octave_of(uint64_t v)
{
	return v < QUANTILE_CLASSES ? 0 : 58 - (unsigned int)__builtin_clzll(v);
}

static unsigned int class_of(uint64_t v, unsigned int octave)
{
	return (unsigned int)(octave ? v >> (octave - 1) : v) & (QUANTILE_CLASSES - 1);
}

static uint64_t middle_of(unsigned int octave, unsigned int class)
{
	if (!octave)
		return class;
	return ((uint64_t)(QUANTILE_CLASSES + class) << (octave - 1)) + ((1ULL << (octave - 1)) >> 1);
}

static int count_in(struct quantile *q, uint64_t value)
{
	unsigned int o = octave_of(value);

	if (!q->octave[o]) {
		q->octave[o] = calloc(QUANTILE_CLASSES, sizeof(**q->octave));
		if (!q->octave[o])
			return -1;
	}
	q->octave[o][class_of(value, o)]++;
	return 0;
}

static int make_histogram(struct quantile *q, struct quantile_budget *budget)
{
	q->octave = calloc(QUANTILE_OCTAVES, sizeof(*q->octave));
	if (!q->octave)
		return -1;
	for (uint64_t i = 0; i < q->count; i++)
		if (count_in(q, q->value[i]))
			return -1;
	budget->left += q->room;
	free(q->value);
	q->value = NULL;
	q->room = 0;
	return 0;
}

int quantile_add(struct quantile *q, uint64_t value, struct quantile_budget *budget)
{
	size_t more = q->room ? q->room : 8;
	uint64_t *grown;

	if (!q->octave && q->count == q->room) {
		if (budget->left < more) {
			if (make_histogram(q, budget))
				return -1;
		} else {
			grown = realloc(q->value, (q->room + more) * sizeof(*grown));
			if (!grown)
				return -1;
			q->value = grown;
			q->room += more;
			budget->left -= more;
		}
	}
	if (q->octave) {
		if (count_in(q, value))
			return -1;
	} else {
		q->value[q->count] = value;
	}
	q->sorted = false;
	q->count++;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void sort(struct quantile *q)
{
	if (!q->sorted && q->value)
		qsort(q->value, q->count, sizeof(*q->value), by_value);
	q->sorted = true;
}

uint64_t quantile_get(struct quantile *q, unsigned int permille)
{
	uint64_t at, seen = 0;

	if (!q->count)
		return 0;
	at = (uint64_t)(((unsigned __int128)q->count * permille + 999) / 1000);
	at -= at > 0;
	if (!q->octave) {
		sort(q);
		return q->value[at];
	}
	for (unsigned int o = 0; o < QUANTILE_OCTAVES; o++) {
		for (unsigned int c = 0; q->octave[o] && c < QUANTILE_CLASSES; c++) {
			seen += q->octave[o][c];
			if (seen > at)
				return middle_of(o, c);
		}
	}
	return 0;
}

bool quantile_exact(const struct quantile *q)
{
	return !q->octave;
}

void quantile_free(struct quantile *q, struct quantile_budget *budget)
{
	budget->left += q->room;
	free(q->value);
	for (unsigned int o = 0; q->octave && o < QUANTILE_OCTAVES; o++)
		free(q->octave[o]);
	free(q->octave);
	*q = (struct quantile){ 0 };
}

static void spread_one(uint64_t value, uint64_t n, unsigned int nr, uint64_t *counts, double low, double width)
{
	double at = width > 0 ? (log2((double)value + 1) - low) / width * nr : 0;

	counts[at >= nr ? nr - 1 : at < 0 ? 0 : (unsigned int)at] += n;
}

void quantile_spread(struct quantile *q, unsigned int nr, uint64_t *counts, uint64_t *from, uint64_t *to)
{
	double low, width;

	memset(counts, 0, nr * sizeof(*counts));
	*from = quantile_get(q, 0);
	*to = quantile_get(q, 1000);
	low = log2((double)*from + 1);
	width = log2((double)*to + 1) - low;
	for (uint64_t i = 0; !q->octave && i < q->count; i++)
		spread_one(q->value[i], 1, nr, counts, low, width);
	for (unsigned int o = 0; q->octave && o < QUANTILE_OCTAVES; o++)
		for (unsigned int c = 0; q->octave[o] && c < QUANTILE_CLASSES; c++)
			if (q->octave[o][c])
				spread_one(middle_of(o, c), q->octave[o][c], nr, counts, low, width);
}
