/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strict reader of JSON (RFC 8259) for text that anybody may have written: no
 * recursion, bounded depth and size, UTF-8 checked, one allocation. A document
 * is an array of nodes in the order of the text; an object's children are its
 * keys and values by turns. Nothing here is shared: each document may be used
 * by one thread at a time.
 */
#ifndef ASCPROF_JSON_READ_H
#define ASCPROF_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_MAX_DEPTH 10

enum json_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_node {
	uint32_t at;  /* first byte of the text; strings: behind the quote */
	uint32_t len; /* bytes of the text; strings: without quotes, still escaped */
	uint32_t end; /* the node behind this one and all its children */
	uint8_t type; /* enum json_type */
	uint8_t escaped; /* a string with a backslash in it */
};

struct json_doc {
	const char *text; /* the caller's; must live as long as the document */
	struct json_node *node; /* node[0] is the outermost value */
	uint32_t nr;
	const char *error; /* why json_read() failed */
	size_t error_at; /* byte position of it, from 0 */
};

/*
 * Reads @len bytes, at most @max_len (and below 4 GiB). Return: true; false
 * with @doc->error and @doc->error_at set, and nothing to free.
 */
bool json_read(struct json_doc *doc, const char *text, size_t len, size_t max_len);
void json_doc_free(struct json_doc *doc);

/*
 * The value of @key in @object; of equal keys the last one counts. NULL when
 * there is none, or when @object is NULL or no object: look-ups can be chained.
 */
const struct json_node *json_find(const struct json_doc *doc, const struct json_node *object,
				  const char *key);

/*
 * First element of an array or first key of an object, and the one after
 * @child; NULL at the end. A key's value is json_next() of the key.
 */
const struct json_node *json_first(const struct json_doc *doc, const struct json_node *parent);
const struct json_node *json_next(const struct json_doc *doc, const struct json_node *parent,
				  const struct json_node *child);

/*
 * The string, unescaped and terminated, into @out of @size bytes. Return: its
 * bytes, or -1 when @node is NULL or no string, has a zero in it, or does not
 * fit. Halves of surrogate pairs become U+FFFD.
 */
int json_get_string(const struct json_doc *doc, const struct json_node *node, char *out,
		    size_t size);

/* Whole numbers, exact. Return: false when @node is NULL, none, or out of range. */
bool json_get_i64(const struct json_doc *doc, const struct json_node *node, int64_t *value);
bool json_get_u64(const struct json_doc *doc, const struct json_node *node, uint64_t *value);

#endif /* ASCPROF_JSON_READ_H */
