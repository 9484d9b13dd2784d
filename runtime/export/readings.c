/* SPDX-License-Identifier: Apache-2.0 */
#include "export/readings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/counters.h"

struct giver {
	int device;
	void (*each)(void *arg, const struct readings_value *v);
	void *arg;
};

static double value_of(const struct counter *c)
{
	switch (c->type) {
	case COUNTER_INTEGER:
		return (double)c->integer;
	case COUNTER_THOUSANDTHS:
		return (double)c->thousandths / 1e3;
	default:
		return c->real;
	}
}

static int give(void *arg, const struct counter *c)
{
	const struct giver *g = arg;
	char name[COUNTER_NAME + 1];
	const struct readings_value v = { g->device, name, c->unit, c->wall, value_of(c) };

	if (c->first)
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)c->name_len, c->name);
	g->each(g->arg, &v);
	return 0;
}

int readings_walk(const struct prof_part *part, void (*each)(void *arg, const struct readings_value *v), void *arg,
		  struct diag *diag)
{
	struct giver g = { part->device, each, arg };
	struct counters c;
	int ret = counters_load(&c, part, diag);

	if (!ret)
		ret = counters_each(&c, give, &g);
	counters_free(&c);
	return ret;
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
