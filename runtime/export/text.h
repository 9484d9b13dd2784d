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

/* ".000.001" up to ".999.": where a number below 1,000 is, with a point before and one behind */
static inline const char *text_points(unsigned int v)
{
#define TEXT_TEN(d) "." d "0." d "1." d "2." d "3." d "4." d "5." d "6." d "7." d "8." d "9"
#define TEXT_HUNDRED(d) \
	TEXT_TEN(d "0") TEXT_TEN(d "1") TEXT_TEN(d "2") TEXT_TEN(d "3") TEXT_TEN(d "4") \
	TEXT_TEN(d "5") TEXT_TEN(d "6") TEXT_TEN(d "7") TEXT_TEN(d "8") TEXT_TEN(d "9")
	static const char points[] =
		TEXT_HUNDRED("0") TEXT_HUNDRED("1") TEXT_HUNDRED("2") TEXT_HUNDRED("3") TEXT_HUNDRED("4")
		TEXT_HUNDRED("5") TEXT_HUNDRED("6") TEXT_HUNDRED("7") TEXT_HUNDRED("8") TEXT_HUNDRED("9") ".";
#undef TEXT_HUNDRED
#undef TEXT_TEN

	return points + 4 * v;
}

/* A count of thousandths, with three decimals: 1234567 is 1234.567 */
static inline char *text_thousandths(char *to, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	if (v < 0)
		*to++ = '-';
	to = u < 100000000000 ? text_below_eight(to, (uint32_t)(u / 1000)) : text_u64(to, u / 1000);
	memcpy(to, text_points((unsigned int)(u % 1000)), 4);
	return to + 4;
}

/*
 * As text_thousandths(), for stamps in ns that mostly lie in the same millisecond as
 * the one before: those digits are kept.
 */
struct text_clock {
	uint64_t ms;
	size_t len; /* 0: nothing yet */
	char text[16];
};

static inline char *text_clock(char *to, struct text_clock *c, int64_t ns)
{
	uint64_t ms = (uint64_t)ns / 1000000;
	uint32_t rest = (uint32_t)((uint64_t)ns - ms * 1000000);

	if (ns < 1000000)
		return text_thousandths(to, ns);
	if (ms != c->ms || !c->len) {
		c->ms = ms;
		c->len = (size_t)(text_u64(c->text, ms) - c->text);
	}
	memcpy(to, c->text, sizeof(c->text));
	to += c->len;
	memcpy(to, text_points(rest / 1000) + 1, 4);
	memcpy(to + 4, text_points(rest % 1000) + 1, 3);
	return to + 7;
}

static inline char *text_copy(char *to, const char *s, size_t n)
{
	memcpy(to, s, n);
	return to + n;
}

/*
 * Copies a text that is kept, by pieces of 16 bytes: compilers make slow string instructions of
 * larger ones. @usual bytes, a constant that most are not longer than, are copied without asking.
 * Both sides have room for these, and for the last piece.
 */
static inline __attribute__((always_inline)) char *text_kept(char *to, const char *s, size_t len, size_t usual)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < usual; i += 16)
		memcpy(to + i, s + i, 16);
	for (size_t i = usual; i < len; i += 16)
		memcpy(to + i, s + i, 16);
	return to + len;
}

#define text_literal(to, s) text_copy(to, s, sizeof(s) - 1)

#endif /* ASCPROF_TEXT_H */
