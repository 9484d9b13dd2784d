/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Result directories, opened for reading: PROF_<...>/ with host/ and
 * device_<N>/, written by this project's runtime or by the vendor's. Nothing in
 * them is written or followed to another place. Not thread-safe.
 */
#ifndef ASCPROF_PROF_H
#define ASCPROF_PROF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "export/account.h"
#include "export/control.h"
#include "export/diag.h"
#include "export/filter.h"
#include "export/slices.h"
#include "export/timebase.h"

struct prof_part {
	int device; /* -1: host */
	char *path;
	struct control control;
	struct timebase time;
	struct slices table[SLICES_KINDS];
	const struct filter *filter; /* what readers give out; NULL: everything */
};

struct prof {
	char *path; /* as given */
	char *name; /* last part of the real path */
	bool linked; /* found by a link in the folder that was named */
	dev_t dev;
	ino_t ino;
	struct account account;
	struct prof_part *part; /* host first, then devices by number */
	unsigned int nr_parts;
	int64_t start; /* wall clock, ns */
};

struct prof_set {
	struct prof *prof; /* by start, then by name */
	unsigned int nr;
	unsigned int room;
	const struct filter *filter; /* of all parts; NULL: everything is wanted */
	bool one; /* a single result directory was named, no folder of several */
};

/*
 * Opens what @dirs name: result directories, or folders that hold some.
 * Return: 0; -1 with a message in @diag.
 */
int prof_set_open(struct prof_set *set, char *const *dirs, unsigned int nr, struct diag *diag);
void prof_set_close(struct prof_set *set);

/* From now on readers give out what @filter wants; it lives as long as @set. */
void prof_set_filter(struct prof_set *set, const struct filter *filter);

/* For changes: the directory that was read, nothing that was put in its place since. Return: -1 with a message. */
int prof_open_again(const struct prof *prof, struct diag *diag);
int prof_open_part(const struct prof_part *part, int prof_fd, struct diag *diag);

const struct prof_part *prof_host(const struct prof *prof); /* NULL: there is none */

/* -1 with a message when a file became shorter while it was read */
int prof_check(const struct prof *prof, struct diag *diag);

#endif /* ASCPROF_PROF_H */
