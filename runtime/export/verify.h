/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything about a result directory that can be checked without knowing what
 * was recorded: files and their .done, control files, blocks and rows, times,
 * the accounting. Nothing is changed. Not thread-safe.
 */
#ifndef ASCPROF_VERIFY_H
#define ASCPROF_VERIFY_H

#include <stdint.h>

#include "export/prof.h"

enum verify_finding {
	VERIFY_DAMAGED, /* not as it was written, or not written to its end */
	VERIFY_LOST, /* data that was produced is not there, or not accounted for */
	VERIFY_NOTE, /* worth knowing, and nobody's fault */
	VERIFY_FINDINGS,
};

struct verified {
	uint64_t found[VERIFY_FINDINGS];
	uint64_t files, rows; /* that were looked at */
};

/* "damaged", "lost", "note" */
const char *verify_word(enum verify_finding kind);

/*
 * Calls @found for each finding: its kind, what it is about and what it is, both
 * foreign text. Adds to @out. Return: 0; -1 with a message when the directory
 * cannot be read.
 */
int verify(const struct prof *prof,
	   void (*found)(void *arg, enum verify_finding kind, const char *path, const char *text), void *arg,
	   struct verified *out, struct diag *diag);

#endif /* ASCPROF_VERIFY_H */
