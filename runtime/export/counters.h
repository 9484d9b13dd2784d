/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of one part, a device or the host, as samples of named counters, of all
 * kinds, so that no format has to know them. Not thread-safe.
 */
#ifndef ASCPROF_COUNTERS_H
#define ASCPROF_COUNTERS_H

#include "export/hbm.h"
#include "export/host.h"
#include "export/llc.h"
#include "export/prof.h"
#include "export/soc.h"

#define COUNTER_NAME 64 /* bytes that a name may have */
#define COUNTER_UNIT 16
#define HOST_KIND "host" /* of all host data but system calls, for filters */

enum counter_type { COUNTER_INTEGER, COUNTER_THOUSANDTHS, COUNTER_REAL, COUNTER_EXACT };

struct counter {
	const char *kind; /* of the accounting */
	const char *name; /* "HBM 0/Read" */
	size_t name_len;
	const char *key; /* what the number is: "Read(MB/s)" */
	const char *unit; /* "MB/s", "%"; "" */
	bool first; /* a rate that has no sample before it to count from */
	int64_t wall; /* ns */
	enum counter_type type;
	union {
		uint64_t integer;
		int64_t thousandths;
		double real; /* shown with three decimals, or with as many as it takes to be exact */
	};
};

struct counters {
	const struct prof_part *part;
	struct llc llc;
	struct hbm hbm;
	struct host_view host;
};

/* Name of value @i of a sample into @name, of COUNTER_NAME bytes. Return: its length. */
size_t soc_counter(char *name, const struct soc_sample *s, unsigned int i);

/* Return: 0, also when there is nothing; -1 with a message. counters_free() is due. */
int counters_load(struct counters *c, const struct prof_part *part, struct diag *diag);
void counters_free(struct counters *c);

/* Wall clock of the earliest sample; INT64_MAX: there is none. */
int64_t counters_first(const struct counters *c);

/* Calls @each for every sample that is wanted, until it does not return 0. Return: what it returned. */
int counters_each(const struct counters *c, int (*each)(void *arg, const struct counter *counter), void *arg);

#endif /* ASCPROF_COUNTERS_H */
