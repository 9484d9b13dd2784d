/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "export/report.h"
#include "format/json_write.h"

static void put_double(struct json_writer *w, const char *key, double v)
{
	char text[40];

	json_copy(w, key, text, (size_t)snprintf(text, sizeof(text), "%.6f", v));
}

static void put_sources(struct json_writer *w, const struct account *a)
{
	json_open(w, "sources", '[');
	for (unsigned int i = 0; i < a->nr_sources; i++) {
		json_open(w, NULL, '{');
		json_i64(w, "device", a->source[i].device);
		json_string(w, "source", a->source[i].source);
		json_bool(w, "simulated", !strcmp(a->source[i].kind, "sim"));
		json_string(w, "note", a->source[i].note);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_tally(struct json_writer *w, const struct tally *t)
{
	json_open(w, "accounting", '[');
	for (unsigned int i = 0; i < t->nr; i++) {
		const struct tally_row *r = &t->row[i];
		const struct account_kind *a = r->account;
		char why[160];

		json_open(w, NULL, '{');
		json_string(w, "kind", r->kind);
		json_i64(w, "device", r->device);
		json_u64(w, "written", tally_written(r));
		if (r->counted)
			json_u64(w, "rows", r->rows);
		if (a) {
			json_u64(w, "produced", a->produced);
			json_u64(w, "dropped", a->dropped);
			json_open(w, "reasons", '{');
			for (unsigned int k = 0; k < a->nr_reasons; k++)
				json_u64(w, a->reason[k].name, a->reason[k].count);
			json_close(w, '}');
			json_u64(w, "open", a->open);
		}
		if (r->first != INT64_MAX) {
			json_i64(w, "first_ns", r->first);
			json_i64(w, "last_ns", r->last);
		}
		json_string(w, "mismatch", tally_mismatch(r, why, sizeof(why)) ? why : "");
		json_close(w, '}');
	}
	json_close(w, ']');
}

/* The writer takes terminated text; a name in a row of ours has no zero in it. */
static void put_name(struct json_writer *w, struct summary_row *r)
{
	r->text[r->len] = 0;
	json_open(w, NULL, '{');
	json_string(w, "name", r->text);
	json_string(w, "kind", tx_kind_name(r->kind));
	json_u64(w, "count", r->count);
	if (r->kind != TX_MARK) {
		json_u64(w, "total_ns", r->total);
		json_u64(w, "self_ns", r->self);
		json_u64(w, "min_ns", r->min);
		json_u64(w, "p50_ns", quantile_get(&r->durations, 500));
		json_u64(w, "p99_ns", quantile_get(&r->durations, 990));
		json_u64(w, "max_ns", r->max);
		json_bool(w, "exact", quantile_exact(&r->durations));
	}
	json_close(w, '}');
}

static void put_tables(struct json_writer *w, struct summary *names, const struct readings *counters,
		       const struct report_options *o)
{
	summary_sort(names, o->order);
	json_u64(w, "nr_names", names->nr);
	json_open(w, "names", '[');
	for (size_t i = 0; i < names->nr && i < o->top; i++)
		put_name(w, &names->row[i]);
	json_close(w, ']');
	json_open(w, "counters", '[');
	for (unsigned int i = 0; i < counters->nr; i++) {
		const struct reading *c = &counters->row[i];

		json_open(w, NULL, '{');
		json_string(w, "counter", c->name);
		json_i64(w, "device", c->device);
		json_string(w, "unit", c->unit);
		json_u64(w, "samples", c->samples);
		put_double(w, "min", c->min);
		put_double(w, "average", c->sum / (double)c->samples);
		put_double(w, "max", c->max);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void put_heading(struct json_writer *w, const struct prof *prof, const struct report_part *p)
{
	const struct account *a = &prof->account;
	const struct control *c = &prof->part[0].control;

	json_string(w, "directory", prof->name);
	json_string(w, "path", prof->path);
	json_string(w, "program", report_program(prof));
	json_u64(w, "pid", a->pid ? a->pid : c->pid);
	json_string(w, "host", c->hostname);
	json_i64(w, "start_ns", prof->start);
	json_i64(w, "duration_ns", p->duration);
	json_string(w, "state", a->exists ? a->state : "");
	json_bool(w, "final", a->exists && !a->running);
	json_string(w, "error", a->error);
	json_u64(w, "refused", a->refused);
	json_u64(w, "cut_bytes", p->cut_bytes);
	json_u64(w, "blank_rows", p->blank_rows);
	json_u64(w, "damaged_rows", p->seen.bad_rows);
	json_u64(w, "backward_annotations", p->seen.backward);
	put_sources(w, a);
	put_tally(w, &p->tally);
}

static void put_totals(struct json_writer *w, const struct report_totals *t)
{
	json_open(w, "totals", '[');
	for (unsigned int i = 0; i < t->nr; i++) {
		json_open(w, NULL, '{');
		json_string(w, "kind", t->total[i].kind);
		json_u64(w, "written", t->total[i].written);
		if (!t->total[i].unknown) {
			json_u64(w, "produced", t->total[i].produced);
			json_u64(w, "dropped", t->total[i].dropped);
		}
		json_close(w, '}');
	}
	json_close(w, ']');
	json_open(w, "mismatches", '[');
	for (unsigned int i = 0; i < t->nr_wrong; i++)
		json_string(w, NULL, t->wrong[i]);
	json_close(w, ']');
}

int report_json(FILE *to, const struct prof_set *set, const struct report_options *o, bool *mismatch,
		struct diag *diag)
{
	struct report_totals totals = { 0 };
	struct readings counters = { 0 };
	struct json_writer w = { 0 };
	struct summary names;
	const char *text;
	size_t len;
	int ret = 0;

	summary_init(&names);
	json_open(&w, NULL, '{');
	json_u64(&w, "format", 1);
	json_string(&w, "version", ASCPROF_VERSION);
	json_string(&w, "sort", summary_order_word(o->order));
	json_bool(&w, "filtered", set->filter);
	json_open(&w, "directories", '[');
	for (unsigned int i = 0; i < set->nr && !ret; i++) {
		struct report_part p;

		ret = report_part_load(&p, &set->prof[i], &names, &counters, &totals, diag);
		if (!ret) {
			json_open(&w, NULL, '{');
			put_heading(&w, &set->prof[i], &p);
			if (!o->merge)
				put_tables(&w, &names, &counters, o);
			json_close(&w, '}');
		}
		report_part_free(&p);
		if (!o->merge) {
			summary_free(&names);
			readings_free(&counters);
		}
	}
	json_close(&w, ']');
	if (o->merge)
		put_tables(&w, &names, &counters, o);
	put_totals(&w, &totals);
	json_close(&w, '}');
	text = json_finish(&w, &len);
	if (!ret && !text)
		ret = diag_fail(diag, "out of memory");
	if (!ret && (fwrite(text, 1, len, to) != len || fputc('\n', to) == EOF || fflush(to)))
		ret = diag_fail(diag, "standard output: cannot be written");
	*mismatch = totals.nr_wrong != 0;
	json_release(&w);
	report_totals_free(&totals);
	readings_free(&counters);
	summary_free(&names);
	return ret;
}
