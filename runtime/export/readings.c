/* SPDX-License-Identifier: Apache-2.0 */
#include "export/readings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/hbm.h"
#include "export/host.h"
#include "export/llc.h"
#include "export/soc.h"

struct giver {
	const struct prof_part *part;
	void (*each)(void *arg, const struct readings_value *v);
	void *arg;
};

static void give(const struct giver *g, const char *name, const char *unit, int64_t wall, double value)
{
	const struct readings_value v = { g->part->device, name, unit, wall, value };

	g->each(g->arg, &v);
}

static int walk_llc(const struct giver *g, struct diag *diag)
{
	char name[2][READINGS_NAME];
	struct llc llc;
	int ret = llc_load(&llc, g->part, diag);

	for (unsigned int u = 0; !ret && u < llc.nr_units; u++) {
		if (!llc.unit[u].nr) /* nor a mode, then */
			continue;
		name[0][llc_counter(name[0], &llc, u, LLC_THROUGHPUT)] = '\0';
		name[1][llc_counter(name[1], &llc, u, LLC_HIT_RATE)] = '\0';
		for (size_t i = 0; i < llc.unit[u].nr; i++) {
			const struct llc_sample *s = &llc.unit[u].sample[i];

			if (i) /* the first has no time to be divided by */
				give(g, name[0], "MB/s", s->wall, (double)s->throughput / 1e3);
			give(g, name[1], "%", s->wall, (double)s->hit / 10);
		}
	}
	llc_free(&llc);
	return ret;
}

static int walk_hbm(const struct giver *g, struct diag *diag)
{
	bool seen[HBM_UNITS][2] = { 0 };
	char name[READINGS_NAME];
	struct hbm hbm;
	int ret = hbm_load(&hbm, g->part, diag);

	for (size_t i = 0; !ret && i < hbm.nr; i++) {
		const struct hbm_sample *s = &hbm.sample[i];
		bool *before = &seen[s->unit][s->write != 0];

		snprintf(name, sizeof(name), "HBM %u/%s", s->unit, s->write ? "Write" : "Read");
		if (*before)
			give(g, name, "MB/s", s->wall, s->bandwidth);
		*before = true;
	}
	hbm_free(&hbm);
	return ret;
}

static void walk_soc(const struct giver *g)
{
	char name[READINGS_NAME];
	struct soc_reader r;
	struct soc_sample s;

	soc_rewind(&r, g->part);
	while (soc_next(&r, &s)) {
		for (unsigned int i = 0; i < s.nr; i++) {
			const struct soc_value *v = &s.value[i];

			if (s.unit >= 0)
				snprintf(name, sizeof(name), "%s %d/%s", s.group, s.unit, v->name);
			else
				snprintf(name, sizeof(name), "%s%s", s.group, v->name);
			give(g, name, s.thousandths ? v->key : "", s.wall,
			     s.thousandths ? (double)v->value / 1e3 : (double)v->value);
		}
	}
}

/* "Usage(%)" */
static void unit_of(const char *key, char *unit, size_t size)
{
	const char *from = strrchr(key, '('), *to = from ? strchr(from, ')') : NULL;

	snprintf(unit, size, "%.*s", to ? (int)(to - from - 1) : 0, to ? from + 1 : "");
}

static int walk_host(const struct giver *g, struct diag *diag)
{
	struct host_view v;
	int ret = host_view_load(&v, g->part, diag);
	char unit[READINGS_UNIT];

	for (unsigned int i = 0; !ret && i < v.nr_series; i++) {
		const struct host_series *s = &v.series[i];

		unit_of(s->key, unit, sizeof(unit));
		for (size_t k = 0; k < s->nr; k++)
			give(g, s->name, unit, s->point[k].wall, s->point[k].value);
	}
	host_view_free(&v);
	return ret;
}

int readings_walk(const struct prof_part *part, void (*each)(void *arg, const struct readings_value *v), void *arg,
		  struct diag *diag)
{
	const struct giver g = { part, each, arg };

	if (part->device < 0)
		return walk_host(&g, diag);
	if (walk_llc(&g, diag) || walk_hbm(&g, diag))
		return -1;
	walk_soc(&g);
	return 0;
}

/* ---- sums ---- */

static bool is_of(const struct reading *c, const struct readings_value *v)
{
	return c->device == v->device && !strcmp(c->name, v->name);
}

struct reading *readings_of(struct readings *c, const struct readings_value *v)
{
	struct reading *grown;

	if (c->failed)
		return NULL;
	/* Most samples are of the counter behind the one before. */
	for (unsigned int i = 0; i < c->nr; i++) {
		unsigned int at = (c->last + 1 + i) % c->nr;

		if (is_of(&c->row[at], v)) {
			c->last = at;
			return &c->row[at];
		}
	}
	if (c->nr == READINGS_MOST) {
		c->left_out++;
		return NULL;
	}
	if (c->nr == c->room) {
		c->room = c->room ? 2 * c->room : 32;
		grown = realloc(c->row, c->room * sizeof(*grown));
		if (!grown) {
			c->failed = true;
			return NULL;
		}
		c->row = grown;
	}
	c->last = c->nr++;
	grown = &c->row[c->last];
	*grown = (struct reading){ .device = v->device };
	snprintf(grown->name, sizeof(grown->name), "%s", v->name);
	snprintf(grown->unit, sizeof(grown->unit), "%s", v->unit);
	return grown;
}

static void add(void *arg, const struct readings_value *v)
{
	struct reading *c = readings_of(arg, v);

	if (!c)
		return;
	if (!c->samples || v->value < c->min)
		c->min = v->value;
	if (!c->samples || v->value > c->max)
		c->max = v->value;
	c->sum += v->value;
	c->samples++;
}

int readings_add(struct readings *c, const struct prof *prof, struct diag *diag)
{
	for (unsigned int i = 0; i < prof->nr_parts; i++)
		if (readings_walk(&prof->part[i], add, c, diag))
			return -1;
	return c->failed ? diag_fail(diag, "%s: out of memory", prof->path) : 0;
}

void readings_free(struct readings *c)
{
	free(c->row);
	*c = (struct readings){ 0 };
}
