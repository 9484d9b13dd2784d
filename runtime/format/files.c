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

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

int files_put(int dir_fd, const char *name, const char *text, size_t len)
{
	char tmp[128];
	int fd, err;

	snprintf(tmp, sizeof(tmp), ".%s.tmp", name);
	unlinkat(dir_fd, tmp, 0);
	fd = fds_add(openat(dir_fd, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640));
	if (fd < 0)
		return errno;
	err = fchmod(fd, 0640) ? errno : write_all(fd, text, len);
	fds_close(fd);
	if (!err && renameat(dir_fd, tmp, dir_fd, name))
		err = errno;
	if (err)
		unlinkat(dir_fd, tmp, 0);
	return err;
}

int files_done(int dir_fd, const char *name, uint64_t bytes, bool times)
{
	char done[128], text[96];
	int n = snprintf(text, sizeof(text), "filesize:%" PRIu64 "\n%s", bytes,
			 times ? "starttime:0\nendtime  :0\n" : "");

	snprintf(done, sizeof(done), "%s.done", name);
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
