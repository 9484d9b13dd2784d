/* SPDX-License-Identifier: Apache-2.0 */
#include "export/report.h"

#include <inttypes.h>
#include <string.h>

#include "format/escape.h"
#include "export/decimal.h"
#include "export/host.h"

#define WIDE 67 /* columns for foreign text behind a heading: 80 with it */

static void line(FILE *to, const char *what, const char *text)
{
	char safe[ESCAPE_ROOM(512)];

	report_safe(safe, text, WIDE);
	fprintf(to, "  %-10s %s\n", what, safe);
}

/* ---- what the directory is ---- */

static void print_sources(FILE *to, const struct prof *prof)
{
	const struct account *a = &prof->account;
	char text[512], place[24];

	for (unsigned int i = 0; i < a->nr_sources; i++) {
		const struct account_source *s = &a->source[i];
		const char *note = s->note;

		if (!strcmp(s->kind, "sim") && !note[0])
			note = "simulated numbers";
		snprintf(text, sizeof(text), "%s: %s%s%s", account_source_place(s, place, sizeof(place)), s->source,
			 note[0] ? ", " : "", note);
		line(to, i ? "" : "sources", text);
	}
	for (unsigned int i = 0; !a->nr_sources && i < prof->nr_parts; i++) {
		const struct prof_part *p = &prof->part[i];

		if (p->device < 0)
			continue;
		snprintf(text, sizeof(text), "device %d%s%s", p->device,
			 p->control.source[0] ? ": " : "", p->control.source);
		line(to, "source", text);
	}
}

static void print_state(FILE *to, const struct prof *prof)
{
	const struct account *a = &prof->account;
	char text[640];

	if (!a->exists)
		line(to, "state", "no accounting in it: counted from the files");
	else if (a->running)
		line(to, "state", "not stopped: counted from the files");
	else
		line(to, "state", a->state);
	if (a->error[0])
		line(to, "error", a->error);
	if (a->backend[0]) {
		snprintf(text, sizeof(text), "%s%s%s%s%s%s", a->backend,
			 a->backend_reason[0] ? " (" : "", a->backend_reason,
			 a->backend_reason[0] ? ")" : "", a->clock[0] ? ", clock " : "", a->clock);
		line(to, "writer", text);
	}
	if (a->refused) {
		snprintf(text, sizeof(text), "%" PRIu64 " annotations after the end had begun",
			 a->refused);
		line(to, "refused", text);
	}
}

static void print_times(FILE *to, const struct prof *prof, const struct report_part *p)
{
	char start[REPORT_TIME], text[128];
	int64_t ns;

	report_time(start, prof->start, REPORT_FULL);
	if (p->duration)
		snprintf(text, sizeof(text), "%s, for %" PRId64 ".%03d s", start, p->duration / 1000000000,
			 (int)(p->duration / 1000000 % 1000));
	else if (!__builtin_sub_overflow(p->last, prof->start, &ns))
		snprintf(text, sizeof(text), "%s, last event after %" PRId64 ".%03d s", start,
			 ns / 1000000000, (int)(ns / 1000000 % 1000));
	else
		snprintf(text, sizeof(text), "%s", start);
	line(to, "start", text);
}

static void print_cut(FILE *to, const struct report_part *p)
{
	char text[160];

	if (p->cut_bytes || p->blank_rows || p->seen.bad_rows) {
		snprintf(text, sizeof(text), "%" PRIu64 " bytes of cut rows, %" PRIu64
			 " rows never written, %" PRIu64 " damaged", p->cut_bytes, p->blank_rows,
			 p->seen.bad_rows);
		line(to, "left out", text);
	}
	if (p->seen.backward) {
		snprintf(text, sizeof(text), "%" PRIu64 " annotations end before they start: taken as instants",
			 p->seen.backward);
		line(to, "times", text);
	}
}

static void print_heading(FILE *to, const struct prof *prof, const struct report_part *p)
{
	const struct account *a = &prof->account;
	const struct control *c = &prof->part[0].control;
	const char *program = report_program(prof);
	char safe[ESCAPE_ROOM(512)], text[640];

	report_safe(safe, prof->name, WIDE);
	fprintf(to, "%s\n", safe);
	line(to, "path", prof->path);
	snprintf(text, sizeof(text), "%s (pid %" PRIu64 ")%s%s", program,
		 a->pid ? a->pid : c->pid, c->hostname[0] ? " on " : "", c->hostname);
	line(to, "program", text);
	print_times(to, prof, p);
	print_sources(to, prof);
	print_state(to, prof);
	print_cut(to, p);
}

/* ---- accounting ---- */

static void print_row(FILE *to, const struct tally_row *r)
{
	char kind[ESCAPE_ROOM(ACCOUNT_KIND_LEN)], device[16] = "-";
	char produced[24] = "-", dropped[24] = "-";
	char first[REPORT_TIME] = "-", last[REPORT_TIME] = "-";

	report_safe(kind, r->kind, 12);
	if (r->device >= 0)
		snprintf(device, sizeof(device), "%d", r->device);
	if (r->account) {
		snprintf(produced, sizeof(produced), "%" PRIu64, r->account->produced);
		snprintf(dropped, sizeof(dropped), "%" PRIu64, r->account->dropped);
	}
	if (r->first != INT64_MAX) {
		report_time(first, r->first, REPORT_CLOCK);
		report_time(last, r->last, REPORT_CLOCK);
	}
	fprintf(to, "  %-12s %6s %10s %10" PRIu64 " %8s  %-12s %s\n", kind, device, produced,
		tally_written(r), dropped, first, last);
	for (unsigned int i = 0; r->account && i < r->account->nr_reasons; i++) {
		report_safe(kind, r->account->reason[i].name, 32);
		fprintf(to, "  %-12s %6s %10s %10s %8" PRIu64 "  %s\n", "", "", "", "",
			r->account->reason[i].count, kind);
	}
	if (r->account && r->account->open)
		fprintf(to, "  %-12s still open at the end: %" PRIu64 "\n", "", r->account->open);
}

static void print_tally(FILE *to, const struct tally *tally)
{
	fprintf(to, "\n  %-12s %6s %10s %10s %8s  %-12s %s\n", "kind", "device", "produced",
		"written", "dropped", "first", "last");
	for (unsigned int i = 0; i < tally->nr; i++)
		print_row(to, &tally->row[i]);
}

/* ---- names ---- */

static void print_names(FILE *to, struct summary *names, const struct report_options *o)
{
	bool exact = true;

	if (!names->nr || !o->top)
		return;
	summary_sort(names, o->order);
	report_names_heading(to, o->columns);
	for (size_t i = 0; i < names->nr && i < o->top; i++) {
		report_name(to, &names->row[i], o->columns);
		exact &= quantile_exact(&names->row[i].durations);
	}
	if (names->nr > o->top)
		fprintf(to, "  and %zu more names\n", names->nr - o->top);
	if (!exact)
		fputs("  ~ p50 and p99 of this many durations are true to 0.8 %\n", to);
}

/* ---- counters ---- */

static void print_counters(FILE *to, const struct readings *c)
{
	char name[ESCAPE_ROOM(READINGS_NAME)], device[16];

	if (c->nr)
		fprintf(to, "\n  %-27s %6s %8s %9s %9s %9s %s\n", "counter", "device", "samples", "min",
			"average", "max", "unit");
	for (unsigned int i = 0; i < c->nr; i++) {
		const struct reading *r = &c->row[i];

		report_safe(name, r->name, 27);
		if (r->device < 0)
			strcpy(device, "host");
		else
			snprintf(device, sizeof(device), "%d", r->device);
		fprintf(to, "  %-27s %6s %8" PRIu64, name, device, r->samples);
		report_number(to, r->min);
		report_number(to, r->sum / (double)r->samples);
		report_number(to, r->max);
		fprintf(to, "%s%s\n", r->unit[0] ? " " : "", r->unit);
	}
	if (c->left_out)
		fprintf(to, "  left out: %" PRIu64 " samples of more than %d counters\n", c->left_out, READINGS_MOST);
}

/* ---- counters of the host's CPUs ---- */

static int print_host(FILE *to, const struct prof *prof, struct diag *diag)
{
	char name[ESCAPE_ROOM(48)], counted[DECIMAL_TEXT];
	struct host_view v;
	int ret = host_view_load(&v, prof_host(prof), diag);

	if (!ret && v.nr_counters)
		fprintf(to, "\n  %-24s %-8s %20s   counted %%\n", "host counter", "of", "count");
	for (size_t i = 0; i < v.nr_counters && !ret; i++) {
		report_safe(name, v.counter[i].name, 24);
		*decimal_round3(counted, v.counter[i].counted) = 0;
		fprintf(to, "  %-24s %-8s %20" PRIu64 "   %s\n", name, v.counter[i].scope, v.counter[i].count,
			counted);
	}
	host_view_free(&v);
	return ret;
}

/* ---- all ---- */

static int print_prof(FILE *to, const struct prof *prof, const struct report_options *o, bool filtered,
		      struct summary *names, struct readings *counters, struct report_totals *totals,
		      struct diag *diag)
{
	struct report_part p;
	int ret = report_part_load(&p, prof, names, counters, totals, diag);

	if (!ret) {
		print_heading(to, prof, &p);
		if (filtered)
			line(to, "filtered", "names and counters; the accounting is of everything");
		print_tally(to, &p.tally);
		if (!o->merge) {
			print_names(to, names, o);
			print_counters(to, counters);
		}
		if (!filtered) /* they are sums over the whole run */
			ret = print_host(to, prof, diag);
		fputs("\n", to);
	}
	report_part_free(&p);
	if (!o->merge) {
		summary_free(names);
		readings_free(counters);
	}
	return ret;
}

int report_print(FILE *to, const struct prof_set *set, const struct report_options *options, bool *mismatch,
		 struct diag *diag)
{
	struct report_totals totals = { 0 };
	struct readings counters = { 0 };
	struct summary names;
	int ret = 0;

	summary_init(&names);
	for (unsigned int i = 0; i < set->nr && !ret; i++)
		ret = print_prof(to, &set->prof[i], options, set->filter, &names, &counters, &totals,
				 diag);
	if (!ret) {
		report_totals(to, set, &totals);
		if (options->merge) {
			print_names(to, &names, options);
			print_counters(to, &counters);
		}
	}
	*mismatch = totals.nr_wrong != 0;
	report_totals_free(&totals);
	readings_free(&counters);
	summary_free(&names);
	if (!ret && fflush(to))
		ret = diag_fail(diag, "standard output: cannot be written");
	return ret;
}
