/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantiles of durations. As long as a budget that many share lasts, all values
 * are kept and the answers are values that occurred; beyond it there is a
 * histogram of 64 classes for each power of two, and answers are the middle of
 * a class: wrong by less than 0.8 %. Not thread-safe.
 */
#ifndef ASCPROF_QUANTILE_H
#define ASCPROF_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUANTILE_BUDGET (8u << 20) /* values that are kept, 8 bytes each */
#define QUANTILE_OCTAVES 59 /* the first has the values below 64 */
#define QUANTILE_CLASSES 64

struct quantile_budget {
	size_t left; /* values */
};

struct quantile {
	uint64_t count;
	uint64_t *value; /* all of them; NULL: none, or @octave counts */
	size_t room;
	bool sorted;
	uint64_t **octave; /* QUANTILE_OCTAVES pointers to QUANTILE_CLASSES counts */
};

/* Return: 0, or -1 when memory ran out. */
int quantile_add(struct quantile *q, uint64_t value, struct quantile_budget *budget);
/* The least value that @permille of all values do not exceed; 0: the least one. 0 of none. */
uint64_t quantile_get(struct quantile *q, unsigned int permille);
bool quantile_exact(const struct quantile *q);
/* Gives values back to the budget. */
void quantile_free(struct quantile *q, struct quantile_budget *budget);

/*
 * Counts of @nr classes of equal ratio between *@from and *@to, which become
 * the least and the greatest value; all values are in one class when they are
 * equal.
 */
void quantile_spread(struct quantile *q, unsigned int nr, uint64_t *counts, uint64_t *from, uint64_t *to);

#endif /* ASCPROF_QUANTILE_H */
