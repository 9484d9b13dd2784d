/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of perf_event_open, as far as the kernel lets us: of this process,
 * threads to come included, or of the whole machine.
 */
#ifndef ASCPROF_HOST_COUNTERS_H
#define ASCPROF_HOST_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/text.h"

#define COUNTERS_MAX 9

struct counter {
	char name[32]; /* as perf list has it; ":u": of user space alone */
	int *fd; /* of each thread, or CPU */
	uint32_t nr;
};

struct counters {
	struct counter counter[COUNTERS_MAX];
	uint32_t nr;
};

/*
 * Return: whether any is open. @have: their names, @lack: those that cannot be
 * had, with the reason; both for people, and empty where there is none.
 */
bool counters_open(struct counters *c, bool machine, char *have, char *lack, size_t size);
/* One line each: name, count, ns that it was enabled, ns that it really counted. */
void counters_put(const struct counters *c, struct host_text *t);
void counters_close(struct counters *c);

#endif /* ASCPROF_HOST_COUNTERS_H */
