/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks "TimeStamp:", lines, empty line; and counters of perf_event_open. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/host_parts.h"

/* Whether @line begins a block: its stamp. */
static bool stamp_of(const char *line, uint64_t *ns)
{
	if (strncmp(line, "TimeStamp:", 10))
		return false;
	*ns = strtoull(line + 10, NULL, 10);
	return true;
}

/* ---- /proc/stat ---- */

enum { USER, NICE, SYS, IDLE, IOWAIT, IRQ, SOFT, STEAL, GUEST, GUEST_NICE, TICKS };

/* What the machine did since the block before: the table shows sums since it was booted. */
static void machine_cpu(struct host_view *v, uint64_t ns, const uint64_t last[TICKS], const uint64_t now[TICKS])
{
	static const struct {
		const char *name;
		int tick;
	} shown[] = { { "Machine User", USER }, { "Machine Sys", SYS }, { "Machine IoWait", IOWAIT },
		      { "Machine Idle", IDLE } };
	uint64_t all = 0, grown[STEAL + 1];

	for (int i = USER; i <= STEAL; i++) { /* guests are in user already */
		grown[i] = now[i] > last[i] ? now[i] - last[i] : 0; /* the kernel corrects iowait at times */
		all += grown[i];
	}
	for (size_t i = 0; all && i < sizeof(shown) / sizeof(shown[0]); i++)
		host_add(v, shown[i].name, "Share(%)", ns, (double)grown[shown[i].tick] * 100 / (double)all);
}

void host_load_sys_cpu(struct host_view *v)
{
	static const int columns[] = { USER, SYS, IOWAIT, IRQ, SOFT, IDLE };
	struct host_lines l = { .s = &v->part->table[SLICES_SYS_CPU] };
	uint64_t sum[TICKS] = { 0 }, last[TICKS] = { 0 }, ns = 0, last_ns = 0;
	double all = 0;

	while (host_lines_slice(v, &l)) {
		char *line, *word[TICKS + 1];

		while ((line = host_lines_next(&l))) {
			uint64_t now[TICKS];
			bool total;

			if (stamp_of(line, &ns) || strncmp(line, "cpu", 3) || !ns ||
			    host_words(line, word, TICKS + 1) <= TICKS)
				continue;
			total = !strcmp(word[0], "cpu");
			for (int i = 0; i < TICKS; i++) {
				now[i] = strtoull(word[i + 1], NULL, 10);
				sum[i] += now[i];
			}
			if (!total)
				continue;
			if (last_ns)
				machine_cpu(v, last_ns, last, now);
			memcpy(last, now, sizeof(last));
			last_ns = ns;
		}
	}
	host_lines_free(&l);
	for (int i = 0; i < TICKS; i++)
		all += (double)sum[i];
	if (all <= 0)
		return;
	host_heading(v, HOST_TABLE_SYS_CPU, "Cpu Type,User(%),Sys(%),IoWait(%),Irq(%),Soft(%),Idle(%)");
	host_cell_text(v, HOST_TABLE_SYS_CPU, "host");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		host_cell_round3(v, HOST_TABLE_SYS_CPU, (double)sum[columns[i]] / all * 100);
	host_row_end(v, HOST_TABLE_SYS_CPU);
}

/* ---- /proc/meminfo ---- */

void host_load_sys_mem(struct host_view *v)
{
	static const char *const keys[] = { "MemTotal:", "MemFree:", "Buffers:", "Cached:", "Shmem:",
					    "CommitLimit:", "Committed_AS:", "HugePages_Total:",
					    "HugePages_Free:" };
	enum { KEYS = sizeof(keys) / sizeof(keys[0]) };
	struct host_lines l = { .s = &v->part->table[SLICES_SYS_MEM] };
	uint64_t sum[KEYS] = { 0 }, blocks = 0, ns = 0;

	while (host_lines_slice(v, &l)) {
		char *line;

		while ((line = host_lines_next(&l))) {
			if (stamp_of(line, &ns))
				continue;
			blocks += !*line && ns;
			for (int k = 0; ns && k < KEYS; k++) {
				size_t n = strlen(keys[k]);

				if (strncmp(line, keys[k], n))
					continue;
				sum[k] += strtoull(line + n, NULL, 10);
				if (k == 1)
					host_add(v, "Machine Memory Free", "KB", ns, strtod(line + n, NULL));
			}
		}
	}
	host_lines_free(&l);
	if (!blocks)
		return;
	host_heading(v, HOST_TABLE_SYS_MEM, "Memory Total(kB),Memory Free(kB),Buffers(kB),Cached(kB),"
					    "Share Memory(kB),Commit Limit(kB),Committed AS(kB),"
					    "Huge Pages Total(pages),Huge Pages Free(pages)");
	for (int k = 0; k < KEYS; k++)
		host_cell_u64(v, HOST_TABLE_SYS_MEM, sum[k] / blocks);
	host_row_end(v, HOST_TABLE_SYS_MEM);
}

/* ---- processes: each has its own files ---- */

struct process {
	uint64_t pid;
	char name[64];
	double busy; /* sum of what it took since it began, over what all did since boot */
	uint64_t pages[3]; /* sums of size, resident, shared */
	uint64_t blocks;
	uint64_t first, last; /* ticks of its own in the first and the last block */
	bool shown; /* as a series */
	uint64_t before_ns, before_own, before_all; /* of the block before */
};

#define SHOWN 8 /* processes that took most while it was recorded */

struct processes {
	struct process *process;
	size_t nr;
};

static struct process *process_of(struct host_view *v, struct processes *p, uint64_t pid)
{
	struct process *more;

	for (size_t i = 0; i < p->nr; i++)
		if (p->process[i].pid == pid)
			return &p->process[i];
	more = realloc(p->process, (p->nr + 1) * sizeof(*more));
	if (!more) {
		v->failed = true;
		return NULL;
	}
	p->process = more;
	more[p->nr] = (struct process){ .pid = pid };
	return &more[p->nr++];
}

static void take_name(struct process *p, const char *line)
{
	if (!strncmp(line, "ProcessName:", 12) && !*p->name)
		snprintf(p->name, sizeof(p->name), "%s", line + 12);
}

/* @all: of all processors. The table has what it took since it began. */
static void cpu_point(struct host_view *v, struct process *p, uint64_t ns, uint64_t own, uint64_t all)
{
	char name[64];

	if (p->before_ns && all > p->before_all && own >= p->before_own) {
		snprintf(name, sizeof(name), "Process %u %.40s", (unsigned int)p->pid, p->name);
		host_add(v, name, "Share(%)", p->before_ns,
			 (double)(own - p->before_own) * 100 / (double)(all - p->before_all));
	}
	p->before_ns = ns;
	p->before_own = own;
	p->before_all = all;
}

static void cpu_slice(struct host_view *v, struct host_lines *l, struct process *p)
{
	uint64_t ns = 0, own = 0, ticks = 0;
	char *line, *word[20];

	while ((line = host_lines_next(l))) {
		uint64_t machine = 0; /* guests are in user already */
		double all = 0;

		take_name(p, line);
		if (stamp_of(line, &ns) || !ns)
			continue;
		if (isdigit((unsigned char)*line)) {
			own = ticks = 0;
			for (int i = host_words(line, word, 20) > 16 ? 13 : 17; i <= 16; i++) {
				own += strtoull(word[i], NULL, 10);
				ticks += i <= 14 ? strtoull(word[i], NULL, 10) : 0; /* the rest is of its children */
			}
		} else if (!strncmp(line, "cpu", 3)) {
			for (unsigned int i = 1, n = host_words(line, word, 20); i < n; i++) {
				all += strtod(word[i], NULL);
				machine += i <= STEAL + 1 ? strtoull(word[i], NULL, 10) : 0;
			}
			if (p->shown) {
				cpu_point(v, p, ns, ticks, machine);
				continue;
			}
			p->busy += all > 0 ? (double)own / all : 0;
			p->first = p->blocks++ ? p->first : ticks;
			p->last = ticks;
		}
	}
}

static int by_busy(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	double dx = x->busy / (double)x->blocks, dy = y->busy / (double)y->blocks;

	return (dx < dy) - (dx > dy);
}

/* Once more over their blocks, for those that took most. */
static void show_processes(struct host_view *v, struct processes *p)
{
	struct host_lines l = { .s = &v->part->table[SLICES_PROCESS_CPU] };

	for (unsigned int n = 0; n < SHOWN; n++) {
		struct process *most = NULL;

		for (size_t i = 0; i < p->nr; i++)
			if (!p->process[i].shown && p->process[i].last > p->process[i].first &&
			    (!most || p->process[i].last - p->process[i].first > most->last - most->first))
				most = &p->process[i];
		if (most)
			most->shown = true;
	}
	while (host_lines_slice(v, &l)) {
		struct process *one = process_of(v, p, strtoull(l.name, NULL, 10));

		if (one && one->shown)
			cpu_slice(v, &l, one);
	}
	host_lines_free(&l);
}

void host_load_process_cpu(struct host_view *v)
{
	struct host_lines l = { .s = &v->part->table[SLICES_PROCESS_CPU] };
	struct processes p = { 0 };

	while (host_lines_slice(v, &l)) {
		struct process *one = process_of(v, &p, strtoull(l.name, NULL, 10));

		if (one)
			cpu_slice(v, &l, one);
	}
	host_lines_free(&l);
	show_processes(v, &p);
	if (p.nr)
		qsort(p.process, p.nr, sizeof(*p.process), by_busy);
	for (size_t i = 0; i < p.nr; i++) {
		if (!p.process[i].blocks)
			continue;
		host_heading(v, HOST_TABLE_PROCESS_CPU, "PID,Name,CPU(%)");
		host_cell_u64(v, HOST_TABLE_PROCESS_CPU, p.process[i].pid);
		host_cell_text(v, HOST_TABLE_PROCESS_CPU, p.process[i].name);
		host_cell_round3(v, HOST_TABLE_PROCESS_CPU, 100 * p.process[i].busy / (double)p.process[i].blocks);
		host_row_end(v, HOST_TABLE_PROCESS_CPU);
	}
	free(p.process);
}

static void mem_slice(struct host_lines *l, struct process *p)
{
	char *line, *word[7];
	uint64_t ns = 0;

	while ((line = host_lines_next(l))) {
		take_name(p, line);
		if (stamp_of(line, &ns) || !ns || !isdigit((unsigned char)*line) || host_words(line, word, 7) < 7)
			continue;
		for (int i = 0; i < 3; i++)
			p->pages[i] += strtoull(word[i], NULL, 10);
		p->blocks++;
	}
}

static int by_pages(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	uint64_t nx = 0, ny = 0;

	for (int i = 0; i < 3; i++) {
		nx += x->blocks ? x->pages[i] / x->blocks : 0;
		ny += y->blocks ? y->pages[i] / y->blocks : 0;
	}
	return (nx < ny) - (nx > ny);
}

void host_load_process_mem(struct host_view *v)
{
	struct host_lines l = { .s = &v->part->table[SLICES_PROCESS_MEM] };
	struct processes p = { 0 };

	while (host_lines_slice(v, &l)) {
		struct process *one = process_of(v, &p, strtoull(l.name, NULL, 10));

		if (one)
			mem_slice(&l, one);
	}
	host_lines_free(&l);
	if (p.nr)
		qsort(p.process, p.nr, sizeof(*p.process), by_pages);
	for (size_t i = 0; i < p.nr; i++) {
		if (!p.process[i].blocks)
			continue;
		host_heading(v, HOST_TABLE_PROCESS_MEM, "PID,Name,Size(pages),Resident(pages),Shared(pages)");
		host_cell_u64(v, HOST_TABLE_PROCESS_MEM, p.process[i].pid);
		host_cell_text(v, HOST_TABLE_PROCESS_MEM, p.process[i].name);
		for (int k = 0; k < 3; k++)
			host_cell_u64(v, HOST_TABLE_PROCESS_MEM, p.process[i].pages[k] / p.process[i].blocks);
		host_row_end(v, HOST_TABLE_PROCESS_MEM);
	}
	free(p.process);
}

/* ---- counters ---- */

struct count {
	char name[48];
	uint64_t first[3], last[3], ns; /* count, ns enabled, ns running */
};

static struct count *count_of(struct host_view *v, struct count **list, size_t *nr, const char *name)
{
	struct count *more;

	for (size_t i = 0; i < *nr; i++)
		if (!strcmp((*list)[i].name, name))
			return &(*list)[i];
	more = realloc(*list, (*nr + 1) * sizeof(*more));
	if (!more) {
		v->failed = true;
		return NULL;
	}
	*list = more;
	more += (*nr)++;
	*more = (struct count){ 0 };
	snprintf(more->name, sizeof(more->name), "%s", name);
	return more;
}

static void keep_count(struct host_view *v, const char *scope, const struct count *c)
{
	uint64_t enabled = c->last[1] - c->first[1], running = c->last[2] - c->first[2];
	struct host_counter *more = realloc(v->counter, (v->nr_counters + 1) * sizeof(*more));

	if (!more) {
		v->failed = true;
		return;
	}
	v->counter = more;
	more += v->nr_counters++;
	*more = (struct host_counter){
		.scope = scope,
		.count = c->last[0] - c->first[0],
		.counted = enabled ? (double)running * 100 / (double)enabled : 0,
	};
	snprintf(more->name, sizeof(more->name), "%s", c->name);
	host_heading(v, HOST_TABLE_COUNTERS, "Scope,Counter,Count,Counted(%)");
	host_cell_text(v, HOST_TABLE_COUNTERS, scope);
	host_cell_text(v, HOST_TABLE_COUNTERS, more->name);
	host_cell_u64(v, HOST_TABLE_COUNTERS, more->count);
	host_cell_round3(v, HOST_TABLE_COUNTERS, more->counted);
	host_row_end(v, HOST_TABLE_COUNTERS);
}

/* @scope: what is counted, in the table; in the timeline its first letter is a capital */
static void load_counters(struct host_view *v, enum slices_kind kind, const char *scope, const char *label)
{
	struct host_lines l = { .s = &v->part->table[kind] };
	struct count *list = NULL;
	size_t nr = 0;

	while (host_lines_slice(v, &l)) {
		char *line, *word[4], name[64];
		uint64_t ns = 0;

		while ((line = host_lines_next(&l))) {
			uint64_t now[3];
			struct count *c;

			if (!strncmp(line, "time ", 5)) {
				ns = strtoull(line + 5, NULL, 10);
				continue;
			}
			if (!ns || host_words(line, word, 4) < 4 || !(c = count_of(v, &list, &nr, word[0])))
				continue;
			for (int i = 0; i < 3; i++)
				now[i] = strtoull(word[i + 1], NULL, 10);
			if (!c->ns) {
				memcpy(c->first, now, sizeof(now));
			} else if (ns > c->ns) { /* not the copy that a slice begins with */
				snprintf(name, sizeof(name), "%s %.40s", label, c->name);
				host_add(v, name, "per second", c->ns,
					 (double)(now[0] - c->last[0]) / ((double)(ns - c->ns) / 1e9));
			}
			memcpy(c->last, now, sizeof(now));
			c->ns = ns;
		}
	}
	host_lines_free(&l);
	for (size_t i = 0; i < nr; i++)
		keep_count(v, scope, &list[i]);
	free(list);
}

void host_load_counters(struct host_view *v)
{
	load_counters(v, SLICES_COUNTERS, "process", "Process");
	load_counters(v, SLICES_SYS_COUNTERS, "machine", "Machine");
}
