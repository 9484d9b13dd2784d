/* SPDX-License-Identifier: Apache-2.0 */
/* From events to the vendor's msproftx rows: one row, or several for a long text. */
#ifndef ASCPROF_NATIVE_ROWS_H
#define ASCPROF_NATIVE_ROWS_H

#include <stddef.h>

#include "format/rows.h"
#include "native/block.h"

#define NATIVE_ROWS_MAX 1024u /* of one event */
/* Rows end on character borders: each has room for 152 bytes at least. */
#define NATIVE_ROWS_TEXT (NATIVE_ROWS_MAX * (ROW_TX_MESSAGE_MAX - 3))

/* What the rows of an event will hold, as valid UTF-8. @to: NATIVE_ROWS_TEXT bytes. Return: bytes. */
size_t native_rows_text(const struct native_event *e, char *to);

/* How many rows that makes. */
uint32_t native_rows_count(const struct native_event *e, const char *text, size_t len);

/* A row of a stamp without details, but for its thread, event, times and text. */
void native_rows_plain(struct row_tx *row, uint32_t pid);

/* Fills all @rows of them. */
void native_rows_fill(struct row_tx *row, uint32_t rows, uint32_t pid, const struct native_event *e, const char *text,
		      size_t len);

#endif /* ASCPROF_NATIVE_ROWS_H */
