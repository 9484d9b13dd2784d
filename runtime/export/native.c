/* SPDX-License-Identifier: Apache-2.0 */
#include "export/native.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format/crc32c.h"
#include "native/zstd.h"

struct span {
	const uint8_t *at, *end;
};

struct reader {
	const char *wrong;
	/* the slice's texts: end of each in `texts` */
	uint32_t end[NATIVE_TEXTS];
	uint32_t nr;
	uint8_t texts[NATIVE_TEXT_BYTES];
	uint8_t text[NATIVE_TEXT_MAX]; /* the last new one */
	uint32_t text_len;
	uint8_t saved[NATIVE_TEXT_MAX]; /* the same before the block being read */
	uint8_t raw[NATIVE_RAW_MAX];
};

static bool bad(struct reader *r, const char *what)
{
	if (!r->wrong)
		r->wrong = what;
	return false;
}

static bool number(struct reader *r, struct span *s, uint64_t *v)
{
	*v = 0;
	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (s->at == s->end)
			return bad(r, "a number is cut off");
		byte = *s->at++;
		*v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return bad(r, "a number is too long");
}

static bool small(struct reader *r, struct span *s, uint32_t *v)
{
	uint64_t wide;

	if (!number(r, s, &wide))
		return false;
	*v = (uint32_t)wide;
	return wide <= UINT32_MAX || bad(r, "a number is too large");
}

static bool part(struct reader *r, struct span *s, uint32_t len, struct span *out)
{
	if (len > (size_t)(s->end - s->at))
		return bad(r, "a column is longer than the block");
	*out = (struct span) { s->at, s->at + len };
	s->at += len;
	return true;
}

static uint64_t unzigzag(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

static uint32_t text_begin(const struct reader *r, uint32_t i)
{
	return i ? r->end[i - 1] : 0;
}

static bool new_text(struct reader *r, struct span *s)
{
	uint32_t same, more, begin = text_begin(r, r->nr);
	struct span rest;

	if (!small(r, s, &same) || !small(r, s, &more) || !part(r, s, more, &rest))
		return false;
	if (same > r->text_len || more > NATIVE_TEXT_MAX - same)
		return bad(r, "a text is too long");
	memcpy(r->text + same, rest.at, more);
	r->text_len = same + more;
	if (r->nr == NATIVE_TEXTS || r->text_len > NATIVE_TEXT_BYTES - begin)
		return true;
	memcpy(r->texts + begin, r->text, r->text_len);
	r->end[r->nr++] = begin + r->text_len;
	return true;
}

static bool read_text(struct reader *r, struct span *column, uint8_t tag, struct native_event *e)
{
	uint32_t i;

	if (tag & NATIVE_NEW) {
		if (!new_text(r, &column[NATIVE_TEXT]))
			return false;
		e->text = (const char *)r->text;
		e->text_len = r->text_len;
		return true;
	}
	if (!small(r, &column[NATIVE_ID], &i))
		return false;
	if (i >= r->nr)
		return bad(r, "a text has an unknown number");
	e->text = (const char *)r->texts + text_begin(r, i);
	e->text_len = r->end[i] - text_begin(r, i);
	return true;
}

static bool read_extra(struct reader *r, struct span *s, struct native_event *e, uint64_t *last_mark)
{
	uint64_t v;

	if (e->bits & NATIVE_MARKED) {
		if (!number(r, s, &v) || !small(r, s, &e->begin_tid))
			return false;
		e->mark_id = *last_mark += unzigzag(v);
		if (s->end - s->at < (ptrdiff_t)sizeof(e->domain))
			return bad(r, "a domain is cut off");
		memcpy(&e->domain, s->at, sizeof(e->domain));
		s->at += sizeof(e->domain);
	}
	if (e->bits & NATIVE_TAGGED) {
		if (!small(r, s, &e->category) || !number(r, s, &v) || !number(r, s, &e->payload))
			return false;
		e->payload_type = (int32_t)unzigzag(v);
	}
	return true;
}

struct target {
	int (*each)(void *arg, const struct native_event *event); /* NULL: only look */
	void *arg;
	uint64_t events[NATIVE_KINDS];
	int stopped;
};

static bool read_chunk(struct reader *r, struct span *s, struct target *to)
{
	uint32_t tid, events, len[NATIVE_COLUMNS];
	struct span column[NATIVE_COLUMNS];
	uint64_t last_end = 0, last_mark = 0, v;

	if (!small(r, s, &tid) || !small(r, s, &events))
		return false;
	for (int c = 0; c < NATIVE_COLUMNS; c++)
		if (!small(r, s, &len[c]))
			return false;
	for (int c = 0; c < NATIVE_COLUMNS; c++)
		if (!part(r, s, len[c], &column[c]))
			return false;
	if (events != len[NATIVE_TAG])
		return bad(r, "a chunk's tags are not as many as its events");
	for (uint32_t i = 0; i < events; i++) {
		uint8_t tag = column[NATIVE_TAG].at[i];
		struct native_event e = { .kind = tag & NATIVE_KIND, .tid = tid };

		e.bits = tag & (NATIVE_MARKED | NATIVE_TAGGED);
		if (tag & ~(NATIVE_KIND | NATIVE_LASTS | NATIVE_MARKED | NATIVE_TAGGED | NATIVE_NEW))
			return bad(r, "a tag has an unknown bit");
		if (!number(r, &column[NATIVE_TIME], &v))
			return false;
		e.end = last_end += unzigzag(v);
		e.start = e.end;
		if (tag & NATIVE_LASTS) {
			if (!number(r, &column[NATIVE_TIME], &v))
				return false;
			e.start -= v;
		}
		if (!read_text(r, column, tag, &e) || !read_extra(r, &column[NATIVE_EXTRA], &e, &last_mark))
			return false;
		to->events[e.kind]++;
		if (to->each && !to->stopped)
			to->stopped = to->each(to->arg, &e);
		if (to->stopped)
			return true;
	}
	for (int c = NATIVE_TIME; c < NATIVE_COLUMNS; c++)
		if (column[c].at != column[c].end)
			return bad(r, "a column has more than its events");
	return true;
}

static bool read_payload(struct reader *r, const uint8_t *raw, uint32_t len, struct target *to)
{
	struct span s = { raw, raw + len };

	while (s.at != s.end && !to->stopped)
		if (!read_chunk(r, &s, to))
			return false;
	return true;
}

/* The payload of a block whose header is @h, NULL when it is bad. */
static const uint8_t *payload(struct reader *r, const struct native_header *h, const uint8_t *stored)
{
	struct native_header unsummed = *h;

	unsummed.crc = 0;
	if (crc32c(crc32c(~0u, &unsummed, sizeof(unsummed)), stored, h->stored_bytes) != h->crc) {
		bad(r, "a block's checksum is wrong");
		return NULL;
	}
	if (h->codec == NATIVE_PLAIN) {
		if (h->stored_bytes == h->raw_bytes)
			return stored;
		bad(r, "a block's lengths differ");
		return NULL;
	}
	if (*native_zstd_missing()) {
		bad(r, "a block is compressed, and libzstd is not here");
		return NULL;
	}
	if (native_zstd_unpack(r->raw, h->raw_bytes, stored, h->stored_bytes) != (long)h->raw_bytes) {
		bad(r, "a block cannot be decompressed");
		return NULL;
	}
	return r->raw;
}

static bool read_header(struct reader *r, const uint8_t *at, size_t left, struct native_header *h)
{
	if (left < sizeof(*h))
		return bad(r, "a block is cut off");
	memcpy(h, at, sizeof(*h));
	if (h->magic != NATIVE_MAGIC)
		return bad(r, "a block has no magic number");
	if (h->version != NATIVE_VERSION || h->header_bytes != sizeof(*h) ||
	    (h->codec != NATIVE_PLAIN && h->codec != NATIVE_ZSTD))
		return bad(r, "a block is of a version that is not known");
	if (h->block_bytes > left || h->block_bytes < sizeof(*h))
		return bad(r, "a block is cut off");
	if (h->stored_bytes > h->block_bytes - sizeof(*h) || h->raw_bytes > NATIVE_RAW_MAX)
		return bad(r, "a block's lengths are impossible");
	return true;
}

static bool read_block(struct reader *r, const uint8_t *at, const struct native_header *h, struct target *to)
{
	uint32_t nr = r->nr, text_len = r->text_len;
	struct target look = { 0 };
	const uint8_t *raw;

	/* What the look adds is added once more, with the same numbers. */
	memcpy(r->saved, r->text, text_len);
	raw = payload(r, h, at + sizeof(*h));
	if (!raw || !read_payload(r, raw, h->raw_bytes, &look))
		return false;
	for (int k = 0; k < NATIVE_KINDS; k++)
		if (look.events[k] != h->events[k])
			return bad(r, "a block has not the events that it says");
	if (!to->each) {
		for (int k = 0; k < NATIVE_KINDS; k++)
			to->events[k] += look.events[k];
		return true;
	}
	r->nr = nr;
	r->text_len = text_len;
	memcpy(r->text, r->saved, text_len);
	return read_payload(r, raw, h->raw_bytes, to);
}

int native_read(const void *slice, size_t size, int (*each)(void *arg, const struct native_event *event), void *arg,
		struct native_reading *out)
{
	struct target to = { .each = each, .arg = arg };
	struct reader *r = calloc(1, sizeof(*r));
	const uint8_t *base = slice;
	struct native_header h;

	*out = (struct native_reading) { 0 };
	if (!r)
		return -1;
	while (out->good_bytes < size && !to.stopped) {
		if (!read_header(r, base + out->good_bytes, size - out->good_bytes, &h))
			break;
		out->pid = h.pid;
		if (!read_block(r, base + out->good_bytes, &h, &to))
			break;
		out->good_bytes += h.block_bytes;
		out->blocks++;
	}
	memcpy(out->events, to.events, sizeof(out->events));
	out->wrong = r->wrong;
	free(r);
	return to.stopped;
}
