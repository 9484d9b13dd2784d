/* SPDX-License-Identifier: Apache-2.0 */
#include "export/slices.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/scratch.h"
#include "export/unpack.h"
#include "format/files.h"
#include "format/rows.h"
#include "native/block.h"

static const char *skip_digits(const char *s)
{
	while (*s >= '0' && *s <= '9')
		s++;
	return s;
}

/* The part of @name behind @prefix, NULL when it starts differently. */
static const char *behind(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return name && !strncmp(name, prefix, n) ? name + n : NULL;
}

static bool slice_number(const char *digits, uint64_t *number)
{
	const char *end = digits ? skip_digits(digits) : digits;
	size_t packed_len;

	if (end == digits || (*end && (unpack_kind(digits, &packed_len) != PACKED_ZSTD || digits + packed_len != end)))
		return false;
	errno = 0;
	*number = strtoull(digits, NULL, 10);
	return !errno;
}

static bool is_text(enum slices_kind kind)
{
	return kind >= SLICES_HOST_CPU && kind <= SLICES_NUMA;
}

bool slices_of_host(enum slices_kind kind)
{
	return kind == SLICES_TX || kind == SLICES_HASH || kind == SLICES_TENSORS || kind == SLICES_CALLS ||
	       kind == SLICES_TYPES || is_text(kind);
}

bool slices_name(enum slices_kind kind, const char *name, uint64_t *number)
{
	static const char *const tag[SLICES_KINDS] = {
		[SLICES_TX] = "additional.msproftx",
		[SLICES_LLC] = "llc.data.",
		[SLICES_HBM] = "hbm.data.",
		[SLICES_SOC] = "stars_soc_profile.data.",
		[SLICES_HASH] = "additional.hash_dic",
		[SLICES_TENSORS] = "additional.tensor_info",
		[SLICES_CALLS] = "api_event.data",
		[SLICES_TYPES] = "additional.type_info_dic",
		[SLICES_HOST_CPU] = "host_cpu.data",
		[SLICES_HOST_MEM] = "host_mem.data",
		[SLICES_HOST_DISK] = "host_disk.data",
		[SLICES_HOST_NETWORK] = "host_network.data",
		[SLICES_SYS_CPU] = "host_sys_cpu.data",
		[SLICES_SYS_MEM] = "host_sys_mem.data",
		[SLICES_PROCESS_CPU] = "-CpuUsage.data",
		[SLICES_PROCESS_MEM] = "-Memory.data",
		[SLICES_COUNTERS] = "ascprof.counters",
		[SLICES_SYS_COUNTERS] = "ascprof.sys_counters",
		[SLICES_DISKS] = "ascprof.disks",
		[SLICES_SYSCALL] = "host_syscall.data",
		[SLICES_PTHREAD] = "host_pthreadcall.data",
		[SLICES_PMUS] = "ascprof.pmus",
		[SLICES_NUMA] = "ascprof.numa",
	};
	const char *s = name, *end;

	if (kind == SLICES_TX && slice_number(behind(name, NATIVE_TAG_NAME ".slice_"), number))
		return true;
	if (is_text(kind)) {
		/* Files of a process begin with its number. */
		s = *tag[kind] == '-' && isdigit((unsigned char)*name) ? skip_digits(name) : name;
		s = behind(s, tag[kind]);
	} else if (slices_of_host(kind)) {
		s = behind(name, "aging.");
		if (!s)
			s = behind(name, "unaging.");
		s = behind(s, tag[kind]);
	} else {
		s = behind(s, tag[kind]);
		end = s ? skip_digits(s) : s;
		s = end == s ? NULL : end; /* the device's number */
	}
	return slice_number(behind(s, ".slice_"), number);
}

static int by_number(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* ---- packed slices: unpacked into a file without a name ---- */

static int append(void *arg, const void *data, size_t len)
{
	int err = files_write(*(int *)arg, data, len);

	if (err)
		errno = err;
	return err ? -1 : 0;
}

/*
 * Changes @slice and @*fd from the packed file to one with what is in it.
 * Return: 0, or -1 with errno set.
 */
static int unpack_into_unnamed(struct slice *slice, enum packed kind, int *fd, const char *dir, struct diag *diag)
{
	struct guard_range map = { .len = slice->size };
	struct unpacked got;
	int out = scratch_file(), ret = -1;

	map.begin = mmap(NULL, slice->size, PROT_READ, MAP_PRIVATE, *fd, 0);
	if (out < 0 || map.begin == MAP_FAILED)
		goto out;
	guard_add(&map);
	ret = unpack_slice(kind, map.begin, slice->size, append, &out, &got);
	guard_remove(&map);
	if (!ret && got.wrong)
		diag_warn(diag, "%s/data/%s: byte %zu: %s; what is before it counts", dir, slice->name, got.good_bytes,
			  got.wrong);
	if (!ret) {
		close(*fd);
		*fd = out;
		out = -1;
		slice->size = got.bytes;
	}
out:
	if (map.begin != MAP_FAILED)
		munmap(map.begin, map.len);
	if (out >= 0)
		close(out);
	return ret;
}

static int map_slice(struct slice *slice, int dir_fd, const char *dir, struct diag *diag)
{
	int fd = openat(dir_fd, slice->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	enum packed packed;
	size_t name_len;
	struct stat st;
	void *map;

	if (fd < 0 && errno == ENOENT)
		return 0; /* aged since the folder was read */
	if (fd < 0 || fstat(fd, &st)) {
		diag_fail(diag, "%s/data/%s: %s", dir, slice->name, strerror(errno));
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		diag_fail(diag, "%s/data/%s: a regular file was expected", dir, slice->name);
		goto out;
	}
	slice->size = (size_t)st.st_size;
	packed = unpack_kind(slice->name, &name_len);
	if (packed != PACKED_NOT && slice->size && unpack_into_unnamed(slice, packed, &fd, dir, diag)) {
		diag_fail(diag, "%s/data/%s: unpacking into TMPDIR: %s", dir, slice->name, strerror(errno));
		goto out;
	}
	if (slice->size) {
		map = mmap(NULL, slice->size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED) {
			diag_fail(diag, "%s/data/%s: cannot be mapped: %s", dir, slice->name,
				  strerror(errno));
			goto out;
		}
		slice->map.begin = map;
		slice->map.len = slice->size;
		guard_add(&slice->map);
	}
	close(fd);
	return 0;
out:
	if (fd >= 0)
		close(fd);
	return -1;
}

static int add_slice(struct slices *s, const char *name, uint64_t number)
{
	struct slice *grown;

	if (!(s->nr & (s->nr - 1))) { /* room for the next power of two */
		grown = realloc(s->slice, (s->nr ? 2 * s->nr : 1) * sizeof(*grown));
		if (!grown)
			return -1;
		s->slice = grown;
	}
	s->slice[s->nr] = (struct slice){ .number = number, .name = strdup(name) };
	if (!s->slice[s->nr].name)
		return -1;
	s->nr++;
	return 0;
}

static bool is_native(const struct slice *slice)
{
	size_t len;

	return unpack_kind(slice->name, &len) == PACKED_NATIVE;
}

/*
 * Where both are, rows were being made of the native slices when somebody
 * pulled the plug: @done: it was after the last row.
 */
static void choose_native(struct slices *s, bool done)
{
	unsigned int natives = 0, nr = 0;

	for (unsigned int i = 0; i < s->nr; i++)
		natives += is_native(&s->slice[i]);
	if (!natives)
		return;
	for (unsigned int i = 0; i < s->nr; i++) {
		if (is_native(&s->slice[i]) != done)
			s->slice[nr++] = s->slice[i];
		else
			free(s->slice[i].name);
	}
	s->nr = nr;
}

/* A slice that is also there compressed, which was about to be removed. */
static void drop_compressed(struct slices *s)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < s->nr; i++) {
		size_t len;

		if (nr && unpack_kind(s->slice[i].name, &len) == PACKED_ZSTD &&
		    strlen(s->slice[nr - 1].name) == len && !memcmp(s->slice[nr - 1].name, s->slice[i].name, len))
			free(s->slice[i].name);
		else
			s->slice[nr++] = s->slice[i];
	}
	s->nr = nr;
}

static int list(struct slices *s, int dir_fd, const char *dir, struct diag *diag)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	uint64_t number;
	int ret = 0;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return diag_fail(diag, "%s/data: %s", dir, strerror(errno));
	}
	while (!ret && (e = readdir(d)))
		if (slices_name(s->kind, e->d_name, &number) && add_slice(s, e->d_name, number))
			ret = diag_fail(diag, "%s: out of memory", dir);
	closedir(d);
	if (s->kind == SLICES_TX)
		choose_native(s, unpack_is_done(dir_fd));
	if (s->nr)
		qsort(s->slice, s->nr, sizeof(*s->slice), by_number);
	drop_compressed(s);
	return ret;
}

/* ---- layout: where rows begin ---- */

static uint32_t word_at(const unsigned char *row, size_t offset)
{
	uint32_t v;

	memcpy(&v, row + offset, sizeof(v));
	return v;
}

/* Whether @row looks like one of its kind; used only where it is in doubt. */
static bool plausible(const struct slices *s, const unsigned char *row)
{
	/* Version 1.0 has event and unit behind two 64-bit words, 2.0 behind one. */
	switch (s->kind) {
	case SLICES_LLC:
		return (word_at(row, 16) < 64 && word_at(row, 20) < 64) ||
		       (word_at(row, 8) < 64 && word_at(row, 12) < 64);
	case SLICES_HBM:
		return s->row_size == sizeof(struct row_hbm) ?
			       word_at(row, 16) < 2 && word_at(row, 20) < 64 :
			       word_at(row, 8) < 2 && word_at(row, 12) < 64;
	case SLICES_TENSORS:
		return word_at(row, 0) == (ROW_MAGIC | ROW_NODE_LEVEL << 16);
	case SLICES_CALLS:
		return (word_at(row, 0) & 0xffff) == ROW_MAGIC;
	default:
		return word_at(row, 0) >> 16 == ROW_SOC_MAGIC;
	}
}

static void count_rows(struct slices *s)
{
	uint64_t bytes = 0;

	s->rows = 0;
	s->cut_bytes = s->each_alone ? 0 : s->skip;
	for (unsigned int i = 0; i < s->nr; i++) {
		size_t size = s->slice[i].size - (i ? 0 : s->skip);

		bytes += size;
		if (s->each_alone) {
			s->rows += size / s->row_size;
			s->cut_bytes += size % s->row_size;
		}
	}
	if (!s->each_alone) {
		s->rows = bytes / s->row_size;
		s->cut_bytes += bytes % s->row_size;
	}
}

static uint64_t score(struct slices *s, bool each_alone, size_t skip)
{
	struct slices_cursor c;
	const void *row;
	uint64_t good = 0;

	s->each_alone = each_alone;
	s->skip = skip;
	count_rows(s);
	slices_rewind(&c, s);
	while ((row = slices_next(&c)))
		good += plausible(s, row);
	return good;
}

/*
 * Rows of device data may cross slices. When the sizes do not add up, bytes
 * are missing at the end (a killed program), at the start (ageing took the
 * other half) or somewhere within (a write that failed): what gives the most
 * rows that look right is taken.
 */
static void layout(struct slices *s)
{
	uint64_t bytes = 0, best, other;
	bool aligned = true; /* all but the last */

	for (unsigned int i = 0; i < s->nr; i++) {
		bytes += s->slice[i].size;
		if (i + 1 < s->nr && s->slice[i].size % s->row_size)
			aligned = false;
	}
	s->each_alone = aligned || s->kind == SLICES_TX;
	if (!s->each_alone && bytes % s->row_size) {
		size_t skip = bytes % s->row_size;
		int choice = 0;

		best = score(s, false, 0);
		other = skip <= s->slice[0].size ? score(s, false, skip) : 0;
		if (other > best) {
			best = other;
			choice = 1;
		}
		if (score(s, true, 0) > best)
			choice = 2;
		s->each_alone = choice == 2;
		s->skip = choice == 1 ? skip : 0;
	}
	count_rows(s);
}

/* Zeros at the end of counters are blocks that were reserved, not written. */
static void drop_blank(struct slices *s)
{
	static const unsigned char zero[SLICES_ROW_MAX];
	struct slice *last = &s->slice[s->nr - 1];
	size_t n = last->size / s->row_size * s->row_size;

	while (n && !memcmp(last->map.begin + n - s->row_size, zero, s->row_size)) {
		n -= s->row_size;
		s->blank_rows++;
	}
	if (s->blank_rows)
		last->size = n;
}

int slices_open(struct slices *s, enum slices_kind kind, size_t row_size, int dir_fd,
		const char *dir, struct diag *diag)
{
	*s = (struct slices){ .kind = kind, .row_size = row_size };
	if (list(s, dir_fd, dir, diag))
		return -1;
	for (unsigned int i = 0; i < s->nr; i++)
		if (map_slice(&s->slice[i], dir_fd, dir, diag))
			return -1;
	if (s->nr && (kind == SLICES_LLC || kind == SLICES_HBM))
		drop_blank(s);
	layout(s);
	return slices_check(s, dir, diag);
}

void slices_close(struct slices *s)
{
	while (s->nr--) { /* the last was added last: it is found first */
		struct slice *slice = &s->slice[s->nr];

		if (slice->map.begin) {
			guard_remove(&slice->map);
			munmap(slice->map.begin, slice->map.len);
		}
		free(slice->name);
	}
	free(s->slice);
	*s = (struct slices){ 0 };
}

int slices_check(const struct slices *s, const char *dir, struct diag *diag)
{
	for (unsigned int i = 0; i < s->nr; i++)
		if (s->slice[i].map.hit)
			return diag_fail(diag,
					 "%s/data/%s: became shorter while it was read; try again",
					 dir, s->slice[i].name);
	return 0;
}

void slices_rewind(struct slices_cursor *c, const struct slices *s)
{
	c->s = s;
	c->slice = 0;
	c->at = s->skip;
	c->left = s->rows;
}

const void *slices_next(struct slices_cursor *c)
{
	const struct slices *s = c->s;
	size_t have = 0;

	if (!c->left)
		return NULL;
	if (!(--c->left & 8191))
		guard_trim();
	for (;;) {
		const struct slice *slice = &s->slice[c->slice];
		size_t part = slice->size - c->at;

		if (!have && part >= s->row_size) {
			c->at += s->row_size;
			return slice->map.begin + c->at - s->row_size;
		}
		if (!s->each_alone && part) {
			if (part > s->row_size - have)
				part = s->row_size - have;
			memcpy(c->row + have, slice->map.begin + c->at, part);
			have += part;
			c->at += part;
			if (have == s->row_size)
				return c->row;
		}
		if (c->at == slice->size || s->each_alone) {
			c->slice++;
			c->at = 0;
		}
	}
}
