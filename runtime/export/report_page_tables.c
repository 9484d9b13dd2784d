/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "export/report_page.h"

#define SPREAD 24 /* classes of the small distribution in a row */
#define SPREADS 200 /* rows that have one */

static void foreign(struct report_page *p, const char *before, const char *s, const char *after)
{
	page_print(&p->out, "%s", before);
	page_text(&p->out, s, strlen(s), PAGE_NAME);
	page_print(&p->out, "%s", after);
}

/* A cell that is sorted by @value. */
static void cell_duration(struct report_page *p, uint64_t ns, bool exact)
{
	char text[REPORT_TIME];

	page_print(&p->out, "<td class=\"n\" data-v=\"%" PRIu64 "\">%s%s", ns, exact ? "" : "~",
		   report_duration(text, ns));
}

static void cell_count(struct report_page *p, uint64_t n)
{
	page_print(&p->out, "<td class=\"n\" data-v=\"%" PRIu64 "\">%" PRIu64, n, n);
}

static void cell_number(struct report_page *p, double v)
{
	bool whole = v > -1e15 && v < 1e15 && v == (double)(int64_t)v;

	page_print(&p->out, "<td class=\"n\" data-v=\"%.9g\">%.*f", v, whole ? 0 : 2, v);
}

/* ---- what it is ---- */

static void put_tile(struct report_page *p, const char *value, const char *what, const char *class)
{
	page_print(&p->out, "<div class=\"tile%s\"><b>%s</b><span>%s</span></div>\n", class, value, what);
}

static void put_tiles(struct report_page *p)
{
	uint64_t events = 0, dropped = 0, devices = 0;
	char text[REPORT_TIME];
	bool unknown = false;

	for (unsigned int i = 0; i < p->totals.nr; i++) {
		dropped += p->totals.total[i].dropped;
		unknown |= p->totals.total[i].unknown;
	}
	for (unsigned int i = 0; i < p->set->nr; i++) {
		for (int k = 0; k < TX_ACCOUNTS; k++)
			events += p->part[i].seen.events[k];
		devices += p->set->prof[i].nr_parts - (prof_host(&p->set->prof[i]) != NULL);
	}
	page_print(&p->out, "<div class=\"tiles\">\n");
	put_tile(p, report_duration(text, (uint64_t)p->timeline.to - (uint64_t)p->timeline.from),
		 "from first to last event", "");
	snprintf(text, sizeof(text), "%" PRIu64, p->set->filter ? p->timeline.events : events);
	put_tile(p, text, "annotations", "");
	snprintf(text, sizeof(text), "%zu", p->names.nr);
	put_tile(p, text, "names", "");
	snprintf(text, sizeof(text), "%" PRIu64, devices);
	put_tile(p, text, "devices with counters", "");
	snprintf(text, sizeof(text), "%" PRIu64 "%s", dropped, unknown ? "+" : "");
	put_tile(p, text, unknown ? "dropped, as far as is known" : "dropped", dropped ? " bad" : "");
	page_print(&p->out, "</div>\n");
}

static void put_directories(struct report_page *p)
{
	page_print(
		&p->out,
		"<section id=\"directories\"><h2>Directories</h2><div class=\"scroll\"><table><thead><tr><th class=\"n\">#"
		"<th>Directory<th>Program<th>Host<th>Start<th>Lasted<th>State</thead><tbody>\n");
	for (unsigned int i = 0; i < p->set->nr; i++) {
		const struct prof *prof = &p->set->prof[i];
		const struct account *a = &prof->account;
		const struct control *c = &prof->part[0].control;
		char text[REPORT_TIME];

		page_print(&p->out, "<tr><td class=\"n\">%u", i + 1);
		foreign(p, "<td class=\"name\"><bdi>", prof->name, "</bdi>");
		foreign(p, "<td><bdi>", report_program(prof), "</bdi>");
		page_print(&p->out, " (pid %" PRIu64 ")", a->pid ? a->pid : c->pid);
		foreign(p, "<td><bdi>", c->hostname, "</bdi>");
		report_time(text, prof->start, REPORT_FULL);
		page_print(&p->out, "<td>%s", text);
		page_print(&p->out, "<td>%s", p->part[i].duration ?
			   report_duration(text, (uint64_t)p->part[i].duration) : "?");
		foreign(p, "<td>", !a->exists ? "no accounting in it" : a->running ? "not stopped" : a->state, "\n");
	}
	page_print(&p->out, "</tbody></table></div></section>\n");
}

/* ---- names ---- */

static void put_spread(struct report_page *p, struct summary_row *r)
{
	uint64_t counts[SPREAD], from, to, most = 1;

	quantile_spread(&r->durations, SPREAD, counts, &from, &to);
	for (int i = 0; i < SPREAD; i++)
		if (counts[i] > most)
			most = counts[i];
	page_print(&p->out, "<td><svg class=\"spread\" viewBox=\"0 0 %d 20\" preserveAspectRatio=\"none\" role=\"img\" "
		   "aria-label=\"distribution of durations\"><path d=\"", SPREAD * 4);
	for (int i = 0; i < SPREAD; i++) {
		double height = 20 * (double)counts[i] / (double)most;

		if (counts[i])
			page_print(&p->out, "M%d 20V%.1fh3V20z", 4 * i, 20 - (height < 1 ? 1 : height));
	}
	page_print(&p->out, "\"/></svg>");
}

static void put_name(struct report_page *p, struct summary_row *r, bool spread)
{
	bool exact = quantile_exact(&r->durations);

	page_print(&p->out, "<tr><td class=\"name\"><bdi>");
	page_text(&p->out, r->text, r->len, PAGE_NAME);
	page_print(&p->out, "</bdi><td>%s", tx_kind_name(r->kind));
	cell_count(p, r->count);
	if (r->kind == TX_MARK) {
		page_print(&p->out,
			   "<td class=\"n\">–<td class=\"n\">–<td class=\"n\">–<td class=\"n\">–<td class=\"n\">–"
			   "<td class=\"n\">–<td>\n");
		return;
	}
	cell_duration(p, r->total, true);
	cell_duration(p, r->self, true);
	cell_duration(p, r->min, true);
	cell_duration(p, quantile_get(&r->durations, 500), exact);
	cell_duration(p, quantile_get(&r->durations, 990), exact);
	cell_duration(p, r->max, true);
	if (spread)
		put_spread(p, r);
	else
		page_print(&p->out, "<td>");
	page_print(&p->out, "\n");
}

static void put_names(struct report_page *p)
{
	unsigned int top = p->options->top;

	page_print(&p->out, "<section id=\"names\"><h2>Time per name</h2>\n");
	if (!p->names.nr) {
		page_print(&p->out, "<p>%s</p></section>\n",
			   p->set->filter ? "No annotation is as was asked for." : "Nothing was annotated.");
		return;
	}
	page_print(&p->out,
		   "<p>Self is without the ranges that lie directly in it on the same thread. The small pictures "
		   "are distributions from min to max, on a logarithmic scale.</p>\n"
		   "<div class=\"scroll\"><table class=\"sort\"><thead><tr><th>Name<th>Kind<th class=\"n\">Count"
		   "<th class=\"n\">Total<th class=\"n\">Self<th class=\"n\">Min<th class=\"n\">p50<th class=\"n\">p99"
		   "<th class=\"n\">Max<th data-plain>Distribution</thead><tbody>\n");
	for (size_t i = 0; i < p->names.nr && i < top; i++)
		put_name(p, &p->names.row[i], i < SPREADS);
	page_print(&p->out, "</tbody></table></div>\n");
	if (p->names.nr > top)
		page_print(&p->out, "<p>And %zu more names.</p>\n", p->names.nr - top);
	page_print(&p->out, "</section>\n");
}

/* ---- counters ---- */

static void put_counters(struct report_page *p)
{
	if (!p->counters.nr)
		return;
	page_print(
		&p->out,
		"<section id=\"counters\"><h2>Counters</h2><div id=\"charts\"></div>\n<details><summary>Table of "
		"counters</summary><div class=\"scroll\"><table class=\"sort\"><thead><tr><th>Counter<th class=\"n\">Device"
		"<th>Unit<th class=\"n\">Samples<th class=\"n\">Min<th class=\"n\">Average<th class=\"n\">Max</thead>"
		"<tbody>\n");
	for (unsigned int i = 0; i < p->counters.nr; i++) {
		const struct reading *c = &p->counters.row[i];

		foreign(p, "<tr><td class=\"name\"><bdi>", c->name, "</bdi>");
		if (c->device < 0)
			page_print(&p->out, "<td class=\"n\" data-v=\"-1\">host");
		else
			cell_count(p, (uint64_t)c->device);
		foreign(p, "<td>", c->unit, "");
		cell_count(p, c->samples);
		cell_number(p, c->min);
		cell_number(p, c->sum / (double)c->samples);
		cell_number(p, c->max);
		page_print(&p->out, "\n");
	}
	page_print(&p->out, "</tbody></table></div></details></section>\n");
}

/* ---- accounting ---- */

static void put_account(struct report_page *p, unsigned int directory, const struct tally_row *r)
{
	char why[160];
	bool wrong = tally_mismatch(r, why, sizeof(why));

	page_print(&p->out, "<tr%s><td class=\"n\">%u", wrong ? " class=\"bad\"" : "", directory + 1);
	foreign(p, "<td>", r->kind, "");
	if (r->device >= 0)
		page_print(&p->out, "<td class=\"n\">%d", r->device);
	else
		page_print(&p->out, "<td class=\"n\">host");
	if (r->account)
		cell_count(p, r->account->produced);
	else
		page_print(&p->out, "<td class=\"n\">?");
	cell_count(p, tally_written(r));
	if (r->account)
		cell_count(p, r->account->dropped);
	else
		page_print(&p->out, "<td class=\"n\">?");
	foreign(p, "<td>", wrong ? why : r->account ? "holds" : "not known: no final accounting", "\n");
}

static void put_accounts(struct report_page *p)
{
	page_print(
		&p->out,
		"<section id=\"accounting\"><h2>Accounting</h2>\n<p>What was produced is what was written and what was "
		"dropped; what was written is in the files.</p>\n<div class=\"scroll\"><table class=\"sort\"><thead><tr>"
		"<th class=\"n\">#<th>Kind<th class=\"n\">Device<th class=\"n\">Produced<th class=\"n\">Written"
		"<th class=\"n\">Dropped<th>Equation</thead><tbody>\n");
	for (unsigned int i = 0; i < p->set->nr; i++)
		for (unsigned int k = 0; k < p->part[i].tally.nr; k++)
			put_account(p, i, &p->part[i].tally.row[k]);
	page_print(&p->out, "</tbody></table></div></section>\n");
}

void report_page_tables(struct report_page *p)
{
	page_print(&p->out, "<header><h1>");
	foreign(p, "<bdi>", report_program(&p->set->prof[0]), "</bdi>");
	page_print(
		&p->out,
		" <small>ascprof report</small></h1>\n<nav aria-label=\"Parts\"><a href=\"#timeline\">Timeline</a>%s"
		"<a href=\"#names\">Names</a><a href=\"#accounting\">Accounting</a><a href=\"#missing\">Not recorded</a>"
		"</nav></header>\n<main>\n",
		p->counters.nr ? "<a href=\"#counters\">Counters</a>" : "");
	put_tiles(p);
	if (p->set->filter)
		page_print(&p->out, "<p class=\"note\">Filtered: timeline, names and counters are of what was asked for. "
			   "The accounting is of everything.</p>\n");
	page_print(
		&p->out,
		"<noscript><p class=\"note\">The plots need JavaScript; all tables are here without it.</p></noscript>\n"
		"<section id=\"timeline\"><h2>Timeline</h2><div id=\"line\"></div></section>\n");
	put_counters(p);
	put_names(p);
	page_print(&p->out, "<section id=\"distribution\" hidden><h2>Distribution of durations</h2>"
		   "<div id=\"spread\"></div></section>\n");
	put_accounts(p);
	report_page_missing(p);
	put_directories(p);
	page_print(&p->out, "<footer>Made by ascprof " ASCPROF_VERSION ". This file loads nothing.</footer></main>\n");
}
