/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/by_thread.h"

#include <string.h>

static bool has_any(const struct thread_count *one)
{
	for (int k = 0; k < TX_KINDS; k++)
		if (one->produced[k])
			return true;
	return false;
}

static bool lost_any(const struct thread_count *one)
{
	for (int k = 0; k < TX_KINDS; k++)
		for (int d = 0; d < TX_DROPS; d++)
			if (one->dropped[k][d])
				return true;
	return false;
}

void by_thread_reset(struct by_thread *all)
{
	memset(all, 0, sizeof(*all));
}

static void add_to_others(struct by_thread *all, const struct thread_count *one)
{
	struct thread_count *sum = &all->others;

	all->nr_others++;
	for (int k = 0; k < TX_KINDS; k++) {
		sum->produced[k] += one->produced[k];
		sum->taken[k] += one->taken[k];
		for (int d = 0; d < TX_DROPS; d++)
			sum->dropped[k][d] += one->dropped[k][d];
	}
}

void by_thread_add(struct by_thread *all, const struct thread_count *one)
{
	struct thread_count *place = NULL;

	if (!has_any(one))
		return;
	if (!one->tid) {
		add_to_others(all, one);
		return;
	}
	if (all->n < BY_THREAD_MAX) {
		all->thread[all->n++] = *one;
		return;
	}
	/* Whoever lost something is of more interest than one who did not. */
	for (uint32_t i = 0; i < all->n && !place && lost_any(one); i++)
		if (!lost_any(&all->thread[i]))
			place = &all->thread[i];
	add_to_others(all, place ? place : one);
	if (place)
		*place = *one;
}
