/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control files of host/ or device_<N>/: info.json, sample.json, start_info,
 * end_info, host_start.log, dev_start.log. Not thread-safe.
 */
#ifndef ASCPROF_CONTROL_H
#define ASCPROF_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/diag.h"

#define CONTROL_MAX_BYTES (8u << 20) /* of one file, as the public parser */

/* A frequency: as the parser computes with it, and exact. 0: not given. */
struct control_rate {
	double hz;
	uint64_t micro_hz;
};

#define CONTROL_CARDS 32

struct control_card {
	char name[32];
	uint64_t mbit; /* a second */
};

struct control {
	char hostname[256];
	char pid_name[256];
	char source[256]; /* ascprofSource: where counters come from */
	char platform[16];
	uint64_t pid;
	int version; /* collection version: 1 or 2 */
	char llc_mode[16]; /* "read", "write", other */
	unsigned int hbm_events; /* entries of hbm_profiling_events */

	bool started; /* start_info has both times */
	uint64_t begin_us; /* wall clock */
	uint64_t begin_raw_ns; /* host CLOCK_MONOTONIC_RAW at that moment */
	uint64_t end_us, end_raw_ns; /* 0: no end_info */

	bool host_log; /* host_start.log exists */
	uint64_t host_ns, host_ticks;
	int64_t host_ticks_diff;
	uint64_t device_ns, device_ticks;
	struct control_rate host_rate; /* of host stamps; 0: they are nanoseconds */
	struct control_rate device_rate;

	/* what host data are related to; 0: not given */
	uint64_t cpus, memory_kb;
	uint64_t clock_hz; /* of the kernel's ticks */
	uint64_t disk_hz; /* samples a second */
	struct control_card card[CONTROL_CARDS];
	unsigned int nr_cards;
};

/*
 * Whether a folder with an entry of this name holds one part of a result
 * directory: that is what an info.json or info.json.<N> makes it.
 */
bool control_is_info(const char *name);

/*
 * Reads what there is in the folder @dir_fd, called @dir in messages. Missing
 * files and keys leave zeros; files that cannot be read are warned about.
 */
void control_read(struct control *c, int dir_fd, const char *dir, struct diag *diag);

/* A whole regular file of at most @max bytes, terminated; NULL with errno set. */
char *control_load(int dir_fd, const char *name, size_t max, size_t *len);

#endif /* ASCPROF_CONTROL_H */
