/* SPDX-License-Identifier: Apache-2.0 */
/* From events to blocks of the native layout. For the flusher's thread alone. */
#ifndef ASCPROF_NATIVE_ENCODE_H
#define ASCPROF_NATIVE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/words.h"
#include "native/block.h"

struct native_encoder;

/* @level: of zstd; 0: none. Return: NULL without memory. */
struct native_encoder *native_encoder_new(uint32_t pid, int level);
void native_encoder_free(struct native_encoder *e);

/* A new slice begins: nothing of the last one can be referred to. No event is pending. */
void native_new_slice(struct native_encoder *e);

/* Return: whether the block is full and has to be taken before the next event. */
bool native_put(struct native_encoder *e, const struct native_event *event);

/*
 * A run of events of one thread that have no details: its state is the caller's,
 * so that it is in registers, where the encoder's would be read again after every byte.
 */
struct native_run {
	uint32_t room; /* so many events fit, whatever their times are */
	uint8_t *tag, *time, *id; /* ends of columns */
	uint64_t last_end;
	const char *text; /* the last one; NULL: none with a number */
	uint32_t text_len;
	uint32_t id_len;
	uint32_t id_bytes; /* its number as a varint */
};

void native_run_begin(struct native_encoder *e, uint32_t tid, struct native_run *r);
/* Return: NATIVE_NEW, or 0 when the text has a number. */
uint8_t native_run_text(struct native_encoder *e, struct native_run *r, const char *text, uint32_t len);
/* @events of each kind were put. Return: as native_put(). */
bool native_run_end(struct native_encoder *e, const struct native_run *r, const uint32_t events[NATIVE_KINDS]);

/* Texts are short: a call of memcmp() costs more than the comparison. */
static inline bool native_equal(const char *a, const char *b, uint32_t len)
{
	if (len < 8) {
		for (uint32_t i = 0; i < len; i++)
			if (a[i] != b[i])
				return false;
		return true;
	}
	for (uint32_t i = 0; i + 8 < len; i += 8)
		if (word_at(a + i) != word_at(b + i))
			return false;
	return word_at(a + len - 8) == word_at(b + len - 8);
}

/* As many bytes as the number needs; most need one or two. Up to ten are written. */
static inline uint8_t *native_varint(uint8_t *to, uint64_t v)
{
	for (; __builtin_expect(v >= 0x80, 0); v >>= 7)
		*to++ = (uint8_t)(v | 0x80);
	*to++ = (uint8_t)v;
	return to;
}

static inline uint64_t native_zigzag(uint64_t difference)
{
	return difference << 1 ^ -(difference >> 63);
}

static inline void native_run_put(struct native_run *r, uint32_t kind, uint64_t start, uint64_t end, const char *text,
				  uint32_t len, struct native_encoder *e)
{
	uint8_t fresh = 0;

	if (!r->text || r->text_len != len || !native_equal(r->text, text, len)) {
		/* by a copy: one whose address is given away is in no register */
		struct native_run copy = *r;

		fresh = native_run_text(e, &copy, text, len);
		*r = copy;
	}
	memcpy(r->id, &r->id_bytes, sizeof(r->id_bytes));
	r->id += fresh ? 0 : r->id_len;
	r->time = native_varint(r->time, native_zigzag(end - r->last_end));
	r->last_end = end;
	if (end != start)
		r->time = native_varint(r->time, end - start);
	*r->tag++ = (uint8_t)(kind | fresh | (end != start ? NATIVE_LASTS : 0));
	r->room--;
}

bool native_pending(const struct native_encoder *e);

/*
 * Writes the block of all pending events to @to, which has NATIVE_BLOCK_MAX
 * bytes of room, and how many there are of each kind to @events.
 * Return: its bytes, a multiple of NATIVE_PAGE.
 */
size_t native_take(struct native_encoder *e, void *to, uint32_t events[NATIVE_KINDS]);

/* Forgets all pending events; says how many of each kind. */
void native_drop(struct native_encoder *e, uint32_t events[NATIVE_KINDS]);

#endif /* ASCPROF_NATIVE_ENCODE_H */
