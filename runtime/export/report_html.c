/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "export/filter.h"
#include "export/report_page.h"

/* No more than what the filter's times have in common with it. */
static void narrow(const struct filter *f, int64_t *from, int64_t *to)
{
	if (f && f->from.given && f->from.ns > *from)
		*from = f->from.ns;
	if (f && f->to.given && f->to.ns < *to)
		*to = f->to.ns;
}

/* From the first event or begin to the last event or end; never empty. */
static void find_extent(const struct report_page *p, int64_t *from, int64_t *to)
{
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (unsigned int i = 0; i < p->set->nr; i++) {
		const struct tally *t = &p->part[i].tally;

		for (unsigned int k = 0; k < t->nr; k++) {
			if (t->row[k].first == INT64_MAX)
				continue;
			if (t->row[k].first < *from)
				*from = t->row[k].first;
			if (t->row[k].last > *to)
				*to = t->row[k].last;
		}
	}
	if (*from == INT64_MAX) {
		*from = p->set->prof[0].start;
		*to = __builtin_add_overflow(*from, p->part[0].duration, to) ? INT64_MAX : *to;
	}
	narrow(p->set->filter, from, to);
	if (*to <= *from)
		*to = *from < INT64_MAX - 1000 ? *from + 1000 : INT64_MAX;
}

static int load(struct report_page *p, struct diag *diag)
{
	const struct prof_set *set = p->set;
	int64_t from, to;

	for (unsigned int i = 0; i < set->nr; i++)
		if (report_part_load(&p->part[i], &set->prof[i], &p->names, &p->counters, &p->totals, diag))
			return -1;
	summary_sort(&p->names, p->options->order);
	find_extent(p, &from, &to);
	if (spans_begin(&p->timeline, from, to))
		return diag_fail(diag, "out of memory");
	p->series.from = from;
	p->series.to = to;
	for (unsigned int i = 0; i < set->nr; i++) {
		if (spans_add(&p->timeline, &set->prof[i], i, &p->names))
			return diag_fail(diag, "%s: out of memory", set->prof[i].path);
		if (series_add(&p->series, &set->prof[i], i, diag) || prof_check(&set->prof[i], diag))
			return -1;
	}
	spans_end(&p->timeline);
	return 0;
}

static void put_title(struct report_page *p)
{
	char title[256];

	snprintf(title, sizeof(title), "%.100s \xe2\x80\x93 ascprof report", report_program(&p->set->prof[0]));
	page_begin(&p->out, title);
}

int report_html(const char *path, const struct prof_set *set, const struct report_options *options, bool *mismatch,
		struct diag *diag)
{
	struct report_page p = { .set = set, .options = options };
	int ret;

	summary_init(&p.names);
	p.part = calloc(set->nr, sizeof(*p.part));
	ret = p.part ? load(&p, diag) : diag_fail(diag, "out of memory");
	if (!ret && out_open(&p.out, path, diag))
		ret = -1;
	if (!ret) {
		put_title(&p);
		report_page_tables(&p);
		report_page_data(&p);
		page_end(&p.out);
		ret = out_commit(&p.out, diag);
	}
	*mismatch = p.totals.nr_wrong != 0;
	for (unsigned int i = 0; p.part && i < set->nr; i++)
		report_part_free(&p.part[i]);
	free(p.part);
	spans_free(&p.timeline);
	series_free(&p.series);
	report_totals_free(&p.totals);
	readings_free(&p.counters);
	summary_free(&p.names);
	return ret;
}
