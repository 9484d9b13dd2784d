/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conventional design of such an interface, to compare with: a pool of
 * stamps under a lock, a stack of the process under a lock, the thread's number
 * asked of the kernel for every record, records of 256 bytes that are copied
 * from layer to layer and into one ring for all threads. It writes nothing to
 * disk, and logs nothing.
 *
 * It stands in for a vendor's runtime, whose sources are public. What each step
 * stands for is said where it is, in replica.c. Calibration: the path of those
 * sources was built, as three libraries, with only logging, driver and platform
 * replaced by functions that return at once, and timed by the same program in
 * turn with this. Nanoseconds of a cycle with a text of 20 bytes; of batches of
 * 256 the quickest hundredth, which a loaded machine does not disturb:
 *
 *	                                         mark   push/pop   range
 *	the sources, with their build's options   273        306     297
 *	the sources, with -O2                     243        269     263
 *	this                                      242        271     262
 *	thread number cached, their options       122        155     147
 *	thread number cached, -O2                  96        122     116
 *	this, thread number cached                 93        119     111
 *
 * It must never be slower than what it stands for.
 */
#ifndef ASCPROF_BENCH_REPLICA_H
#define ASCPROF_BENCH_REPLICA_H

#include <stdbool.h>
#include <stdint.h>

void replica_start(bool cached_tid); /* cached_tid: asks the kernel once a thread */
void *replica_create(void);
void replica_destroy(void *stamp);
int replica_message(void *stamp, const char *text, uint32_t len);
int replica_mark(void *stamp);
int replica_push(void *stamp);
int replica_pop(void);
int replica_range_start(void *stamp, uint32_t *id);
int replica_range_stop(uint32_t id);

#endif /* ASCPROF_BENCH_REPLICA_H */
