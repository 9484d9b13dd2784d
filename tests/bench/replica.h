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
 * sources was built as it is, three libraries with -O2 and
 * -fstack-protector-all, and only the logging, the driver and the platform
 * replaced by functions that return at once; it was timed by the same program
 * in turn with this, five times, on one machine. Nanoseconds of a cycle with a
 * text of 20 bytes (medians):
 *
 *	                                 mark   push/pop   range
 *	the public sources                253        291     275
 *	this                              246        283     274
 *	the sources, number cached        101        128     122
 *	this, number cached                92        119     110
 *
 * It must stay below what it stands for.
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
