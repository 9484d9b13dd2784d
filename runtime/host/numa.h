/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of memory: how much of each is free, and where pages were taken from. Of the whole machine. */
#ifndef ASCPROF_HOST_NUMA_H
#define ASCPROF_HOST_NUMA_H

#include "host/text.h"

/*
 * Appends "node<k> <KB in all> <KB free> <hits> <misses> <foreign> <local> <other>" for each node, in pages as numastat
 * has them. @root: where sysfs is; NULL: /sys. Return: nodes, or 0 with errno set.
 */
int numa_put(const char *root, struct host_text *t);

#endif /* ASCPROF_HOST_NUMA_H */
