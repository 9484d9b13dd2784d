/* SPDX-License-Identifier: Apache-2.0 */
#include "export/prof.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/rows2.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* "host" or "device_<N>"; sets its device, -1 for the host. */
static bool is_part(const char *name, int *device)
{
	const char *digits = name + strlen("device_");

	*device = -1;
	if (!strcmp(name, "host"))
		return true;
	if (strncmp(name, "device_", strlen("device_")) || strlen(digits) > 6 || !*digits ||
	    digits[strspn(digits, "0123456789")])
		return false;
	*device = atoi(digits);
	return true;
}

static DIR *open_dir(int at, const char *name, int flags)
{
	int fd = openat(at, name, DIR_FLAGS | flags);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !d)
		close(fd);
	return d;
}

static bool has_info(int at, const char *name)
{
	DIR *d = open_dir(at, name, O_NOFOLLOW);
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = control_is_info(e->d_name);
	if (d)
		closedir(d);
	return found;
}

/* ---- one part ---- */

static int open_tables(struct prof_part *p, int dir_fd, struct diag *diag)
{
	int version = p->control.version;
	const size_t row_size[SLICES_KINDS] = { /* 0: text */
		[SLICES_TX] = sizeof(struct row_tx),
		[SLICES_LLC] = sizeof(struct row_llc), /* the same in both versions */
		[SLICES_HBM] = version == 2 ? sizeof(struct row_hbm2) : sizeof(struct row_hbm),
		[SLICES_SOC] = sizeof(struct row_soc_acc),
		[SLICES_HASH] = 1,
		[SLICES_TENSORS] = sizeof(struct row_tensors),
		[SLICES_CALLS] = sizeof(struct row_api),
		[SLICES_TYPES] = 1,
	};
	int fd = openat(dir_fd, "data", DIR_FLAGS | O_NOFOLLOW);
	int ret = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return diag_fail(diag, "%s/data: %s", p->path, strerror(errno));
	for (int k = 0; k < SLICES_KINDS && !ret; k++) {
		if (slices_of_host(k) == (p->device < 0))
			ret = slices_open(&p->table[k], k, row_size[k] ? row_size[k] : 1, fd, p->path, diag);
	}
	close(fd);
	return ret;
}

static int open_part(struct prof *prof, int at, const char *name, int device, struct diag *diag)
{
	struct prof_part *p;
	int fd, ret;

	p = realloc(prof->part, (prof->nr_parts + 1) * sizeof(*p));
	if (!p)
		return diag_fail(diag, "%s: out of memory", prof->path);
	prof->part = p;
	p += prof->nr_parts;
	*p = (struct prof_part){ .device = device };
	prof->nr_parts++;
	if (asprintf(&p->path, "%s/%s", prof->path, name) < 0) {
		p->path = NULL;
		return diag_fail(diag, "%s: out of memory", prof->path);
	}
	fd = openat(at, name, DIR_FLAGS | O_NOFOLLOW);
	if (fd < 0)
		return diag_fail(diag, "%s: %s", p->path, strerror(errno));
	control_read(&p->control, fd, p->path, diag);
	ret = open_tables(p, fd, diag);
	close(fd);
	return ret;
}

static void close_part(struct prof_part *p)
{
	for (int k = 0; k < SLICES_KINDS; k++)
		slices_close(&p->table[k]);
	free(p->path);
}

static int by_device(const void *a, const void *b)
{
	const struct prof_part *x = a, *y = b;

	return (x->device > y->device) - (x->device < y->device);
}

/* A part that lacks its start_info borrows what is known elsewhere. */
static bool find_start(const struct prof *prof, struct control *c)
{
	const struct account *a = &prof->account;

	for (unsigned int i = 0; i < prof->nr_parts && !c->started; i++) {
		const struct control *other = &prof->part[i].control;

		c->begin_us = other->begin_us;
		c->begin_raw_ns = other->begin_raw_ns;
		c->started = other->started;
	}
	if (!c->started && a->exists && a->start_real_ns) {
		c->begin_us = a->start_real_ns / 1000;
		c->begin_raw_ns = a->start_raw_ns;
		c->started = true;
	}
	return c->started;
}

static void drop_part(struct prof *prof, unsigned int i)
{
	close_part(&prof->part[i]);
	memmove(&prof->part[i], &prof->part[i + 1],
		(--prof->nr_parts - i) * sizeof(*prof->part));
}

static void start_clocks(struct prof *prof, struct diag *diag)
{
	for (unsigned int i = 0; i < prof->nr_parts;) {
		struct prof_part *p = &prof->part[i];
		const struct account_clock *clock;

		if (!find_start(prof, &p->control)) {
			diag_warn(diag, "%s: left out: no start_info with collectionTimeBegin and "
				  "clockMonotonicRaw", p->path);
			drop_part(prof, i);
			continue;
		}
		timebase_init(&p->time, &p->control);
		clock = account_clock(&prof->account, p->device);
		if (clock)
			timebase_measured(&p->time, clock->counter, clock->host_ns, clock->micro_hz);
		i++;
	}
	if (prof->nr_parts)
		prof->start = timebase_raw(&prof->part[0].time,
					   prof->part[0].control.begin_raw_ns);
}

/* ---- one directory ---- */

static void close_prof(struct prof *prof)
{
	for (unsigned int i = 0; i < prof->nr_parts; i++)
		close_part(&prof->part[i]);
	free(prof->part);
	account_free(&prof->account);
	free(prof->path);
	free(prof->name);
}

static int name_prof(struct prof *prof, int fd)
{
	char *real = realpath(prof->path, NULL);
	struct stat st;

	if (!real || fstat(fd, &st)) {
		free(real);
		return -1;
	}
	prof->dev = st.st_dev;
	prof->ino = st.st_ino;
	prof->name = strdup(strrchr(real, '/') + 1);
	free(real);
	return prof->name ? 0 : -1;
}

static int read_parts(struct prof *prof, int fd, struct diag *diag)
{
	DIR *d = open_dir(fd, ".", 0);
	struct dirent *e;
	int device, ret = 0;

	if (!d)
		return diag_fail(diag, "%s: %s", prof->path, strerror(errno));
	while (!ret && (e = readdir(d)))
		if (is_part(e->d_name, &device) && has_info(fd, e->d_name))
			ret = open_part(prof, fd, e->d_name, device, diag);
	closedir(d);
	if (prof->nr_parts)
		qsort(prof->part, prof->nr_parts, sizeof(*prof->part), by_device);
	return ret;
}

/* Takes @fd. Return: 1 opened, 0 was opened before, -1 failed. */
static int open_prof(struct prof_set *set, int fd, const char *path, bool linked, struct diag *diag)
{
	struct prof prof = { .path = strdup(path), .linked = linked };
	struct prof *grown = set->prof;
	int ret = -1;

	if (!prof.path || name_prof(&prof, fd)) {
		diag_fail(diag, "%s: %s", path, strerror(errno));
		goto out;
	}
	for (unsigned int i = 0; i < set->nr; i++) {
		if (set->prof[i].ino == prof.ino && set->prof[i].dev == prof.dev) {
			set->prof[i].linked &= linked;
			ret = 0;
			goto out;
		}
	}
	account_read(&prof.account, fd, path, diag);
	if (read_parts(&prof, fd, diag))
		goto out;
	start_clocks(&prof, diag);
	if (!prof.nr_parts) {
		diag_fail(diag, "%s: no readable part in it", path);
		goto out;
	}
	if (set->nr == set->room) {
		set->room = set->room ? 2 * set->room : 4;
		grown = realloc(set->prof, set->room * sizeof(*grown));
		if (!grown) {
			diag_fail(diag, "%s: out of memory", path);
			goto out;
		}
		set->prof = grown;
	}
	set->prof[set->nr++] = prof;
	close(fd);
	return 1;
out:
	close_prof(&prof);
	close(fd);
	return ret;
}

/* ---- the set ---- */

static bool is_prof(int fd)
{
	DIR *d = open_dir(fd, ".", 0);
	struct dirent *e;
	bool found = false;
	int device;

	while (d && !found && (e = readdir(d)))
		found = is_part(e->d_name, &device) && has_info(fd, e->d_name);
	if (d)
		closedir(d);
	return found;
}

static bool is_link(int at, const char *name)
{
	struct stat st;

	return fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) || S_ISLNK(st.st_mode);
}

/* The result directories in a folder. Those that cannot be read are warned about. */
static int open_folder(struct prof_set *set, int fd, const char *path, struct diag *diag)
{
	DIR *d = open_dir(fd, ".", 0);
	struct dirent *e;
	unsigned int found = 0;

	while (d && (e = readdir(d))) {
		struct diag own = { .program = diag->program };
		char *child;
		int child_fd;

		if (e->d_name[0] == '.')
			continue;
		child_fd = openat(fd, e->d_name, DIR_FLAGS);
		if (child_fd < 0)
			continue;
		if (!is_prof(child_fd) || asprintf(&child, "%s/%s", path, e->d_name) < 0) {
			close(child_fd);
			continue;
		}
		found++;
		if (open_prof(set, child_fd, child, is_link(fd, e->d_name), &own) < 0)
			diag_warn(diag, "left out: %s", own.error);
		diag->warnings += own.warnings;
		free(child);
	}
	if (d)
		closedir(d);
	if (!found)
		return diag_fail(diag, "%s: no result directory: a folder PROF_* with host or "
				 "device_<N> in it, or one that holds such, was expected", path);
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct prof *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return strcmp(x->name, y->name) ? strcmp(x->name, y->name) : strcmp(x->path, y->path);
}

int prof_set_open(struct prof_set *set, char *const *dirs, unsigned int nr, struct diag *diag)
{
	*set = (struct prof_set){ .one = nr == 1 };
	for (unsigned int i = 0; i < nr; i++) {
		char *path = strdup(dirs[i]);
		size_t n = path ? strlen(path) : 0;
		int fd, ret;

		while (n > 1 && path[n - 1] == '/')
			path[--n] = 0;
		fd = path ? open(path, DIR_FLAGS) : -1;
		if (fd < 0) {
			ret = diag_fail(diag, "%s: %s", dirs[i], strerror(errno));
		} else if (is_prof(fd)) {
			ret = open_prof(set, fd, path, false, diag);
		} else {
			set->one = false;
			ret = open_folder(set, fd, path, diag);
			close(fd);
		}
		free(path);
		if (ret < 0)
			return -1;
	}
	if (!set->nr)
		return diag_fail(diag, "%s: no readable result directory in it", dirs[0]);
	qsort(set->prof, set->nr, sizeof(*set->prof), by_start);
	return 0;
}

void prof_set_close(struct prof_set *set)
{
	for (unsigned int i = 0; i < set->nr; i++)
		close_prof(&set->prof[i]);
	free(set->prof);
	*set = (struct prof_set){ 0 };
}

void prof_set_filter(struct prof_set *set, const struct filter *filter)
{
	set->filter = filter;
	for (unsigned int i = 0; i < set->nr; i++)
		for (unsigned int j = 0; j < set->prof[i].nr_parts; j++)
			set->prof[i].part[j].filter = filter;
}

int prof_open_again(const struct prof *prof, struct diag *diag)
{
	int fd = open(prof->path, DIR_FLAGS);
	struct stat st;

	if (prof->linked)
		diag_fail(diag, "%s: is a link to another folder: to change that one, name it", prof->path);
	else if (fd < 0 || fstat(fd, &st))
		diag_fail(diag, "%s: %s", prof->path, strerror(errno));
	else if (st.st_dev != prof->dev || st.st_ino != prof->ino)
		diag_fail(diag, "%s: was replaced by another folder meanwhile", prof->path);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int prof_open_part(const struct prof_part *part, int prof_fd, struct diag *diag)
{
	int fd = openat(prof_fd, strrchr(part->path, '/') + 1, DIR_FLAGS | O_NOFOLLOW);

	return fd >= 0 ? fd : diag_fail(diag, "%s: %s", part->path, strerror(errno));
}

const struct prof_part *prof_host(const struct prof *prof)
{
	return prof->nr_parts && prof->part[0].device < 0 ? &prof->part[0] : NULL;
}

int prof_check(const struct prof *prof, struct diag *diag)
{
	for (unsigned int i = 0; i < prof->nr_parts; i++)
		for (int k = 0; k < SLICES_KINDS; k++)
			if (slices_check(&prof->part[i].table[k], prof->part[i].path, diag))
				return -1;
	return 0;
}
