/* SPDX-License-Identifier: Apache-2.0 */
#include "native/rows.h"

#include <string.h>

#include "format/utf8.h"

static const enum row_tx_event event_of[NATIVE_KINDS] = {
	[NATIVE_MARK] = ROW_TX_MARK,
	[NATIVE_PUSH_POP] = ROW_TX_PUSH_POP,
	[NATIVE_RANGE] = ROW_TX_RANGE,
	[NATIVE_MSTX_MARK] = ROW_TX_MARK,
	[NATIVE_MSTX_RANGE] = ROW_TX_RANGE,
	[NATIVE_MARK_EX] = ROW_TX_MARK_EX,
};

size_t native_rows_text(const struct native_event *e, char *to)
{
	/* Only marked events can go on in a second row. */
	return utf8_copy(to, e->bits & NATIVE_MARKED ? NATIVE_ROWS_TEXT : ROW_TX_MESSAGE_MAX, e->text, e->text_len);
}

/* Bytes of valid UTF-8 that one row takes: as many as fit, up to a character's end. */
static size_t one_row(const char *text, size_t len)
{
	size_t n = ROW_TX_MESSAGE_MAX;

	if (len <= n)
		return len;
	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

uint32_t native_rows_count(const struct native_event *e, const char *text, size_t len)
{
	uint32_t n = 1;

	if (!(e->bits & NATIVE_MARKED))
		return 1;
	for (size_t at = one_row(text, len); at < len; n++)
		at += one_row(text + at, len - at);
	return n;
}

void native_rows_plain(struct row_tx *row, uint32_t pid)
{
	*row = (struct row_tx){
		.magic = ROW_MAGIC,
		.level = ROW_TX_LEVEL,
		.data_len = ROW_TX_DATA_LEN,
		.magic2 = ROW_MAGIC,
		.tag = ROW_TX_TAG,
		.pid = pid,
	};
}

/* All but the message. */
static void fill(struct row_tx *row, uint32_t pid, const struct native_event *e)
{
	native_rows_plain(row, pid);
	row->report_tid = e->tid;
	row->tid = e->tid;
	row->event = event_of[e->kind];
	row->start = e->start;
	row->end = e->end;
	row->stamp = e->end;
	if (e->bits & NATIVE_TAGGED) {
		row->category = e->category;
		row->payload_type = e->payload_type;
		row->payload = e->payload;
	}
	if (e->bits & NATIVE_MARKED) {
		row->info_type = ROW_TX_INFO_SEGMENT;
		row->tid = e->begin_tid;
		row->mark_id = e->mark_id;
		row->domain = e->domain;
	}
}

void native_rows_fill(struct row_tx *row, uint32_t rows, uint32_t pid, const struct native_event *e, const char *text,
		      size_t len)
{
	fill(row, pid, e);
	for (size_t i = 0, at = 0, n; i < rows; i++, at += n) {
		if (i)
			memcpy(&row[i], row, offsetof(struct row_tx, message));
		row[i].segment = (uint16_t)i;
		n = one_row(text + at, len - at);
		memcpy(row[i].message, text + at, n);
		memset(row[i].message + n, 0, sizeof(row[i].message) - n);
	}
}
