/* SPDX-License-Identifier: Apache-2.0 */
/* What has come of a recording: result directories of one id below a folder. */
#ifndef ASCPROF_RECORD_DIRS_H
#define ASCPROF_RECORD_DIRS_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "export/diag.h"

struct record_total {
	unsigned int directories;
	unsigned int running; /* whose accounting is not final */
	uint64_t records; /* produced */
	uint64_t dropped; /* of all reasons but ageing */
	uint64_t aged;
	uint64_t bytes; /* of their files */
	char first[PATH_MAX]; /* path of one of them */
	char error[256]; /* why writing ended early, of one */
};

/* Sums up what is there now; what cannot be read is not counted. */
void record_look(const char *folder, const char *id, struct record_total *total);

/* Of all files below @path. */
uint64_t record_bytes(const char *path);

/*
 * Completes those that a killed process left; process @ending (0: none), which has closed its
 * socket and not its directory, is waited for. Return: how many.
 */
unsigned int record_complete(const char *folder, const char *id, pid_t ending, struct diag *diag);

#endif /* ASCPROF_RECORD_DIRS_H */
