/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of host data: who asks for them, their files, and how a sample is made. */
#ifndef ASCPROF_HOST_KINDS_H
#define ASCPROF_HOST_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "flush/slice.h"
#include "host/counters.h"
#include "host/osrt.h"
#include "host/pmu_counters.h"
#include "host/text.h"
#include "session/settings.h"

/* The settings, each with its frequency. */
enum host_pace { HOST_PACE_SYS, HOST_PACE_USAGE, HOST_PACE_HARDWARE, HOST_PACES };

enum host_kind {
	HOST_KIND_CPU,
	HOST_KIND_MEM,
	HOST_KIND_DISK,
	HOST_KIND_DISKS,
	HOST_KIND_NETWORK,
	HOST_KIND_COUNTERS,
	HOST_KIND_OSRT,
	HOST_KIND_PTHREAD,
	HOST_KIND_NUMA,
	HOST_KIND_SYS_CPU,
	HOST_KIND_SYS_MEM,
	HOST_KIND_PROCESS_CPU,
	HOST_KIND_PROCESS_MEM,
	HOST_KIND_SYS_COUNTERS,
	HOST_KIND_PMUS,
	HOST_KINDS,
};

#define HOST_COSTLY 50 /* such a part takes at most 1/50 of one processor's time */

struct host_collector {
	const struct host_kind_def *def;
	bool on;
	struct slice_sink sink;
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC_RAW */
	uint64_t late; /* samples whose time had passed */
	uint64_t unread; /* that the kernel refused */
	char *last; /* of the last sample, where slices overlap */
	size_t last_len;

	/* for making samples */
	const char *what; /* the file that could not be read */
	int own_error; /* numa: why there is nothing of this process */
	unsigned int own_nodes; /* of which this process holds memory, or has held */
	uint64_t index;
	uint64_t io[2], io_ns; /* bytes read and written, when */
	uint32_t left_out; /* threads for which a sample had no room */
	struct counters counters;
	struct osrt *osrt;
	struct pmu_counters *pmus;
	uint64_t begin_ns; /* of the recording */
	bool more; /* than there was room for */
	uint64_t due_ns; /* of what costs more than the rest of a sample, and is not in each; UINT64_MAX: never */
};

struct host_kind_def {
	const char *name; /* in the account */
	const char *tag; /* of its slices; behind the process's number if it begins with '-' */
	enum host_pace pace;
	enum host_item item;
	uint32_t buf_bytes;
	bool overlaps;
	bool each_interval; /* one line for each interval: readers count them */
	/* Not samples: every line is an event, but the one that each slice begins with. */
	size_t (*anchor)(char *line, size_t size, uint64_t raw_ns);
	uint64_t (*stamp)(const char *line); /* begin of an event, ns */
	uint64_t (*lost)(const struct host_collector *c); /* events that never came here */
	bool (*begins)(const char *line);
	/* Appends one sample. Return: 0, or an errno with c->what set. */
	int (*make)(struct host_collector *c, struct host_text *t, uint64_t ns);
};

extern const struct host_kind_def host_kind_defs[HOST_KINDS];

#endif /* ASCPROF_HOST_KINDS_H */
