/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sort.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "export/scratch.h"
#include "export/tx.h"

#define DIGIT_BITS 8
#define DIGITS (1u << DIGIT_BITS)
#define PASSES_MAX (64 / DIGIT_BITS) /* of a whole key */
#define TRIM_MASK 0xffff /* so many elements between looks at the memory */

/* @at: how many entries there are of each digit */
static void pass(struct tx_entry *to, const struct tx_entry *from, size_t n, uint64_t min, unsigned int shift,
		 uint32_t at[DIGITS])
{
	uint32_t sum = 0;

	for (unsigned int d = 0; d < DIGITS; d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[(from[i].key - min) >> shift & (DIGITS - 1)]++] = from[i];
}

/* Between arrays that may both lie in files. */
static void copy(void *to, const void *from, size_t bytes)
{
	const size_t part = 1 << 20;

	for (size_t at = 0; at < bytes; at += part) {
		memcpy((char *)to + at, (const char *)from + at, bytes - at < part ? bytes - at : part);
		guard_trim();
	}
}

static int sort_in_memory(struct tx_entry *entry, size_t n)
{
	struct tx_entry *from = entry, *to;
	struct scratch other = { 0 };
	uint64_t min = UINT64_MAX, max = 0;
	uint32_t at[PASSES_MAX][DIGITS] = { 0 };
	unsigned int passes = 0;
	bool sorted = true;

	for (size_t i = 0; i < n; i++) {
		if (entry[i].key < min)
			min = entry[i].key;
		if (entry[i].key > max)
			max = entry[i].key;
		if (i && entry[i].key < entry[i - 1].key)
			sorted = false;
	}
	if (sorted)
		return 0;
	while (passes < PASSES_MAX && (max - min) >> passes * DIGIT_BITS)
		passes++;
	if (scratch_resize(&other, n * sizeof(*entry)))
		return -1;
	to = (struct tx_entry *)other.map.begin;
	for (size_t i = 0; i < n; i++)
		for (unsigned int p = 0; p < passes; p++)
			at[p][(entry[i].key - min) >> p * DIGIT_BITS & (DIGITS - 1)]++;
	for (unsigned int p = 0; p < passes; p++) {
		struct tx_entry *swap = from;

		pass(to, from, n, min, p * DIGIT_BITS, at[p]);
		from = to;
		to = swap;
	}
	if (from != entry)
		memcpy(entry, from, n * sizeof(*entry));
	scratch_free(&other);
	return 0;
}

/* ---- more entries than fit: runs that do, then all of them joined in sequence ---- */

#define RUN (SCRATCH_MEMORY / sizeof(struct tx_entry) - 1) /* and as much to sort them */

struct run {
	const struct tx_entry *at, *end;
};

/* Equal ones come by run, so that the order in which they came stays. */
static bool run_before(const struct run *a, const struct run *b)
{
	return a->at->key != b->at->key ? a->at->key < b->at->key : a->at < b->at;
}

static void sift_down(struct run *heap, size_t nr, size_t i)
{
	for (size_t child; (child = 2 * i + 1) < nr; i = child) {
		struct run moving = heap[i];

		if (child + 1 < nr && run_before(&heap[child + 1], &heap[child]))
			child++;
		if (!run_before(&heap[child], &moving))
			break;
		heap[i] = heap[child];
		heap[child] = moving;
	}
}

static int sort_runs(struct tx_entry *entry, size_t n)
{
	struct scratch memory = { 0 };
	int ret = scratch_resize(&memory, RUN * sizeof(*entry));

	for (size_t i = 0; i < n && !ret; i += RUN) {
		size_t nr = n - i < RUN ? n - i : RUN;

		copy(memory.map.begin, entry + i, nr * sizeof(*entry));
		ret = sort_in_memory((struct tx_entry *)memory.map.begin, nr);
		copy(entry + i, memory.map.begin, nr * sizeof(*entry));
	}
	scratch_free(&memory);
	return ret;
}

static int join_runs(struct tx_entry *entry, size_t n)
{
	struct scratch joined = { 0 };
	size_t nr = 0;
	struct run *heap = malloc((n / RUN + 1) * sizeof(*heap));
	struct tx_entry *to;

	if (!heap || scratch_resize(&joined, n * sizeof(*entry))) {
		free(heap);
		return -1;
	}
	for (size_t i = 0; i < n; i += RUN)
		heap[nr++] = (struct run){ entry + i, entry + (n - i < RUN ? n : i + RUN) };
	for (size_t i = nr; i--;)
		sift_down(heap, nr, i);
	to = (struct tx_entry *)joined.map.begin;
	for (size_t i = 0; i < n; i++) {
		if (!(i & TRIM_MASK))
			guard_trim();
		to[i] = *heap[0].at++;
		if (heap[0].at == heap[0].end)
			heap[0] = heap[--nr];
		sift_down(heap, nr, 0);
	}
	copy(entry, to, n * sizeof(*entry));
	scratch_free(&joined);
	free(heap);
	return 0;
}

static bool in_order(const struct tx_entry *entry, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (!(i & TRIM_MASK))
			guard_trim();
		if (entry[i].key < entry[i - 1].key)
			return false;
	}
	return true;
}

int sort_entries(struct tx_entry *entry, size_t n)
{
	if (n <= RUN)
		return sort_in_memory(entry, n);
	return in_order(entry, n) ? 0 : sort_runs(entry, n) || join_runs(entry, n) ? -1 : 0;
}

/* ---- any records, by a comparison ---- */

struct sorting {
	size_t n, size;
	int (*compare)(const void *a, const void *b, void *arg);
	void *arg;
};

/* The end of the run that begins at @i. */
static size_t run_end(const struct sorting *s, const char *base, size_t i)
{
	while (++i < s->n && s->compare(base + (i - 1) * s->size, base + i * s->size, s->arg) <= 0)
		if (!(i & TRIM_MASK))
			guard_trim();
	return i;
}

/* Joins two runs behind each other, [from, middle) and [middle, end), into @to. */
static void join(const struct sorting *s, char *to, const char *base, size_t from, size_t middle, size_t end)
{
	size_t left = from, right = middle;

	for (size_t i = from; i < end; i++) {
		bool second = left == middle ||
			      (right < end && s->compare(base + left * s->size, base + right * s->size, s->arg) > 0);
		size_t *taken = second ? &right : &left;

		if (!(i & TRIM_MASK))
			guard_trim();
		memcpy(to + i * s->size, base + *taken * s->size, s->size);
		++*taken;
	}
}

int sort_records(void *base, size_t n, size_t size,
		 int (*compare)(const void *a, const void *b, void *arg), void *arg)
{
	const struct sorting s = { n, size, compare, arg };
	struct scratch other = { 0 };
	char *from = base, *to, *swap;
	size_t runs;

	if (n < 2 || run_end(&s, base, 0) == n)
		return 0;
	if (scratch_resize(&other, n * size))
		return -1;
	to = other.map.begin;
	do {
		runs = 0;
		for (size_t i = 0, end; i < n; i = end, runs++) {
			size_t middle = run_end(&s, from, i);

			end = middle < n ? run_end(&s, from, middle) : n;
			join(&s, to, from, i, middle, end);
		}
		swap = from;
		from = to;
		to = swap;
	} while (runs > 1);
	if (from != base)
		copy(base, from, n * size);
	scratch_free(&other);
	return 0;
}
