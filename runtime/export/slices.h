/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slices of one tag, in numeric order, mapped read-only, seen as one table
 * of rows. Sizes come from the files, never from what is written in them. Not
 * thread-safe.
 */
#ifndef ASCPROF_SLICES_H
#define ASCPROF_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/diag.h"
#include "export/guard.h"

#define SLICES_ROW_MAX 256

enum slices_kind {
	SLICES_TX,
	SLICES_LLC,
	SLICES_HBM,
	SLICES_SOC,
	SLICES_HASH, /* text lines: rows of one byte */
	SLICES_TENSORS,
	SLICES_CALLS, /* of frameworks, and events */
	SLICES_TYPES, /* text lines */
	/* text, in samples of lines: rows of one byte */
	SLICES_HOST_CPU,
	SLICES_HOST_MEM,
	SLICES_HOST_DISK,
	SLICES_HOST_NETWORK,
	SLICES_SYS_CPU,
	SLICES_SYS_MEM,
	SLICES_PROCESS_CPU,
	SLICES_PROCESS_MEM,
	SLICES_COUNTERS,
	SLICES_SYS_COUNTERS,
	SLICES_DISKS,
	SLICES_SYSCALL,
	SLICES_PTHREAD,
	SLICES_PMUS,
	SLICES_NUMA,
	SLICES_KINDS,
};

struct slice {
	struct guard_range map; /* .begin NULL: the file is empty */
	size_t size;
	uint64_t number;
	char *name;
};

struct slices {
	enum slices_kind kind;
	size_t row_size;
	struct slice *slice;
	unsigned int nr;
	/* How the bytes are cut into rows, from slices_layout(). */
	bool each_alone; /* rows do not cross slices */
	size_t skip; /* bytes of the first slice that belong to a row that aged */
	uint64_t rows;
	uint64_t cut_bytes; /* of incomplete rows */
	uint64_t blank_rows; /* zeros at the end, never written */
};

/* Of the host part; all others are of devices. */
bool slices_of_host(enum slices_kind kind);

/* Whether @name is a slice of @kind; its number. */
bool slices_name(enum slices_kind kind, const char *name, uint64_t *number);

/*
 * Maps all slices of @kind in the folder @dir_fd, called @dir/data in messages.
 * Return: 0 also when there are none; -1 with a message in @diag.
 */
int slices_open(struct slices *s, enum slices_kind kind, size_t row_size, int dir_fd,
		const char *dir, struct diag *diag);
void slices_close(struct slices *s);

/* -1 with a message when a file became shorter while it was read */
int slices_check(const struct slices *s, const char *dir, struct diag *diag);

struct slices_cursor {
	const struct slices *s;
	unsigned int slice;
	size_t at;
	uint64_t left; /* rows */
	unsigned char row[SLICES_ROW_MAX]; /* one that crosses slices */
};

void slices_rewind(struct slices_cursor *c, const struct slices *s);
/*
 * The next row, NULL at the end. It lies in the map, at any alignment, or in
 * the cursor; then it is valid until the next call (never so for SLICES_TX).
 */
const void *slices_next(struct slices_cursor *c);

#endif /* ASCPROF_SLICES_H */
