/* SPDX-License-Identifier: Apache-2.0 */
#include "export/samples.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum form { FORM_NONE, FORM_TIME, FORM_LINE, FORM_DISK, FORM_BLOCK, FORM_CALL, FORM_PTHREAD };

static const struct {
	const char *name;
	enum form form;
	bool overlaps; /* a slice but the first begins with a copy */
} kinds[SLICES_KINDS] = {
	[SLICES_HOST_CPU] = { "host_cpu", FORM_TIME, true },
	[SLICES_HOST_MEM] = { "host_mem", FORM_LINE, true },
	[SLICES_HOST_DISK] = { "host_disk", FORM_DISK, false },
	[SLICES_HOST_NETWORK] = { "host_network", FORM_TIME, true },
	[SLICES_SYS_CPU] = { "sys_cpu", FORM_BLOCK, false },
	[SLICES_SYS_MEM] = { "sys_mem", FORM_BLOCK, false },
	[SLICES_PROCESS_CPU] = { "process_cpu", FORM_BLOCK, false },
	[SLICES_PROCESS_MEM] = { "process_mem", FORM_BLOCK, false },
	[SLICES_COUNTERS] = { "counters", FORM_TIME, true },
	[SLICES_SYS_COUNTERS] = { "sys_counters", FORM_TIME, true },
	[SLICES_DISKS] = { "disks", FORM_TIME, true },
	[SLICES_SYSCALL] = { "syscall", FORM_CALL, false },
	[SLICES_PTHREAD] = { "pthread", FORM_PTHREAD, false },
	[SLICES_PMUS] = { "pmus", FORM_TIME, true },
	[SLICES_NUMA] = { "numa", FORM_TIME, true },
};

const char *samples_kind(enum slices_kind kind)
{
	return kinds[kind].name;
}

static bool has(const char *line, size_t n, const char *prefix)
{
	size_t len = strlen(prefix);

	return n >= len && !memcmp(line, prefix, len);
}

static bool begins(enum form form, const char *line, size_t n)
{
	switch (form) {
	case FORM_TIME:
		return has(line, n, "time ");
	case FORM_BLOCK:
		return has(line, n, "TimeStamp:");
	case FORM_CALL:
		return n && isdigit((unsigned char)*line) && !memmem(line, n, " anchor()", 9);
	case FORM_PTHREAD:
		return has(line, n, "[pid ") && !memmem(line, n, "->pthread_once(", 15);
	default:
		return n && isdigit((unsigned char)*line);
	}
}

/* The number at @text, of digits alone. */
static uint64_t number(const char *text, size_t n, size_t *digits)
{
	uint64_t v = 0;

	for (*digits = 0; *digits < n && isdigit((unsigned char)text[*digits]); (*digits)++)
		v = v * 10 + (uint64_t)(text[*digits] - '0');
	return v;
}

static uint64_t stamp_of(enum form form, const char *line, size_t n)
{
	size_t skip = form == FORM_TIME ? 5 : form == FORM_BLOCK ? 10 : 0, digits, more;
	const char *second = form == FORM_PTHREAD ? memchr(line, ']', n) : NULL;
	uint64_t ns;

	if (second)
		skip = (size_t)(second - line) + 2 < n ? (size_t)(second - line) + 2 : n;
	ns = number(line + skip, n - skip, &digits);
	if (form != FORM_CALL && form != FORM_PTHREAD)
		return ns;
	ns *= form == FORM_CALL ? 1000000 : 1000000000; /* ms or s, and all digits behind the point */
	skip += digits + 1;
	return skip < n ? ns + number(line + skip, n - skip, &more) : ns;
}

static void include(struct samples *s, uint64_t ns)
{
	s->nr++;
	if (ns && (!s->first_ns || ns < s->first_ns))
		s->first_ns = ns;
	if (ns > s->last_ns)
		s->last_ns = ns;
}

void samples_count(const struct prof_part *part, enum slices_kind kind, struct samples *s)
{
	enum form form = kinds[kind].form;

	*s = (struct samples){ 0 };
	for (unsigned int i = 0; i < part->table[kind].nr; i++) {
		const struct slice *slice = &part->table[kind].slice[i];
		const char *text = (const char *)slice->map.begin, *end;
		size_t left = slice->size, n, digits;
		bool copy = kinds[kind].overlaps && slice->number;
		uint64_t begin = 0, lines = 0;

		for (; left && (end = memchr(text, '\n', left)); left -= n + 1, text = end + 1) {
			n = (size_t)(end - text);
			if (form == FORM_DISK && has(text, n, "start_time "))
				begin = number(text + 11, n - 11, &digits);
			if (!begins(form, text, n))
				continue;
			if (form == FORM_DISK && part->control.disk_hz)
				include(s, begin + lines++ * 1000000000u / part->control.disk_hz);
			else if (!copy)
				include(s, stamp_of(form, text, n));
			copy = false;
		}
	}
}

size_t samples_whole(enum slices_kind kind, const char *text, size_t size)
{
	const char *line;
	size_t at = size;

	if (!size || text[size - 1] == '\n')
		return size;
	while (at && (line = memrchr(text, '\n', at))) {
		at = (size_t)(line - text);
		if (begins(kinds[kind].form, line + 1, size - at - 1))
			return at + 1;
	}
	return 0;
}
