/* SPDX-License-Identifier: Apache-2.0 */
#include "export/nest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Ranges that ended and that a range may still come for which they lie in. */
struct sibling {
	int64_t start;
	uint64_t duration;
};

struct nest_thread {
	bool used;
	uint64_t thread;
	struct sibling *sibling;
	size_t nr, room;
};

int nest_begin(struct nest *n, void (*each)(void *arg, uint32_t name, uint64_t self), void *arg)
{
	*n = (struct nest){ .each = each, .arg = arg };
	n->window = malloc(NEST_WINDOW * sizeof(*n->window));
	return n->window ? 0 : -1;
}

static struct nest_thread *place_of(struct nest_thread *table, size_t room, uint64_t thread)
{
	size_t at = (size_t)((thread * 0x9e3779b97f4a7c15ULL) >> 20) & (room - 1);

	while (table[at].used && table[at].thread != thread)
		at = (at + 1) & (room - 1);
	return &table[at];
}

static int grow(struct nest *n)
{
	size_t room = n->room ? 2 * n->room : 64;
	struct nest_thread *table = calloc(room, sizeof(*table));

	if (!table)
		return -1;
	for (size_t i = 0; i < n->room; i++)
		if (n->thread[i].used)
			*place_of(table, room, n->thread[i].thread) = n->thread[i];
	free(n->thread);
	n->thread = table;
	n->room = room;
	return 0;
}

/* *@t NULL: there are too many. Return: -1 without memory */
static int thread_of(struct nest *n, uint64_t thread, struct nest_thread **t)
{
	if (2 * n->nr_threads >= n->room && grow(n))
		return -1;
	*t = place_of(n->thread, n->room, thread);
	if ((*t)->used)
		return 0;
	if (n->nr_threads == NEST_THREADS) {
		*t = NULL;
		return 0;
	}
	n->nr_threads++;
	**t = (struct nest_thread){ .used = true, .thread = thread };
	return 0;
}

/* The older half, two by two: what lies in a range counts if both of a pair do. */
static void join_oldest(struct nest_thread *t)
{
	size_t half = t->nr / 2, to = 0;

	for (size_t i = 0; i < half; i += 2, to++) {
		t->sibling[to].start = t->sibling[i].start;
		t->sibling[to].duration = t->sibling[i].duration + t->sibling[i + 1].duration;
	}
	memmove(&t->sibling[to], &t->sibling[half], (t->nr - half) * sizeof(*t->sibling));
	t->nr -= half - to;
}

static int keep(struct nest_thread *t, int64_t start, uint64_t duration)
{
	struct sibling *grown;

	if (t->nr == NEST_SIBLINGS)
		join_oldest(t);
	if (t->nr == t->room) {
		t->room = t->room ? 2 * t->room : 16;
		grown = realloc(t->sibling, t->room * sizeof(*grown));
		if (!grown)
			return -1;
		t->sibling = grown;
	}
	t->sibling[t->nr++] = (struct sibling){ start, duration };
	return 0;
}

/* Ranges come in the order of their ends, inner ones first. */
static int take(struct nest *n, const struct nest_range *r)
{
	uint64_t duration = (uint64_t)r->end - (uint64_t)r->start;
	uint64_t inside = 0;
	struct nest_thread *t;

	if (thread_of(n, r->thread, &t))
		return -1;
	while (t && t->nr && t->sibling[t->nr - 1].start >= r->start)
		inside += t->sibling[--t->nr].duration;
	n->each(n->arg, r->name, inside < duration ? duration - inside : 0);
	return t ? keep(t, r->start, duration) : 0;
}

static int by_end(const void *a, const void *b)
{
	const struct nest_range *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->start != y->start)
		return x->start > y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int take_first(struct nest *n, size_t nr)
{
	if (n->nr)
		qsort(n->window, n->nr, sizeof(*n->window), by_end);
	for (size_t i = 0; i < nr; i++)
		if (take(n, &n->window[i]))
			return -1;
	n->nr -= nr;
	memmove(n->window, n->window + nr, n->nr * sizeof(*n->window));
	return 0;
}

int nest_add(struct nest *n, int64_t start, int64_t end, uint64_t thread, uint32_t name)
{
	if (n->nr == NEST_WINDOW && take_first(n, NEST_WINDOW / 2))
		return -1;
	n->window[n->nr++] = (struct nest_range){ start, end, thread, n->order++, name };
	return 0;
}

int nest_end(struct nest *n)
{
	return take_first(n, n->nr);
}

void nest_free(struct nest *n)
{
	for (size_t i = 0; i < n->room; i++)
		free(n->thread[i].sibling);
	free(n->thread);
	free(n->window);
	*n = (struct nest){ 0 };
}
