/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sort.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "export/tx.h"

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

static void pass(struct tx_entry *to, const struct tx_entry *from, size_t n, uint64_t min,
		 unsigned int shift)
{
	size_t at[DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[(from[i].key - min) >> shift & (DIGITS - 1)]++;
	for (unsigned int d = 0; d < DIGITS; d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[(from[i].key - min) >> shift & (DIGITS - 1)]++] = from[i];
}

int sort_entries(struct tx_entry *entry, size_t n)
{
	struct tx_entry *from = entry, *to, *other;
	uint64_t min = UINT64_MAX, max = 0;
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
	other = malloc(n * sizeof(*other));
	if (!other)
		return -1;
	to = other;
	for (unsigned int shift = 0; shift < 64 && (max - min) >> shift; shift += DIGIT_BITS) {
		struct tx_entry *swap = from;

		pass(to, from, n, min, shift);
		from = to;
		to = swap;
	}
	if (from != entry)
		memcpy(entry, from, n * sizeof(*entry));
	free(other);
	return 0;
}
