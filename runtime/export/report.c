/* SPDX-License-Identifier: Apache-2.0 */
#include "export/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export/decimal.h"
#include "format/escape.h"
#include "export/hbm.h"
#include "export/host.h"
#include "export/llc.h"
#include "export/report_text.h"
#include "export/summary.h"
#include "export/tally.h"
#include "export/tx.h"

#define WIDE 80 /* columns for foreign text behind a heading */

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
	char text[512];

	for (unsigned int i = 0; i < a->nr_sources; i++) {
		const struct account_source *s = &a->source[i];
		const char *note = s->note;

		if (!strcmp(s->kind, "sim") && !note[0])
			note = "simulated numbers";
		if (s->device == HOST_DEVICE)
			snprintf(text, sizeof(text), "host: %s%s%s", s->source, note[0] ? ", " : "", note);
		else
			snprintf(text, sizeof(text), "device %d: %s%s%s", s->device, s->source, note[0] ? ", " : "",
				 note);
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

static void print_times(FILE *to, const struct prof *prof, const struct tally *tally)
{
	const struct account *a = &prof->account;
	const struct control *c = &prof->part[0].control;
	char start[REPORT_TIME], text[128];
	int64_t last = prof->start;
	int64_t ns = 0;

	if (a->exists && !a->running && a->end_raw_ns > a->start_raw_ns)
		ns = (int64_t)(a->end_raw_ns - a->start_raw_ns);
	else if (c->end_raw_ns > c->begin_raw_ns)
		ns = (int64_t)(c->end_raw_ns - c->begin_raw_ns);
	for (unsigned int i = 0; i < tally->nr; i++)
		if (tally->row[i].last > last)
			last = tally->row[i].last;
	report_time(start, prof->start, REPORT_FULL);
	if (ns > 0)
		snprintf(text, sizeof(text), "%s, for %" PRId64 ".%03d s", start, ns / 1000000000,
			 (int)(ns / 1000000 % 1000));
	else if (!__builtin_sub_overflow(last, prof->start, &ns))
		snprintf(text, sizeof(text), "%s, last event after %" PRId64 ".%03d s", start,
			 ns / 1000000000, (int)(ns / 1000000 % 1000));
	else
		snprintf(text, sizeof(text), "%s", start);
	line(to, "start", text);
}

static void print_cut(FILE *to, const struct prof *prof, const struct tx *tx)
{
	uint64_t cut = 0, blank = 0;
	char text[128];

	for (unsigned int i = 0; i < prof->nr_parts; i++) {
		for (int k = 0; k < SLICES_KINDS; k++) {
			cut += prof->part[i].table[k].cut_bytes;
			blank += prof->part[i].table[k].blank_rows;
		}
	}
	if (!cut && !blank && !tx->bad_rows)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " bytes of cut rows, %" PRIu64
		 " rows that were never written, %" PRIu64 " damaged", cut, blank, tx->bad_rows);
	line(to, "left out", text);
}

static void print_heading(FILE *to, const struct prof *prof, const struct tally *tally,
			  const struct tx *tx)
{
	const struct account *a = &prof->account;
	const struct control *c = &prof->part[0].control;
	const char *program = a->comm[0] ? a->comm : c->pid_name;
	char safe[ESCAPE_ROOM(512)], text[640];

	report_safe(safe, prof->name, WIDE);
	fprintf(to, "%s\n", safe);
	line(to, "path", prof->path);
	snprintf(text, sizeof(text), "%s (pid %" PRIu64 ")%s%s", program[0] ? program : "?",
		 a->pid ? a->pid : c->pid, c->hostname[0] ? " on " : "", c->hostname);
	line(to, "program", text);
	print_times(to, prof, tally);
	print_sources(to, prof);
	print_state(to, prof);
	print_cut(to, prof, tx);
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
	fprintf(to, "  %-12s %6s %11s %11" PRIu64 " %9s   %-12s  %s\n", kind, device, produced,
		tally_written(r), dropped, first, last);
	for (unsigned int i = 0; r->account && i < r->account->nr_reasons; i++) {
		report_safe(kind, r->account->reason[i].name, 32);
		fprintf(to, "  %-12s %6s %11s %11s %9" PRIu64 "   %s\n", "", "", "", "",
			r->account->reason[i].count, kind);
	}
	if (r->account && r->account->open)
		fprintf(to, "  %-12s still open at the end: %" PRIu64 "\n", "", r->account->open);
}

static void print_tally(FILE *to, const struct tally *tally)
{
	fprintf(to, "\n  %-12s %6s %11s %11s %9s   %-12s  %s\n", "kind", "device", "produced",
		"written", "dropped", "first", "last");
	for (unsigned int i = 0; i < tally->nr; i++)
		print_row(to, &tally->row[i]);
}

/* ---- messages ---- */

static int print_messages(FILE *to, struct tx *tx, unsigned int top)
{
	struct summary s = { 0 };
	int ret;

	if (!tx->nr || !top)
		return 0;
	ret = summary_make(&s, tx);
	if (!ret)
		fprintf(to, "\n  %-28s %-9s %9s %12s %10s %10s %10s\n", "message", "kind", "count",
			"total ms", "min us", "p50 us", "max us");
	for (size_t i = 0; i < s.nr && i < top && !ret; i++)
		report_message(to, &s.row[i]);
	if (s.nr > top)
		fprintf(to, "  and %zu more messages\n", s.nr - top);
	summary_free(&s);
	return ret;
}

/* ---- devices ---- */

static void print_llc(FILE *to, const struct prof_part *part, const struct llc *llc)
{
	char hit[DECIMAL_TEXT], throughput[DECIMAL_TEXT];

	for (unsigned int i = 0; i < llc->nr_units; i++) {
		if (!llc->unit[i].nr)
			continue;
		*decimal_round3(hit, (double)llc->unit[i].hit / 1e6 * 100) = 0;
		*decimal_round3(throughput, (double)llc->unit[i].throughput / 1e6) = 0;
		fprintf(to, "  LLC %-8s %6d %5u %10zu   hit rate %s %%, throughput %s MB/s\n",
			llc->mode, part->device, i, llc->unit[i].nr, hit, throughput);
	}
}

static void print_hbm(FILE *to, const struct prof_part *part, const struct hbm *hbm)
{
	char text[2][DECIMAL_TEXT];

	for (unsigned int i = 0; i < HBM_UNITS; i++) {
		const struct hbm_mean mean[2] = { hbm->unit[i].read, hbm->unit[i].write };

		if (!hbm_has(hbm, i))
			continue;
		for (int k = 0; k < 2; k++)
			*decimal_round3(text[k], mean[k].nr ? mean[k].sum / (double)mean[k].nr :
							      0) = 0;
		fprintf(to, "  HBM %-8s %6d %5u %10" PRIu64 "   read %s MB/s, write %s MB/s\n", "",
			part->device, i, mean[0].nr > mean[1].nr ? mean[0].nr : mean[1].nr,
			text[0], text[1]);
	}
}

static int print_device(FILE *to, const struct prof_part *part, bool *headed, struct diag *diag)
{
	struct llc llc;
	struct hbm hbm = { 0 };
	int ret = llc_load(&llc, part, diag);

	if (!ret)
		ret = hbm_load(&hbm, part, diag);
	if (!ret && (llc.mode || hbm.nr_units) && !*headed) {
		fprintf(to, "\n  %-12s %6s %5s %10s   average\n", "counter", "device", "unit",
			"samples");
		*headed = true;
	}
	if (!ret) {
		print_llc(to, part, &llc);
		print_hbm(to, part, &hbm);
	}
	llc_free(&llc);
	hbm_free(&hbm);
	return ret;
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

static int print_prof(FILE *to, const struct prof *prof, unsigned int top,
		      struct report_totals *totals, struct diag *diag)
{
	struct tally tally = { 0 };
	bool headed = false;
	struct tx tx;
	int ret = tx_load(&tx, prof_host(prof), TX_ORDER_TRACE, diag);

	if (!ret && (tally_make(&tally, prof, &tx) || report_add(totals, prof, &tally)))
		ret = diag_fail(diag, "%s: out of memory", prof->path);
	if (!ret) {
		print_heading(to, prof, &tally, &tx);
		print_tally(to, &tally);
		if (print_messages(to, &tx, top))
			ret = diag_fail(diag, "%s: out of memory", prof->path);
	}
	for (unsigned int i = 0; i < prof->nr_parts && !ret; i++)
		if (prof->part[i].device >= 0)
			ret = print_device(to, &prof->part[i], &headed, diag);
	if (!ret)
		ret = print_host(to, prof, diag);
	tally_free(&tally);
	tx_free(&tx);
	if (!ret)
		fputs("\n", to);
	return ret ? ret : prof_check(prof, diag);
}

int report_print(FILE *to, const struct prof_set *set, unsigned int top, bool *mismatch,
		 struct diag *diag)
{
	struct report_totals totals = { 0 };
	int ret = 0;

	for (unsigned int i = 0; i < set->nr && !ret; i++)
		ret = print_prof(to, &set->prof[i], top, &totals, diag);
	if (!ret)
		report_totals(to, set, &totals);
	*mismatch = totals.nr_wrong != 0;
	report_totals_free(&totals);
	if (!ret && fflush(to))
		ret = diag_fail(diag, "standard output: cannot be written");
	return ret;
}
