/* SPDX-License-Identifier: Apache-2.0 */
#include "host/blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct block block_begin(struct host_text *t)
{
	return (struct block){ t, t->len };
}

void block_name(struct block *b, const char *name)
{
	char safe[64] = "";

	strncat(safe, name, sizeof(safe) - 1);
	for (char *c = safe; *c; c++)
		if ((unsigned char)*c < ' ' || *c == ':')
			*c = '_';
	host_put(b->t, "ProcessName:%s\n", safe);
}

void block_lines(struct block *b, const char *text, const char *const *keys, bool once)
{
	const char *line, *end;

	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		for (const char *const *key = keys; *key; key++) {
			if (strncmp(line, *key, strlen(*key)))
				continue;
			host_put_bytes(b->t, line, (size_t)(end + 1 - line));
			if (once)
				return;
			break;
		}
	}
}

void block_end(struct block *b, uint64_t *index, uint64_t ns)
{
	char head[128], *body = b->t->buf + b->at;
	size_t len = b->t->len - b->at;
	int n = snprintf(head, sizeof(head), "TimeStamp:%" PRIu64 "\nIndex:%" PRIu64 "\nDataLen:%zu\n", ns,
			 (*index)++, len);

	if (!host_put_bytes(b->t, head, (size_t)n)) /* for room */
		return;
	memmove(body + n, body, len);
	memcpy(body, head, (size_t)n);
	host_put_bytes(b->t, "\n", 1);
}

bool block_begins(const char *line)
{
	return !strncmp(line, "TimeStamp:", 10);
}
