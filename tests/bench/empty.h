/* SPDX-License-Identifier: Apache-2.0 */
/* A function of a library that does nothing: what any call of a library costs at the least. */
#ifndef ASCPROF_BENCH_EMPTY_H
#define ASCPROF_BENCH_EMPTY_H

int bench_empty(void *nothing);

#endif /* ASCPROF_BENCH_EMPTY_H */
