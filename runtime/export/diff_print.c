/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "export/diff.h"
#include "export/ranks.h"
#include "export/report_text.h"
#include "format/escape.h"
#include "format/json_write.h"

#define NAME 27 /* columns */

static bool has_confidence(const struct diff *d)
{
	return d->runs[0] > 1 && d->runs[1] > 1;
}

/* When all of B is beyond all of A, percent. */
static double most_confidence(const unsigned int runs[2])
{
	double value[2][DIFF_RUNS];

	for (int side = 0; side < 2; side++)
		for (unsigned int i = 0; i < runs[side]; i++)
			value[side][i] = i + side * DIFF_RUNS;
	return 100 * (1 - ranks_differ(value[0], runs[0], value[1], runs[1]));
}

static void print_heading(FILE *to, const struct diff *d, const struct diff_options *o)
{
	fprintf(to, "A: %u %s, B: %u %s; median over runs of the %s of each name\n", d->runs[0],
		d->runs[0] == 1 ? "run" : "runs", d->runs[1], d->runs[1] == 1 ? "run" : "runs",
		diff_metric_word(o->metric));
	if (has_confidence(d))
		fprintf(to, "changed: by %g %% or more, with a confidence of %g %% or more (Mann-Whitney U)\n",
			o->threshold, o->confidence);
	if (has_confidence(d) && most_confidence(d->runs) < o->confidence)
		fprintf(to, "%u and %u runs support at most %.3g %%: more runs are needed, or less --confidence\n",
			d->runs[0], d->runs[1], most_confidence(d->runs));
	if (!has_confidence(d))
		fputs("no confidence: that needs at least two runs of each; how much runs differ by\n"
		      "themselves is not known, so nothing is called slower or faster\n", to);
	for (int side = 0; side < 2; side++)
		if (d->lost[side])
			fprintf(to, "%c: %" PRIu64 " annotations were dropped: counts and totals are too low\n",
				'A' + side, d->lost[side]);
}

static void print_value(FILE *to, const struct diff_row *r, int side, enum diff_metric metric)
{
	char text[REPORT_TIME] = "-";

	if (r->runs[side] && metric == DIFF_COUNT)
		snprintf(text, sizeof(text), "%.6g", r->value[side]);
	else if (r->runs[side])
		report_duration(text, r->value[side] < 1.8e19 ? (uint64_t)llround(r->value[side]) : UINT64_MAX);
	fprintf(to, " %8s", text);
}

static void print_row(FILE *to, const struct diff *d, const struct diff_row *r, enum diff_metric metric)
{
	const struct summary_row *n = &d->names.row[r->name];
	size_t len = n->len < 4 * NAME + 4 ? n->len : 4 * NAME + 4;
	char text[ESCAPE_ROOM(4 * NAME + 4)], change[32] = "-", confidence[32] = "-";
	unsigned int used;

	*escape_terminal(text, n->text, len, NAME, &used) = 0;
	fprintf(to, "  %s%*s %-8s", text, (int)(NAME - used), "", tx_kind_name(n->kind));
	print_value(to, r, 0, metric);
	print_value(to, r, 1, metric);
	if (r->runs[0] && r->runs[1] && isfinite(r->change))
		snprintf(change, sizeof(change), "%+.1f%%", r->change);
	if (r->confidence >= 0)
		snprintf(confidence, sizeof(confidence), "%.1f%%", floor(r->confidence * 10) / 10);
	fprintf(to, " %8s %6s %s\n", change, confidence, diff_verdict_word(r->verdict));
}

int diff_print(FILE *to, const struct diff *d, const struct diff_options *o, struct diag *diag)
{
	unsigned int compared = 0;

	print_heading(to, d, o);
	if (d->nr)
		fprintf(to, "\n  %-*s %-8s %8s %8s %8s %6s %s\n", NAME, "name", "kind", "A", "B", "change", "conf.",
			"verdict");
	for (size_t i = 0; i < d->nr && i < o->top; i++)
		print_row(to, d, &d->row[i], o->metric);
	if (d->nr > o->top)
		fprintf(to, "  and %zu more names\n", d->nr - o->top);
	for (size_t i = 0; i < d->nr; i++)
		compared += d->row[i].confidence >= 0;
	fputs("\n", to);
	for (int v = 0; v < DIFF_VERDICTS; v++)
		fprintf(to, "%s%u %s", v ? ", " : "", d->verdicts[v], diff_verdict_word(v));
	fputs("\n", to);
	if (compared > 1 && d->verdicts[DIFF_SLOWER] + d->verdicts[DIFF_FASTER])
		fprintf(to, "of %u names compared, up to %.3g would look changed by chance\n", compared,
			compared * (100 - o->confidence) / 100);
	return fflush(to) ? diag_fail(diag, "standard output: cannot be written") : 0;
}

static void put_double(struct json_writer *w, const char *key, bool is, double v)
{
	char text[40];

	if (is && isfinite(v))
		json_copy(w, key, text, (size_t)snprintf(text, sizeof(text), "%.3f", v));
	else
		json_copy(w, key, "null", 4);
}

int diff_json(FILE *to, const struct diff *d, const struct diff_options *o, struct diag *diag)
{
	bool count = o->metric == DIFF_COUNT;
	struct json_writer w = { 0 };
	const char *text;
	size_t len;
	int ret = 0;

	json_open(&w, NULL, '{');
	json_u64(&w, "format", 1);
	json_string(&w, "version", ASCPROF_VERSION);
	json_string(&w, "metric", diff_metric_word(o->metric));
	put_double(&w, "threshold", true, o->threshold);
	put_double(&w, "confidence", true, o->confidence);
	json_u64(&w, "runs_a", d->runs[0]);
	json_u64(&w, "runs_b", d->runs[1]);
	json_u64(&w, "dropped_a", d->lost[0]);
	json_u64(&w, "dropped_b", d->lost[1]);
	for (int v = 0; v < DIFF_VERDICTS; v++)
		json_u64(&w, diff_verdict_word(v), d->verdicts[v]);
	json_open(&w, "names", '[');
	for (size_t i = 0; i < d->nr && i < o->top; i++) {
		const struct diff_row *r = &d->row[i];
		struct summary_row *n = &d->names.row[r->name];

		n->text[n->len] = 0;
		json_open(&w, NULL, '{');
		json_string(&w, "name", n->text);
		json_string(&w, "kind", tx_kind_name(n->kind));
		put_double(&w, count ? "a" : "a_ns", r->runs[0], r->value[0]);
		put_double(&w, count ? "b" : "b_ns", r->runs[1], r->value[1]);
		put_double(&w, "change", r->runs[0] && r->runs[1], r->change);
		put_double(&w, "confidence", r->confidence >= 0, r->confidence);
		json_string(&w, "verdict", diff_verdict_word(r->verdict));
		json_close(&w, '}');
	}
	json_close(&w, ']');
	json_close(&w, '}');
	text = json_finish(&w, &len);
	if (!text)
		ret = diag_fail(diag, "out of memory");
	else if (fwrite(text, 1, len, to) != len || fputc('\n', to) == EOF || fflush(to))
		ret = diag_fail(diag, "standard output: cannot be written");
	json_release(&w);
	return ret;
}
