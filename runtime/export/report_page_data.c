/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/report_page.h"

#define SPREAD 32 /* classes of a distribution */
#define SPREADS 200 /* names that have one */

static void put_string(struct report_page *p, const char *s, size_t n, size_t most)
{
	page_print(&p->out, "\"");
	page_json(&p->out, s, n, most);
	page_print(&p->out, "\"");
}

static void put_lanes(struct report_page *p)
{
	const struct spans *t = &p->timeline;

	page_print(&p->out, ",\n\"shared\":%s,\"bins\":%d,\"lanes\":[", t->shared ? "true" : "false", SPANS_BINS);
	for (unsigned int i = 0; i < t->nr_lanes; i++) {
		const struct spans_lane *l = &t->lane[i];
		bool any = false;

		for (int b = 0; b < SPANS_BINS && !any; b++)
			any = l->thinned[b];
		page_print(&p->out, "%s\n{\"dir\":%u,\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"thinned\":[",
			   i ? "," : "", l->prof, l->pid, l->tid);
		for (int b = 0; b < SPANS_BINS && any; b++)
			page_print(&p->out, "%s%" PRIu32, b ? "," : "", l->thinned[b]);
		page_print(&p->out, "]}");
	}
	page_print(&p->out, "]");
}

/* Names by the numbers that spans have, from 0 in the order of their first use. */
static void put_spans(struct report_page *p, uint32_t *number)
{
	const struct spans *t = &p->timeline;
	uint32_t nr = 0;

	page_print(&p->out, ",\n\"events\":%" PRIu64 ",\"names\":[", t->events);
	for (size_t i = 0; i < t->nr; i++) {
		const struct summary_row *r = &p->names.row[t->span[i].name];

		if (number[t->span[i].name])
			continue;
		page_print(&p->out, nr ? ",[" : "[");
		put_string(p, r->text, r->len, PAGE_NAME);
		page_print(&p->out, ",\"%s\"]", tx_kind_name(r->kind));
		number[t->span[i].name] = ++nr;
	}
	page_print(&p->out, "],\n\"spans\":[");
	for (size_t i = 0; i < t->nr; i++) {
		const struct span *s = &t->span[i];

		page_print(&p->out, "%s%u,%" PRId64 ",%" PRIu64 ",%" PRIu32, i ? "," : "", s->lane, s->start,
			   s->duration, number[s->name] - 1);
	}
	page_print(&p->out, "]");
}

static void put_series(struct report_page *p)
{
	const struct series_set *s = &p->series;

	page_print(&p->out, ",\n\"seriesBins\":%d,\"series\":[", SERIES_BINS);
	for (unsigned int i = 0; i < s->nr; i++) {
		const struct series *r = &s->row[i];
		bool comma = false;

		page_print(&p->out, "%s\n{\"dir\":%u,\"device\":%d,\"name\":", i ? "," : "", r->prof, r->total.device);
		put_string(p, r->total.name, strlen(r->total.name), PAGE_NAME);
		page_print(&p->out, ",\"unit\":");
		put_string(p, r->total.unit, strlen(r->total.unit), PAGE_NAME);
		page_print(&p->out, ",\"points\":[");
		for (int b = 0; b < SERIES_BINS; b++) {
			const struct series_bin *n = &r->bin[b];

			if (!n->samples)
				continue;
			page_print(&p->out, "%s%d,%.7g,%.7g,%.7g", comma ? "," : "", b, n->min,
				   n->sum / (double)n->samples, n->max);
			comma = true;
		}
		page_print(&p->out, "]}");
	}
	page_print(&p->out, "]");
}

static void put_spreads(struct report_page *p)
{
	bool comma = false;

	page_print(&p->out, ",\n\"spreads\":[");
	for (size_t i = 0; i < p->names.nr && i < SPREADS; i++) {
		struct summary_row *r = &p->names.row[i];
		uint64_t counts[SPREAD], from, to;

		if (!r->durations.count)
			continue;
		quantile_spread(&r->durations, SPREAD, counts, &from, &to);
		page_print(&p->out, "%s\n{\"name\":", comma ? "," : "");
		put_string(p, r->text, r->len, PAGE_NAME);
		page_print(&p->out, ",\"kind\":\"%s\",\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"p50\":%" PRIu64
			   ",\"p99\":%" PRIu64 ",\"counts\":[", tx_kind_name(r->kind), from, to,
			   quantile_get(&r->durations, 500), quantile_get(&r->durations, 990));
		for (int k = 0; k < SPREAD; k++)
			page_print(&p->out, "%s%" PRIu64, k ? "," : "", counts[k]);
		page_print(&p->out, "]}");
		comma = true;
	}
	page_print(&p->out, "]");
}

void report_page_data(struct report_page *p)
{
	uint32_t *number = calloc(p->names.nr + 1, sizeof(*number));

	page_print(&p->out,
		   "<script type=\"application/json\" id=\"data\">{\"from\":\"%" PRId64 "\",\"length\":%" PRIu64
		   ",\n\"dirs\":[",
		   p->timeline.from, (uint64_t)p->timeline.to - (uint64_t)p->timeline.from);
	for (unsigned int i = 0; i < p->set->nr; i++) {
		const struct prof *prof = &p->set->prof[i];
		const char *program = report_program(prof);

		page_print(&p->out, "%s[", i ? "," : "");
		put_string(p, prof->name, strlen(prof->name), PAGE_NAME);
		page_print(&p->out, ",");
		put_string(p, program, strlen(program), PAGE_NAME);
		page_print(&p->out, "]");
	}
	page_print(&p->out, "]");
	if (number) {
		put_lanes(p);
		put_spans(p, number);
	} else {
		p->out.error = ENOMEM;
	}
	put_series(p);
	put_spreads(p);
	page_print(&p->out, "}</script>\n");
	free(number);
}
