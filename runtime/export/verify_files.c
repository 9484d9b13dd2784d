/* SPDX-License-Identifier: Apache-2.0 */
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
#include "export/unpack.h"
#include "export/verify_parts.h"
#include "format/json_read.h"
#include "format/rows.h"

#define DONE ".done"

/* The names in a folder, in order. */
struct names_in {
	char **name;
	size_t nr;
};

struct folder {
	struct verifying *v;
	const struct prof_part *part;
	const char *path;
	int fd;
	struct names_in in;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void drop_names(struct names_in *in)
{
	for (size_t i = 0; i < in->nr; i++)
		free(in->name[i]);
	free(in->name);
	*in = (struct names_in){ 0 };
}

static int list_names(struct folder *f)
{
	int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	char **grown;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return diag_fail(f->v->diag, "%s: %s", f->path, strerror(errno));
	}
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		grown = f->in.nr & (f->in.nr - 1) ? f->in.name :
			realloc(f->in.name, (f->in.nr ? 2 * f->in.nr : 1) * sizeof(*grown));
		if (!grown)
			break;
		f->in.name = grown;
		grown[f->in.nr] = strdup(e->d_name);
		if (!grown[f->in.nr])
			break;
		f->in.nr++;
	}
	closedir(d);
	if (e)
		return diag_fail(f->v->diag, "%s: out of memory", f->path);
	if (f->in.nr)
		qsort(f->in.name, f->in.nr, sizeof(*f->in.name), by_name);
	return 0;
}

static bool has_name(const struct folder *f, const char *name)
{
	return f->in.nr && bsearch(&name, f->in.name, f->in.nr, sizeof(name), by_name);
}

static void found(struct folder *f, enum verify_finding kind, const char *name, const char *what)
{
	char path[4096 + 300];

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	verify_found(f->v, kind, path, "%s", what);
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

/* ---- any file ---- */

static void look_at_done(struct folder *f, const char *name, uint64_t size)
{
	unsigned long long bytes = 0;
	char done[300], text[160], *content;
	size_t len;

	snprintf(done, sizeof(done), "%.255s" DONE, name);
	content = control_load(f->fd, done, 4096, &len);
	if (!content) {
		/* of one that is not stopped there are none yet */
		found(f, f->v->prof->account.running ? VERIFY_NOTE : VERIFY_DAMAGED, name, "has no .done beside it");
		return;
	}
	if (sscanf(content, "filesize:%llu", &bytes) != 1) {
		found(f, VERIFY_DAMAGED, done, "filesize:<bytes> was expected in it");
	} else if (bytes != size) {
		snprintf(text, sizeof(text), "has %" PRIu64 " bytes, its .done says %llu", size, bytes);
		found(f, VERIFY_DAMAGED, name, text);
	}
	free(content);
}

/* Whether the file is one that more can be said about; its size. */
static bool look_at_file(struct folder *f, const char *name, uint64_t *size)
{
	struct stat st;

	if (fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW)) {
		found(f, VERIFY_DAMAGED, name, strerror(errno));
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		found(f, VERIFY_DAMAGED, name, "is no regular file");
		return false;
	}
	f->v->out->files++;
	if (name[0] == '.') {
		found(f, VERIFY_NOTE, name, "was left over when something was interrupted");
		return false;
	}
	if (ends_with(name, DONE)) {
		char of[300];

		snprintf(of, sizeof(of), "%.*s", (int)(strlen(name) - strlen(DONE)), name);
		if (!has_name(f, of))
			found(f, VERIFY_LOST, of, "is not there, but its .done is");
		return false;
	}
	*size = (uint64_t)st.st_size;
	look_at_done(f, name, *size);
	return true;
}

/* ---- control files ---- */

static void look_at_json(struct folder *f, const char *name)
{
	struct json_doc doc;
	char text[200];
	size_t len;
	char *content = control_load(f->fd, name, CONTROL_MAX_BYTES, &len);

	if (!content) {
		found(f, VERIFY_DAMAGED, name, strerror(errno));
		return;
	}
	if (!json_read(&doc, content, len, CONTROL_MAX_BYTES)) {
		snprintf(text, sizeof(text), "not JSON at byte %zu: %.120s", doc.error_at, doc.error);
		found(f, VERIFY_DAMAGED, name, text);
	} else {
		if (doc.node->type != JSON_OBJECT)
			found(f, VERIFY_DAMAGED, name, "a JSON object was expected");
		json_doc_free(&doc);
	}
	free(content);
}

static void look_at_controls(struct folder *f)
{
	static const struct {
		const char *name;
		bool json, numbered, device, end;
	} files[] = {
		{ "info.json", true, true, false, false },
		{ "sample.json", true, false, false, false },
		{ "start_info", true, true, false, false },
		{ "end_info", true, true, false, true },
		{ "host_start.log", false, true, false, false },
		{ "dev_start.log", false, true, true, false },
	};
	const struct control *c = &f->part->control;
	char name[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (files[i].device && f->part->device < 0)
			continue;
		if (files[i].numbered && f->part->device >= 0)
			snprintf(name, sizeof(name), "%s.%d", files[i].name, f->part->device);
		else
			snprintf(name, sizeof(name), "%s", files[i].name);
		if (!has_name(f, name))
			found(f, files[i].end && f->v->prof->account.running ? VERIFY_NOTE : VERIFY_DAMAGED, name,
			      "is not there");
		else if (files[i].json)
			look_at_json(f, name);
	}
	if (c->end_us && (c->end_us < c->begin_us || c->end_raw_ns < c->begin_raw_ns))
		found(f, VERIFY_DAMAGED, "end_info", "the end is before the begin of start_info");
}

/* ---- slices ---- */

static int pass_over(void *arg, const void *data, size_t len)
{
	(void)arg;
	(void)data;
	(void)len;
	return 0;
}

/* Blocks have checksums, and so have zstd frames. */
static int look_at_packed(struct folder *f, const char *name, enum packed kind, size_t size)
{
	int fd = openat(f->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret;
	struct guard_range map = { .len = size };
	struct native_reading reading = { 0 };
	struct unpacked unpacked = { 0 };
	const char *wrong;
	char text[200];

	if (!size || fd < 0) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	map.begin = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map.begin == MAP_FAILED)
		return diag_fail(f->v->diag, "%s/%s: %s", f->path, name, strerror(errno));
	guard_add(&map);
	if (kind == PACKED_NATIVE)
		ret = native_read(map.begin, size, NULL, NULL, &reading);
	else
		ret = unpack_slice(kind, map.begin, size, pass_over, NULL, &unpacked);
	guard_remove(&map);
	munmap(map.begin, size);
	if (ret)
		return diag_fail(f->v->diag, "%s/%s: out of memory", f->path, name);
	wrong = kind == PACKED_NATIVE ? reading.wrong : unpacked.wrong;
	if (map.hit)
		wrong = "became shorter while it was read";
	if (wrong) {
		snprintf(text, sizeof(text), "byte %zu of %zu: %.120s",
			 kind == PACKED_NATIVE ? reading.good_bytes : unpacked.good_bytes, size, wrong);
		found(f, VERIFY_DAMAGED, name, text);
	}
	return 0;
}

static void look_at_size(struct folder *f, const char *name, enum slices_kind kind, uint64_t size)
{
	size_t row = f->part->table[kind].row_size;
	char text[128];

	/* device rows of other runtimes go on in the next slice */
	if (kind == SLICES_HASH || !row || (f->part->device >= 0 && !f->v->prof->account.exists))
		return;
	if (size % row) {
		snprintf(text, sizeof(text), "the last %" PRIu64 " bytes are no whole row", size % row);
		found(f, VERIFY_DAMAGED, name, text);
	}
	if (f->v->prof->account.exists && size > ROW_SLICE_BYTES)
		found(f, VERIFY_DAMAGED, name, "is larger than 2 MiB");
}

/* Slices of a kind have numbers without gaps, but for those that aged at the begin. */
static void look_at_numbers(struct folder *f, const struct slices *s)
{
	char text[160];

	for (unsigned int i = 0; i < s->nr; i++) {
		uint64_t want = i ? s->slice[i - 1].number + 1 : 0;

		if (s->slice[i].number <= want)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " slices in front of it are not there%s",
			 s->slice[i].number - want, i ? "" : "; the oldest go first when the storage limit is reached");
		found(f, VERIFY_LOST, s->slice[i].name, text);
	}
}

static int look_at_slice(struct folder *f, const char *name, uint64_t size)
{
	uint64_t number;
	size_t len;
	enum packed packed = unpack_kind(name, &len);

	if (packed != PACKED_NOT)
		return unpack_is_slice(name) ? look_at_packed(f, name, packed, size) : 0;
	for (int k = 0; k < SLICES_KINDS; k++)
		if (slices_name(k, name, &number))
			look_at_size(f, name, k, size);
	return 0;
}

static int look_at_data(struct folder *part)
{
	struct folder f = *part;
	char path[4096];
	uint64_t size;
	int ret;

	f.fd = openat(part->fd, "data", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (f.fd < 0) {
		found(part, VERIFY_DAMAGED, "data", strerror(errno));
		return 0;
	}
	snprintf(path, sizeof(path), "%s/data", part->path);
	f.path = path;
	f.in = (struct names_in){ 0 };
	ret = list_names(&f);
	for (size_t i = 0; i < f.in.nr && !ret; i++)
		if (look_at_file(&f, f.in.name[i], &size))
			ret = look_at_slice(&f, f.in.name[i], size);
	for (int k = 0; k < SLICES_KINDS && !ret; k++)
		look_at_numbers(&f, &f.part->table[k]);
	drop_names(&f.in);
	close(f.fd);
	return ret;
}

int verify_files(struct verifying *v, const struct prof_part *part, int prof_fd)
{
	struct folder f = { .v = v, .part = part, .path = part->path, .fd = prof_open_part(part, prof_fd, v->diag) };
	uint64_t size;
	int ret;

	if (f.fd < 0)
		return -1;
	ret = list_names(&f);
	for (size_t i = 0; i < f.in.nr && !ret; i++)
		if (strcmp(f.in.name[i], "data"))
			look_at_file(&f, f.in.name[i], &size);
	if (!ret) {
		look_at_controls(&f);
		ret = look_at_data(&f);
	}
	drop_names(&f.in);
	close(f.fd);
	return ret;
}
