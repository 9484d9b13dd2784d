/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the exporter has to say: warnings are printed at once, an error is kept
 * for the caller, who ends. Names from result directories pass through here,
 * so control characters are replaced.
 */
#ifndef ASCPROF_DIAG_H
#define ASCPROF_DIAG_H

#include <stdbool.h>

struct diag {
	const char *program; /* in front of every line */
	unsigned int warnings;
	bool quiet; /* they are counted only */
	char error[1024];
};

void diag_warn(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Return: -1, for `return diag_fail(...)`. The first error stays. */
int diag_fail(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* ASCPROF_DIAG_H */
