/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ascprof.pmus: counters of the host's PMUs. The table has each of them; the timeline the sum of
 * those that count the same, as all memory controllers do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/host_parts.h"

#define MB 1048576.0
#define WORDS 7 /* name, count, ns enabled, ns running, units/counts, unit, what it is of */

struct pmu {
	char name[128]; /* PMU/EVENT */
	char what[40];
	char unit[16];
	uint64_t per[2]; /* units, counts */
	uint64_t ns;
	uint64_t first[3], last[3];
	size_t sum; /* index of what it is added to */
};

struct sum {
	char name[64]; /* "DDR controller flux_rd" */
	const char *key;
	double scale;
	uint64_t from_ns;
	double rate; /* of the interval that is being read */
	bool any;
};

struct pmus_view {
	struct pmu *pmu;
	size_t nr, at; /* @at: the one that comes next, as a rule */
	struct sum *sum;
	size_t nr_sums;
};

static const struct {
	const char *unit, *key;
	double scale;
} keys[] = {
	{ "bytes", "MB/s", 1 / MB },
	{ "requests", "requests/s", 1 },
	{ "cycles", "cycles/s", 1 },
	{ "ns", "ns/s", 1 },
	{ "", "per second", 1 },
};

static void *one_more(struct host_view *v, void *list, size_t nr, size_t bytes)
{
	void *more = realloc(list, (nr + 1) * bytes);

	if (!more)
		v->failed = true;
	else
		memset((char *)more + nr * bytes, 0, bytes);
	return more;
}

static bool sum_of(struct host_view *v, struct pmus_view *p, struct pmu *one)
{
	const char *event = strrchr(one->name, '/');
	struct sum *more;
	size_t i = 0;
	char name[64];

	snprintf(name, sizeof(name), "%.30s %.32s", one->what, event ? event + 1 : one->name);
	for (one->sum = 0; one->sum < p->nr_sums; one->sum++)
		if (!strcmp(p->sum[one->sum].name, name))
			return true;
	more = one_more(v, p->sum, p->nr_sums, sizeof(*more));
	if (!more)
		return false;
	p->sum = more;
	more += p->nr_sums++;
	while (*keys[i].unit && strcmp(keys[i].unit, one->unit))
		i++;
	*more = (struct sum){ .key = keys[i].key, .scale = keys[i].scale };
	memcpy(more->name, name, sizeof(name));
	return true;
}

static struct pmu *pmu_of(struct host_view *v, struct pmus_view *p, char *const word[WORDS])
{
	struct pmu *more;
	char *den;

	for (size_t i = 0; i < p->nr; i++, p->at++) {
		p->at = p->at < p->nr ? p->at : 0;
		if (!strcmp(p->pmu[p->at].name, word[0]))
			return &p->pmu[p->at++];
	}
	more = one_more(v, p->pmu, p->nr, sizeof(*more));
	if (!more)
		return NULL;
	p->pmu = more;
	more += p->nr;
	snprintf(more->name, sizeof(more->name), "%s", word[0]);
	snprintf(more->unit, sizeof(more->unit), "%s", word[5]);
	snprintf(more->what, sizeof(more->what), "%s", word[6]);
	for (char *c = more->what; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	more->per[0] = strtoull(word[4], &den, 10);
	more->per[1] = *den == '/' ? strtoull(den + 1, NULL, 10) : 0;
	if (!more->per[1] || !sum_of(v, p, more))
		return NULL;
	p->at = ++p->nr;
	return more;
}

static double amount(const struct pmu *one, uint64_t count)
{
	return (double)count * (double)one->per[0] / (double)one->per[1];
}

static void pmu_line(struct host_view *v, struct pmus_view *p, uint64_t ns, char *line)
{
	uint64_t now[3];
	char *word[WORDS];
	struct pmu *one;

	if (host_words(line, word, WORDS) < WORDS || !(one = pmu_of(v, p, word)))
		return;
	for (int i = 0; i < 3; i++)
		now[i] = strtoull(word[i + 1], NULL, 10);
	if (one->ns && ns <= one->ns) /* the copy that a slice begins with */
		return;
	if (one->ns) {
		struct sum *s = &p->sum[one->sum];

		s->from_ns = one->ns;
		s->any = true;
		s->rate += amount(one, now[0] - one->last[0]) * s->scale / ((double)(ns - one->ns) / 1e9);
	} else {
		memcpy(one->first, now, sizeof(now));
	}
	memcpy(one->last, now, sizeof(now));
	one->ns = ns;
}

static void end_sample(struct host_view *v, struct pmus_view *p)
{
	for (size_t i = 0; i < p->nr_sums; i++) {
		struct sum *s = &p->sum[i];

		if (s->any)
			host_add(v, s->name, s->key, s->from_ns, s->rate);
		s->any = false;
		s->rate = 0;
	}
}

static void table(struct host_view *v, const struct pmus_view *p)
{
	for (size_t i = 0; i < p->nr; i++) {
		const struct pmu *one = &p->pmu[i];
		uint64_t count = one->last[0] - one->first[0], enabled = one->last[1] - one->first[1];

		host_heading(v, HOST_TABLE_PMUS, "Of,Counter,Count,Amount,Unit,Counted(%)");
		host_cell_text(v, HOST_TABLE_PMUS, one->what);
		host_cell_text(v, HOST_TABLE_PMUS, one->name);
		host_cell_u64(v, HOST_TABLE_PMUS, count);
		host_cell_round3(v, HOST_TABLE_PMUS, amount(one, count));
		host_cell_text(v, HOST_TABLE_PMUS, one->unit);
		host_cell_round3(v, HOST_TABLE_PMUS,
				 enabled ? (double)(one->last[2] - one->first[2]) * 100 / (double)enabled : 0);
		host_row_end(v, HOST_TABLE_PMUS);
	}
}

void host_load_pmus(struct host_view *v)
{
	struct host_lines l = { .s = &v->part->table[SLICES_PMUS] };
	struct pmus_view p = { 0 };

	while (host_lines_slice(v, &l)) {
		uint64_t ns = 0;
		char *line;

		while ((line = host_lines_next(&l))) {
			if (!strncmp(line, "time ", 5)) {
				end_sample(v, &p);
				ns = strtoull(line + 5, NULL, 10);
			} else if (ns) {
				pmu_line(v, &p, ns, line);
			}
		}
		end_sample(v, &p);
	}
	host_lines_free(&l);
	table(v, &p);
	free(p.pmu);
	free(p.sum);
}
