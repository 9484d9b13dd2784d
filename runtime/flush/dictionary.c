/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/dictionary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/files.h"
#include "format/utf8.h"
#include "session/fds.h"

#define LINE_BYTES 4096
#define FIRST_ROOM 64

void dictionary_init(struct dictionary *d, struct slice_store *store, int dir_fd, const char *name)
{
	*d = (struct dictionary){ .name = name, .store = store, .dir_fd = dir_fd, .fd = -1 };
}

static bool open_file(struct dictionary *d)
{
	d->fd = files_create(d->dir_fd, d->name);
	if (d->fd < 0)
		slice_fail(d->store, "creating", d->name, errno);
	return d->fd >= 0;
}

/* Return: 0, or an errno with nothing of the line left in the file. */
static int append(struct dictionary *d, const char *line, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(d->fd, line + done, len - done, (off_t)(d->bytes + done));
		int err = n < 0 ? errno : ENOSPC;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return ftruncate(d->fd, (off_t)d->bytes) ? errno : err;
		done += (size_t)n;
	}
	d->bytes += len;
	d->store->bytes += len;
	return 0;
}

static void put(uint64_t *numbers, size_t room, uint64_t number)
{
	size_t at = number & (room - 1);

	while (numbers[at])
		at = (at + 1) & (room - 1);
	numbers[at] = number;
}

static bool has(const struct dictionary *d, uint64_t number)
{
	size_t at = number & (d->room - 1);

	while (d->room && d->numbers[at] && d->numbers[at] != number)
		at = (at + 1) & (d->room - 1);
	return d->room && d->numbers[at];
}

/* Without memory a line may come twice, which readers do not mind. */
static void remember(struct dictionary *d, uint64_t number)
{
	if (2 * d->nr >= d->room) {
		size_t room = d->room ? 2 * d->room : FIRST_ROOM;
		uint64_t *more = calloc(room, sizeof(*more));

		if (!more)
			return;
		for (size_t i = 0; i < d->room; i++)
			if (d->numbers[i])
				put(more, room, d->numbers[i]);
		free(d->numbers);
		d->numbers = more;
		d->room = room;
	}
	put(d->numbers, d->room, number);
	d->nr++;
}

static void one_line(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n' || text[i] == '\r')
			text[i] = ' ';
}

/* Return: whether the line is there. */
static bool put_line(struct dictionary *d, const char *key, const char *text)
{
	char line[LINE_BYTES];
	size_t n;
	int err;

	if (d->store->error || (d->fd < 0 && !open_file(d)))
		return false;
	n = (size_t)snprintf(line, sizeof(line), "%s:", key);
	n += utf8_copy(line + n, sizeof(line) - n - 1, text, strlen(text));
	one_line(line, n);
	line[n++] = '\n';
	err = append(d, line, n);
	if (err)
		slice_fail(d->store, "writing", d->name, err);
	return !err;
}

void dictionary_add(struct dictionary *d, uint64_t number, const char *text)
{
	char key[24];

	snprintf(key, sizeof(key), "%" PRIu64, number);
	if (!has(d, number) && put_line(d, key, text))
		remember(d, number);
}

void dictionary_add_type(struct dictionary *d, uint16_t level, uint32_t type, const char *name)
{
	char key[24];

	snprintf(key, sizeof(key), "%u_%u", level, type);
	put_line(d, key, name);
}

void dictionary_finish(struct dictionary *d)
{
	int err;

	if (d->fd < 0)
		return;
	if (fsync(d->fd) && errno != EINVAL)
		slice_fail(d->store, "syncing", d->name, errno);
	fds_close(d->fd);
	d->fd = -1;
	err = files_done(d->dir_fd, d->name, d->bytes, true);
	if (err)
		slice_fail(d->store, "writing .done of", d->name, err);
}

void dictionary_free(struct dictionary *d)
{
	free(d->numbers);
	d->numbers = NULL;
	d->nr = d->room = 0;
}
