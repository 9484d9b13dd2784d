/* SPDX-License-Identifier: Apache-2.0 */
/* host_cpu.data: how much of each CPU the threads of the process took. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/host_parts.h"

#define MILLION 1000000
#define MOST 1000000u /* CPUs, and ticks a second */

struct thread {
	uint64_t id, ticks, cpu;
};

struct sample {
	uint64_t ns;
	int128 uptime; /* us */
	struct thread *thread;
	size_t nr, room;
};

struct cpu {
	uint64_t id;
	int128 ticks; /* millionths, in this interval */
	bool seen, used; /* in any */
};

struct usage {
	struct host_view *v;
	struct sample sample[2];
	struct cpu *cpu;
	size_t nr_cpus;
};

static void add_thread(struct usage *u, struct sample *s, char *line)
{
	char *word[39];

	if (host_words(line, word, 39) < 39)
		return;
	if (s->nr == s->room) {
		size_t room = s->room ? 2 * s->room : 16;
		struct thread *more = realloc(s->thread, room * sizeof(*more));

		if (!more) {
			u->v->failed = true;
			return;
		}
		s->thread = more;
		s->room = room;
	}
	s->thread[s->nr++] = (struct thread){
		.id = strtoull(word[0], NULL, 10),
		.ticks = (uint64_t)strtoull(word[13], NULL, 10) + (uint64_t)strtoull(word[14], NULL, 10),
		.cpu = strtoull(word[38], NULL, 10),
	};
}

/* Samples list threads in the same order, mostly. */
static const struct thread *find(const struct sample *s, uint64_t id, size_t *at)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct thread *t = &s->thread[(*at + i) % s->nr];

		if (t->id == id) {
			*at = (*at + i + 1) % s->nr;
			return t;
		}
	}
	return NULL;
}

static struct cpu *cpu_of(struct usage *u, uint64_t id)
{
	struct cpu *more;

	for (size_t i = 0; i < u->nr_cpus; i++)
		if (u->cpu[i].id == id)
			return &u->cpu[i];
	more = realloc(u->cpu, (u->nr_cpus + 1) * sizeof(*more));
	if (!more)
		return NULL;
	u->cpu = more;
	more[u->nr_cpus] = (struct cpu){ .id = id, .ticks = -1 };
	return &more[u->nr_cpus++];
}

/* Of 100 percent in millionths, ties to even, as the parser has it. */
static double percent(int128 part, int128 whole)
{
	return (double)(int64_t)div_half_even(part * 100 * MILLION, whole) / MILLION;
}

/* What is more was planted, and would be too much to compute with. */
static uint64_t at_most(uint64_t v)
{
	return v < MOST ? v : 0;
}

static void interval(struct usage *u, const struct sample *last, const struct sample *now)
{
	uint64_t clock = at_most(u->v->part->control.clock_hz), cpus = at_most(u->v->part->control.cpus);
	int128 whole = (now->uptime - last->uptime) * (int128)clock, sum = 0;
	char name[64];
	size_t at = 0;

	if (whole <= 0 || !last->nr || !now->nr)
		return;
	for (size_t i = 0; i < u->nr_cpus; i++)
		u->cpu[i].ticks = -1;
	for (size_t i = 0; i < now->nr; i++) {
		const struct thread *t = &now->thread[i], *before = find(last, t->id, &at);
		struct cpu *c = before ? cpu_of(u, t->cpu) : NULL;
		int128 ticks;

		if (!before || !c) {
			u->v->failed |= before && !c;
			continue;
		}
		ticks = ((int128)t->ticks - before->ticks) * MILLION;
		ticks = ticks > whole ? whole : ticks;
		c->ticks = (c->ticks < 0 ? 0 : c->ticks) + ticks;
		sum += ticks;
	}
	for (size_t i = 0; i < u->nr_cpus; i++) {
		struct cpu *c = &u->cpu[i];

		if (c->ticks < 0 || percent(c->ticks, whole) > 100)
			continue;
		snprintf(name, sizeof(name), "CPU %llu", (unsigned long long)c->id);
		host_add(u->v, name, "Usage(%)", last->ns, percent(c->ticks, whole));
		c->seen = true;
		c->used |= c->ticks > 0;
	}
	host_add(u->v, "CPU Avg", "Usage(%)", last->ns, cpus ? percent(sum, whole * (int128)cpus) : 0);
}

/* Seconds with at most six decimals. */
static int128 read_uptime(const char *line)
{
	char *end;
	uint64_t seconds = strtoull(line, &end, 10);
	int128 us = (int128)(seconds < (uint64_t)MOST * MOST ? seconds : 0) * MILLION;

	if (*end++ == '.')
		for (int unit = MILLION / 10; unit && *end >= '0' && *end <= '9'; unit /= 10)
			us += (*end++ - '0') * unit;
	return us;
}

static void load_slice(struct usage *u, struct host_lines *l)
{
	struct sample *last = &u->sample[0], *now = &u->sample[1], *other;
	unsigned int samples = 0;
	bool uptime = false;
	char *line;

	last->nr = now->nr = 0;
	while ((line = host_lines_next(l))) {
		if (!strncmp(line, "time", 4)) {
			if (samples > 1)
				interval(u, last, now);
			samples++;
			other = last;
			last = now;
			now = other;
			now->nr = 0;
			now->ns = strtoull(line + 4, NULL, 10);
			uptime = true;
		} else if (uptime) {
			now->uptime = read_uptime(line);
			uptime = false;
		} else if (samples) {
			add_thread(u, now, line);
		}
	}
	if (samples > 1)
		interval(u, last, now);
}

void host_load_cpu(struct host_view *v)
{
	struct host_lines l = { .s = &v->part->table[SLICES_HOST_CPU] };
	struct usage u = { .v = v };
	uint64_t seen = 0, used = 0;

	while (host_lines_slice(v, &l))
		load_slice(&u, &l);
	host_lines_free(&l);
	for (size_t i = 0; i < u.nr_cpus; i++) {
		seen += u.cpu[i].seen;
		used += u.cpu[i].used;
	}
	if (l.s->rows) {
		host_heading(v, HOST_TABLE_CPU, "Total Cpu Numbers,Occupied Cpu Numbers,Recommend Cpu Numbers");
		host_cell_u64(v, HOST_TABLE_CPU, v->part->control.cpus);
		host_cell_u64(v, HOST_TABLE_CPU, seen);
		host_cell_u64(v, HOST_TABLE_CPU, used);
		host_row_end(v, HOST_TABLE_CPU);
	}
	free(u.cpu);
	free(u.sample[0].thread);
	free(u.sample[1].thread);
}
