/* SPDX-License-Identifier: Apache-2.0 */
/* What is not in the recording, or not on the page, and why. */
#include <inttypes.h>
#include <string.h>

#include "export/report_page.h"

#define HERE UINT32_MAX /* the page, no directory */

static void row(struct report_page *p, unsigned int directory, const char *what, uint64_t n, const char *why)
{
	if (directory == HERE)
		page_print(&p->out, "<tr><td>page<td>");
	else
		page_print(&p->out, "<tr><td>%u<td>", directory + 1);
	page_text(&p->out, what, strlen(what), PAGE_NAME);
	if (n)
		page_print(&p->out, "<td class=\"n\">%" PRIu64 "<td>", n);
	else
		page_print(&p->out, "<td class=\"n\">–<td>");
	page_text(&p->out, why, strlen(why), PAGE_NAME);
	page_print(&p->out, "\n");
}

/* In words; reasons that are not known here as they are called. */
static const char *reason(const char *name)
{
	static const struct {
		const char *name, *words;
	} reasons[] = {
		{ "ring_full", "ring_full: the ring had no room; ASCPROF_ON_FULL=wait waits instead" },
		{ "no_memory", "no_memory: there was no memory for a thread's ring" },
		{ "reentrant", "reentrant: annotated by a signal handler inside an annotation" },
		{ "aged", "aged: oldest slices were removed for the storage limit or a full volume" },
		{ "no_space", "no_space: the disk was full" },
		{ "write_error", "write_error: the disk refused" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (!strcmp(reasons[i].name, name))
			return reasons[i].words;
	return name;
}

static unsigned int put_dropped(struct report_page *p, unsigned int directory, const struct tally *t)
{
	unsigned int n = 0;
	char what[96];

	for (unsigned int i = 0; i < t->nr; i++) {
		const struct tally_row *r = &t->row[i];
		const struct account_kind *a = r->account;

		if (!a)
			continue;
		if (r->device >= 0)
			snprintf(what, sizeof(what), "%s of device %d", r->kind, r->device);
		else
			snprintf(what, sizeof(what), "%s", r->kind);
		for (unsigned int k = 0; k < a->nr_reasons; k++, n++)
			row(p, directory, what, a->reason[k].count, reason(a->reason[k].name));
		if (a->open) {
			row(p, directory, what, a->open, "still open at the end: nobody ended them");
			n++;
		}
	}
	return n;
}

static unsigned int put_sources(struct report_page *p, unsigned int directory)
{
	const struct account *a = &p->set->prof[directory].account;
	unsigned int n = 0;
	char what[64], why[400], place[24];

	for (unsigned int i = 0; i < a->nr_sources; i++) {
		const struct account_source *s = &a->source[i];
		bool sim = !strcmp(s->kind, "sim");

		if (!sim && strcmp(s->source, "none") && !s->note[0])
			continue;
		snprintf(what, sizeof(what), "counters of %s", account_source_place(s, place, sizeof(place)));
		snprintf(why, sizeof(why), "source %s%s%s%s", s->source, sim ? ": simulated numbers" : "",
			 s->note[0] ? ": " : "", s->note);
		row(p, directory, what, 0, why);
		n++;
	}
	return n;
}

static unsigned int put_prof(struct report_page *p, unsigned int i)
{
	const struct prof *prof = &p->set->prof[i];
	const struct report_part *part = &p->part[i];
	const struct account *a = &prof->account;
	const struct {
		bool is;
		const char *what;
		uint64_t n;
		const char *why;
	} rows[] = {
		{ !a->exists, "accounting", 0, "there is none: what was produced and dropped is not known" },
		{ a->exists && a->running, "accounting", 0,
		  "the session was not stopped: the program runs, or was killed; the last 100 ms may be missing" },
		{ a->error[0], "everything after an error", 0, a->error },
		{ a->refused, "annotations", a->refused, "made after the end had begun" },
		{ part->cut_bytes, "bytes of rows", part->cut_bytes, "rows that are cut off at the end of a file" },
		{ part->blank_rows, "rows", part->blank_rows, "never written: zeros at the end of a file" },
		{ part->seen.bad_rows, "rows", part->seen.bad_rows, "damaged" },
		{ part->seen.backward, "durations", part->seen.backward, "end before their start: taken as instants" },
	};
	unsigned int n = put_dropped(p, i, &part->tally) + put_sources(p, i);

	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		if (!rows[k].is)
			continue;
		row(p, i, rows[k].what, rows[k].n, rows[k].why);
		n++;
	}
	return n;
}

static unsigned int put_limits(struct report_page *p)
{
	const struct spans *t = &p->timeline;
	unsigned int n = 0, exact = 1;

	for (size_t i = 0; i < p->names.nr; i++)
		exact &= quantile_exact(&p->names.row[i].durations);
	if (t->events > t->nr) {
		row(p, HERE, "annotations in the timeline", t->events - t->nr,
		    "the longest 20000 are drawn, others as density");
		n++;
	}
	if (t->shared) {
		row(p, HERE, "threads in the timeline", 0, "more than 256: those that come later share a lane");
		n++;
	}
	if (p->series.left_out || p->counters.left_out) {
		row(p, HERE, "counters", p->series.left_out, "more than can be drawn");
		n++;
	}
	if (!exact) {
		row(p, HERE, "exact p50 and p99", 0, "more than 8 million durations: those with ~ are true to 0.8 %");
		n++;
	}
	return n;
}

void report_page_missing(struct report_page *p)
{
	unsigned int n = 0;

	page_print(&p->out,
		   "<section id=\"missing\"><h2>Not recorded, and why</h2><div class=\"scroll\"><table><thead><tr>"
		   "<th>#<th>What<th class=\"n\">How many<th>Why</thead><tbody>\n");
	for (unsigned int i = 0; i < p->set->nr; i++)
		n += put_prof(p, i);
	n += put_limits(p);
	if (!n)
		page_print(&p->out, "<tr><td>all<td>nothing<td class=\"n\">0<td>all that was produced is here\n");
	page_print(&p->out, "</tbody></table></div></section>\n");
}
