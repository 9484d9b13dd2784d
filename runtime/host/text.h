/* SPDX-License-Identifier: Apache-2.0 */
/* Files of /proc and /sys, and text of a limited length made of them. */
#ifndef ASCPROF_HOST_TEXT_H
#define ASCPROF_HOST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_TEXT_MAX (120u << 10) /* bytes of one sample */

struct host_text {
	char *buf;
	size_t size;
	size_t len;
};

/* All of a small file, terminated. Return: bytes; -1 with errno set. */
long host_read_file(const char *path, char *buf, size_t size);

/* What does not fit whole is left out. Return: whether it fitted. */
bool host_put(struct host_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool host_put_bytes(struct host_text *t, const char *s, size_t n);

/*
 * Appends the words of a stat file of /proc up to @words, with the name in
 * parentheses free of blanks and of what else splits lines for a reader.
 */
bool host_put_stat(struct host_text *t, const char *stat, unsigned int words);

/* Value behind the line that begins with @key; 0: there is none. */
uint64_t host_value(const char *text, const char *key);

#endif /* ASCPROF_HOST_TEXT_H */
