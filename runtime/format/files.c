/* SPDX-License-Identifier: Apache-2.0 */
#include "format/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/fds.h"

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

int files_put(int dir_fd, const char *name, const char *text, size_t len)
{
	char hidden[NAME_BYTES];
	int fd = open_hidden(dir_fd, name, hidden, sizeof(hidden));
	int err;

	if (fd < 0)
		return errno;
	err = files_write(fd, text, len);
	fds_close(fd);
	if (err)
		unlinkat(dir_fd, hidden, 0);
	return err ? err : show(dir_fd, hidden, name);
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
