/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ascprof doctor: what of this machine can be used for profiling. Checks add findings to a
 * list; a finding is one line, and the command that mends it where there is one. Nothing
 * is changed, and no privilege is needed.
 */
#ifndef ASCPROF_DOCTOR_H
#define ASCPROF_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/npus.h"
#include "collect/sysfs.h"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE, /* works, with less */
	DOCTOR_PROBLEM,
};

struct doctor_finding {
	enum doctor_state state;
	const char *check;
	char text[320];
	char mend[224]; /* a command; "": there is none */
};

struct doctor {
	const char *root; /* in front of /sys, /proc, /lib: "", or where a test planted them */
	unsigned int nr;
	struct doctor_finding *list;
	bool no_memory; /* the list lacks some */
};

/* Adds a finding. @check must stay. Control characters become '?'. */
void doctor_say(struct doctor *d, enum doctor_state state, const char *check, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The command that mends the finding that was added last. */
void doctor_mend(struct doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
unsigned int doctor_count(const struct doctor *d, enum doctor_state state);
void doctor_release(struct doctor *d);

/* A file of one line below the root, as sysfs_text(). */
int doctor_read(const struct doctor *d, char text[SYSFS_TEXT], const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The checks, one or more findings each. */
void doctor_kernel(struct doctor *d);
void doctor_io_uring(struct doctor *d);
void doctor_membarrier(struct doctor *d);
void doctor_clock(struct doctor *d);
void doctor_memlock(struct doctor *d);
void doctor_space(struct doctor *d);
void doctor_rights(struct doctor *d);
void doctor_module(struct doctor *d);
void doctor_pmus(struct doctor *d);
void doctor_npus(struct doctor *d);
void doctor_bench(struct doctor *d); /* takes about 20 s where there is a module */

#define DOCTOR_CAP_IPC_LOCK 14
#define DOCTOR_CAP_SYS_ADMIN 21
#define DOCTOR_CAP_PERFMON 38

/* Has this process the capability, in the initial user name space? */
bool doctor_capable(const struct doctor *d, unsigned int capability);

/*
 * What the module and the kernel say to counters of the machine. @module: parameter
 * paranoid of the module; @perf: kernel.perf_event_paranoid; @capable: CAP_PERFMON.
 */
void doctor_counters(struct doctor *d, unsigned int module, int perf, bool capable);

/* NPUs on the bus, in order of their addresses. Return: how many. */
unsigned int doctor_find_npus(const struct doctor *d, struct npus_one list[NPUS_MAX]);

#endif /* ASCPROF_DOCTOR_H */
