/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of numbers as columns, each number by what it differs from the one in the
 * row before of the same counter. They take as many bytes, most of which become
 * zeros: that is what a compressor wants. Thread-safe.
 */
#ifndef ASCPROF_NATIVE_COLUMNS_H
#define ASCPROF_NATIVE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COLUMNS_MAX 32u
#define COLUMNS_ROW_MAX 1024u /* bytes of a row */
#define COLUMNS_AWAY_MAX 4096u

struct columns {
	uint32_t row_bytes; /* the sum of the widths */
	uint32_t away; /* in rows: what a number is compared with; the first ones with zero */
	uint32_t nr;
	uint8_t width[COLUMNS_MAX]; /* 1, 2, 4 or 8 bytes */
};

/*
 * By a description of a row, as format/rows.h has them, and by how far away the
 * first of the @len bytes of rows that tells of the same counter as the first of all is.
 */
void columns_describe(struct columns *c, const char *description, const void *rows, uint32_t len);
/* Whether these numbers can be those of columns. */
bool columns_are_sound(const struct columns *c);

/* @to: as many bytes as the rows have; both for columns_are_sound() ones */
void columns_split(const struct columns *c, void *to, const void *rows, uint32_t nr_rows);
void columns_join(const struct columns *c, void *rows, const void *from, uint32_t nr_rows);

#endif /* ASCPROF_NATIVE_COLUMNS_H */
