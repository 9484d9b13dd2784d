/* SPDX-License-Identifier: Apache-2.0 */
#include "format/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "format/utf8.h"

#define ONES 0x0101010101010101ULL
#define HIGH 0x8080808080808080ULL

/* A byte of @w that is zero sets its high bit; bytes above it may be wrong. */
static uint64_t zero_bytes(uint64_t w)
{
	return (w - ONES) & ~w & HIGH;
}

/* Eight bytes that need no second look in JSON: no control, quote, backslash, high bit. */
static inline bool plain8(uint64_t w)
{
	uint64_t control = (w - ONES * 0x20) & ~w;
	uint64_t quote = zero_bytes(w ^ ONES * '"');
	uint64_t backslash = zero_bytes(w ^ ONES * '\\');

	return !((control | w | quote | backslash) & HIGH);
}

/* One character or one run of bytes that is none. Return: bytes taken from @s. */
static size_t put_char(char **to, const char *s, size_t n)
{
	int len = utf8_char(s, n);

	if (len > 0) {
		memcpy(*to, s, (size_t)len);
		*to += len;
		return (size_t)len;
	}
	memcpy(*to, "\xef\xbf\xbd", 3);
	*to += 3;
	return len ? (size_t)-len : n;
}

static inline __attribute__((always_inline)) bool copy_few(char *to, const char *s, size_t n,
							    bool (*plain)(uint64_t w))
{
	uint64_t word = ONES * 'x';
	uint32_t first, last;

	if (n >= 4) {
		memcpy(&first, s, 4);
		memcpy(&last, s + n - 4, 4);
		if (!plain(first | (uint64_t)last << 32))
			return false;
		memcpy(to, &first, 4);
		memcpy(to + n - 4, &last, 4);
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		word = word << 8 | (unsigned char)s[i];
		to[i] = s[i];
	}
	return plain(word);
}

/*
 * Copies @n bytes, all of which are plain; at the end some are copied twice. False: they
 * are not, and what is at @to has to be made anew.
 */
static inline __attribute__((always_inline)) bool copy_plain(char *to, const char *s, size_t n,
							      bool (*plain)(uint64_t w))
{
	uint64_t word;

	if (n < 8)
		return copy_few(to, s, n, plain);
	for (size_t i = 0; i + 8 <= n; i += 8) {
		memcpy(&word, s + i, 8);
		if (!plain(word))
			return false;
		memcpy(to + i, &word, 8);
	}
	memcpy(&word, s + n - 8, 8);
	memcpy(to + n - 8, &word, 8);
	return plain(word);
}

static inline bool plain_ascii(uint64_t w)
{
	return !(w & HIGH);
}

char *escape_utf8(char *to, const char *s, size_t n)
{
	size_t taken;

	if (copy_plain(to, s, n, plain_ascii))
		return to + n;
	for (; n; s += taken, n -= taken)
		taken = put_char(&to, s, n);
	return to;
}

char *escape_json(char *to, const char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	uint64_t word;

	if (copy_plain(to, s, n, plain8))
		return to + n;
	while (n) {
		unsigned char c = (unsigned char)*s;
		size_t taken = 1;

		if (n >= 8) {
			memcpy(&word, s, 8);
			if (plain8(word)) {
				memcpy(to, &word, 8);
				to += 8;
				s += 8;
				n -= 8;
				continue;
			}
		}
		if (c == '"' || c == '\\') {
			*to++ = '\\';
			*to++ = (char)c;
		} else if (c < 0x20 || c == 0x7f) {
			memcpy(to, "\\u00", 4);
			to[4] = hex[c >> 4];
			to[5] = hex[c & 15];
			to += 6;
		} else {
			taken = put_char(&to, s, n);
		}
		s += taken;
		n -= taken;
	}
	return to;
}

/* Eight bytes that a CSV field may have as they are: ASCII, but none that needs quotes. */
static inline bool plain_csv(uint64_t w)
{
	uint64_t comma = zero_bytes(w ^ ONES * ','), quote = zero_bytes(w ^ ONES * '"');
	uint64_t line = zero_bytes(w ^ ONES * '\n') | zero_bytes(w ^ ONES * '\r');

	return !((comma | quote | line | w) & HIGH);
}

/* Spreadsheets compute what begins with one of these. */
static bool is_formula(char c)
{
	return c == '=' || c == '+' || c == '-' || c == '@' || c == '\t' || c == '\r';
}

char *escape_csv(char *to, const char *s, size_t n)
{
	bool quoted = false, formula = n && is_formula(*s);

	if (!formula && copy_plain(to, s, n, plain_csv))
		return to + n;
	for (size_t i = 0; i < n && !quoted; i++)
		quoted = s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r';
	if (quoted)
		*to++ = '"';
	if (formula)
		*to++ = '\'';
	while (n) {
		size_t taken;

		if (*s == '"')
			*to++ = '"';
		taken = put_char(&to, s, n);
		s += taken;
		n -= taken;
	}
	if (quoted)
		*to++ = '"';
	return to;
}

char *escape_terminal(char *to, const char *s, size_t n, unsigned int columns, unsigned int *used)
{
	char *cut = to; /* where ".." would go */
	unsigned int cut_used = 0;

	for (*used = 0; n; ++*used) {
		size_t taken;

		if (*used == columns) {
			*used = cut_used + 2;
			return (char *)memcpy(cut, "..", 2) + 2;
		}
		if (*used + 2 <= columns) {
			cut = to;
			cut_used = *used;
		}
		if ((unsigned char)*s < 0x20 || *s == 0x7f) {
			*to++ = '.';
			taken = 1;
		} else {
			taken = put_char(&to, s, n);
			/* C1 controls are two bytes in UTF-8 */
			if (taken == 2 && to[-2] == '\xc2' && (unsigned char)to[-1] < 0xa0) {
				to -= 2;
				*to++ = '.';
			}
		}
		s += taken;
		n -= taken;
	}
	return to;
}
