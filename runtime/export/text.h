/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast text of numbers. Each function writes at @to, which has room, and
 * returns the end; nothing is terminated, nothing depends on the locale.
 */
#ifndef ASCPROF_TEXT_H
#define ASCPROF_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TEXT_NUMBER 24 /* bytes that one number may take */

static inline char *text_pair(char *to, unsigned int v)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";

	memcpy(to, pairs + 2 * v, 2);
	return to + 2;
}

/* Exactly four digits, of @v below 10,000 */
static inline char *text_four(char *to, uint32_t v)
{
	to = text_pair(to, v / 100);
	return text_pair(to, v % 100);
}

/* Exactly eight digits, of @v below 100,000,000 */
static inline char *text_eight(char *to, uint32_t v)
{
	to = text_four(to, v / 10000);
	return text_four(to, v % 10000);
}

/* Up to four digits, the first not 0 unless it is the only one */
static inline char *text_below_four(char *to, uint32_t v)
{
	if (v >= 1000)
		return text_four(to, v);
	if (v >= 100) {
		*to++ = (char)('0' + v / 100);
		return text_pair(to, v % 100);
	}
	if (v >= 10)
		return text_pair(to, v);
	*to = (char)('0' + v);
	return to + 1;
}

static inline char *text_below_eight(char *to, uint32_t v)
{
	return v < 10000 ? text_below_four(to, v) : text_four(text_below_four(to, v / 10000), v % 10000);
}

static inline char *text_u64(char *to, uint64_t v)
{
	const uint64_t eight = 100000000;

	if (v < eight)
		return text_below_eight(to, (uint32_t)v);
	if (v < eight * eight)
		return text_eight(text_below_eight(to, (uint32_t)(v / eight)), (uint32_t)(v % eight));
	to = text_below_four(to, (uint32_t)(v / (eight * eight)));
	to = text_eight(to, (uint32_t)(v / eight % eight));
	return text_eight(to, (uint32_t)(v % eight));
}

static inline char *text_i64(char *to, int64_t v)
{
	if (v < 0)
		*to++ = '-';
	return text_u64(to, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* A count of thousandths, with three decimals: 1234567 is 1234.567 */
static inline char *text_thousandths(char *to, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	unsigned int rest = (unsigned int)(u % 1000);

	if (v < 0)
		*to++ = '-';
	to = u < 100000000000 ? text_below_eight(to, (uint32_t)(u / 1000)) : text_u64(to, u / 1000);
	*to++ = '.';
	*to++ = (char)('0' + rest / 100);
	return text_pair(to, rest % 100);
}

/*
 * As text_thousandths(), for stamps in ns that mostly lie in the same second as
 * the one before: those digits are kept.
 */
struct text_clock {
	uint64_t second;
	size_t len; /* 0: nothing yet */
	char text[16];
};

static inline char *text_clock(char *to, struct text_clock *c, int64_t ns)
{
	uint64_t second;
	uint32_t rest;

	if (ns < 1000000000)
		return text_thousandths(to, ns);
	second = (uint64_t)ns / 1000000000;
	rest = (uint32_t)((uint64_t)ns % 1000000000);
	if (second != c->second || !c->len) {
		c->second = second;
		c->len = (size_t)(text_u64(c->text, second) - c->text);
	}
	memcpy(to, c->text, sizeof(c->text));
	to = text_pair(to + c->len, rest / 10000000);
	to = text_four(to, rest / 1000 % 10000);
	*to++ = '.';
	*to++ = (char)('0' + rest / 100 % 10);
	return text_pair(to, rest % 100);
}

static inline char *text_copy(char *to, const char *s, size_t n)
{
	memcpy(to, s, n);
	return to + n;
}

/*
 * Copies a text that is kept, by pieces of 16 bytes, at least @len bytes: compilers make slow
 * string instructions of larger ones. Both sides have room for the last piece.
 */
static inline char *text_kept(char *to, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i += 16)
		memcpy(to + i, s + i, 16);
	return to + len;
}

#define text_literal(to, s) text_copy(to, s, sizeof(s) - 1)

#endif /* ASCPROF_TEXT_H */
