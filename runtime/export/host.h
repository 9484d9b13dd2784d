/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host data of a directory: CPU, memory, disk and network of the process and
 * of the machine, and counters of perf_event_open, as tables under the public
 * parser's names and as series for a timeline. Not thread-safe.
 */
#ifndef ASCPROF_EXPORT_HOST_H
#define ASCPROF_EXPORT_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/diag.h"
#include "export/prof.h"

struct host_point {
	int64_t wall; /* begin of the interval, ns */
	double value;
	double bytes_per_s; /* where the value is a share of what the network cards can carry */
};

struct host_series {
	char name[64];
	const char *key; /* what is counted, with its unit */
	struct host_point *point;
	size_t nr, room;
};

struct host_call {
	const char *kind; /* syscall, pthread */
	int64_t wall; /* ns */
	uint64_t ns; /* duration */
	uint32_t tid;
	char name[32];
};

enum host_table_id {
	HOST_TABLE_CPU,
	HOST_TABLE_MEM,
	HOST_TABLE_DISK,
	HOST_TABLE_NETWORK,
	HOST_TABLE_SYS_CPU,
	HOST_TABLE_SYS_MEM,
	HOST_TABLE_PROCESS_CPU,
	HOST_TABLE_PROCESS_MEM,
	HOST_TABLE_COUNTERS,
	HOST_TABLE_CALLS,
	HOST_TABLE_DISKS,
	HOST_TABLE_PMUS,
	HOST_TABLE_NUMA,
	HOST_TABLES,
};

struct host_table {
	char *text; /* heading and rows; NULL: nothing to show */
	size_t len, room;
	uint64_t rows; /* without the heading */
};

struct host_counter {
	const char *scope; /* process, machine */
	char name[48];
	uint64_t count; /* from the first to the last sample */
	double counted; /* percent of the time in which the kernel really counted */
};

struct host_view {
	const struct prof_part *part;
	struct host_table table[HOST_TABLES];
	struct host_series *series;
	unsigned int nr_series;
	struct host_call *call; /* by name, thread and time */
	size_t nr_calls, room_calls;
	struct host_counter *counter;
	size_t nr_counters;
	bool failed; /* memory ran out */
};

const char *host_table_name(enum host_table_id id); /* of its file, without .csv */

/* @part NULL: nothing. Return: 0, or -1 with a message; host_view_free() is due. */
int host_view_load(struct host_view *v, const struct prof_part *part, struct diag *diag);
void host_view_free(struct host_view *v);

#endif /* ASCPROF_EXPORT_HOST_H */
