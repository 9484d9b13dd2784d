// SPDX-License-Identifier: Apache-2.0
/* Foreign text in JSON, CSV and on a terminal: all bytes, pairs of the bad ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/escape.h"
#include "format/json_read.h"
#include "format/utf8.h"

typedef char *escape_fn(char *to, const char *s, size_t n);

/* Runs @escape in buffers whose ends the sanitizer watches. */
static char *run(escape_fn *escape, const char *s, size_t n, size_t *len)
{
	char *in = malloc(n ? n : 1), *out = malloc(ESCAPE_ROOM(n) + 1);

	memcpy(in, s, n);
	*len = (size_t)(escape(out, in, n) - out);
	assert_true(*len <= ESCAPE_ROOM(n));
	out[*len] = 0;
	free(in);
	return out;
}

static void check_utf8(const char *s, size_t n)
{
	while (n) {
		int len = utf8_char(s, n);

		assert_true(len > 0);
		s += len;
		n -= (size_t)len;
	}
}

/* What a reader gets back: @s with U+FFFD for what is no UTF-8. */
static size_t repaired(char *to, const char *s, size_t n)
{
	char *start = to;

	while (n) {
		int len = utf8_char(s, n);
		size_t step = len > 0 ? (size_t)len : len ? (size_t)-len : n;

		memcpy(to, len > 0 ? s : "\xef\xbf\xbd", len > 0 ? step : 3);
		to += len > 0 ? step : 3;
		s += step;
		n -= step;
	}
	return (size_t)(to - start);
}

static void round_trip(const char *s, size_t n)
{
	char want[256], got[256], quoted[1024];
	struct json_doc doc;
	size_t len, want_len = repaired(want, s, n);
	char *out = run(escape_json, s, n, &len);
	int total;

	check_utf8(out, len);
	total = snprintf(quoted, sizeof(quoted), "\"%s\"", out);
	free(out);
	if (!json_read(&doc, quoted, (size_t)total, sizeof(quoted)))
		fail_msg("%s: %s", quoted, doc.error);
	want[want_len] = 0;
	if (memchr(s, 0, n)) /* the reader gives no strings with zeros: the text will do */
		assert_non_null(strstr(quoted, "\\u0000"));
	else if (json_get_string(&doc, doc.node, got, sizeof(got)) != (int)want_len ||
		 memcmp(got, want, want_len))
		fail_msg("%s is not what was written", quoted);
	json_doc_free(&doc);
}

static void test_json_bytes(void **state)
{
	static const char bad[] = "\"\\\n\x01\x7f\x80\xff\xc3\xed\xf0 a";
	char text[64];

	(void)state;
	for (int c = 0; c < 256; c++) {
		for (size_t at = 0; at < 40; at++) { /* within pieces of sixteen, and between */
			memset(text, 'x', 40);
			text[at] = (char)c;
			round_trip(text, 40);
		}
		text[0] = (char)c;
		round_trip(text, 1);
	}
	for (size_t i = 0; i < sizeof(bad) - 1; i++) {
		for (size_t j = 0; j < sizeof(bad) - 1; j++) {
			memcpy(text, (char[]){ bad[i], bad[j] }, 2);
			round_trip(text, 2);
			memcpy(text, "0123456", 7);
			memcpy(text + 7, (char[]){ bad[i], bad[j] }, 2);
			memcpy(text + 9, "01234567", 8);
			round_trip(text, 17);
		}
	}
	round_trip("\xed\xa0\x80", 3); /* a surrogate */
	round_trip("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 14);
	round_trip("", 0);
}

static void test_json_text(void **state)
{
	size_t len;
	char *out = run(escape_json, "a\"b\\c\nd\x1f\xff", 9, &len);

	(void)state;
	assert_string_equal(out, "a\\\"b\\\\c\\u000ad\\u001f\xef\xbf\xbd");
	free(out);
}

/* Whatever else is in a text: it is no control character by its value alone. */
static void test_json_delete(void **state)
{
	char text[40], *out;
	size_t len;

	(void)state;
	for (size_t n = 1; n <= sizeof(text); n++) {
		for (size_t at = 0; at < n; at++) {
			memset(text, 'x', n);
			text[at] = 0x7f;
			out = run(escape_json, text, n, &len);
			assert_int_equal(len, n + 5);
			assert_memory_equal(out + at, "\\u007f", 6);
			free(out);
		}
	}
}

static const struct csv_case {
	const char *text, *field;
} csv[] = {
	{ "", "" },
	{ "plain text", "plain text" },
	{ "a,b", "\"a,b\"" },
	{ "a\"b", "\"a\"\"b\"" },
	{ "a\nb", "\"a\nb\"" },
	{ "a\rb", "\"a\rb\"" },
	{ "tab\there", "tab\there" },
	{ "\"", "\"\"\"\"" },
	{ "\xff,\xc3", "\"\xef\xbf\xbd,\xef\xbf\xbd\"" },
	{ "caf\xc3\xa9", "caf\xc3\xa9" },
	{ "eight by", "eight by" },
	{ "nine byte,", "\"nine byte,\"" },
	{ "0123456\xff" "abcdefgh", "0123456\xef\xbf\xbd" "abcdefgh" },
	/* what a spreadsheet would compute */
	{ "=1+1", "'=1+1" },
	{ "+1", "'+1" },
	{ "-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0" },
	{ "@a,b", "\"'@a,b\"" },
	{ "\t=1", "'\t=1" },
	{ "\r=1", "\"'\r=1\"" },
	{ "a=1", "a=1" },
	/* nothing but one of them, in whole pieces of sixteen */
	{ ",,,,,,,,,,,,,,,,", "\",,,,,,,,,,,,,,,,\"" },
	{ "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "\"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\"" },
};

static void test_csv(void **state)
{
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(csv) / sizeof(csv[0]); i++) {
		char *out = run(escape_csv, csv[i].text, strlen(csv[i].text), &len);

		assert_string_equal(out, csv[i].field);
		free(out);
	}
	for (int c = 0; c < 256; c++) {
		char byte = (char)c;
		char *out = run(escape_csv, &byte, 1, &len);

		check_utf8(out, len);
		free(out);
	}
}

static void test_terminal(void **state)
{
	static const struct {
		const char *text;
		unsigned int columns;
		const char *shown;
		unsigned int used;
	} cases[] = {
		{ "plain", 10, "plain", 5 },
		{ "exactly ten", 11, "exactly ten", 11 },
		{ "longer than ten", 10, "longer t..", 10 },
		{ "\x1b[31mred\x1b[0m\n", 20, ".[31mred.[0m.", 13 },
		{ "\xc2\x9b" "31m", 10, ".31m", 4 }, /* a control of two bytes */
		{ "\xff\xfe", 10, "\xef\xbf\xbd\xef\xbf\xbd", 2 },
		{ "\xc3\xa9\xc3\xa9\xc3\xa9", 3, "\xc3\xa9\xc3\xa9\xc3\xa9", 3 },
		{ "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 3, "\xc3\xa9..", 3 },
	};
	char out[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned int used;

		*escape_terminal(out, cases[i].text, strlen(cases[i].text), cases[i].columns,
				 &used) = 0;
		assert_string_equal(out, cases[i].shown);
		assert_int_equal(used, cases[i].used);
	}
	for (int c = 0; c < 256; c++) {
		char byte = (char)c;
		unsigned int used;
		char *end = escape_terminal(out, &byte, 1, 4, &used);

		check_utf8(out, (size_t)(end - out));
		assert_true((unsigned char)out[0] >= 0x20 && out[0] != 0x7f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_bytes),
		cmocka_unit_test(test_json_text),
		cmocka_unit_test(test_json_delete),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
