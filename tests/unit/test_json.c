// SPDX-License-Identifier: Apache-2.0
/* The JSON reader: what RFC 8259 allows and forbids, limits, exact numbers, hostile text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/json_read.h"

#define MAX 4096

/* @position: of the error, -1 for none */
static const struct text_case {
	const char *text;
	int position;
} texts[] = {
	{ "{}", -1 },
	{ " \t\r\n[ ] ", -1 },
	{ "null", -1 },
	{ "true", -1 },
	{ "false", -1 },
	{ "0", -1 },
	{ "-0", -1 },
	{ "-12.5e+30", -1 },
	{ "1E9", -1 },
	{ "\"\"", -1 },
	{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"", -1 },
	{ "\"\x7f \xc3\xa9 \xed\x9f\xbf \xee\x80\x80 \xf4\x8f\xbf\xbf\"", -1 },
	{ "[[[[[[[[[[1]]]]]]]]]]", -1 },
	{ "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"d\":\"e\"}", -1 },
	{ "", 0 },
	{ "  ", 2 },
	{ "[[[[[[[[[[[1]]]]]]]]]]]", 10 },
	{ "[1,]", 3 },
	{ "[,1]", 1 },
	{ "[1 2]", 3 },
	{ "[1}", 2 },
	{ "{\"a\":1]", 6 },
	{ "{\"a\":1,}", 7 },
	{ "{\"a\" 1}", 5 },
	{ "{\"a\"}", 4 },
	{ "{a:1}", 1 },
	{ "{1:1}", 1 },
	{ "[1", 2 },
	{ "{\"a\":", 5 },
	{ "01", 1 },
	{ "-", 1 },
	{ "+1", 0 },
	{ ".5", 0 },
	{ "1.", 2 },
	{ "1e", 2 },
	{ "1e+", 3 },
	{ "0x10", 1 },
	{ "NaN", 0 },
	{ "Infinity", 0 },
	{ "tru", 0 },
	{ "nul", 0 },
	{ "truely", 4 },
	{ "\"abc", 4 },
	{ "\"abc\\", 5 },
	{ "\"\\x\"", 2 },
	{ "\"\\u12g4\"", 5 },
	{ "\"\\u12\"", 5 },
	{ "\"a\nb\"", 2 },
	{ "\"a\tb\"", 2 },
	{ "\"\x80\"", 1 },
	{ "\"\xc0\xaf\"", 1 },
	{ "\"\xed\xa0\x80\"", 1 },
	{ "\"\xf4\x90\x80\x80\"", 1 },
	{ "\"\xc3", 1 },
	{ "\xef\xbb\xbf{}", 0 },
	{ "{} {}", 3 },
	{ "[1] // no", 4 },
	{ "'a'", 0 },
};

static void test_grammar(void **state)
{
	struct json_doc doc;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct text_case *c = &texts[i];
		bool ok = json_read(&doc, c->text, strlen(c->text), MAX);

		if (ok != (c->position < 0) || (!ok && (int)doc.error_at != c->position))
			fail_msg("\"%s\": read %d, error \"%s\" at %zu, expected at %d", c->text,
				 ok, doc.error ? doc.error : "", doc.error_at, c->position);
		if (ok)
			json_doc_free(&doc);
	}
}

static void test_size_limit(void **state)
{
	struct json_doc doc;

	(void)state;
	assert_true(json_read(&doc, "[1]", 3, 3));
	json_doc_free(&doc);
	assert_false(json_read(&doc, "[1]", 3, 2));
	assert_string_equal(doc.error, "longer than allowed");
	/* the length counts, not a terminating zero */
	assert_true(json_read(&doc, "[1]x", 3, MAX));
	json_doc_free(&doc);
	assert_false(json_read(&doc, "[1\0]", 4, MAX));
	assert_int_equal(doc.error_at, 2);
}

static void open_doc(struct json_doc *doc, const char *text)
{
	if (!json_read(doc, text, strlen(text), MAX))
		fail_msg("%s: %s at %zu", text, doc->error, doc->error_at);
}

static void test_find(void **state)
{
	const struct json_node *node;
	struct json_doc doc;
	uint64_t v;

	(void)state;
	open_doc(&doc, "{\"a\":1,\"b\":{\"a\":2,\"x\":[{\"k\":9}]},\"a\":3,\"\\u0063\":4,\"\":5}");
	assert_true(json_get_u64(&doc, json_find(&doc, doc.node, "a"), &v));
	assert_int_equal(v, 3); /* the last of equal keys */
	node = json_find(&doc, doc.node, "b");
	assert_true(json_get_u64(&doc, json_find(&doc, node, "a"), &v));
	assert_int_equal(v, 2);
	assert_true(json_get_u64(&doc, json_find(&doc, doc.node, "c"), &v));
	assert_int_equal(v, 4); /* an escaped key */
	assert_true(json_get_u64(&doc, json_find(&doc, doc.node, ""), &v));
	assert_int_equal(v, 5);
	node = json_first(&doc, json_find(&doc, node, "x"));
	assert_true(json_get_u64(&doc, json_find(&doc, node, "k"), &v));
	assert_int_equal(v, 9);

	assert_null(json_find(&doc, doc.node, "k"));
	assert_null(json_find(&doc, json_find(&doc, doc.node, "a"), "a"));
	assert_null(json_find(&doc, NULL, "a"));
	assert_null(json_first(&doc, NULL));
	assert_null(json_first(&doc, json_find(&doc, doc.node, "a")));
	json_doc_free(&doc);
}

static void test_walk(void **state)
{
	const struct json_node *child;
	struct json_doc doc;
	uint64_t v, sum = 0;
	int n = 0;

	(void)state;
	open_doc(&doc, "[1,[2,3],{\"a\":[4]},5,[]]");
	for (child = json_first(&doc, doc.node); child; child = json_next(&doc, doc.node, child)) {
		n++;
		if (json_get_u64(&doc, child, &v))
			sum += v;
	}
	assert_int_equal(n, 5);
	assert_int_equal(sum, 6);
	json_doc_free(&doc);
	open_doc(&doc, "[]");
	assert_null(json_first(&doc, doc.node));
	json_doc_free(&doc);
}

static const struct number_case {
	const char *text;
	bool is_u64, is_i64;
	uint64_t u64;
	int64_t i64;
} numbers[] = {
	{ "0", true, true, 0, 0 },
	{ "-0", true, true, 0, 0 },
	{ "9007199254740993", true, true, 9007199254740993, 9007199254740993 },
	{ "9223372036854775807", true, true, INT64_MAX, INT64_MAX },
	{ "9223372036854775808", true, false, 9223372036854775808u, 0 },
	{ "18446744073709551615", true, false, UINT64_MAX, 0 },
	{ "18446744073709551616", false, false, 0, 0 },
	{ "99999999999999999999999", false, false, 0, 0 },
	{ "-9223372036854775808", false, true, 0, INT64_MIN },
	{ "-9223372036854775809", false, false, 0, 0 },
	{ "-1", false, true, 0, -1 },
	{ "1.0", false, false, 0, 0 },
	{ "1e3", false, false, 0, 0 },
	{ "\"1\"", false, false, 0, 0 },
	{ "true", false, false, 0, 0 },
	{ "[1]", false, false, 0, 0 },
};

static void test_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct number_case *c = &numbers[i];
		struct json_doc doc;
		uint64_t u = 0;
		int64_t s = 0;

		open_doc(&doc, c->text);
		if (json_get_u64(&doc, doc.node, &u) != c->is_u64 || u != c->u64 ||
		    json_get_i64(&doc, doc.node, &s) != c->is_i64 || s != c->i64)
			fail_msg("%s: read as %llu and %lld", c->text, (unsigned long long)u,
				 (long long)s);
		json_doc_free(&doc);
	}
	assert_false(json_get_u64(NULL, NULL, &(uint64_t){ 0 }));
}

static const struct string_case {
	const char *text;
	const char *value; /* NULL: not to be had */
} strings[] = {
	{ "\"\"", "" },
	{ "\"plain\"", "plain" },
	{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
	{ "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac" },
	{ "\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!" },
	{ "\"\\ud83d\"", "\xef\xbf\xbd" },
	{ "\"\\ud83dx\"", "\xef\xbf\xbdx" },
	{ "\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "\"\\ud83d\\u0041\"", "\xef\xbf\xbd" "A" },
	{ "\"a\\u0000b\"", NULL },
	{ "1", NULL },
	{ "[\"a\"]", NULL },
	{ "\"0123456789abcde\"", "0123456789abcde" },
	{ "\"0123456789abcdef\"", NULL },
	{ "\"0123456789abc\\u20ac\"", NULL },
};

static void test_strings(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		const struct string_case *c = &strings[i];
		struct json_doc doc;
		char text[16];
		int n;

		open_doc(&doc, c->text);
		n = json_get_string(&doc, doc.node, text, sizeof(text));
		if (!c->value && n != -1)
			fail_msg("%s: %d bytes, none were expected", c->text, n);
		if (c->value && (n != (int)strlen(c->value) || strcmp(text, c->value)))
			fail_msg("%s: %d bytes: \"%s\"", c->text, n, n < 0 ? "" : text);
		json_doc_free(&doc);
	}
	assert_int_equal(json_get_string(NULL, NULL, NULL, 0), -1);
}

static const char sample[] =
	"{\"format\":1,\"state\":\"running\",\"writer\":{\"reason\":\"\\u00e9\"},"
	"\"sources\":[{\"device\":0,\"note\":\"a \\\"b\\\" \xc3\xa9\"},{\"device\":-1}],"
	"\"n\":[1.5e-3,true,null]}";

/* Every beginning of a document is no document, and is refused within its bytes. */
static void test_cut(void **state)
{
	struct json_doc doc;

	(void)state;
	for (size_t n = 0; n < sizeof(sample) - 1; n++) {
		char *copy = malloc(n + 1); /* its end is watched by the sanitizer */

		memcpy(copy, sample, n);
		copy = realloc(copy, n ? n : 1);
		if (json_read(&doc, copy, n, MAX))
			fail_msg("the first %zu bytes were taken for a document", n);
		assert_true(doc.error_at <= n);
		free(copy);
	}
	open_doc(&doc, sample);
	json_doc_free(&doc);
}

/* Changed bytes give a document that can be walked, or an error within the text. */
static void test_changed_bytes(void **state)
{
	static const char bytes[] = "{}[]\",:\\u0e-.1 \n\x80\xc3\xf4t";
	uint64_t random = 88172645463325252u;
	char text[sizeof(sample)];
	char value[64];

	(void)state;
	for (int round = 0; round < 200000; round++) {
		struct json_doc doc;

		memcpy(text, sample, sizeof(text));
		for (int i = 0; i <= round % 4; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			text[random % (sizeof(text) - 1)] =
				bytes[(random >> 32) % (sizeof(bytes) - 1)];
		}
		if (!json_read(&doc, text, sizeof(text) - 1, MAX)) {
			assert_non_null(doc.error);
			assert_true(doc.error_at <= sizeof(text));
			continue;
		}
		for (uint32_t i = 0; i < doc.nr; i++) {
			const struct json_node *node = &doc.node[i];

			assert_true(node->end > i && node->end <= doc.nr);
			assert_true(node->at + node->len <= sizeof(text) - 1);
			json_get_string(&doc, node, value, sizeof(value));
		}
		json_find(&doc, doc.node, "sources");
		json_doc_free(&doc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),
		cmocka_unit_test(test_size_limit),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_changed_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
