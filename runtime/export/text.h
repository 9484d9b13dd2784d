/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast text of numbers. Each function writes at @to, which has room, and
 * returns the end; nothing is terminated, nothing depends on the locale.
 */
#ifndef ASCPROF_TEXT_H
#define ASCPROF_TEXT_H

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

static inline char *text_u64(char *to, uint64_t v)
{
	char buf[20];
	char *p = buf + sizeof(buf);
	size_t n;

	while (v >= 100) {
		p -= 2;
		text_pair(p, (unsigned int)(v % 100));
		v /= 100;
	}
	if (v >= 10) {
		p -= 2;
		text_pair(p, (unsigned int)v);
	} else {
		*--p = (char)('0' + v);
	}
	n = (size_t)(buf + sizeof(buf) - p);
	memcpy(to, p, n);
	return to + n;
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
	to = text_u64(to, u / 1000);
	*to++ = '.';
	*to++ = (char)('0' + rest / 100);
	return text_pair(to, rest % 100);
}

static inline char *text_copy(char *to, const char *s, size_t n)
{
	memcpy(to, s, n);
	return to + n;
}

#define text_literal(to, s) text_copy(to, s, sizeof(s) - 1)

#endif /* ASCPROF_TEXT_H */
