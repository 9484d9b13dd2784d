/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of files that a test plants, as a stand-in for sysfs. Include behind cmocka.h. */
#ifndef TEST_PLANTED_H
#define TEST_PLANTED_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static inline void make_parents(char *path)
{
	char *slash = path;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static inline void plant_bytes(const char *file, const void *content, size_t size)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	make_parents(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, size), (ssize_t)size);
	close(fd);
}

static inline void plant_link(const char *file, const char *target)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, file);
	make_parents(path);
	assert_int_equal(symlink(target, path), 0);
}

static inline int plant_root(void)
{
	snprintf(root, sizeof(root), "/tmp/test_planted.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline int uproot(void)
{
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif /* TEST_PLANTED_H */
