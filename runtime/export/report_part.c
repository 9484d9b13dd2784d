/* SPDX-License-Identifier: Apache-2.0 */
#include "export/report.h"

static int64_t duration_of(const struct prof *prof)
{
	const struct account *a = &prof->account;
	const struct control *c = &prof->part[0].control;

	if (a->exists && !a->running && a->end_raw_ns > a->start_raw_ns)
		return (int64_t)((a->end_raw_ns - a->start_raw_ns) & INT64_MAX);
	if (c->end_raw_ns > c->begin_raw_ns)
		return (int64_t)((c->end_raw_ns - c->begin_raw_ns) & INT64_MAX);
	return 0;
}

int report_part_load(struct report_part *p, const struct prof *prof, struct summary *names, struct readings *counters,
		     struct report_totals *totals, struct diag *diag)
{
	*p = (struct report_part){ .duration = duration_of(prof), .last = prof->start };
	if (summary_add(names, prof, &p->seen, diag) || readings_add(counters, prof, diag))
		return -1;
	if (tally_make(&p->tally, prof, &p->seen) || report_add(totals, prof, &p->tally))
		return diag_fail(diag, "%s: out of memory", prof->path);
	for (unsigned int i = 0; i < prof->nr_parts; i++) {
		for (int k = 0; k < SLICES_KINDS; k++) {
			p->cut_bytes += prof->part[i].table[k].cut_bytes;
			p->blank_rows += prof->part[i].table[k].blank_rows;
		}
	}
	for (unsigned int i = 0; i < p->tally.nr; i++)
		if (p->tally.row[i].first != INT64_MAX && p->tally.row[i].last > p->last)
			p->last = p->tally.row[i].last;
	return prof_check(prof, diag);
}

void report_part_free(struct report_part *p)
{
	tally_free(&p->tally);
}

const char *report_program(const struct prof *prof)
{
	const char *name = prof->account.comm[0] ? prof->account.comm : prof->part[0].control.pid_name;

	return name[0] ? name : "?";
}
