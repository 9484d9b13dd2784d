/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/stat_print.h"

#include <inttypes.h>
#include <string.h>

#include "format/json_write.h"

static const char *const kinds[] = {
	[METRIC_RATE] = "rate", [METRIC_SHARE] = "share", [METRIC_LEVEL] = "level", [METRIC_COUNT] = "count",
};

static bool has_total(const struct metric *m)
{
	return m->kind == METRIC_RATE || m->kind == METRIC_COUNT;
}

double stat_readable(const struct metric *m, double value, char unit[32])
{
	const char *per = has_total(m) ? "/s" : "";

	if (!strcmp(m->unit, "bytes")) {
		snprintf(unit, 32, "MB%s", per);
		return value / 1e6;
	}
	snprintf(unit, 32, "%.16s%s", m->unit, per);
	return value;
}

/* ---- CSV ---- */

static void field(const struct stat_print *p, const char *text, bool last)
{
	if (strstr(text, p->separator) || strpbrk(text, "\"\n")) {
		fputc('"', p->out);
		for (; *text; text++) {
			if (*text == '"')
				fputc('"', p->out);
			fputc(*text, p->out);
		}
		fputc('"', p->out);
	} else {
		fputs(text, p->out);
	}
	fputs(last ? "\n" : p->separator, p->out);
}

/* An empty field where there is no number. */
static void number(const struct stat_print *p, double value, bool there)
{
	if (there)
		fprintf(p->out, "%.6g", value);
	fputs(p->separator, p->out);
}

static void csv_head(const struct stat_print *p, bool interval)
{
	static const char *const each[] = { "time_s", "group", "metric", "unit", "value", "counted_percent", "by",
					    "not_counted", NULL };
	static const char *const all[] = { "group", "metric", "unit", "kind", "total", "average", "minimum", "maximum",
					   "counted_percent", "by", "not_counted", NULL };

	for (const char *const *name = interval ? each : all; *name; name++)
		field(p, *name, !name[1]);
}

static void csv_unit(const struct stat_print *p, const struct metric *m)
{
	char unit[32];

	snprintf(unit, sizeof(unit), "%.16s%s", m->unit, has_total(m) ? "/s" : "");
	field(p, unit, false);
}

static void csv_interval(const struct stat_print *p, const struct metric *m, double seconds)
{
	number(p, seconds, true);
	field(p, m->group, false);
	field(p, m->name, false);
	csv_unit(p, m);
	number(p, m->now, m->fresh);
	number(p, 100 * m->running, m->fresh);
	field(p, m->by, false);
	field(p, m->why, true);
}

static void csv_end(const struct stat_print *p, const struct metric *m, double seconds)
{
	bool any = m->intervals;

	field(p, m->group, false);
	field(p, m->name, false);
	csv_unit(p, m);
	field(p, kinds[m->kind], false);
	number(p, m->total, any && has_total(m));
	number(p, metric_average(m, seconds), any);
	number(p, m->min, any);
	number(p, m->max, any);
	number(p, 100 * m->running, any);
	field(p, m->by, false);
	field(p, m->why, true);
}

/* ---- JSON ---- */

static void json_double(struct json_writer *w, const char *key, double value)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%.9g", value);

	json_copy(w, key, text, (size_t)len);
}

static void json_metric(struct json_writer *w, const struct metric *m)
{
	json_string(w, "group", m->group);
	json_string(w, "metric", m->name);
	json_string(w, "unit", m->unit);
	json_string(w, "kind", kinds[m->kind]);
}

static int put_json(const struct stat_print *p, struct json_writer *w)
{
	size_t len;
	const char *text = json_finish(w, &len);

	if (text)
		fprintf(p->out, "%s\n", text);
	json_release(w);
	return text ? 0 : -1;
}

static int json_interval(const struct stat_print *p, const struct metrics *m, double seconds)
{
	struct json_writer w = { 0 };

	json_open(&w, NULL, '{');
	json_double(&w, "time_s", seconds);
	json_open(&w, "metrics", '[');
	for (unsigned int i = 0; i < m->nr; i++) {
		const struct metric *one = &m->list[i];

		if (!one->fresh)
			continue;
		json_open(&w, NULL, '{');
		json_metric(&w, one);
		json_double(&w, "value", one->now);
		json_double(&w, "counted_percent", 100 * one->running);
		json_close(&w, '}');
	}
	json_close(&w, ']');
	json_close(&w, '}');
	return put_json(p, &w);
}

static int json_end(const struct stat_print *p, const struct metrics *m, const struct counters *c)
{
	struct json_writer w = { 0 };

	json_open(&w, NULL, '{');
	json_u64(&w, "format", 1);
	json_double(&w, "seconds", m->seconds);
	json_u64(&w, "interval_ms", p->sampled_ms);
	json_u64(&w, "lost_samples", c->lost);
	json_string(&w, "no_module", c->no_module);
	json_open(&w, "metrics", '[');
	for (unsigned int i = 0; i < m->nr; i++) {
		const struct metric *one = &m->list[i];

		json_open(&w, NULL, '{');
		json_metric(&w, one);
		json_string(&w, "by", one->by);
		json_u64(&w, "counters", one->counters);
		json_u64(&w, "counted", one->counted);
		json_string(&w, "not_counted", one->why);
		if (one->intervals) {
			if (has_total(one))
				json_double(&w, "total", one->total);
			json_double(&w, "average", metric_average(one, m->seconds));
			json_double(&w, "minimum", one->min);
			json_double(&w, "maximum", one->max);
			json_double(&w, "counted_percent", 100 * one->running);
		}
		json_close(&w, '}');
	}
	json_close(&w, ']');
	json_close(&w, '}');
	return put_json(p, &w);
}

/* ---- text ---- */

/* Of what was counted for a part of the time, or through some of its counters, both are said. */
static void text_note(const struct stat_print *p, const struct metric *m)
{
	if (m->running < 0.995)
		fprintf(p->out, "  counted %.0f%% of the time", 100 * m->running);
	if (m->counted < m->counters)
		fprintf(p->out, "  %u of %u counters", m->counted, m->counters);
	fprintf(p->out, "  %s\n", m->by);
}

static void text_interval(const struct stat_print *p, const struct metric *m, double seconds)
{
	char unit[32];
	double value = stat_readable(m, m->now, unit);

	if (m->fresh)
		fprintf(p->out, "%10.3f  %-34.34s %-28s %14.2f %-10s\n", seconds, m->group, m->name, value, unit);
}

static void text_metric(const struct stat_print *p, const struct metric *m, double seconds)
{
	char unit[32], total[32] = "";

	if (!m->intervals) {
		fprintf(p->out, "  %-28s not counted: %s\n", m->name, *m->why ? m->why : "no sample came");
		return;
	}
	if (has_total(m))
		snprintf(total, sizeof(total), "%.1f", stat_readable(m, m->total, unit));
	fprintf(p->out, "  %-28s %14s %12.2f %12.2f %12.2f %-10s", m->name, total,
		stat_readable(m, metric_average(m, seconds), unit), stat_readable(m, m->min, unit),
		stat_readable(m, m->max, unit), unit);
	text_note(p, m);
}

static void text_end(const struct stat_print *p, const struct metrics *m, const struct counters *c)
{
	const char *group = "";

	if (p->interval_ms)
		fputc('\n', p->out);
	fprintf(p->out, "  %-28s %14s %12s %12s %12s\n", "", "total", "average", "minimum", "maximum");
	for (unsigned int i = 0; i < m->nr; i++) {
		if (strcmp(group, m->list[i].group))
			fprintf(p->out, "%s\n", m->list[i].group);
		group = m->list[i].group;
		text_metric(p, &m->list[i], m->seconds);
	}
	if (*c->no_module)
		fprintf(p->out, "NPUs: not counted: %s\n", c->no_module);
	fprintf(p->out, "%.3f s, in intervals of %u ms", m->seconds, p->sampled_ms);
	if (c->lost)
		fprintf(p->out, ", %" PRIu64 " samples lost", c->lost);
	fputc('\n', p->out);
}

/* ---- all ---- */

void stat_print_head(const struct stat_print *p)
{
	if (p->separator && p->interval_ms)
		csv_head(p, true);
}

int stat_print_interval(const struct stat_print *p, const struct metrics *m, double seconds)
{
	if (p->json)
		return json_interval(p, m, seconds);
	for (unsigned int i = 0; i < m->nr; i++)
		(p->separator ? csv_interval : text_interval)(p, &m->list[i], seconds);
	fflush(p->out);
	return 0;
}

int stat_print_end(const struct stat_print *p, const struct metrics *m, const struct counters *c)
{
	if (p->json)
		return json_end(p, m, c);
	if (!p->separator) {
		text_end(p, m, c);
	} else if (!p->interval_ms) {
		csv_head(p, false);
		for (unsigned int i = 0; i < m->nr; i++)
			csv_end(p, &m->list[i], m->seconds);
	}
	return 0;
}
