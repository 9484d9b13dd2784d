/* SPDX-License-Identifier: Apache-2.0 */
/* What the three msproftx examples share: a session on device 0 around a loop. */
#ifndef EXAMPLE_LOOP_H
#define EXAMPLE_LOOP_H

#include <acl/acl_prof.h>

#define ITERATIONS 200000

/* One iteration; returns 0, or 1 after saying what failed. */
typedef int (*iteration_fn)(void);

/*
 * Records ITERATIONS calls of @iteration below the directory argv[1], or
 * ./result. Device counters are recorded too where there are any.
 */
int record_loop(int argc, char **argv, iteration_fn iteration);

/* Prints the failed call and its code; returns 1. */
int failed(const char *call, aclError code);

/* A stamp that says "test msprof tx"; NULL after saying what failed. */
void *new_stamp(void);

#endif
