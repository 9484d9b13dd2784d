/* SPDX-License-Identifier: Apache-2.0 */
#include "host/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

long host_read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	size_t used = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -1;
	while (used < size - 1 && ((n = read(fd, buf + used, size - 1 - used)) > 0 || (n < 0 && errno == EINTR)))
		used += n > 0 ? (size_t)n : 0;
	err = errno;
	close(fd);
	buf[used] = '\0';
	errno = err;
	return n < 0 ? -1 : (long)used;
}

bool host_put(struct host_text *t, const char *fmt, ...)
{
	size_t room = t->size - t->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, room, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room)
		return false;
	t->len += (size_t)n;
	return true;
}

bool host_put_bytes(struct host_text *t, const char *s, size_t n)
{
	if (n > t->size - t->len)
		return false;
	memcpy(t->buf + t->len, s, n);
	t->len += n;
	return true;
}

/* A name may hold blanks and parentheses: it ends with the last one of these. */
static const char *behind_name(const char *stat)
{
	const char *end = strrchr(stat, ')');

	return end && end[1] == ' ' ? end + 2 : NULL;
}

bool host_put_stat(struct host_text *t, const char *stat, unsigned int words)
{
	const char *name = strchr(stat, '('), *rest = behind_name(stat), *end;
	size_t before = t->len;

	if (!name || !rest || name > rest)
		return false;
	if (!host_put_bytes(t, stat, (size_t)(rest - 1 - stat)))
		return false;
	for (char *c = t->buf + before + (name - stat); c < t->buf + t->len; c++)
		if ((unsigned char)*c <= ' ' || *c == ':')
			*c = '_';
	end = rest;
	for (unsigned int w = 2; w < words && *end && *end != '\n'; w++) {
		end += strcspn(end, " \n");
		if (w + 1 < words && *end == ' ')
			end++;
	}
	if (!host_put(t, " %.*s\n", (int)(end - rest), rest)) {
		t->len = before;
		return false;
	}
	return true;
}

uint64_t host_value(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = text; s && *s; s = strchr(s, '\n'), s = s ? s + 1 : NULL)
		if (!strncmp(s, key, n))
			return strtoull(s + n, NULL, 10);
	return 0;
}
