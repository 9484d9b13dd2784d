/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this process is in a container, and what control groups allow it. */
#ifndef ASCPROF_HOST_CONTAINER_H
#define ASCPROF_HOST_CONTAINER_H

#include <stdint.h>

struct container {
	char evidence[64]; /* empty: no sign of one */
	uint64_t memory_bytes; /* 0: no limit */
	uint64_t cpu_thousandths; /* of one CPU's time; 0: no limit */
};

/* @root: "", or a folder that stands for / */
void container_read(struct container *c, const char *root);

#endif /* ASCPROF_HOST_CONTAINER_H */
