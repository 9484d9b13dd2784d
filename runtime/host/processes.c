/* SPDX-License-Identifier: Apache-2.0 */
#include "host/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock/clock.h"
#include "host/blocks.h"
#include "host/kinds.h"

#define BUF_BYTES (8u << 10) /* several samples */
#define LARGE 100 /* of the memory: 1/100 */
#define FILES_SHARE 16 /* of the files that this program may open, two for each process: 1/8 */

struct file {
	bool made; /* the sink is */
	bool broken; /* and will not be, for want of memory */
	struct slice_sink sink;
	uint64_t index; /* of the next block */
};

/* One that has files. A number that is used again goes on in them. */
struct process {
	uint32_t pid;
	bool open, seen;
	struct file file[PROCESS_PARTS];
};

/* What was known of a process in the round before. */
struct known {
	uint32_t pid;
	uint64_t born; /* ticks since the machine was booted */
	uint64_t before; /* ticks of processor time that it had when it was seen first */
	bool wanted;
};

struct list {
	struct known *known; /* by number */
	size_t nr, room;
};

struct processes {
	char root[128];
	bool wanted[PROCESS_PARTS];
	struct slice_store *store;
	int data_fd;
	uint64_t large; /* pages */
	unsigned int most; /* whose files are open */
	struct process **process;
	unsigned int nr, nr_open;
	struct list now, last;
	bool begun;
	uint64_t next_ns; /* no round before */
	struct seen {
		uint64_t no_place, first_ns, last_ns;
	} sum[PROCESS_PARTS];
};

/* The words of a stat file that matter here. */
struct stat_words {
	char name[64];
	uint64_t ticks, born, pages;
};

struct processes *processes_open(const char *root, const bool wanted[PROCESS_PARTS])
{
	struct processes *p = calloc(1, sizeof(*p));
	struct rlimit files;

	if (!p)
		return NULL;
	snprintf(p->root, sizeof(p->root), "%s", root ? root : "/proc");
	memcpy(p->wanted, wanted, sizeof(p->wanted));
	p->large = (uint64_t)sysconf(_SC_PHYS_PAGES) / LARGE;
	p->most = PROCESSES_OPEN;
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur / FILES_SHARE < p->most)
		p->most = (unsigned int)(files.rlim_cur / FILES_SHARE);
	return p;
}

void processes_attach(struct processes *p, struct slice_store *store, int data_fd)
{
	p->store = store;
	p->data_fd = data_fd;
}

/* ---- what /proc says ---- */

static long read_of(const struct processes *p, uint32_t pid, const char *name, char *buf, size_t size)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/%u/%s", p->root, pid, name);
	return host_read_file(path, buf, size);
}

static bool parse_stat(const char *stat, struct stat_words *w)
{
	const char *name = strchr(stat, '('), *end = strrchr(stat, ')');
	unsigned long long user, sys, born, pages;

	if (!name || !end || end < name ||
	    sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d "
		   "%llu %*u %llu", &user, &sys, &born, &pages) != 4)
		return false;
	snprintf(w->name, sizeof(w->name), "%.*s", (int)(end - name - 1), name + 1);
	w->ticks = user + sys;
	w->born = born;
	w->pages = pages;
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct known *note(struct processes *p, uint32_t pid, const struct stat_words *w)
{
	struct list *l = &p->now;
	const struct known key = { .pid = pid }, *before = NULL;
	struct known *k;

	if (l->nr == l->room) {
		size_t room = l->room ? 2 * l->room : 256;
		struct known *more = realloc(l->known, room * sizeof(*more));

		if (!more)
			return NULL;
		l->known = more;
		l->room = room;
	}
	if (p->last.nr)
		before = bsearch(&key, p->last.known, p->last.nr, sizeof(key), by_pid);
	k = &l->known[l->nr++];
	if (before && before->born == w->born)
		*k = *before;
	else
		*k = (struct known){ pid, w->born, p->begun ? 0 : w->ticks, false };
	return k;
}

/* ---- files ---- */

static bool make_file(struct processes *p, struct file *f, uint32_t pid, enum process_part part)
{
	static const char *const tags[PROCESS_PARTS] = { "CpuUsage.data", "Memory.data" };
	char tag[64];

	if (f->made || f->broken)
		return f->made;
	snprintf(tag, sizeof(tag), "%u-%s", pid, tags[part]);
	if (!slice_sink_init(&f->sink, p->store, p->data_fd, tag, 1, BUF_BYTES))
		return false;
	f->sink.begins = block_begins;
	f->made = slice_sink_pack(&f->sink, NULL);
	f->broken = !f->made;
	if (f->broken)
		slice_sink_free(&f->sink);
	return f->made;
}

static struct process *process_of(struct processes *p, uint32_t pid)
{
	struct process *one, **more;

	for (unsigned int i = 0; i < p->nr; i++)
		if (p->process[i]->pid == pid)
			return p->process[i];
	if (p->nr == PROCESSES_MAX)
		return NULL;
	more = realloc(p->process, (p->nr + 1) * sizeof(*more));
	if (!more)
		return NULL;
	p->process = more;
	one = calloc(1, sizeof(*one));
	if (one)
		more[p->nr++] = one;
	if (one)
		one->pid = pid;
	return one;
}

/* Its files, if there is a place for them. */
static struct process *open_of(struct processes *p, uint32_t pid)
{
	struct process *one = p->nr_open < p->most ? process_of(p, pid) : NULL;

	for (unsigned int i = 0; !one && i < p->nr; i++)
		if (p->process[i]->pid == pid && p->process[i]->open)
			one = p->process[i];
	if (one && !one->open) {
		one->open = true;
		p->nr_open++;
	}
	return one;
}

static void put(struct slice_sink *s, const struct host_text *t)
{
	char *to;

	if (s->file && !slice_has_room(s, (uint32_t)t->len))
		slice_end(s);
	to = slice_reserve_event(s, (uint32_t)t->len);
	if (!to) {
		slice_lose(s, 1, 0);
		return;
	}
	memcpy(to, t->buf, t->len);
	slice_commit_event(s, (uint32_t)t->len, 0);
}

/* ---- rounds ---- */

static bool make_cpu(struct block *b, const char *stat, const char *name, const char *all)
{
	static const char *const keys[] = { "cpu ", NULL };

	if (!host_put_stat(b->t, stat, UINT32_MAX))
		return false;
	block_name(b, name);
	block_lines(b, all, keys, true);
	return true;
}

static bool make_mem(const struct processes *p, struct block *b, uint32_t pid, const char *name)
{
	char statm[256];
	long n = read_of(p, pid, "statm", statm, sizeof(statm));

	if (n <= 0)
		return false; /* it has ended meanwhile */
	host_put_bytes(b->t, statm, (size_t)n);
	block_name(b, name);
	return true;
}

static void saw(struct seen *s, uint64_t ns)
{
	s->first_ns = s->first_ns ? s->first_ns : ns;
	s->last_ns = ns;
}

/* @one NULL: there was no place for its files */
static void sample(struct processes *p, struct process *one, const char *stat, const struct stat_words *w,
		   const char *all, uint64_t ns)
{
	for (int part = 0; part < PROCESS_PARTS; part++) {
		char buf[BUF_BYTES / 2];
		struct host_text t = { buf, sizeof(buf), 0 };
		struct block b = block_begin(&t);

		/* threads of the kernel have no memory */
		if (!p->wanted[part] || (part == PROCESS_MEM && !w->pages))
			continue;
		if (!one || !make_file(p, &one->file[part], one->pid, (enum process_part)part)) {
			p->sum[part].no_place++;
			saw(&p->sum[part], ns);
			continue;
		}
		if (part == PROCESS_CPU ? !make_cpu(&b, stat, w->name, all) : !make_mem(p, &b, one->pid, w->name))
			continue;
		block_end(&b, &one->file[part].index, ns);
		put(&one->file[part].sink, &t);
		saw(&p->sum[part], ns);
	}
}

static void look_at(struct processes *p, uint32_t pid, const char *all, uint64_t ns)
{
	struct stat_words w;
	struct process *one;
	struct known *k;
	char stat[1024];

	if (read_of(p, pid, "stat", stat, sizeof(stat)) <= 0 || !parse_stat(stat, &w))
		return;
	k = note(p, pid, &w);
	if (!k)
		return;
	k->wanted |= w.ticks > k->before || (p->large && w.pages >= p->large);
	if (!k->wanted)
		return;
	one = open_of(p, pid);
	if (one)
		one->seen = true;
	sample(p, one, stat, &w, all, ns);
}

static void close_files(struct processes *p, struct process *one)
{
	for (int part = 0; part < PROCESS_PARTS; part++)
		if (one->file[part].made && one->file[part].sink.file)
			slice_end(&one->file[part].sink);
	one->open = false;
	p->nr_open--;
}

static void look_at_all(struct processes *p, DIR *d, const char *all, uint64_t ns)
{
	uint32_t self = (uint32_t)getpid();
	struct dirent *e;

	p->now.nr = 0;
	for (unsigned int i = 0; i < p->nr; i++)
		p->process[i]->seen = false;
	while ((e = readdir(d))) {
		unsigned long pid = isdigit((unsigned char)e->d_name[0]) ? strtoul(e->d_name, NULL, 10) : 0;

		if (pid && pid <= UINT32_MAX && pid != self)
			look_at(p, (uint32_t)pid, all, ns);
	}
	for (unsigned int i = 0; i < p->nr; i++)
		if (p->process[i]->open && !p->process[i]->seen)
			close_files(p, p->process[i]);
	if (p->now.nr)
		qsort(p->now.known, p->now.nr, sizeof(*p->now.known), by_pid);
}

void processes_sample(struct processes *p, uint64_t ns, bool now)
{
	struct list last;
	char path[160], all[4096];
	uint64_t took;
	DIR *d;

	if (!p || (ns < p->next_ns && !now))
		return;
	took = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	snprintf(path, sizeof(path), "%s/stat", p->root);
	d = opendir(p->root);
	if (!d)
		return;
	if (host_read_file(path, all, sizeof(all)) > 0) {
		look_at_all(p, d, all, ns);
		last = p->last;
		p->last = p->now;
		p->now = last;
		p->begun = true;
	}
	closedir(d);
	p->next_ns = ns + HOST_COSTLY * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - took);
}

/* ---- all of them ---- */

static void each(struct processes *p, void (*fn)(struct slice_sink *s))
{
	for (unsigned int i = 0; p && i < p->nr; i++)
		for (int part = 0; part < PROCESS_PARTS; part++)
			if (p->process[i]->file[part].made)
				fn(&p->process[i]->file[part].sink);
}

void processes_flush(struct processes *p)
{
	each(p, slice_flush);
}

void processes_settle(struct processes *p)
{
	each(p, slice_settle);
}

void processes_finish(struct processes *p)
{
	each(p, slice_finish);
}

void processes_free(struct processes *p)
{
	each(p, slice_sink_free);
	for (unsigned int i = 0; p && i < p->nr; i++)
		free(p->process[i]);
	if (p) {
		free(p->process);
		free(p->now.known);
		free(p->last.known);
	}
	free(p);
}

struct processes_sum processes_sum(const struct processes *p, enum process_part part)
{
	struct processes_sum sum = { 0 };

	if (!p || !p->wanted[part])
		return sum;
	for (unsigned int i = 0; i < p->nr; i++) {
		const struct file *f = &p->process[i]->file[part];

		if (!f->made)
			continue;
		sum.slices.taken += f->sink.taken[0];
		sum.slices.written += slice_written(&f->sink, 0);
		sum.slices.aged += f->sink.aged[0];
	}
	sum.no_place = p->sum[part].no_place;
	sum.first_ns = p->sum[part].first_ns;
	sum.last_ns = p->sum[part].last_ns;
	return sum;
}
