/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native layout of annotations: slices of blocks, a few bytes an event.
 * docs/format.md has the whole of it; what follows is what writer and readers
 * share.
 *
 * A slice is a sequence of blocks, each a multiple of NATIVE_PAGE bytes, and
 * can be read without any other slice. A block is a header and a payload; the
 * payload, once decompressed, is a sequence of chunks:
 *
 *	varint tid, varint events, varint bytes of each column, the columns
 *
 * Columns, one entry an event unless a bit of its tag says that there is none:
 *
 *	tag	one byte: kind, NATIVE_* bits
 *	time	zigzag(end - end of the event before in the chunk, or 0);
 *		with NATIVE_LASTS: varint end - start
 *	id	without NATIVE_NEW: varint number of a text of this slice
 *	text	with NATIVE_NEW: varint bytes shared with the text before it in
 *		this column of the slice, varint bytes that follow, these bytes.
 *		Texts are numbered from 0 as they come, until there are
 *		NATIVE_TEXTS or they have NATIVE_TEXT_BYTES; later ones have no number
 *	extra	with NATIVE_MARKED: zigzag(mark id - that of the last such event
 *		in the chunk, or 0), varint tid of the beginning, 8 bytes domain;
 *		with NATIVE_TAGGED: varint category, zigzag payload type,
 *		varint payload
 *
 * varint: seven bits a byte, low ones first, bit 7 when more follow; at most
 * ten bytes. zigzag: (v << 1) ^ (v >> 63), as a varint. All is little-endian.
 */
#ifndef ASCPROF_NATIVE_BLOCK_H
#define ASCPROF_NATIVE_BLOCK_H

#include <stdint.h>

#define NATIVE_TAG_NAME "ascprof.msproftx" /* slices are <it>.slice_<k>, in host/data */
#define NATIVE_PAGE 4096u
#define NATIVE_MAGIC 0x42505341u /* "ASPB" */
#define NATIVE_VERSION 1
#define NATIVE_KINDS 8
#define NATIVE_TEXTS 65536u
#define NATIVE_TEXT_BYTES (8u << 20)
#define NATIVE_TEXT_MAX 65535u /* bytes of one text */

/* A block is ended when it has this much, so none has more than the maximum. */
#define NATIVE_FILL (96u << 10)
#define NATIVE_RAW_MAX (192u << 10)
#define NATIVE_BLOCK_MAX (NATIVE_RAW_MAX + NATIVE_PAGE)

enum native_tag {
	NATIVE_KIND = 0x07,
	NATIVE_LASTS = 0x08,
	NATIVE_MARKED = 0x10,
	NATIVE_TAGGED = 0x20,
	NATIVE_NEW = 0x40,
};

enum native_column { NATIVE_TAG, NATIVE_TIME, NATIVE_ID, NATIVE_TEXT, NATIVE_EXTRA, NATIVE_COLUMNS };

enum native_codec { NATIVE_PLAIN = 0, NATIVE_ZSTD = 1 };

struct native_header {
	uint32_t magic;
	uint16_t version;
	uint16_t header_bytes;
	uint32_t block_bytes; /* with header and filling zeros */
	uint32_t stored_bytes; /* of the payload as it is here */
	uint32_t raw_bytes; /* of the payload, decompressed */
	uint16_t codec; /* enum native_codec */
	uint16_t zero;
	uint32_t crc; /* CRC-32C of the header with 0 here and the stored payload; seed ~0, not inverted */
	uint32_t pid;
	uint32_t events[NATIVE_KINDS];
};

_Static_assert(sizeof(struct native_header) == 64, "header of a block");

/* The numbers of enum tx_kind; those above are of no known kind. */
enum native_kind {
	NATIVE_MARK,
	NATIVE_PUSH_POP,
	NATIVE_RANGE,
	NATIVE_MSTX_MARK,
	NATIVE_MSTX_RANGE,
	NATIVE_MARK_EX,
};

struct native_event {
	uint32_t kind; /* enum native_kind; below NATIVE_KINDS */
	uint32_t tid; /* that reported it */
	uint64_t start; /* CLOCK_MONOTONIC_RAW, ns */
	uint64_t end;
	const char *text;
	uint32_t text_len;
	uint8_t bits; /* NATIVE_MARKED, NATIVE_TAGGED: which of the rest there is */

	uint32_t begin_tid;
	uint64_t mark_id;
	uint64_t domain;

	uint32_t category;
	int32_t payload_type;
	uint64_t payload;
};

#endif /* ASCPROF_NATIVE_BLOCK_H */
