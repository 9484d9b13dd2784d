/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of verify(). Not thread-safe. */
#ifndef ASCPROF_VERIFY_PARTS_H
#define ASCPROF_VERIFY_PARTS_H

#include "export/verify.h"

struct verifying {
	const struct prof *prof;
	void (*found)(void *arg, enum verify_finding kind, const char *path, const char *text);
	void *arg;
	struct verified *out;
	struct diag *diag;
};

/* One finding: its kind, @path (foreign text), what it is. */
void verify_found(struct verifying *v, enum verify_finding kind, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Files of a part: control files, .done, slices as files. Return: -1 with a message */
int verify_files(struct verifying *v, const struct prof_part *part, int prof_fd);
/* Rows and their times, as far as a row is one. */
void verify_rows(struct verifying *v, const struct prof_part *part);

#endif /* ASCPROF_VERIFY_PARTS_H */
