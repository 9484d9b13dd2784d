/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writer of one-line JSON into a growing buffer. Commas are its business;
 * text is escaped and made valid UTF-8. After a failed allocation everything
 * is ignored and json_finish() returns NULL.
 */
#ifndef ASCPROF_JSON_WRITE_H
#define ASCPROF_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_writer {
	char *buf;
	size_t len;
	size_t cap;
	bool comma;
	bool failed;
};

/* @key NULL: an element of an array, or the outermost value */
void json_open(struct json_writer *w, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json_writer *w, char bracket);			/* '}' or ']' */
void json_string(struct json_writer *w, const char *key, const char *value);
void json_u64(struct json_writer *w, const char *key, uint64_t value);
void json_bool(struct json_writer *w, const char *key, bool value);
void json_i64(struct json_writer *w, const char *key, int64_t value);
/* a number as a string, which is how the msprof parser wants most of them */
void json_u64_string(struct json_writer *w, const char *key, uint64_t value);
/* @text is JSON already, from anywhere: it is taken as it is */
void json_copy(struct json_writer *w, const char *key, const char *text, size_t len);

/*
 * Return: the text, without a newline, owned by the writer until
 * json_release(); NULL when memory ran out.
 */
const char *json_finish(struct json_writer *w, size_t *len);
void json_release(struct json_writer *w);

#endif /* ASCPROF_JSON_WRITE_H */
