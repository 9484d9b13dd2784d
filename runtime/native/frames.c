/* SPDX-License-Identifier: Apache-2.0 */
#include "native/frames.h"

#include <string.h>

#include "format/crc32c.h"
#include "native/columns.h"

struct head {
	uint32_t magic;
	uint32_t bytes; /* that follow */
	uint32_t what;
	uint16_t version;
	uint16_t away;
	uint32_t crc; /* of all of it, with 0 here, and the widths */
};

_Static_assert(sizeof(struct head) == FRAMES_HEAD, "what describes columns");

static uint32_t crc_of(struct head h, const void *widths, uint32_t nr)
{
	h.crc = 0;
	return crc32c(crc32c(~0u, &h, sizeof(h)), widths, nr);
}

static size_t put_head(char *to, const struct columns *c)
{
	struct head h = {
		.magic = FRAMES_SKIPPED,
		.bytes = FRAMES_HEAD - 8 + c->nr,
		.what = FRAMES_COLUMNS,
		.version = FRAMES_VERSION,
		.away = (uint16_t)c->away,
	};

	h.crc = crc_of(h, c->width, c->nr);
	memcpy(to, &h, sizeof(h));
	memcpy(to + sizeof(h), c->width, c->nr);
	return sizeof(h) + c->nr;
}

/* Columns of rows; 0: they would not be smaller than these. */
static size_t pack_columns(struct native_zstd *z, const char *description, char *to, const void *rows, uint32_t len,
			   void *work)
{
	struct columns c;
	size_t head, n;

	if (!len)
		return 0;
	columns_describe(&c, description, rows, len);
	head = put_head(to, &c);
	if (head >= len)
		return 0;
	columns_split(&c, work, rows, len / c.row_bytes);
	n = native_zstd_pack(z, to + head, len - head, work, len);
	return n ? head + n : 0;
}

size_t frames_pack(struct native_zstd *z, const char *description, void *to, const void *rows, uint32_t len, void *work)
{
	size_t n = description ? pack_columns(z, description, to, rows, len, work) :
				 native_zstd_pack(z, to, len, rows, len);

	return n ? n : native_zstd_store(to, rows, len);
}

/* Return: its bytes, 0 when @from begins with nothing of the kind, -1 when it is damaged. */
static long get_head(struct columns *c, const char *from, size_t size)
{
	struct head h = { 0 };

	memcpy(&h, from, size < sizeof(h) ? size : sizeof(h));
	/* Nothing else is for skipping: what comes behind it would be taken for something that it is not. */
	if ((h.magic & ~0xfu) != (FRAMES_SKIPPED & ~0xfu))
		return 0;
	if (size < sizeof(h) || h.magic != FRAMES_SKIPPED || h.what != FRAMES_COLUMNS || h.version != FRAMES_VERSION || h.bytes <= sizeof(h) - 8 || h.bytes > sizeof(h) - 8 + COLUMNS_MAX ||
	    h.bytes > size - 8)
		return -1;
	*c = (struct columns) { .away = h.away, .nr = h.bytes - (uint32_t)(sizeof(h) - 8) };
	memcpy(c->width, from + sizeof(h), c->nr);
	if (h.crc != crc_of(h, c->width, c->nr))
		return -1;
	for (uint32_t i = 0; i < c->nr; i++)
		c->row_bytes += c->width[i];
	return columns_are_sound(c) ? (long)(sizeof(h) + c->nr) : -1;
}

long frames_unpack(void *rows, const void *from, size_t size, void *work, size_t *used)
{
	const char *at = from;
	struct columns c;
	long head = get_head(&c, from, size), n;
	size_t len;

	if (head < 0)
		return -1;
	at += head;
	len = native_zstd_frame(at, size - (size_t)head);
	n = len ? native_zstd_unpack(head ? work : rows, FRAMES_MAX, at, len) : -1;
	if (n < 0)
		return -1;
	if (head) {
		if (n == 0 || n % c.row_bytes)
			return -1;
		columns_join(&c, rows, work, (uint32_t)n / c.row_bytes);
	}
	*used = (size_t)head + len;
	return n;
}
