/* SPDX-License-Identifier: Apache-2.0 */
/* The list of findings. */
#include "tools/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 3, 0)))
static void write_text(char *to, size_t size, const char *fmt, va_list args)
{
	vsnprintf(to, size, fmt, args);
	for (; *to; to++)
		if ((unsigned char)*to < ' ' || *to == 0x7f)
			*to = '?';
}

void doctor_say(struct doctor *d, enum doctor_state state, const char *check, const char *fmt, ...)
{
	struct doctor_finding *list = realloc(d->list, (d->nr + 1) * sizeof(*list));
	va_list args;

	if (!list) {
		d->no_memory = true;
		return;
	}
	d->list = list;
	list += d->nr++;
	list->state = state;
	list->check = check;
	list->mend[0] = '\0';
	va_start(args, fmt);
	write_text(list->text, sizeof(list->text), fmt, args);
	va_end(args);
}

void doctor_mend(struct doctor *d, const char *fmt, ...)
{
	struct doctor_finding *last = d->list + d->nr - 1;
	va_list args;

	if (d->no_memory)
		return;
	va_start(args, fmt);
	write_text(last->mend, sizeof(last->mend), fmt, args);
	va_end(args);
}

unsigned int doctor_count(const struct doctor *d, enum doctor_state state)
{
	unsigned int i, n = 0;

	for (i = 0; i < d->nr; i++)
		n += d->list[i].state == state;
	return n;
}

void doctor_release(struct doctor *d)
{
	free(d->list);
	d->list = NULL;
	d->nr = 0;
}

int doctor_read(const struct doctor *d, char text[SYSFS_TEXT], const char *fmt, ...)
{
	char path[PATH_MAX];
	int at = snprintf(path, sizeof(path), "%s", d->root), len;
	va_list args;

	if (at < 0 || (size_t)at >= sizeof(path))
		return EINVAL;
	va_start(args, fmt);
	len = vsnprintf(path + at, sizeof(path) - (size_t)at, fmt, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(path) - (size_t)at)
		return EINVAL;
	return sysfs_text(AT_FDCWD, path, text);
}
