/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of memory: of the machine, how much of each is free, and where pages were taken from; of a process,
 * what it holds.
 */
#ifndef ASCPROF_HOST_NUMA_H
#define ASCPROF_HOST_NUMA_H

#include "host/text.h"

/*
 * Appends "node<k> <KB in all> <KB free> <hits> <misses> <foreign> <local> <other>" for each node, in pages as numastat
 * has them. @root: where sysfs is; NULL: /sys. Return: nodes, or 0 with errno set.
 */
int numa_put(const char *root, struct host_text *t);

/*
 * Appends "own<k> <KB>" for each node up to the last of which the process holds memory, or has held: *@nodes
 * keeps that. @path: its numa_maps; NULL: this one's. The kernel walks all of its pages. Return: 0, or an errno.
 */
int numa_put_own(const char *path, unsigned int *nodes, struct host_text *t);

#endif /* ASCPROF_HOST_NUMA_H */
