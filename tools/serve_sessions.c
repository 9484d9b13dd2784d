/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions that record, from their ascprof.json. Nothing that a name in a folder leads to is followed. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/account.h"
#include "tools/serve.h"

struct session {
	char directory[128];
	const char *folder;
	struct account account;
};

struct sessions {
	struct session *list;
	unsigned int nr;
	uint64_t ended, killed, unreadable, left_out;
};

static void look_at(struct sessions *s, int fd, const char *folder, const char *name)
{
	struct diag diag = { .program = "ascprof", .quiet = true };
	struct session *one = &s->list[s->nr];
	struct stat st;

	if (fstatat(fd, "ascprof.json", &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    st.st_size > SERVE_ACCOUNT) {
		s->unreadable++;
		return;
	}
	account_read(&one->account, fd, name, &diag);
	if (!one->account.exists) {
		s->unreadable++;
	} else if (!one->account.running) {
		s->ended++;
	} else if (!account_alive(&one->account)) {
		s->killed++;
	} else if (s->nr + 1 < SERVE_SESSIONS) {
		one->folder = folder;
		snprintf(one->directory, sizeof(one->directory), "%s", name);
		s->nr++;
		return;
	} else {
		s->left_out++;
	}
	account_free(&one->account);
}

static void look_into(struct sessions *s, const struct serve_folder *folder)
{
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	unsigned int looked_at = 0;
	struct dirent *e;

	if (fd >= 0 && !d)
		close(fd);
	while (d && (e = readdir(d))) {
		int one;

		if (strncmp(e->d_name, "PROF_", 5))
			continue;
		if (looked_at++ >= SERVE_LOOKED_AT) {
			s->left_out++;
			continue;
		}
		one = openat(folder->fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (one < 0)
			continue;
		look_at(s, one, folder->path, e->d_name);
		close(one);
	}
	if (d)
		closedir(d);
}

static int by_name(const void *a, const void *b)
{
	const struct session *x = a, *y = b;
	int order = strcmp(x->folder, y->folder);

	return order ? order : strcmp(x->directory, y->directory);
}

static void begin(FILE *to, const char *metric, const struct session *s)
{
	fprintf(to, "%s{", metric);
	serve_label(to, true, "folder", s->folder);
	serve_label(to, false, "session", s->directory);
}

/* A value of each kind of each session. */
static void tell_kinds(FILE *to, const struct sessions *s, const char *metric,
		       uint64_t (*value)(const struct account_kind *k))
{
	for (unsigned int i = 0; i < s->nr; i++) {
		const struct account *a = &s->list[i].account;

		for (unsigned int k = 0; k < a->nr_kinds; k++) {
			begin(to, metric, &s->list[i]);
			serve_label(to, false, "kind", a->kind[k].name);
			fprintf(to, ",device=\"%d\"} %" PRIu64 "\n", a->kind[k].device, value(&a->kind[k]));
		}
	}
}

static uint64_t produced(const struct account_kind *k)
{
	return k->produced;
}

static uint64_t written(const struct account_kind *k)
{
	return k->written;
}

static uint64_t open_ranges(const struct account_kind *k)
{
	return k->open;
}

static void tell_dropped(FILE *to, const struct sessions *s)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		const struct account *a = &s->list[i].account;

		for (unsigned int k = 0; k < a->nr_kinds; k++) {
			for (unsigned int r = 0; r < a->kind[k].nr_reasons; r++) {
				begin(to, "ascprof_session_dropped_total", &s->list[i]);
				serve_label(to, false, "kind", a->kind[k].name);
				serve_label(to, false, "reason", a->kind[k].reason[r].name);
				fprintf(to, ",device=\"%d\"} %" PRIu64 "\n", a->kind[k].device,
					a->kind[k].reason[r].count);
			}
		}
	}
}

static void tell_each(FILE *to, const struct sessions *s)
{
	serve_family(to, "ascprof_session", "info", "A session that records.");
	for (unsigned int i = 0; i < s->nr; i++) {
		const struct account *a = &s->list[i].account;

		begin(to, "ascprof_session_info", &s->list[i]);
		serve_label(to, false, "program", a->comm);
		serve_label(to, false, "writer", a->backend);
		fprintf(to, ",pid=\"%" PRIu64 "\"} 1\n", a->pid);
	}
	serve_family(to, "ascprof_session_start_seconds", "gauge", "When it began, since 1970.");
	for (unsigned int i = 0; i < s->nr; i++) {
		begin(to, "ascprof_session_start_seconds", &s->list[i]);
		fprintf(to, "} %" PRIu64 ".%03" PRIu64 "\n", s->list[i].account.start_real_ns / 1000000000,
			s->list[i].account.start_real_ns / 1000000 % 1000);
	}
	serve_family(to, "ascprof_session_failed", "gauge", "1 when writing has ended for an error.");
	for (unsigned int i = 0; i < s->nr; i++) {
		begin(to, "ascprof_session_failed", &s->list[i]);
		fprintf(to, "} %d\n", s->list[i].account.error[0] != 0);
	}
}

static void tell(FILE *to, const struct sessions *s)
{
	serve_family(to, "ascprof_sessions", "gauge", "Result directories, by what became of their session.");
	fprintf(to,
		"ascprof_sessions{state=\"running\"} %u\nascprof_sessions{state=\"ended\"} %" PRIu64
		"\nascprof_sessions{state=\"killed\"} %" PRIu64 "\nascprof_sessions{state=\"unreadable\"} %" PRIu64
		"\nascprof_sessions{state=\"left_out\"} %" PRIu64 "\n",
		s->nr, s->ended, s->killed, s->unreadable, s->left_out);
	tell_each(to, s);
	serve_family(to, "ascprof_session_produced", "counter", "Records that the program and its devices made.");
	tell_kinds(to, s, "ascprof_session_produced_total", produced);
	serve_family(to, "ascprof_session_written", "counter", "Records that are in files.");
	tell_kinds(to, s, "ascprof_session_written_total", written);
	serve_family(to, "ascprof_session_open", "gauge", "Ranges that are open.");
	tell_kinds(to, s, "ascprof_session_open", open_ranges);
	serve_family(to, "ascprof_session_dropped", "counter", "Records that are lost, by reason.");
	tell_dropped(to, s);
}

void serve_sessions(FILE *to, const struct serve_folder *folder, unsigned int nr)
{
	struct sessions s = { .list = calloc(SERVE_SESSIONS, sizeof(*s.list)) };

	if (!s.list)
		return;
	for (unsigned int i = 0; i < nr; i++)
		look_into(&s, &folder[i]);
	if (s.nr)
		qsort(s.list, s.nr, sizeof(*s.list), by_name);
	tell(to, &s);
	for (unsigned int i = 0; i < s.nr; i++)
		account_free(&s.list[i].account);
	free(s.list);
}
