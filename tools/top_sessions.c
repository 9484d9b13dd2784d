/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/account.h"
#include "tools/record_dirs.h"
#include "tools/top.h"

#define SILENT_S 2.5

static struct top_session *add(struct top_sessions *s)
{
	if (s->nr == s->room) {
		unsigned int room = s->room ? 2 * s->room : 8;
		struct top_session *list = realloc(s->list, room * sizeof(*list));

		if (!list)
			return NULL;
		s->list = list;
		s->room = room;
	}
	memset(&s->list[s->nr], 0, sizeof(s->list[0]));
	return &s->list[s->nr++];
}

/* Adds the session of @pid whose directory is open as @path, through that descriptor. */
static int look(struct top_sessions *s, int pid, int fd, const char *path)
{
	struct diag diag = { .program = "ascprof top" };
	struct top_session *one;
	struct account a;

	account_read(&a, fd, path, &diag);
	if (!a.exists || !a.running || a.pid != (uint64_t)pid) {
		account_free(&a);
		return 0;
	}
	one = add(s);
	if (one) {
		one->pid = pid;
		snprintf(one->comm, sizeof(one->comm), "%.31s", a.comm);
		snprintf(one->path, sizeof(one->path), "%s", path);
		one->start_real_ns = a.start_real_ns;
		one->bytes = record_bytes(path);
		one->rate = -1;
		for (unsigned int i = 0; i < a.nr_kinds; i++) {
			const struct account_kind *k = &a.kind[i];

			one->records += k->produced;
			for (unsigned int r = 0; r < k->nr_reasons; r++)
				if (strcmp(k->reason[r].name, "aged"))
					one->dropped += k->reason[r].count;
			one->open += k->open;
		}
	}
	account_free(&a);
	return one ? 0 : -1;
}

/* PROF_<6 digits>_..., as a directory that is open. */
static bool is_result(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && !strncmp(name, "/PROF_", 6) && strspn(name + 6, "0123456789") == 6 && name[12] == '_';
}

static int process(struct top_sessions *s, int pid)
{
	char folder[32], link[64], path[PATH_MAX];
	const struct dirent *e;
	int ret = 0;
	DIR *d;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", pid);
	d = opendir(folder);
	if (!d) {
		s->hidden += errno == EACCES;
		return 0;
	}
	while (!ret && (e = readdir(d))) {
		ssize_t len;
		int fd;

		snprintf(link, sizeof(link), "%s/%.16s", folder, e->d_name);
		len = readlink(link, path, sizeof(path) - 1);
		if (len <= 0)
			continue;
		path[len] = '\0';
		if (!is_result(path))
			continue;
		/* the link itself: the path may be another one in our mount name space */
		fd = open(link, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			continue;
		ret = look(s, pid, fd, path);
		close(fd);
	}
	closedir(d);
	return ret;
}

static int by_pid(const void *a, const void *b)
{
	const struct top_session *x = a, *y = b;

	return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid) : strcmp(x->path, y->path);
}

/* Sessions account once a second, and we may look more often: what did not change yet is as it was. */
static void rate(struct top_session *now, const struct top_session *before, double seconds)
{
	now->age = before->age + seconds;
	now->rate = before->rate;
	if (now->records != before->records) {
		now->rate = (double)(now->records - before->records) / now->age;
		now->age = 0;
	} else if (now->age > SILENT_S) {
		now->rate = 0;
	}
}

static void rates(struct top_sessions *now, const struct top_sessions *before, double seconds)
{
	for (unsigned int i = 0; i < now->nr; i++)
		for (unsigned int k = 0; k < before->nr; k++)
			if (!by_pid(&now->list[i], &before->list[k]))
				rate(&now->list[i], &before->list[k], seconds);
}

int top_sessions_find(struct top_sessions *s, double seconds)
{
	struct top_sessions now = { 0 };
	const struct dirent *e;
	DIR *d = opendir("/proc");
	int ret = 0;

	while (d && !ret && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			ret = process(&now, atoi(e->d_name));
	if (d)
		closedir(d);
	if (now.nr)
		qsort(now.list, now.nr, sizeof(now.list[0]), by_pid);
	rates(&now, s, seconds);
	top_sessions_free(s);
	*s = now;
	return ret;
}

void top_sessions_free(struct top_sessions *s)
{
	free(s->list);
	*s = (struct top_sessions){ 0 };
}
