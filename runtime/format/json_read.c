/* SPDX-License-Identifier: Apache-2.0 */
#include "format/json_read.h"

#include <stdlib.h>
#include <string.h>

#include "format/utf8.h"

/* What may come next: the reader is a loop over this. */
enum expect {
	EXPECT_VALUE,
	EXPECT_FIRST_VALUE, /* or the end of the array */
	EXPECT_KEY,
	EXPECT_FIRST_KEY, /* or the end of the object */
	EXPECT_COMMA, /* or the end of what is open */
	EXPECT_NOTHING,
};

struct reader {
	struct json_doc *doc;
	const char *text;
	size_t len;
	size_t pos;
	uint32_t open[JSON_MAX_DEPTH]; /* containers that are not closed */
	unsigned int depth;
};

static bool fail(struct reader *r, const char *why)
{
	r->doc->error = why;
	r->doc->error_at = r->pos;
	return false;
}

/* Every value and key follows the start or one of four characters. */
static size_t most_nodes(const char *text, size_t len)
{
	size_t n = 1;

	for (size_t i = 0; i < len; i++)
		n += text[i] == ',' || text[i] == ':' || text[i] == '[' || text[i] == '{';
	return n;
}

static struct json_node *add(struct reader *r, enum json_type type)
{
	struct json_node *n = &r->doc->node[r->doc->nr++];

	*n = (struct json_node){ .at = (uint32_t)r->pos, .end = r->doc->nr, .type = (uint8_t)type };
	return n;
}

static bool is_digit(const struct reader *r)
{
	return r->pos < r->len && r->text[r->pos] >= '0' && r->text[r->pos] <= '9';
}

static bool digits(struct reader *r)
{
	if (!is_digit(r))
		return fail(r, "a digit was expected");
	while (is_digit(r))
		r->pos++;
	return true;
}

static bool next_is(const struct reader *r, char a, char b)
{
	return r->pos < r->len && (r->text[r->pos] == a || r->text[r->pos] == b);
}

static bool read_number(struct reader *r)
{
	struct json_node *n = add(r, JSON_NUMBER);

	if (next_is(r, '-', '-'))
		r->pos++;
	if (next_is(r, '0', '0'))
		r->pos++;
	else if (!digits(r))
		return false;
	if (next_is(r, '.', '.')) {
		r->pos++;
		if (!digits(r))
			return false;
	}
	if (next_is(r, 'e', 'E')) {
		r->pos++;
		if (next_is(r, '+', '-'))
			r->pos++;
		if (!digits(r))
			return false;
	}
	n->len = (uint32_t)(r->pos - n->at);
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool read_escape(struct reader *r)
{
	r->pos++;
	if (r->pos >= r->len)
		return fail(r, "the text ends within a string");
	if (r->text[r->pos] != 'u') {
		if (!memchr("\"\\/bfnrt", r->text[r->pos], 8))
			return fail(r, "unknown escape in a string");
		r->pos++;
		return true;
	}
	r->pos++;
	for (int i = 0; i < 4; i++, r->pos++)
		if (r->pos >= r->len || hex_digit(r->text[r->pos]) < 0)
			return fail(r, "four hexadecimal digits were expected");
	return true;
}

static bool read_string(struct reader *r)
{
	struct json_node *n = add(r, JSON_STRING);

	r->pos++;
	n->at++;
	while (r->pos < r->len && r->text[r->pos] != '"') {
		unsigned char c = (unsigned char)r->text[r->pos];
		int chars;

		if (c == '\\') {
			n->escaped = 1;
			if (!read_escape(r))
				return false;
			continue;
		}
		if (c < 0x20)
			return fail(r, "control character in a string");
		chars = utf8_char(r->text + r->pos, r->len - r->pos);
		if (chars <= 0)
			return fail(r, "not UTF-8");
		r->pos += (size_t)chars;
	}
	if (r->pos >= r->len)
		return fail(r, "the text ends within a string");
	n->len = (uint32_t)(r->pos - n->at);
	r->pos++;
	return true;
}

static bool read_word(struct reader *r, const char *word, enum json_type type)
{
	struct json_node *n;
	size_t len = strlen(word);

	if (r->len - r->pos < len || memcmp(r->text + r->pos, word, len))
		return fail(r, "a value was expected");
	n = add(r, type);
	n->len = (uint32_t)len;
	r->pos += len;
	return true;
}

static bool open_container(struct reader *r, enum json_type type)
{
	if (r->depth == JSON_MAX_DEPTH)
		return fail(r, "nested too deep");
	r->open[r->depth++] = r->doc->nr;
	add(r, type);
	r->pos++;
	return true;
}

static enum expect close_container(struct reader *r)
{
	struct json_node *n = &r->doc->node[r->open[--r->depth]];

	r->pos++;
	n->end = r->doc->nr;
	n->len = (uint32_t)(r->pos - n->at);
	return r->depth ? EXPECT_COMMA : EXPECT_NOTHING;
}

static bool read_value(struct reader *r, enum expect *expect)
{
	bool ok;

	switch (r->text[r->pos]) {
	case '{':
		*expect = EXPECT_FIRST_KEY;
		return open_container(r, JSON_OBJECT);
	case '[':
		*expect = EXPECT_FIRST_VALUE;
		return open_container(r, JSON_ARRAY);
	case '"':
		ok = read_string(r);
		break;
	case 't':
		ok = read_word(r, "true", JSON_TRUE);
		break;
	case 'f':
		ok = read_word(r, "false", JSON_FALSE);
		break;
	case 'n':
		ok = read_word(r, "null", JSON_NULL);
		break;
	default:
		if (!is_digit(r) && r->text[r->pos] != '-')
			return fail(r, "a value was expected");
		ok = read_number(r);
	}
	*expect = r->depth ? EXPECT_COMMA : EXPECT_NOTHING;
	return ok;
}

static void skip_blanks(struct reader *r)
{
	while (r->pos < r->len && (r->text[r->pos] == ' ' || r->text[r->pos] == '\t' ||
				   r->text[r->pos] == '\n' || r->text[r->pos] == '\r'))
		r->pos++;
}

static bool read_key(struct reader *r)
{
	if (r->text[r->pos] != '"')
		return fail(r, "a key in quotes was expected");
	if (!read_string(r))
		return false;
	skip_blanks(r);
	if (!next_is(r, ':', ':'))
		return fail(r, "a colon was expected");
	r->pos++;
	return true;
}

static bool read_separator(struct reader *r, enum expect *expect)
{
	bool object = r->doc->node[r->open[r->depth - 1]].type == JSON_OBJECT;

	if (r->text[r->pos] == (object ? '}' : ']')) {
		*expect = close_container(r);
		return true;
	}
	if (r->text[r->pos] != ',')
		return fail(r, object ? "a comma or } was expected" : "a comma or ] was expected");
	r->pos++;
	*expect = object ? EXPECT_KEY : EXPECT_VALUE;
	return true;
}

static bool read_step(struct reader *r, enum expect *expect)
{
	switch (*expect) {
	case EXPECT_FIRST_KEY:
		if (r->text[r->pos] == '}') {
			*expect = close_container(r);
			return true;
		}
		/* fall through */
	case EXPECT_KEY:
		*expect = EXPECT_VALUE;
		return read_key(r);
	case EXPECT_FIRST_VALUE:
		if (r->text[r->pos] == ']') {
			*expect = close_container(r);
			return true;
		}
		/* fall through */
	case EXPECT_VALUE:
		return read_value(r, expect);
	case EXPECT_COMMA:
		return read_separator(r, expect);
	default:
		return fail(r, "text behind the end");
	}
}

bool json_read(struct json_doc *doc, const char *text, size_t len, size_t max_len)
{
	struct reader r = { .doc = doc, .text = text, .len = len };
	enum expect expect = EXPECT_VALUE;

	*doc = (struct json_doc){ .text = text };
	if (len > max_len || len >= UINT32_MAX)
		return fail(&r, "longer than allowed");
	doc->node = malloc(most_nodes(text, len) * sizeof(*doc->node));
	if (!doc->node)
		return fail(&r, "out of memory");
	for (;;) {
		skip_blanks(&r);
		if (r.pos == len) {
			if (expect == EXPECT_NOTHING)
				return true;
			fail(&r, "the text ends too early");
			break;
		}
		if (!read_step(&r, &expect))
			break;
	}
	json_doc_free(doc);
	return false;
}

void json_doc_free(struct json_doc *doc)
{
	free(doc->node);
	doc->node = NULL;
	doc->nr = 0;
}

const struct json_node *json_first(const struct json_doc *doc, const struct json_node *parent)
{
	if (!parent || parent->type < JSON_ARRAY || parent + 1 == doc->node + parent->end)
		return NULL;
	return parent + 1;
}

const struct json_node *json_next(const struct json_doc *doc, const struct json_node *parent,
				  const struct json_node *child)
{
	return child->end < parent->end ? doc->node + child->end : NULL;
}

/* Encodes @c; @out has room for 4 bytes. */
static size_t put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static uint32_t hex4(const char *s)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 4 | (uint32_t)hex_digit(s[i]);
	return v;
}

/* The character at @s, whose form read_string() has checked; sets its bytes. */
static uint32_t unescape(const char *s, size_t left, size_t *bytes)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *p;
	uint32_t c, low;

	*bytes = 2;
	if (s[1] != 'u') {
		p = strchr(from, s[1]);
		return (unsigned char)(p ? to[p - from] : s[1]);
	}
	*bytes = 6;
	c = hex4(s + 2);
	if (c < 0xd800 || c > 0xdfff)
		return c;
	if (c < 0xdc00 && left >= 12 && s[6] == '\\' && s[7] == 'u') {
		low = hex4(s + 8);
		if (low >= 0xdc00 && low <= 0xdfff) {
			*bytes = 12;
			return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	return 0xfffd;
}

int json_get_string(const struct json_doc *doc, const struct json_node *node, char *out,
		    size_t size)
{
	size_t used = 0;

	if (!node || node->type != JSON_STRING)
		return -1;
	for (size_t i = 0; i < node->len;) {
		const char *s = doc->text + node->at + i;
		char c[4];
		size_t n = 1, step = 1;

		c[0] = *s;
		if (*s == '\\')
			n = put_utf8(c, unescape(s, node->len - i, &step));
		if (!c[0] || used + n >= size)
			return -1;
		memcpy(out + used, c, n);
		used += n;
		i += step;
	}
	if (used >= size)
		return -1;
	out[used] = 0;
	return (int)used;
}

static bool key_is(const struct json_doc *doc, const struct json_node *key, const char *name)
{
	char text[128];

	if (!key->escaped)
		return strlen(name) == key->len && !memcmp(doc->text + key->at, name, key->len);
	return json_get_string(doc, key, text, sizeof(text)) >= 0 && !strcmp(text, name);
}

const struct json_node *json_find(const struct json_doc *doc, const struct json_node *object,
				  const char *key)
{
	const struct json_node *found = NULL;

	if (!object || object->type != JSON_OBJECT)
		return NULL;
	for (const struct json_node *k = json_first(doc, object); k;) {
		const struct json_node *value = doc->node + k->end;

		if (key_is(doc, k, key))
			found = value;
		k = json_next(doc, object, value);
	}
	return found;
}

static bool whole(const struct json_doc *doc, const struct json_node *node, bool *negative,
		  uint64_t *v)
{
	const char *s;

	if (!node || node->type != JSON_NUMBER)
		return false;
	s = doc->text + node->at;
	*negative = s[0] == '-';
	*v = 0;
	for (size_t i = *negative; i < node->len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		if (__builtin_mul_overflow(*v, (uint64_t)10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(s[i] - '0'), v))
			return false;
	}
	return true;
}

bool json_get_u64(const struct json_doc *doc, const struct json_node *node, uint64_t *value)
{
	bool negative;
	uint64_t v;

	if (!whole(doc, node, &negative, &v) || (negative && v))
		return false;
	*value = v;
	return true;
}

bool json_get_i64(const struct json_doc *doc, const struct json_node *node, int64_t *value)
{
	bool negative;
	uint64_t v;

	if (!whole(doc, node, &negative, &v) || v > (uint64_t)INT64_MAX + negative)
		return false;
	*value = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}
