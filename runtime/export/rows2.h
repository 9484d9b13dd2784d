/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of collection version 2.0, which newer vendor software writes and this
 * project only reads. All others are in format/rows.h.
 */
#ifndef ASCPROF_ROWS2_H
#define ASCPROF_ROWS2_H

#include "format/rows.h"

struct row_llc2 {
	uint32_t zero;
	uint32_t count;
	uint32_t event;
	uint32_t slice;
	uint64_t stamp_ns; /* wall clock */
} __attribute__((packed));

struct row_hbm2 {
	uint32_t zero[2];
	uint32_t write;
	uint32_t unit;
	uint64_t count;
	uint64_t stamp_ns; /* wall clock */
} __attribute__((packed));

_Static_assert(sizeof(struct row_llc2) == sizeof(struct row_llc), "LLC row, version 2.0");
_Static_assert(sizeof(struct row_hbm2) == 32, "HBM row, version 2.0");

#endif /* ASCPROF_ROWS2_H */
