/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/record_dirs.h"

#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "export/account.h"
#include "export/prof.h"
#include "export/repair.h"

/* Calls @fn for each directory of @id. */
static void each(const char *folder, const char *id, void (*fn)(const char *path, const struct account *a, void *arg),
		 void *arg)
{
	DIR *d = opendir(folder);
	const struct dirent *e;
	char path[PATH_MAX];

	while (d && (e = readdir(d))) {
		struct diag diag = { .program = "ascprof record" };
		struct account a;
		int fd;

		if (strncmp(e->d_name, "PROF_", 5))
			continue;
		fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) < (int)sizeof(path)) {
			account_read(&a, fd, path, &diag);
			if (a.exists && !strcmp(a.record, id))
				fn(path, &a, arg);
			account_free(&a);
		}
		close(fd);
	}
	if (d)
		closedir(d);
}

uint64_t record_bytes(const char *path)
{
	char copy[PATH_MAX];
	char *const paths[] = { copy, NULL };
	uint64_t bytes = 0;
	const FTSENT *e;
	FTS *fts;

	snprintf(copy, sizeof(copy), "%s", path);
	fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (fts && (e = fts_read(fts)))
		if (e->fts_info == FTS_F)
			bytes += (uint64_t)e->fts_statp->st_size;
	if (fts)
		fts_close(fts);
	return bytes;
}

static void add(const char *path, const struct account *a, void *arg)
{
	struct record_total *t = arg;

	t->directories++;
	t->running += a->running;
	t->bytes += record_bytes(path);
	snprintf(t->first, sizeof(t->first), "%s", path);
	if (*a->error)
		snprintf(t->error, sizeof(t->error), "%s", a->error);
	for (unsigned int i = 0; i < a->nr_kinds; i++) {
		const struct account_kind *k = &a->kind[i];

		t->records += k->produced;
		for (unsigned int r = 0; r < k->nr_reasons; r++)
			*(strcmp(k->reason[r].name, "aged") ? &t->dropped : &t->aged) += k->reason[r].count;
	}
}

void record_look(const char *folder, const char *id, struct record_total *total)
{
	memset(total, 0, sizeof(*total));
	each(folder, id, add, total);
}

#define ENDS_MS 10000
#define LOOK_MS 100 /* another program may have taken its place */
#define LOOK_OLD_MS 10 /* Linux before 5.3 */

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

struct completion {
	pid_t ending;
	struct diag *diag;
	unsigned int nr;
};

/* A program closes what it had open a while before it is gone. */
static bool alive(const struct account *a, pid_t ending)
{
	struct pollfd gone = { .fd = -1, .events = POLLIN };
	int look;

	if ((pid_t)a->pid != ending)
		return account_alive(a);
	gone.fd = (int)syscall(SYS_pidfd_open, ending, 0); /* poll() passes over -1, and only waits */
	look = gone.fd < 0 ? LOOK_OLD_MS : LOOK_MS;
	for (int ms = 0; ms < ENDS_MS && account_alive(a) && poll(&gone, 1, look) < 1; ms += look)
		;
	if (gone.fd >= 0)
		close(gone.fd);
	return account_alive(a);
}

static void complete(const char *path, const struct account *a, void *arg)
{
	struct completion *c = arg;
	struct prof_set set = { 0 };
	char copy[PATH_MAX];
	char *const paths[] = { copy };
	struct repaired done;

	if (!a->running || alive(a, c->ending))
		return;
	snprintf(copy, sizeof(copy), "%s", path);
	if (!prof_set_open(&set, paths, 1, c->diag) && set.nr && !repair(&set.prof[0], false, &done, c->diag))
		c->nr++;
	prof_set_close(&set);
}

unsigned int record_complete(const char *folder, const char *id, pid_t ending, struct diag *diag)
{
	struct completion c = { ending, diag, 0 };

	each(folder, id, complete, &c);
	return c.nr;
}
