/* SPDX-License-Identifier: Apache-2.0 */
#include "format/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "format/utf8.h"
#include "format/words.h"

#define ONES 0x0101010101010101ULL

static inline bool no_byte(bytes16 set)
{
	words2 w = (words2)set;

	return !(w[0] | w[1]);
}

/* Bytes that need no second look in JSON: no control, quote, backslash, high bit. */
static inline bool plain_json(bytes16 b)
{
	return no_byte((bytes16)(b - 0x20 >= 0x7f - 0x20) | (bytes16)(b == '"') | (bytes16)(b == '\\'));
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

/* @n bytes, fewer than 16, and something plain beside them */
static inline __attribute__((always_inline)) bytes16 copy_few(char *to, const char *s, size_t n)
{
	uint64_t first = ONES * 'x', last = first;
	uint32_t head, tail;

	if (n >= 8) {
		memcpy(&first, s, 8);
		memcpy(&last, s + n - 8, 8);
		memcpy(to, &first, 8);
		memcpy(to + n - 8, &last, 8);
	} else if (n >= 4) {
		memcpy(&head, s, 4);
		memcpy(&tail, s + n - 4, 4);
		memcpy(to, &head, 4);
		memcpy(to + n - 4, &tail, 4);
		first = head | (uint64_t)tail << 32;
	} else {
		for (size_t i = 0; i < n; i++) {
			first = first << 8 | (unsigned char)s[i];
			to[i] = s[i];
		}
	}
	return (bytes16)(words2){ first, last };
}

/*
 * Copies @n bytes, all of which are plain; at the end some are copied twice. False: they
 * are not, and what is at @to has to be made anew.
 */
static inline __attribute__((always_inline)) bool copy_plain(char *to, const char *s, size_t n,
							      bool (*plain)(bytes16 b))
{
	bytes16 b;

	if (n < sizeof(b))
		return plain(copy_few(to, s, n));
	for (size_t i = 0; i + sizeof(b) <= n; i += sizeof(b)) {
		b = sixteen_at(s + i);
		if (!plain(b))
			return false;
		memcpy(to + i, &b, sizeof(b));
	}
	b = sixteen_at(s + n - sizeof(b));
	memcpy(to + n - sizeof(b), &b, sizeof(b));
	return plain(b);
}

static inline bool plain_ascii(bytes16 b)
{
	return no_byte(b & 0x80);
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

static __attribute__((noinline)) char *escape_json_slowly(char *to, const char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	bytes16 b;

	while (n) {
		unsigned char c = (unsigned char)*s;
		size_t taken = 1;

		if (n >= sizeof(b)) {
			b = sixteen_at(s);
			if (plain_json(b)) {
				memcpy(to, &b, sizeof(b));
				to += sizeof(b);
				s += sizeof(b);
				n -= sizeof(b);
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

char *escape_json(char *to, const char *s, size_t n)
{
	return copy_plain(to, s, n, plain_json) ? to + n : escape_json_slowly(to, s, n);
}

/* Bytes that a CSV field may have as they are: ASCII, but none that needs quotes. */
static inline bool plain_csv(bytes16 b)
{
	return no_byte((bytes16)(b == ',') | (bytes16)(b == '"') | (bytes16)(b == '\n') | (bytes16)(b == '\r') |
		       (b & 0x80));
}

/* Spreadsheets compute what begins with one of these. */
static bool is_formula(char c)
{
	return c == '=' || c == '+' || c == '-' || c == '@' || c == '\t' || c == '\r';
}

static __attribute__((noinline)) char *escape_csv_slowly(char *to, const char *s, size_t n, bool formula)
{
	bool quoted = false;

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

char *escape_csv(char *to, const char *s, size_t n)
{
	bool formula = n && is_formula(*s);

	return !formula && copy_plain(to, s, n, plain_csv) ? to + n : escape_csv_slowly(to, s, n, formula);
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
