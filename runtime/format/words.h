/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a text that are looked at at once. */
#ifndef ASCPROF_WORDS_H
#define ASCPROF_WORDS_H

#include <stdint.h>
#include <string.h>

/* Sixteen; the result of a comparison has all bits or none in each. */
typedef unsigned char bytes16 __attribute__((vector_size(16)));
typedef uint64_t words2 __attribute__((vector_size(16)));

static inline bytes16 sixteen_at(const char *p)
{
	bytes16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t word_at(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#endif /* ASCPROF_WORDS_H */
