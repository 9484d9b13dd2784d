/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number that stands for a text in a dictionary, as the public runtime makes
 * it, so that a text has one number in all libraries and processes.
 */
#ifndef ASCPROF_TEXT_HASH_H
#define ASCPROF_TEXT_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t text_hash(const char *text, size_t len)
{
	uint32_t high = 0, low = 0;

	for (size_t i = 0; i < len; i++) {
		high = high * 29 + (uint32_t)text[i]; /* with the sign that char has on this processor */
		low = low * 131 + (uint32_t)text[i];
	}
	return (uint64_t)high << 32 | low;
}

#endif /* ASCPROF_TEXT_HASH_H */
