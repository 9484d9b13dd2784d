/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int sysfs_text(int dir, const char *path, char text[SYSFS_TEXT])
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got;
	size_t i, len = 0;

	if (fd < 0)
		return errno == ENOENT ? ENOENT : EINVAL;
	while (len < SYSFS_TEXT && (got = read(fd, text + len, SYSFS_TEXT - len)) > 0)
		len += (size_t)got;
	close(fd);
	if (len == SYSFS_TEXT)
		return EINVAL;
	while (len > 0 && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	for (i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return EINVAL;
	return len > 0 ? 0 : EINVAL;
}

int sysfs_number(const char *text, uint64_t max, uint64_t *value)
{
	unsigned long long n;
	char *end;

	if (*text < '0' || *text > '9')
		return EINVAL;
	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || *end || n > max)
		return EINVAL;
	*value = n;
	return 0;
}
