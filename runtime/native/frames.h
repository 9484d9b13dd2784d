/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of compressed slices, each of which can be read alone: rows as they are,
 * or, behind a frame for skipping that describes them, columns. Thread-safe.
 */
#ifndef ASCPROF_NATIVE_FRAMES_H
#define ASCPROF_NATIVE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "native/zstd.h"

/* The frame for skipping: four bytes of each, then */
#define FRAMES_SKIPPED 0x184D2A5Au /* one of zstd's sixteen, and the bytes that follow */
#define FRAMES_COLUMNS 0x43505341u /* "ASPC" */
#define FRAMES_HEAD 20u /* with version, how far away, and a checksum; then a byte for each column's width */
#define FRAMES_VERSION 1u

#define FRAMES_MAX (4u << 20) /* bytes that one frame may become */

/*
 * @description: of the columns of a row, as in format/rows.h; NULL: rows as they are. @work: @len bytes.
 * @to: NATIVE_ZSTD_STORED(@len) bytes. Return: bytes that are used of it; there are always some.
 */
size_t frames_pack(struct native_zstd *z, const char *description, void *to, const void *rows, uint32_t len,
		   void *work);

/*
 * The first of @from, with what describes it. @rows, @work: FRAMES_MAX bytes. @used: bytes of @from.
 * Return: bytes of @rows; -1 when it is damaged or cut off.
 */
long frames_unpack(void *rows, const void *from, size_t size, void *work, size_t *used);

#endif /* ASCPROF_NATIVE_FRAMES_H */
