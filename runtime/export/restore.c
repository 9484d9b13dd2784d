/* SPDX-License-Identifier: Apache-2.0 */
#include "export/restore.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/unpack.h"
#include "format/files.h"
#include "format/rows.h"
#include "native/block.h"

#define NAME_BYTES 160
#define ROWS_TAG "aging.additional.msproftx"

/* A plain slice being made, under a hidden name until all of the folder are. */
struct plain {
	char name[NAME_BYTES];
	uint64_t bytes;
};

struct packed_slice {
	char name[NAME_BYTES];
	enum packed kind;
	uint64_t number;
};

struct folder {
	int fd;
	char path[4096];
	struct packed_slice *packed;
	unsigned int nr_packed;
	struct plain *plain;
	unsigned int nr_plain;
	int out; /* the last plain slice, while it is written to */
	unsigned int next_row_slice;
	struct restored *total;
	struct diag *diag;
};

static int failed(struct folder *f, const char *name, int error)
{
	return diag_fail(f->diag, "%s/%s: %s", f->path, name, strerror(error));
}

static void hidden(const char *name, char *to, size_t size)
{
	snprintf(to, size, ".%s.tmp", name);
}

static int begin_plain(struct folder *f, const char *name, size_t len)
{
	struct plain *grown = realloc(f->plain, (f->nr_plain + 1) * sizeof(*grown));
	char temporary[NAME_BYTES + 8];

	if (!grown)
		return failed(f, name, ENOMEM);
	f->plain = grown;
	grown += f->nr_plain;
	*grown = (struct plain) { 0 };
	memcpy(grown->name, name, len);
	hidden(grown->name, temporary, sizeof(temporary));
	unlinkat(f->fd, temporary, 0);
	f->out = openat(f->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
	if (f->out < 0)
		return failed(f, temporary, errno);
	f->nr_plain++;
	return 0;
}

static int end_plain(struct folder *f)
{
	int err = f->out >= 0 && fsync(f->out) && errno != EINVAL ? errno : 0;

	if (f->out >= 0)
		close(f->out);
	f->out = -1;
	return err ? failed(f, f->plain[f->nr_plain - 1].name, err) : 0;
}

static int write_plain(struct folder *f, const void *data, size_t len)
{
	struct plain *p = &f->plain[f->nr_plain - 1];
	int err = files_write(f->out, data, len);

	p->bytes += len;
	return err ? failed(f, p->name, err) : 0;
}

static int put_as_it_is(void *arg, const void *data, size_t len)
{
	return write_plain(arg, data, len);
}

/* Rows fill slices of bounded size; those of one event, which come together, stay together. */
static int put_rows(void *arg, const void *data, size_t len)
{
	struct folder *f = arg;
	char name[NAME_BYTES];
	int n;

	if (f->out >= 0 && f->plain[f->nr_plain - 1].bytes + len > ROW_SLICE_BYTES && end_plain(f))
		return -1;
	if (f->out < 0) {
		n = snprintf(name, sizeof(name), ROWS_TAG ".slice_%u", f->next_row_slice++);
		if (begin_plain(f, name, (size_t)n))
			return -1;
	}
	return write_plain(f, data, len);
}

static int unpack_one(struct folder *f, const struct packed_slice *s)
{
	int fd = openat(f->fd, s->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret = -1;
	size_t len = strlen(s->name) - (sizeof(".zst") - 1);
	struct guard_range map = { 0 };
	struct unpacked got;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		failed(f, s->name, errno);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		diag_fail(f->diag, "%s/%s: a regular file was expected", f->path, s->name);
		goto out;
	}
	map.len = (size_t)st.st_size;
	map.begin = map.len ? mmap(NULL, map.len, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	if (map.begin == MAP_FAILED) {
		map.begin = NULL;
		failed(f, s->name, errno);
		goto out;
	}
	if (s->kind == PACKED_ZSTD && begin_plain(f, s->name, len))
		goto out;
	if (map.begin)
		guard_add(&map);
	ret = unpack_slice(s->kind, map.begin, map.len, s->kind == PACKED_NATIVE ? put_rows : put_as_it_is, f, &got);
	if (map.begin)
		guard_remove(&map);
	if (!ret && got.wrong)
		ret = diag_fail(f->diag, "%s/%s: byte %zu: %s; ascprof repair cuts it off", f->path, s->name,
				got.good_bytes, got.wrong);
	else if (ret)
		failed(f, s->name, ENOMEM); /* or what was told before: the first message stays */
	if (!ret && s->kind == PACKED_ZSTD)
		ret = end_plain(f);
	f->total->packed_bytes += map.len;
out:
	if (map.begin)
		munmap(map.begin, map.len);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* ---- a folder ---- */

static int by_number(const void *a, const void *b)
{
	const struct packed_slice *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int list(struct folder *f)
{
	int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct packed_slice *grown;
	struct dirent *e;
	size_t len;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return failed(f, ".", errno);
	}
	while ((e = readdir(d))) {
		enum packed kind = unpack_kind(e->d_name, &len);
		const char *digits = strrchr(e->d_name, '_');

		if (kind == PACKED_NOT || !unpack_is_slice(e->d_name) || strlen(e->d_name) >= NAME_BYTES)
			continue;
		grown = realloc(f->packed, (f->nr_packed + 1) * sizeof(*grown));
		if (!grown) {
			closedir(d);
			return failed(f, ".", ENOMEM);
		}
		f->packed = grown;
		grown += f->nr_packed++;
		*grown = (struct packed_slice) { .kind = kind, .number = strtoull(digits + 1, NULL, 10) };
		strcpy(grown->name, e->d_name);
	}
	closedir(d);
	if (f->nr_packed)
		qsort(f->packed, f->nr_packed, sizeof(*f->packed), by_number);
	return 0;
}

/* From the mark on the packed slices are nothing but waste, as many of them as there still are. */
static void remove_packed(struct folder *f)
{
	char name[NAME_BYTES + 8];

	for (unsigned int i = 0; i < f->nr_packed; i++) {
		unlinkat(f->fd, f->packed[i].name, 0);
		snprintf(name, sizeof(name), "%s.done", f->packed[i].name);
		unlinkat(f->fd, name, 0);
	}
	fsync(f->fd);
	unlinkat(f->fd, UNPACK_MARK, 0);
}

/* All plain slices are complete: they get their names, then the packed ones go. */
static int exchange(struct folder *f)
{
	char name[NAME_BYTES + 8];
	int err;

	for (unsigned int i = 0; i < f->nr_plain; i++) {
		struct plain *p = &f->plain[i];

		hidden(p->name, name, sizeof(name));
		err = renameat(f->fd, name, f->fd, p->name) ? errno : files_done(f->fd, p->name, p->bytes, true);
		if (err)
			return failed(f, p->name, err);
		f->total->plain_bytes += p->bytes;
	}
	fsync(f->fd);
	err = files_put(f->fd, UNPACK_MARK, "", 0);
	if (err)
		return failed(f, UNPACK_MARK, err);
	fsync(f->fd);
	remove_packed(f);
	f->total->plain += f->nr_plain;
	f->total->packed += f->nr_packed;
	return 0;
}

static void drop_hidden(struct folder *f)
{
	char name[NAME_BYTES + 8];

	for (unsigned int i = 0; i < f->nr_plain; i++) {
		hidden(f->plain[i].name, name, sizeof(name));
		unlinkat(f->fd, name, 0);
	}
}

static int restore_folder(struct folder *f)
{
	int ret = list(f);

	if (!ret && unpack_is_done(f->fd)) { /* by one that did not come to its end */
		remove_packed(f);
		f->nr_packed = 0;
	}
	for (unsigned int i = 0; i < f->nr_packed && !ret; i++)
		ret = unpack_one(f, &f->packed[i]);
	if (f->out >= 0 && end_plain(f))
		ret = -1;
	if (!ret && f->nr_packed)
		ret = exchange(f);
	if (ret)
		drop_hidden(f);
	free(f->packed);
	free(f->plain);
	return ret;
}

int restore(const struct prof *prof, struct restored *out, struct diag *diag)
{
	int prof_fd, part_fd, ret = 0;

	*out = (struct restored) { 0 };
	if (prof->account.running)
		return diag_fail(diag, "%s: it is still recorded, or its program was killed: ascprof repair completes it",
				 prof->path);
	prof_fd = prof_open_again(prof, diag);
	if (prof_fd < 0)
		return -1;
	for (unsigned int i = 0; i < prof->nr_parts && !ret; i++) {
		struct folder f = { .out = -1, .total = out, .diag = diag };

		snprintf(f.path, sizeof(f.path), "%s/data", prof->part[i].path);
		part_fd = prof_open_part(&prof->part[i], prof_fd, diag);
		if (part_fd < 0) {
			ret = -1;
			break;
		}
		f.fd = openat(part_fd, "data", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (f.fd >= 0)
			ret = restore_folder(&f);
		else if (errno != ENOENT)
			ret = failed(&f, ".", errno);
		if (f.fd >= 0)
			close(f.fd);
		close(part_fd);
	}
	close(prof_fd);
	return ret;
}
