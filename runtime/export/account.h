/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ascprof.json: what the runtime says about a result directory. Directories of
 * other runtimes have none. Not thread-safe.
 */
#ifndef ASCPROF_ACCOUNT_H
#define ASCPROF_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/diag.h"

#define ACCOUNT_KIND_LEN 32

struct account_reason {
	char name[ACCOUNT_KIND_LEN];
	uint64_t count;
};

struct account_kind {
	char name[ACCOUNT_KIND_LEN];
	int device; /* or ACCOUNT_HOST */
	uint64_t produced;
	uint64_t written;
	bool bytes; /* the unit; else events */
	char file[32]; /* of a channel, before the device's number; else empty */
	uint64_t row_bytes; /* of such a file; 1: lines */
	uint64_t dropped; /* of all reasons */
	struct account_reason *reason; /* those that are not 0 */
	unsigned int nr_reasons;
	uint64_t open; /* ranges that were open at the end */
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC_RAW, 0: none */
};

struct account_source {
	int device; /* or ACCOUNT_HOST */
	char source[64];
	char kind[32];
	char note[256];
};

/* Whose it is: "host", or "device 3". */
const char *account_source_place(const struct account_source *s, char *place, size_t size);

/* The counter of a device and CLOCK_MONOTONIC_RAW, as they went together. */
struct account_clock {
	int device;
	uint64_t counter, host_ns, micro_hz;
	uint64_t error_ns;
};

struct account_category {
	uint32_t number;
	char name[128];
};

struct account {
	bool exists; /* all that follows is empty otherwise */
	bool running; /* state "running": the program still runs, or was killed */
	char state[32];
	char error[256]; /* why writing ended early */
	char backend[32], backend_reason[256];
	char clock[32];
	char comm[64];
	char record[32]; /* id of the ascprof record that began it, "": the program did */
	uint64_t pid;
	uint64_t start_raw_ns, start_real_ns;
	uint64_t end_raw_ns, end_real_ns;
	uint64_t refused; /* annotations after the end began */
	struct account_source *source;
	unsigned int nr_sources;
	struct account_kind *kind;
	unsigned int nr_kinds;
	struct account_clock *clocks;
	unsigned int nr_clocks;
	struct account_category *category;
	unsigned int nr_categories;
};

/*
 * Reads ascprof.json of the folder @dir_fd, called @dir in messages. What
 * cannot be read is warned about, and as if it were not there.
 */
void account_read(struct account *a, int dir_fd, const char *dir, struct diag *diag);
void account_free(struct account *a);

/* Whether the program that records is there; its pid may be another's of that name by now. */
bool account_alive(const struct account *a);

/* Name of a category of stamps; NULL when it has none. */
const char *account_category(const struct account *a, uint32_t number);

const struct account_clock *account_clock(const struct account *a, int device); /* NULL: not known */

#endif /* ASCPROF_ACCOUNT_H */
