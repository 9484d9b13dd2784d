/* SPDX-License-Identifier: Apache-2.0 */
#include "format/json_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/escape.h"

static char *reserve(struct json_writer *w, size_t n)
{
	if (w->failed)
		return NULL;
	if (w->cap - w->len < n) {
		size_t cap = w->cap ? w->cap : 512;
		char *buf;

		while (cap - w->len < n)
			cap *= 2;
		buf = realloc(w->buf, cap);
		if (!buf) {
			w->failed = true;
			return NULL;
		}
		w->buf = buf;
		w->cap = cap;
	}
	return w->buf + w->len;
}

static void raw(struct json_writer *w, const char *s, size_t n)
{
	char *to = reserve(w, n);

	if (!to)
		return;
	memcpy(to, s, n);
	w->len += n;
}

static void quoted(struct json_writer *w, const char *s)
{
	size_t n = strlen(s);
	char *to = reserve(w, ESCAPE_ROOM(n) + 2);

	if (!to)
		return;
	*to = '"';
	to = escape_json(to + 1, s, n);
	*to = '"';
	w->len = (size_t)(to + 1 - w->buf);
}

static void begin(struct json_writer *w, const char *key)
{
	if (w->comma)
		raw(w, ",", 1);
	w->comma = true;
	if (key) {
		quoted(w, key);
		raw(w, ":", 1);
	}
}

void json_open(struct json_writer *w, const char *key, char bracket)
{
	begin(w, key);
	raw(w, &bracket, 1);
	w->comma = false;
}

void json_close(struct json_writer *w, char bracket)
{
	raw(w, &bracket, 1);
	w->comma = true;
}

void json_string(struct json_writer *w, const char *key, const char *value)
{
	begin(w, key);
	quoted(w, value);
}

void json_copy(struct json_writer *w, const char *key, const char *text, size_t n)
{
	begin(w, key);
	raw(w, text, n);
}

void json_u64(struct json_writer *w, const char *key, uint64_t value)
{
	char text[24];

	json_copy(w, key, text, (size_t)snprintf(text, sizeof(text), "%" PRIu64, value));
}

void json_bool(struct json_writer *w, const char *key, bool value)
{
	json_copy(w, key, value ? "true" : "false", value ? 4 : 5);
}

void json_i64(struct json_writer *w, const char *key, int64_t value)
{
	char text[24];

	json_copy(w, key, text, (size_t)snprintf(text, sizeof(text), "%" PRId64, value));
}

void json_u64_string(struct json_writer *w, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	json_string(w, key, text);
}

const char *json_finish(struct json_writer *w, size_t *len)
{
	raw(w, "", 1);
	if (w->failed)
		return NULL;
	w->len--;
	*len = w->len;
	return w->buf;
}

void json_release(struct json_writer *w)
{
	free(w->buf);
	*w = (struct json_writer){ 0 };
}
