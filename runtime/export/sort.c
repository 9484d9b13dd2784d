/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sort.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "export/scratch.h"
#include "export/tx.h"

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
#define TRIM_MASK 0xffff /* so many elements between looks at the memory */

static void pass(struct tx_entry *to, const struct tx_entry *from, size_t n, uint64_t min,
		 unsigned int shift)
{
	size_t at[DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(i & TRIM_MASK))
			guard_trim();
		at[(from[i].key - min) >> shift & (DIGITS - 1)]++;
	}
	for (unsigned int d = 0; d < DIGITS; d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++) {
		if (!(i & TRIM_MASK))
			guard_trim();
		to[at[(from[i].key - min) >> shift & (DIGITS - 1)]++] = from[i];
	}
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

int sort_entries(struct tx_entry *entry, size_t n)
{
	struct tx_entry *from = entry, *to;
	struct scratch other = { 0 };
	uint64_t min = UINT64_MAX, max = 0;
	bool sorted = true;

	for (size_t i = 0; i < n; i++) {
		if (!(i & TRIM_MASK))
			guard_trim();
		if (entry[i].key < min)
			min = entry[i].key;
		if (entry[i].key > max)
			max = entry[i].key;
		if (i && entry[i].key < entry[i - 1].key)
			sorted = false;
	}
	if (sorted)
		return 0;
	if (scratch_resize(&other, n * sizeof(*entry)))
		return -1;
	to = (struct tx_entry *)other.map.begin;
	for (unsigned int shift = 0; shift < 64 && (max - min) >> shift; shift += DIGIT_BITS) {
		struct tx_entry *swap = from;

		pass(to, from, n, min, shift);
		from = to;
		to = swap;
	}
	if (from != entry)
		copy(entry, from, n * sizeof(*entry));
	scratch_free(&other);
	return 0;
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
