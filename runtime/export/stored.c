/* SPDX-License-Identifier: Apache-2.0 */
#include "export/stored.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/unpack.h"
#include "format/rows.h"

static const struct stored compact = { "compact", sizeof(struct row_compact), .report = true };
static const struct stored additional = { "additional", sizeof(struct row_additional), .report = true };

/* A channel's slice is <file>.<device>.slice_<k>. */
static bool of_channel(const struct account_kind *k, int device, const char *name)
{
	char begin[64];
	int n = snprintf(begin, sizeof(begin), "%s.%d.slice_", k->file, device);

	return *k->file && k->row_bytes && k->device == device && !strncmp(name, begin, (size_t)n) &&
	       isdigit((unsigned char)name[n]);
}

bool stored_slice(const struct account *a, int device, const char *name, struct stored *s)
{
	uint64_t number;

	if (!unpack_is_slice(name))
		return false;
	for (unsigned int i = 0; device != ACCOUNT_HOST && i < a->nr_kinds; i++) {
		const struct account_kind *k = &a->kind[i];

		if (!of_channel(k, device, name))
			continue;
		*s = (struct stored){ k->name, k->row_bytes, .in_bytes = k->bytes };
		return true;
	}
	if (device != ACCOUNT_HOST)
		return false;
	for (int k = 0; k < SLICES_KINDS; k++)
		if (slices_name((enum slices_kind)k, name, &number))
			return false;
	if (strstr(name, ".compact."))
		*s = compact;
	else if (strstr(name, ".additional."))
		*s = additional;
	else
		return false;
	return true;
}

/* Reports end where one has its mark; channels may have rows of zeros. */
size_t stored_whole(const struct stored *s, const void *data, size_t size)
{
	const unsigned char *at = data;
	const char *end;
	size_t n = size / s->row_bytes * s->row_bytes;

	if (s->row_bytes == 1) {
		end = memrchr(data, '\n', size);
		return end ? (size_t)(end + 1 - (const char *)data) : 0;
	}
	while (s->report && n && (at[n - s->row_bytes] != 0x5A || at[n - s->row_bytes + 1] != 0x5A))
		n -= s->row_bytes;
	return n;
}

static int count_portion(void *arg, const void *data, size_t len)
{
	struct stored_count *c = arg;
	const char *at = data;
	uint64_t stamp;

	c->bytes += len;
	for (size_t i = 0; c->slice.report && i + c->slice.row_bytes <= len; i += c->slice.row_bytes) {
		memcpy(&stamp, at + i + offsetof(struct row_compact, stamp), sizeof(stamp));
		if (stamp < c->first)
			c->first = stamp;
		if (stamp > c->last)
			c->last = stamp;
	}
	return 0;
}

static int count_slice(struct stored_count *c, int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret = 0;
	struct guard_range map = { 0 };
	enum packed packed;
	struct unpacked got;
	struct stat st;
	size_t len;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		goto out;
	map.len = (size_t)st.st_size;
	map.begin = mmap(NULL, map.len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map.begin == MAP_FAILED)
		goto out;
	guard_add(&map);
	packed = unpack_kind(name, &len);
	if (packed == PACKED_NOT)
		count_portion(c, map.begin, map.len);
	else
		ret = unpack_slice(packed, map.begin, map.len, count_portion, c, &got);
	guard_remove(&map);
	munmap(map.begin, map.len);
out:
	close(fd);
	c->rows = c->bytes / c->slice.row_bytes;
	return ret;
}

int stored_each(const struct prof *prof, const struct prof_part *part,
		int (*each)(void *arg, const struct stored_count *c), void *arg)
{
	char path[4096];
	struct dirent *e;
	int fd, ret = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/data", part->path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!ret && (e = readdir(d))) {
		struct stored_count c = { .first = UINT64_MAX };

		if (!stored_slice(&prof->account, part->device, e->d_name, &c.slice))
			continue;
		ret = count_slice(&c, fd, e->d_name);
		if (!ret)
			ret = each(arg, &c);
	}
	closedir(d);
	return ret;
}
