/* SPDX-License-Identifier: Apache-2.0 */
/* What libFuzzer calls; one reader per file. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <stddef.h>
#include <stdint.h>

/* Return: 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* FUZZ_READER_H */
