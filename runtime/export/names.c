/* SPDX-License-Identifier: Apache-2.0 */
#include "export/names.h"

#include <string.h>

#include "export/sort.h"

static int by_number(const void *a, const void *b, void *arg)
{
	const struct names_entry *x = a, *y = b;

	(void)arg;
	return (x->number > y->number) - (x->number < y->number);
}

/* Digits of a number at @s; sets where they end. Return: false when there are none, or too many. */
static bool digits(const char *s, const char *end, uint64_t *number, const char **behind)
{
	const char *at = s;

	*number = 0;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(*number, (uint64_t)10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(*at - '0'), number))
			return false;
	*behind = at;
	return at > s;
}

static bool text_key(const char *s, const char *colon, uint64_t *number)
{
	const char *behind;

	return digits(s, colon, number, &behind) && behind == colon;
}

static bool type_key(const char *s, const char *colon, uint64_t *number)
{
	uint64_t level, type;
	const char *behind;

	if (!digits(s, colon, &level, &behind) || behind == colon || *behind != '_' || level > UINT16_MAX ||
	    !digits(behind + 1, colon, &type, &behind) || behind != colon || type > UINT32_MAX)
		return false;
	*number = level << 32 | type;
	return true;
}

static int add_line(struct names *n, const char *line, size_t len, bool types)
{
	const char *colon = memchr(line, ':', len);
	uint64_t number;

	if (!colon || !(types ? type_key : text_key)(line, colon, &number))
		return 0;
	if (scratch_grow(&n->room, n->nr, sizeof(*n->entry)))
		return -1;
	n->entry = (struct names_entry *)n->room.map.begin;
	n->entry[n->nr++] = (struct names_entry){ number, colon + 1, len - (size_t)(colon + 1 - line) };
	return 0;
}

static int load(struct names *names, const struct slices *s, bool types)
{
	*names = (struct names){ 0 };
	for (unsigned int i = 0; i < s->nr; i++) {
		const char *at = s->slice[i].map.begin;
		size_t left = s->slice[i].size;

		while (left) {
			const char *end = memchr(at, '\n', left);
			size_t len = end ? (size_t)(end - at) : left;

			if (add_line(names, at, len, types))
				return -1;
			len += end != NULL;
			at += len;
			left -= len;
		}
	}
	return sort_records(names->entry, names->nr, sizeof(*names->entry), by_number, NULL);
}

int names_load(struct names *names, const struct prof_part *host)
{
	return load(names, &host->table[SLICES_HASH], false);
}

int names_load_types(struct names *names, const struct prof_part *host)
{
	return load(names, &host->table[SLICES_TYPES], true);
}

void names_free(struct names *names)
{
	scratch_free(&names->room);
	*names = (struct names){ 0 };
}

const char *names_find(const struct names *names, uint64_t number, size_t *len)
{
	size_t from = 0, end = names->nr;

	while (from < end) { /* the first that is not smaller */
		size_t middle = from + (end - from) / 2;

		if (names->entry[middle].number < number)
			from = middle + 1;
		else
			end = middle;
	}
	if (from == names->nr || names->entry[from].number != number)
		return NULL;
	*len = names->entry[from].len;
	return names->entry[from].text;
}
