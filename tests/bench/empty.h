/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a library that do nothing: what its calls cost at the least, by what they take and give. */
#ifndef ASCPROF_BENCH_EMPTY_H
#define ASCPROF_BENCH_EMPTY_H

#include <stdint.h>

void *bench_empty_create(void); /* NULL */
int bench_empty_message(void *stamp, const char *text, uint32_t len);
int bench_empty_call(void *stamp);

#endif /* ASCPROF_BENCH_EMPTY_H */
