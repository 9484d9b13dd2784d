/* SPDX-License-Identifier: Apache-2.0 */
/* The library in a program that need not know of it: runtime/session/injected.h has the other side. */
#ifndef ASCPROF_INJECT_H
#define ASCPROF_INJECT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "export/diag.h"

#define INJECT_ID_LEN 17

struct inject {
	char library[PATH_MAX];
	char id[INJECT_ID_LEN];
	const char *profiler; /* the object, as in acl.json */
	uint64_t devices;
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; 0: at once, never */
	bool follow;
	bool ignore_own;
	bool pthread_calls; /* of the program are asked for */
};

/*
 * Finds the library: @file, or NULL: beside the command, as it is built and as it is
 * installed. Return: -1 with a message.
 */
int inject_find(struct inject *in, const char *file, struct diag *diag);

/* Makes the id. */
void inject_name(struct inject *in);

/* In the process that is going to execute the program. Return: -1 without memory. */
int inject_environment(const struct inject *in);

/* Why nothing can be loaded into @program, which is found as execvp() does; NULL: it can. */
const char *inject_impossible(const char *program);

#endif /* ASCPROF_INJECT_H */
