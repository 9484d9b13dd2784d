/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed slices: blocks of the native layout, and zstd frames, with columns or
 * without. The first byte says which. Checksums of blocks, and of what describes
 * columns, are made right, or nothing behind them would ever be looked at.
 */
#include "tests/fuzz/readers/reader.h"

#include <stdlib.h>
#include <string.h>

#include "export/unpack.h"
#include "format/crc32c.h"
#include "native/block.h"
#include "native/frames.h"

#define OUTPUT_MAX (64u << 20) /* more from one input is a finding */

static int take(void *arg, const void *data, size_t len)
{
	uint64_t *left = arg;
	const volatile char *bytes = data;

	if (len) { /* all of it can be read */
		(void)bytes[0];
		(void)bytes[len - 1];
	}
	if (len > *left)
		abort();
	*left -= len;
	return 0;
}

/* Makes the checksums of all blocks right that are where the ones before end. */
static void mend(uint8_t *data, size_t size)
{
	struct native_header h;

	while (size >= sizeof(h)) {
		memcpy(&h, data, sizeof(h));
		if (h.block_bytes < sizeof(h) || h.block_bytes > size || h.stored_bytes > h.block_bytes - sizeof(h))
			return;
		h.crc = 0;
		memcpy(data, &h, sizeof(h));
		h.crc = crc32c(~0u, data, sizeof(h) + h.stored_bytes);
		memcpy(data, &h, sizeof(h));
		data += h.block_bytes;
		size -= h.block_bytes;
	}
}

#define CRC_AT 16 /* of what describes columns */

static void mend_frames(uint8_t *data, size_t size)
{
	while (size >= FRAMES_HEAD) {
		uint32_t magic, bytes, crc = 0;
		size_t len;

		memcpy(&magic, data, 4);
		memcpy(&bytes, data + 4, 4);
		if (magic == FRAMES_SKIPPED && bytes >= FRAMES_HEAD - 8 && bytes <= size - 8) {
			memcpy(data + CRC_AT, &crc, 4);
			crc = crc32c(~0u, data, 8 + bytes);
			memcpy(data + CRC_AT, &crc, 4);
		}
		len = native_zstd_frame(data, size);
		if (!len)
			return;
		data += len;
		size -= len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unpacked got;
	uint64_t left = OUTPUT_MAX;
	uint8_t *copy;

	if (!size)
		return 0;
	copy = malloc(size);
	memcpy(copy, data, size);
	if (!(data[0] & 2))
		(data[0] & 1 ? mend_frames : mend)(copy + 1, size - 1);
	unpack_slice(data[0] & 1 ? PACKED_ZSTD : PACKED_NATIVE, copy + 1, size - 1, take, &left, &got);
	free(copy);
	return 0;
}
