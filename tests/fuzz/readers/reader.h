/* SPDX-License-Identifier: Apache-2.0 */
/* What libFuzzer calls; one reader per file. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <stddef.h>
#include <stdint.h>

/* Return: 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is left of an input that says step by step what is done. */
struct input {
	const uint8_t *at, *end;
};

/* The next @n bytes as a number; behind the end there are zeros. */
static inline uint64_t input_take(struct input *in, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n && in->at < in->end; i++)
		value |= (uint64_t)*in->at++ << 8 * i;
	return value;
}

#endif /* FUZZ_READER_H */
