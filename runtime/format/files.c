/* SPDX-License-Identifier: Apache-2.0 */
#include "format/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/fds.h"

#define KEPT_ROOM 4096u /* that a text may grow by */
#define NAME_BYTES 264 /* more than a name may have: what is cut off would be another file's */

int files_write(int fd, const void *data, size_t len)
{
	const char *from = data;

	while (len) {
		ssize_t n = write(fd, from, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		from += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Under a name that no reader looks for, and with its mode, whatever the umask is. */
static int open_hidden(int dir_fd, const char *name, char *hidden, size_t size)
{
	int fd;

	if (snprintf(hidden, size, ".%s.tmp", name) >= (int)size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	unlinkat(dir_fd, hidden, 0);
	fd = fds_add(openat(dir_fd, hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640));
	if (fd >= 0)
		fchmod(fd, 0640);
	return fd;
}

/* Return: 0, or an errno, and then the file is gone. */
static int show(int dir_fd, const char *hidden, const char *name)
{
	int err = renameat(dir_fd, hidden, dir_fd, name) ? errno : 0;

	if (err)
		unlinkat(dir_fd, hidden, 0);
	return err;
}

/*
 * Room for the text and more, before the text, which could have none of its own yet. File systems
 * that hold none do without; a full one keeps the file that it has, which has room.
 */
static int hold_room(int fd, size_t len, const struct files_kept *kept)
{
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)(len + KEPT_ROOM)) && (errno == ENOSPC || errno == EDQUOT) &&
	    kept->ino)
		return errno;
	return 0;
}

static int put(int dir_fd, const char *name, const char *text, size_t len, struct files_kept *kept, bool last)
{
	char hidden[NAME_BYTES];
	int fd = open_hidden(dir_fd, name, hidden, sizeof(hidden));
	struct stat st = { 0 };
	int err;

	if (fd < 0)
		return errno;
	err = kept && !last ? hold_room(fd, len, kept) : 0;
	if (!err)
		err = files_write(fd, text, len);
	if (!err && kept && fstat(fd, &st))
		err = errno;
	fds_close(fd);
	if (err)
		unlinkat(dir_fd, hidden, 0);
	else
		err = show(dir_fd, hidden, name);
	if (!err && kept)
		*kept = (struct files_kept){ st.st_dev, st.st_ino };
	return err;
}

int files_put(int dir_fd, const char *name, const char *text, size_t len)
{
	return put(dir_fd, name, text, len, NULL, true);
}

/* No page of it is touched before all of it has room. */
static int rewrite(int fd, const char *text, size_t len, const struct stat *old)
{
	size_t size = len > (size_t)old->st_size ? len : (size_t)old->st_size;
	char *padded;
	int err;

	if ((size_t)old->st_blocks * 512 < size && fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size))
		return errno;
	padded = malloc(size);
	if (!padded)
		return ENOMEM;
	memcpy(padded, text, len);
	memset(padded + len, ' ', size - len);
	err = files_write(fd, padded, size);
	free(padded);
	return err;
}

/* Ours, not what somebody has put in its place, which may be a link to a file elsewhere. */
static int put_in_place(int dir_fd, const char *name, const char *text, size_t len, const struct files_kept *kept)
{
	int fd = fds_add(openat(dir_fd, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	struct stat st;
	int err = ESTALE;

	if (fd < 0)
		return errno;
	if (!fstat(fd, &st) && st.st_dev == kept->dev && st.st_ino == kept->ino && st.st_nlink == 1)
		err = rewrite(fd, text, len, &st);
	fds_close(fd);
	return err;
}

int files_put_kept(int dir_fd, const char *name, const char *text, size_t len, struct files_kept *kept, bool last)
{
	int err = put(dir_fd, name, text, len, kept, last);

	if (err && last && kept->ino && !put_in_place(dir_fd, name, text, len, kept))
		return 0;
	return err;
}

int files_create(int dir_fd, const char *name)
{
	char hidden[NAME_BYTES];
	int fd = open_hidden(dir_fd, name, hidden, sizeof(hidden));
	int err;

	if (fd < 0)
		return -1;
	err = show(dir_fd, hidden, name);
	if (err) {
		fds_close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

int files_done(int dir_fd, const char *name, uint64_t bytes, bool times)
{
	char done[NAME_BYTES], text[96];
	int n = snprintf(text, sizeof(text), "filesize:%" PRIu64 "\n%s", bytes,
			 times ? "starttime:0\nendtime  :0\n" : "");

	if (snprintf(done, sizeof(done), "%s.done", name) >= (int)sizeof(done))
		return ENAMETOOLONG;
	return files_put(dir_fd, done, text, (size_t)n);
}

/*
 * Makes a folder of mode 0750 whatever the umask is, which may leave no right
 * even to open what was made: so by a descriptor that needs none. It follows no
 * link, should somebody have put one in the folder's place.
 */
static int make_folder(int dir_fd, const char *name)
{
	char self[32];
	int fd, ret;

	if (mkdirat(dir_fd, name, 0750))
		return -1;
	fd = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	ret = chmod(self, 0750);
	if (ret && errno == ENOENT) /* no /proc: mkdir's mode has to do */
		ret = 0;
	close(fd);
	return ret;
}

int files_mkdir(int dir_fd, const char *name)
{
	if (make_folder(dir_fd, name))
		return -1;
	return fds_add(openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int files_mkpath(const char *path)
{
	return make_folder(AT_FDCWD, path);
}
