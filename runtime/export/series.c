/* SPDX-License-Identifier: Apache-2.0 */
#include "export/series.h"

#include <stdlib.h>

struct adding {
	struct series_set *set;
	struct readings counters; /* of this directory: row i is series first + i */
	unsigned int first;
};

static void add_to(struct series_bin *b, double value)
{
	if (!b->samples || value < b->min)
		b->min = value;
	if (!b->samples || value > b->max)
		b->max = value;
	b->sum += value;
	b->samples++;
}

static void add(void *arg, const struct readings_value *v)
{
	struct adding *a = arg;
	const struct series_set *s = a->set;
	const struct reading *c = readings_of(&a->counters, v);
	uint64_t width = (uint64_t)s->to - (uint64_t)s->from, bin;
	unsigned int i;

	if (!c)
		return;
	i = a->first + (unsigned int)(c - a->counters.row);
	if (i >= SERIES_MOST || v->wall < s->from || v->wall > s->to)
		return;
	bin = (uint64_t)((unsigned __int128)((uint64_t)v->wall - (uint64_t)s->from) * SERIES_BINS / width);
	add_to(&s->row[i].bin[bin < SERIES_BINS ? bin : SERIES_BINS - 1], v->value);
}

int series_add(struct series_set *s, const struct prof *prof, unsigned int index, struct diag *diag)
{
	struct adding a = { .set = s, .first = s->nr };
	int ret = 0;

	if (!s->row)
		s->row = calloc(SERIES_MOST, sizeof(*s->row));
	if (!s->row)
		return diag_fail(diag, "%s: out of memory", prof->path);
	for (unsigned int i = 0; i < prof->nr_parts && !ret; i++)
		ret = readings_walk(&prof->part[i], add, &a, diag);
	if (!ret && a.counters.failed)
		ret = diag_fail(diag, "%s: out of memory", prof->path);
	for (unsigned int i = 0; i < a.counters.nr; i++) {
		if (s->nr == SERIES_MOST) {
			s->left_out++;
			continue;
		}
		s->row[s->nr].prof = index;
		s->row[s->nr++].total = a.counters.row[i];
	}
	readings_free(&a.counters);
	return ret;
}

void series_free(struct series_set *s)
{
	free(s->row);
	*s = (struct series_set){ 0 };
}
