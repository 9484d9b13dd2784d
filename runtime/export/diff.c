/* SPDX-License-Identifier: Apache-2.0 */
#include "export/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/ranks.h"

const char *diff_metric_word(enum diff_metric metric)
{
	static const char *const words[DIFF_METRICS] = { "average", "p50", "p99", "max", "total", "self", "count" };

	return words[metric];
}

const char *diff_verdict_word(enum diff_verdict verdict)
{
	static const char *const words[DIFF_VERDICTS] = { "slower", "faster", "new", "gone", "unsure", "same" };

	return words[verdict];
}

/* ---- values of the runs ---- */

/* What a run says of a name; below 0: it does not have it. */
struct cell {
	double value, total;
};

struct table {
	struct cell *cell; /* by name, then by run: those of A first */
	size_t names; /* that have cells */
	unsigned int runs;
};

static double value_of(struct summary_row *r, enum diff_metric metric)
{
	switch (metric) {
	case DIFF_P50:
		return (double)quantile_get(&r->durations, 500);
	case DIFF_P99:
		return (double)quantile_get(&r->durations, 990);
	case DIFF_MAX:
		return (double)r->max;
	case DIFF_TOTAL:
		return (double)r->total;
	case DIFF_SELF:
		return (double)r->self;
	case DIFF_COUNT:
		return (double)r->count;
	default:
		return (double)r->total / (double)r->count;
	}
}

static int reserve(struct table *t, size_t names)
{
	struct cell *grown;
	size_t room = t->names ? t->names : 64;

	if (names <= t->names)
		return 0;
	while (room < names)
		room *= 2;
	grown = realloc(t->cell, room * t->runs * sizeof(*grown));
	if (!grown)
		return -1;
	for (size_t i = t->names * t->runs; i < room * t->runs; i++)
		grown[i] = (struct cell){ -1, -1 };
	t->cell = grown;
	t->names = room;
	return 0;
}

static int add_run(struct diff *d, struct table *t, const struct prof *prof, unsigned int run,
		   enum diff_metric metric, struct diag *diag)
{
	struct walk_seen seen;
	struct summary names;
	int ret;

	summary_init(&names);
	ret = summary_add(&names, prof, &seen, diag);
	for (size_t i = 0; i < names.nr && !ret; i++) {
		struct summary_row *r = &names.row[i];
		int64_t at;

		if (r->kind == TX_MARK && metric != DIFF_COUNT)
			continue;
		at = summary_index(&d->names, r->kind, r->text, r->len);
		if (at < 0 || reserve(t, (size_t)at + 1))
			ret = diag_fail(diag, "%s: out of memory", prof->path);
		else
			t->cell[(size_t)at * t->runs + run] = (struct cell){ value_of(r, metric), (double)r->total };
	}
	summary_free(&names);
	return ret ? ret : prof_check(prof, diag);
}

static uint64_t lost_of(const struct account *a)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < a->nr_kinds; i++)
		if (a->kind[i].device < 0)
			lost += a->kind[i].dropped;
	return lost;
}

static int load(struct diff *d, struct table *t, const struct prof_set set[2], enum diff_metric metric,
		struct diag *diag)
{
	unsigned int run = 0;

	for (int side = 0; side < 2; side++) {
		d->runs[side] = set[side].nr;
		for (unsigned int i = 0; i < set[side].nr; i++) {
			if (add_run(d, t, &set[side].prof[i], run++, metric, diag))
				return -1;
			d->lost[side] += lost_of(&set[side].prof[i].account);
		}
	}
	return 0;
}

/* ---- comparing ---- */

static enum diff_verdict verdict_of(const struct diff_row *r, const struct diff_options *o)
{
	if (!r->runs[0])
		return DIFF_NEW;
	if (!r->runs[1])
		return DIFF_GONE;
	if (fabs(r->change) < o->threshold)
		return DIFF_SAME;
	if (r->confidence < o->confidence)
		return DIFF_UNSURE;
	return r->change > 0 ? DIFF_SLOWER : DIFF_FASTER;
}

static void compare(struct diff_row *r, const struct cell *cell, const unsigned int runs[2],
		    const struct diff_options *o)
{
	double value[2][DIFF_RUNS], total[2][DIFF_RUNS], sum[2] = { 0 };

	for (int side = 0; side < 2; side++) {
		const struct cell *c = cell + (side ? runs[0] : 0);

		for (unsigned int i = 0; i < runs[side]; i++) {
			if (c[i].value < 0)
				continue;
			value[side][r->runs[side]] = c[i].value;
			total[side][r->runs[side]++] = c[i].total;
		}
		if (r->runs[side]) {
			r->value[side] = ranks_median(value[side], r->runs[side]);
			sum[side] = ranks_median(total[side], r->runs[side]);
		}
	}
	r->weight = sum[1] - sum[0];
	r->confidence = -1;
	if (r->runs[0] && r->runs[1]) {
		r->change = r->value[0] > 0 ? (r->value[1] / r->value[0] - 1) * 100 : r->value[1] > 0 ? INFINITY : 0;
		if (r->runs[0] > 1 && r->runs[1] > 1)
			r->confidence = 100 * (1 - ranks_differ(value[0], r->runs[0], value[1], r->runs[1]));
	}
	r->verdict = verdict_of(r, o);
}

static int by_weight(const void *a, const void *b, void *arg)
{
	const struct diff_row *x = a, *y = b;
	const struct summary *n = arg;
	const struct summary_row *p = &n->row[x->name], *q = &n->row[y->name];
	int order;

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	if (fabs(x->weight) != fabs(y->weight))
		return fabs(x->weight) > fabs(y->weight) ? -1 : 1;
	order = memcmp(p->text, q->text, p->len < q->len ? p->len : q->len);
	if (!order)
		order = p->len != q->len ? (p->len < q->len ? -1 : 1) : (int)p->kind - (int)q->kind;
	return order;
}

int diff_make(struct diff *d, const struct prof_set set[2], const struct diff_options *o, struct diag *diag)
{
	struct table t = { .runs = set[0].nr + set[1].nr };
	int ret;

	*d = (struct diff){ 0 };
	summary_init(&d->names);
	ret = load(d, &t, set, o->metric, diag);
	if (!ret) {
		d->row = calloc(d->names.nr + 1, sizeof(*d->row));
		if (!d->row)
			ret = diag_fail(diag, "out of memory");
	}
	for (size_t i = 0; i < d->names.nr && !ret; i++) {
		struct diff_row *r = &d->row[d->nr++];

		r->name = (uint32_t)i;
		compare(r, &t.cell[i * t.runs], d->runs, o);
		d->verdicts[r->verdict]++;
	}
	if (!ret && d->nr)
		qsort_r(d->row, d->nr, sizeof(*d->row), by_weight, &d->names);
	free(t.cell);
	return ret;
}

void diff_free(struct diff *d)
{
	summary_free(&d->names);
	free(d->row);
	*d = (struct diff){ 0 };
}
