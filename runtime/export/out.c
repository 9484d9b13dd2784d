/* SPDX-License-Identifier: Apache-2.0 */
#include "export/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/files.h"

static mode_t file_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* A file in the folder of o->path: without a name, else with a hidden one. */
static int open_hidden(struct out *o)
{
	const char *slash = strrchr(o->path, '/');
	int dir_len = slash ? (int)(slash - o->path) + 1 : 2;
	const char *dir = slash ? o->path : "./";
	char *folder;

	if (asprintf(&folder, "%.*s", dir_len, dir) < 0)
		return -1;
	o->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (asprintf(&o->hidden, "%s.%s.XXXXXX", folder, slash ? slash + 1 : o->path) < 0)
		o->hidden = NULL;
	free(folder);
	if (!o->hidden)
		return -1;
	if (o->fd >= 0)
		return 0;
	o->fd = mkostemp(o->hidden, O_CLOEXEC);
	if (o->fd < 0) {
		free(o->hidden);
		o->hidden = NULL;
		return -1;
	}
	o->linked = true;
	return fchmod(o->fd, file_mode());
}

int out_open(struct out *o, const char *path, struct diag *diag)
{
	struct stat st;

	*o = (struct out){ .fd = -1, .shown = path };
	o->buf = malloc(OUT_BUFFER);
	if (!o->buf) {
		diag_fail(diag, "%s: out of memory", path);
		goto fail;
	}
	if (!strcmp(path, "-")) {
		o->shown = "standard output";
		o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	} else if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		/* A link keeps pointing to the file that is written. */
		o->path = realpath(path, NULL);
		if (!o->path)
			o->path = strdup(path);
		if (!o->path || open_hidden(o))
			goto unwritable;
	}
	if (o->fd >= 0)
		return 0;
unwritable:
	diag_fail(diag, "%s: cannot be written: %s", o->shown, strerror(errno));
fail:
	out_abort(o);
	return -1;
}

void out_flush(struct out *o)
{
	size_t len = o->used;

	o->used = 0;
	if (o->error)
		return;
	/* Elsewhere a signal may be due, which would not end the process from a thread of ours. */
	if (!o->writer && o->path && o->total)
		o->writer = out_writer_start(o->fd, OUT_BUFFER);
	if (o->writer)
		o->buf = out_writer_swap(o->writer, o->buf, len, &o->error);
	else
		o->error = files_write(o->fd, o->buf, len);
	if (!o->error)
		o->total += len;
}

void out_text(struct out *o, const char *s, size_t n)
{
	while (n) {
		size_t part = n < OUT_ROOM ? n : OUT_ROOM;
		char *to = out_room(o, part);

		memcpy(to, s, part);
		out_used(o, to + part);
		s += part;
		n -= part;
	}
}

/* Gives an O_TMPFILE file a hidden name, from where it can be renamed. */
static int link_hidden(struct out *o)
{
	char self[40];
	char *suffix = o->hidden + strlen(o->hidden) - 6;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", o->fd);
	for (unsigned int try = 0; try < 1000 && !o->linked; try++) {
		snprintf(suffix, 7, "%06u", ((unsigned int)getpid() + try) % 1000000);
		o->linked = !linkat(AT_FDCWD, self, AT_FDCWD, o->hidden, AT_SYMLINK_FOLLOW);
		if (!o->linked && errno != EEXIST)
			break;
	}
	return o->linked ? 0 : -1;
}

static int fail(struct out *o, struct diag *diag)
{
	diag_fail(diag, "%s: cannot be written: %s", o->shown, strerror(o->error));
	out_abort(o);
	return -1;
}

int out_close(struct out *o, struct diag *diag)
{
	int error;

	out_flush(o);
	error = out_writer_end(o->writer);
	o->writer = NULL;
	if (!o->error)
		o->error = error;
	if (!o->error && o->path && !o->linked && link_hidden(o))
		o->error = errno;
	if (close(o->fd) && !o->error)
		o->error = errno; /* some file systems write only now */
	o->fd = -1;
	free(o->buf);
	o->buf = NULL;
	return o->error ? fail(o, diag) : 0;
}

int out_commit(struct out *o, struct diag *diag)
{
	if (o->fd >= 0 && out_close(o, diag))
		return -1;
	if (o->path && rename(o->hidden, o->path)) {
		o->error = errno;
		return fail(o, diag);
	}
	o->linked = false; /* it is in place: nothing to take back */
	out_abort(o);
	return 0;
}

void out_abort(struct out *o)
{
	out_writer_end(o->writer);
	if (o->linked)
		unlink(o->hidden);
	if (o->fd >= 0)
		close(o->fd);
	free(o->buf);
	free(o->path);
	free(o->hidden);
	*o = (struct out){ .fd = -1 };
}
