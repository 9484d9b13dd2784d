/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that the kernel of this machine offers: PMUs found in sysfs, their
 * events as config words, and what one count stands for. What is known about a PMU
 * beforehand is in pmus_table.c, each number with its origin; an event whose unit
 * nobody vouches for is counted, and multiplied by nothing.
 */
#ifndef ASCPROF_PMUS_H
#define ASCPROF_PMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/pci.h"

#define PMUS_NAME 64 /* with the terminating zero */
#define PMUS_UNIT 16
#define PMUS_MAX 512 /* counters, as many as one stream takes */

/* How a PMU is told to count the traffic of one device alone. */
enum pmus_filter {
	PMUS_ALL, /* it cannot: it counts for the whole machine */
	PMUS_BUS_ADDRESS, /* field bdf */
	PMUS_STREAM_ID, /* fields filter_stream_id and filter_enable */
};

struct pmus_event {
	const char *name; /* its file in events/ */
	const char *terms; /* its code, where there is no such file; NULL: it needs the file */
	const char *unit; /* of what is counted */
	uint32_t per_count; /* units in one count */
	const char *origin; /* where code and per_count come from */
};

struct pmus_family {
	const char *pattern; /* of the PMU's name, as of fnmatch() */
	const char *what; /* in a word or two */
	enum pmus_filter filter;
	bool per_cpu; /* belongs to each CPU rather than to a part of the machine */
	bool listed; /* take every event of events/, in the unit that its files say */
	const char *terms; /* to add to each event, or NULL */
	const struct pmus_event *events; /* up to one without a name */
};

extern const struct pmus_family pmus_table[]; /* up to one without a pattern */

/* One counter, as COUNTER_ADD of the module takes it. */
struct pmus_counter {
	char pmu[PMUS_NAME];
	char event[PMUS_NAME];
	uint32_t type;
	int cpu;
	uint64_t config[3];
	uint32_t scale_num; /* one count is scale_num / scale_den units */
	uint32_t scale_den;
	char unit[PMUS_UNIT];
	const char *what;
	const char *origin;
};

struct pmus_query {
	const char *root; /* where sysfs is; NULL: /sys */
	bool npu; /* an NPU is asked for: the filters are set to its address */
	struct pci_address at;
	bool per_cpu; /* CPU cores as well */
	/* told about what is there and not used, with the reason; or NULL */
	void (*skipped)(void *arg, const char *pmu, const char *event, const char *why);
	void *arg;
};

struct pmus {
	unsigned int nr;
	struct pmus_counter counters[PMUS_MAX];
};

/*
 * Lists the counters of PMUs that pmus_table knows, in order of their names. A PMU or
 * an event whose files make no sense is skipped, and told.
 *
 * Return: 0; ENOENT if there is no such folder; E2BIG if PMUS_MAX are not enough (@found has
 * the first of them).
 */
int pmus_find(const struct pmus_query *query, struct pmus *found);

/* A config word by a field's format, as in "config1:0-7,32". Return: 0 or EINVAL. */
int pmus_encode(const char *format, uint64_t value, uint64_t config[3]);

/* A number in decimal, times @factor, if that is a whole one from 1 to UINT32_MAX. Return: it, or 0. */
uint32_t pmus_whole(const char *number, uint64_t factor);

/* CPUs of a list as in "0-3,8". Return: how many, or -1 for what is no such list or is longer than @max. */
int pmus_cpu_list(const char *text, int *cpus, int max);

#endif /* ASCPROF_PMUS_H */
