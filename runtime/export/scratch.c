/* SPDX-License-Identifier: Apache-2.0 */
#include "export/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int scratch_file(void)
{
	const int flags = O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC;
	const char *dir = getenv("TMPDIR");
	int fd;

	if (dir && *dir)
		return open(dir, flags, 0600);
	fd = open("/var/tmp", flags, 0600); /* on a disk, where /tmp may be memory */
	return fd >= 0 ? fd : open("/tmp", flags, 0600);
}

/* Blocks are taken now: a full disk must not end the process when a page is written. */
static int lengthen(int fd, size_t bytes)
{
	errno = posix_fallocate(fd, 0, (off_t)bytes);
	return errno ? -1 : 0;
}

static void *map_memory(struct scratch *s, size_t bytes)
{
	void *to = s->map.begin ? mremap(s->map.begin, s->map.len, bytes, MREMAP_MAYMOVE) :
				  mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (to != MAP_FAILED)
		madvise(to, bytes, MADV_HUGEPAGE); /* sorting touches all of it in no order */
	return to;
}

static void *map_file(struct scratch *s, size_t bytes)
{
	int fd = s->in_file ? s->fd : scratch_file();
	void *to = MAP_FAILED;

	if (fd < 0 || lengthen(fd, bytes))
		goto out;
	to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (to == MAP_FAILED)
		goto out;
	if (s->in_file) {
		guard_remove(&s->map);
	} else if (s->map.begin) {
		memcpy(to, s->map.begin, s->map.len);
	}
	if (s->map.begin)
		munmap(s->map.begin, s->map.len);
	s->fd = fd;
	s->in_file = 1;
	s->map.begin = NULL;
	return to;
out:
	if (fd >= 0 && !s->in_file)
		close(fd);
	return to;
}

int scratch_resize(struct scratch *s, size_t bytes)
{
	void *to;

	if (bytes <= s->map.len)
		return 0;
	to = bytes < SCRATCH_MEMORY ? map_memory(s, bytes) : map_file(s, bytes);
	if (to == MAP_FAILED)
		return -1;
	s->map.begin = to;
	s->map.len = bytes;
	if (s->in_file)
		guard_add(&s->map);
	return 0;
}

int scratch_grow(struct scratch *s, size_t nr, size_t size)
{
	size_t need;

	if (__builtin_mul_overflow(nr + 1, size, &need) || need > SIZE_MAX / 4) {
		errno = ENOMEM;
		return -1;
	}
	if (need <= s->map.len)
		return 0;
	return scratch_resize(s, need < 65536 ? 65536 : 2 * need);
}

void scratch_free(struct scratch *s)
{
	if (s->in_file) {
		guard_remove(&s->map);
		close(s->fd);
	}
	if (s->map.begin)
		munmap(s->map.begin, s->map.len);
	*s = (struct scratch){ 0 };
}

void scratch_move(struct scratch *to, struct scratch *from)
{
	scratch_free(to);
	if (from->in_file)
		guard_remove(&from->map);
	*to = *from;
	*from = (struct scratch){ 0 };
	if (to->in_file)
		guard_add(&to->map);
}
