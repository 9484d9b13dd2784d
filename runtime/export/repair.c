/* SPDX-License-Identifier: Apache-2.0 */
#include "export/repair.h"

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

#include "export/native.h"
#include "export/samples.h"
#include "export/stored.h"
#include "export/tally.h"
#include "export/unpack.h"
#include "format/collection.h"
#include "format/files.h"
#include "format/json_read.h"
#include "format/json_write.h"

#define NAME_BYTES 256

struct job {
	const struct prof *prof;
	const struct prof_part *part; /* being mended */
	struct repaired *out;
	struct diag *diag;
	uint64_t newest_ns; /* CLOCK_REALTIME of the last change of a slice */
};

static int failed(struct job *job, const char *dir, const char *name, int error)
{
	return diag_fail(job->diag, "%s/%s: %s", dir, name, strerror(error));
}

static bool file_exists(int dir_fd, const char *name)
{
	struct stat st;

	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW);
}

/* ---- slices ---- */

/* Whether <name>.done is there and has the length that the slice has. */
static bool is_done(int dir_fd, const char *name, off_t size)
{
	char done[NAME_BYTES + 8], *text;
	unsigned long long bytes = 0;
	size_t len;
	bool right;

	snprintf(done, sizeof(done), "%s.done", name);
	text = control_load(dir_fd, done, 4096, &len);
	right = text && sscanf(text, "filesize:%llu", &bytes) == 1 && bytes == (unsigned long long)size;
	free(text);
	return right;
}

static size_t whole_rows(const unsigned char *data, size_t size, size_t row, bool magic)
{
	static const unsigned char zero[SLICES_ROW_MAX];
	size_t n = size / row * row;

	for (; n; n -= row) {
		const unsigned char *last = data + n - row;

		if (magic ? last[0] == 0x5A && last[1] == 0x5A : memcmp(last, zero, row) != 0)
			break;
	}
	return n;
}

static int ignore(void *arg, const void *data, size_t len)
{
	(void)arg;
	(void)data;
	(void)len;
	return 0;
}

/* Bytes of the slice that are whole. */
static size_t good_bytes(const struct job *job, const char *name, const void *data, size_t size)
{
	bool own = job->prof->account.exists; /* written by this project's runtime */
	static const size_t row[SLICES_KINDS] = {
		[SLICES_TX] = sizeof(struct row_tx),
		[SLICES_LLC] = sizeof(struct row_llc),
		[SLICES_HBM] = sizeof(struct row_hbm),
		[SLICES_SOC] = sizeof(struct row_soc_acc),
		[SLICES_TENSORS] = sizeof(struct row_tensors),
		[SLICES_CALLS] = sizeof(struct row_api),
	};
	struct native_reading reading;
	struct unpacked unpacked;
	struct stored stored;
	const char *end;
	uint64_t number;
	size_t len;

	switch (unpack_kind(name, &len)) {
	case PACKED_NATIVE:
		return native_read(data, size, NULL, NULL, &reading) ? size : reading.good_bytes;
	case PACKED_ZSTD:
		return unpack_slice(PACKED_ZSTD, data, size, ignore, NULL, &unpacked) ? size : unpacked.good_bytes;
	case PACKED_NOT:
		break;
	}
	if (slices_name(SLICES_HASH, name, &number) || slices_name(SLICES_TYPES, name, &number)) {
		end = memrchr(data, '\n', size);
		return end ? (size_t)(end + 1 - (const char *)data) : 0;
	}
	for (int k = 0; k < SLICES_KINDS; k++) {
		if (samples_kind(k) && slices_name(k, name, &number))
			return samples_whole(k, data, size);
		if (!row[k] || !slices_name(k, name, &number))
			continue;
		/* Device rows of other runtimes go on in the next slice. */
		return slices_of_host(k) || own ? whole_rows(data, size, row[k], slices_of_host(k)) : size;
	}
	if (stored_slice(&job->prof->account, job->part->device, name, &stored))
		return stored_whole(&stored, data, size);
	return size;
}

static int cut(struct job *job, const char *dir, const char *name, int fd, size_t size, size_t *good)
{
	struct guard_range map = { .len = size };

	map.begin = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map.begin == MAP_FAILED)
		return failed(job, dir, name, errno);
	guard_add(&map);
	*good = good_bytes(job, name, map.begin, size);
	guard_remove(&map);
	munmap(map.begin, size);
	if (map.hit)
		return diag_fail(job->diag, "%s/%s: became shorter while it was read", dir, name);
	if (*good < size && ftruncate(fd, (off_t)*good))
		return failed(job, dir, name, errno);
	job->out->cut_bytes += size - *good;
	return 0;
}

static int mend_slice(struct job *job, int dir_fd, const char *dir, const char *name)
{
	int fd = openat(dir_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), err, ret = 0;
	struct stat st;
	size_t good = 0;
	uint64_t changed;

	if (fd < 0 || fstat(fd, &st)) {
		ret = failed(job, dir, name, errno);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		ret = diag_fail(job->diag, "%s/%s: a regular file was expected", dir, name);
		goto out;
	}
	if (st.st_nlink > 1) { /* a copy that shares it, or a file of somebody else's */
		ret = diag_fail(job->diag, "%s/%s: has other names, under which it would be changed, too", dir, name);
		goto out;
	}
	changed = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	if (changed > job->newest_ns)
		job->newest_ns = changed;
	if (is_done(dir_fd, name, st.st_size))
		goto out;
	if (st.st_size)
		ret = cut(job, dir, name, fd, (size_t)st.st_size, &good);
	if (ret)
		goto out;
	if (!good) {
		unlinkat(dir_fd, name, 0);
		goto out;
	}
	err = fsync(fd) && errno != EINVAL ? errno : files_done(dir_fd, name, good, true);
	if (err)
		ret = failed(job, dir, name, err);
	else
		job->out->slices++;
out:
	if (fd >= 0)
		close(fd);
	return ret;
}

static int mend_data(struct job *job, int part_fd, const char *part)
{
	int fd = openat(part_fd, "data", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	char dir[4096];
	int ret = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	snprintf(dir, sizeof(dir), "%s/data", part);
	if (!d) {
		ret = failed(job, part, "data", errno);
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (e = readdir(d)))
		if (unpack_is_slice(e->d_name) && strlen(e->d_name) < NAME_BYTES)
			ret = mend_slice(job, fd, dir, e->d_name);
	closedir(d);
	return ret;
}

/* ---- control files ---- */

/* When it was written to for the last time, on both clocks. */
static struct moment end_of(const struct job *job, const struct control *c)
{
	uint64_t begin = c->begin_us * 1000, real = job->newest_ns;

	real -= real % 1000;
	if (real < begin)
		real = begin;
	return (struct moment) { .raw_ns = c->begin_raw_ns + (real - begin), .real_ns = real };
}

static int put_json(struct job *job, int fd, const char *dir, const char *name, struct json_writer *w, bool done)
{
	size_t len;
	const char *text = json_finish(w, &len);
	int err = text ? files_put(fd, name, text, len) : ENOMEM;

	if (!err && done)
		err = files_done(fd, name, len, false);
	json_release(w);
	if (err)
		return failed(job, dir, name, err);
	job->out->control_files++;
	return 0;
}

static int mend_part(struct job *job, int prof_fd, const struct prof_part *p)
{
	int fd = prof_open_part(p, prof_fd, job->diag), ret;
	char name[32] = "end_info";
	struct json_writer w = { 0 };
	struct moment end;

	if (fd < 0)
		return -1;
	job->part = p;
	ret = mend_data(job, fd, p->path);
	if (p->device >= 0)
		snprintf(name, sizeof(name), "end_info.%d", p->device);
	if (!ret && !p->control.end_us && !file_exists(fd, name)) {
		end = end_of(job, &p->control);
		collection_write(&w, &end, false);
		ret = put_json(job, fd, p->path, name, &w, true);
	}
	close(fd);
	return ret;
}

/* ---- the accounting ---- */

static void copy_member(struct json_writer *w, const struct json_doc *doc, const char *key, const struct json_node *v)
{
	bool text = v->type == JSON_STRING;

	json_copy(w, key, doc->text + v->at - text, v->len + 2 * text);
}

static uint64_t sum_of(const struct json_doc *doc, const struct json_node *dropped)
{
	uint64_t sum = 0, n;

	for (const struct json_node *k = json_first(doc, dropped); k; k = json_next(doc, dropped, doc->node + k->end))
		if (json_get_u64(doc, doc->node + k->end, &n))
			sum += n;
	return sum;
}

static const struct tally_row *rows_of(const struct tally *t, const char *kind, int64_t device)
{
	for (unsigned int i = 0; i < t->nr; i++)
		if (t->row[i].device == device && !strcmp(t->row[i].kind, kind))
			return &t->row[i];
	return NULL;
}

static uint64_t raw_of(const struct control *c, int64_t wall)
{
	return c->begin_raw_ns + (uint64_t)wall - c->begin_us * 1000;
}

/* When it began or ended; of channels that is as the program knew it last. */
static uint64_t time_of(const struct json_doc *doc, const struct json_node *v, bool begin,
			const struct tally_row *row, const struct control *c, const struct moment *end)
{
	uint64_t known;

	if (row->first <= row->last)
		return raw_of(c, begin ? row->first : row->last);
	if (json_get_u64(doc, v, &known) && known)
		return known;
	return begin ? c->begin_raw_ns : end->raw_ns;
}

/* What is in files was written; what was produced besides is known only as far as it was dropped. */
static void put_entry(struct json_writer *w, const struct json_doc *doc, const struct json_node *entry,
		      const struct tally *t, const struct control *c, const struct moment *end)
{
	const struct json_node *dropped = json_find(doc, entry, "dropped");
	const struct tally_row *row;
	char kind[ACCOUNT_KIND_LEN], unit[16];
	int64_t device = -1;
	uint64_t rows;

	if (json_get_string(doc, json_find(doc, entry, "kind"), kind, sizeof(kind)) < 0)
		kind[0] = 0;
	json_get_i64(doc, json_find(doc, entry, "device"), &device);
	row = rows_of(t, kind, device);
	rows = row ? row->rows : 0;
	if (row && json_get_string(doc, json_find(doc, entry, "unit"), unit, sizeof(unit)) >= 0 && !strcmp(unit, "bytes"))
		rows *= row->row_bytes;
	json_open(w, NULL, '{');
	for (const struct json_node *k = json_first(doc, entry), *v; k; k = json_next(doc, entry, v)) {
		char key[64];

		v = doc->node + k->end;
		if (json_get_string(doc, k, key, sizeof(key)) < 0)
			continue;
		if (!strcmp(key, "produced"))
			json_u64(w, key, rows + (dropped && dropped->type == JSON_OBJECT ? sum_of(doc, dropped) : 0));
		else if (!strcmp(key, "written"))
			json_u64(w, key, rows);
		else if (rows && (!strcmp(key, "first_ns") || !strcmp(key, "last_ns")))
			json_u64(w, key, time_of(doc, v, key[0] == 'f', row, c, end));
		else
			copy_member(w, doc, key, v);
	}
	json_close(w, '}');
}

static void put_account(struct json_writer *w, const struct json_doc *doc, const struct tally *t,
			const struct moment *end, const struct control *c)
{
	json_open(w, NULL, '{');
	for (const struct json_node *k = json_first(doc, doc->node), *v; k; k = json_next(doc, doc->node, v)) {
		char key[64];

		v = doc->node + k->end;
		if (json_get_string(doc, k, key, sizeof(key)) < 0)
			continue;
		/* Which thread's the lost ones were, nobody knows. */
		if (!strcmp(key, "threads") || !strcmp(key, "other_threads"))
			continue;
		if (!strcmp(key, "state")) {
			json_string(w, key, "repaired");
		} else if (!strcmp(key, "end")) {
			json_open(w, key, '{');
			json_u64(w, "raw_ns", end->raw_ns);
			json_u64(w, "real_ns", end->real_ns);
			json_close(w, '}');
		} else if (!strcmp(key, "accounting") && v->type == JSON_ARRAY) {
			json_open(w, key, '[');
			for (const struct json_node *e = json_first(doc, v); e; e = json_next(doc, v, e))
				put_entry(w, doc, e, t, c, end);
			json_close(w, ']');
		} else {
			copy_member(w, doc, key, v);
		}
	}
	json_close(w, '}');
}

static int mend_account(struct job *job, int fd)
{
	const struct prof_part *host = prof_host(job->prof);
	const char *path = job->prof->path;
	struct tally tally = { 0 };
	struct json_writer w = { 0 };
	struct json_doc doc;
	struct moment end;
	struct walk_seen seen;
	size_t len;
	char *text;
	int ret = 0;

	if (walk_count(host, &seen) || tally_make(&tally, job->prof, &seen))
		ret = diag_fail(job->diag, "%s: out of memory", path);
	text = ret ? NULL : control_load(fd, "ascprof.json", CONTROL_MAX_BYTES, &len);
	if (!ret && !text)
		ret = failed(job, path, "ascprof.json", errno);
	if (!ret && !json_read(&doc, text, len, CONTROL_MAX_BYTES))
		ret = diag_fail(job->diag, "%s/ascprof.json: not JSON: %s", path, doc.error);
	if (!ret) {
		end = end_of(job, &job->prof->part[0].control);
		put_account(&w, &doc, &tally, &end, &job->prof->part[0].control);
		json_doc_free(&doc);
		ret = put_json(job, fd, path, "ascprof.json", &w, false);
	}
	free(text);
	tally_free(&tally);
	return ret;
}

/* ---- the directory ---- */

int repair(const struct prof *prof, bool force, struct repaired *out, struct diag *diag)
{
	struct job job = { .prof = prof, .out = out, .diag = diag };
	int fd, ret = 0;

	*out = (struct repaired) { 0 };
	if (!force && account_alive(&prof->account))
		return diag_fail(diag, "%s: process %" PRIu64 " (%s) still records into it; --force if that is another "
				 "program by now", prof->path, prof->account.pid, prof->account.comm);
	fd = prof_open_again(prof, diag);
	if (fd < 0)
		return -1;
	for (unsigned int i = 0; i < prof->nr_parts && !ret; i++)
		ret = mend_part(&job, fd, &prof->part[i]);
	if (!ret && prof->account.running)
		ret = mend_account(&job, fd);
	close(fd);
	return ret;
}
