/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "tools/stat_print.h"
#include "tools/top.h"

#define LINE 512
#define NAME 20
#define BAR_LEAST 10
#define NARROW 80 /* columns that have no room for paths */
#define REVERSE "\033[7m"
#define BOLD "\033[1m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define RED "\033[31m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"

struct frame {
	FILE *out;
	struct top_view *v;
	unsigned int line; /* of the list, whether it is shown or not */
	unsigned int shown, room; /* lines of the list on the screen */
};

void top_history_add(struct top_history *h, double value)
{
	h->value[h->at] = (float)value;
	h->at = (h->at + 1) % TOP_HISTORY;
	h->nr += h->nr < TOP_HISTORY;
	if ((float)value > h->peak)
		h->peak = (float)value;
}

static void put_escape(const struct frame *f, const char *escape)
{
	bool colour = !strncmp(escape, "\033[3", 3);

	if (f->v->escapes && (!colour || f->v->colour))
		fputs(escape, f->out);
}

/* At most @columns of it: what is not printable came from other programs. Return: columns. */
static unsigned int put_text(const struct frame *f, const char *text, unsigned int columns)
{
	unsigned int n = 0;

	for (; *text && n < columns; text++, n++)
		fputc(*text >= ' ' && *text < 127 ? *text : '?', f->out);
	return n;
}

/* The next line is wiped before it is written: at the end of a full one the last column would go. */
static void end_line(const struct frame *f)
{
	fputs(f->v->escapes ? "\r\n\033[K" : "\n", f->out);
}

/* Is the next line of the list on the screen? */
static bool next(struct frame *f)
{
	bool shown = f->line++ >= f->v->scroll && (!f->room || f->shown < f->room);

	f->shown += shown;
	return shown;
}

__attribute__((format(printf, 3, 4)))
static void line(struct frame *f, const char *attribute, const char *fmt, ...)
{
	char text[LINE];
	va_list ap;

	if (!next(f))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_escape(f, attribute);
	put_text(f, text, f->v->columns);
	put_escape(f, PLAIN);
	end_line(f);
}

/* ---- metrics ---- */

static void bar(const struct frame *f, double share, unsigned int width)
{
	unsigned int full = share <= 0 ? 0 : share >= 1 ? width : (unsigned int)(share * width + 0.5);

	fputc('[', f->out);
	put_escape(f, share > 0.9 ? RED : share > 0.6 ? YELLOW : GREEN);
	for (unsigned int i = 0; i < width; i++)
		fputc(i < full ? '|' : ' ', f->out);
	put_escape(f, PLAIN);
	fputc(']', f->out);
}

static void spark(const struct frame *f, const struct top_history *h, double top, unsigned int width)
{
	static const char ascii[] = " .:-=+*#";
	unsigned int n = h->nr < width ? h->nr : width;

	put_escape(f, CYAN);
	for (unsigned int i = 0; i < n; i++) {
		double share = top > 0 ? h->value[(h->at + TOP_HISTORY - n + i) % TOP_HISTORY] / top : 0;
		int step = share <= 0 ? 0 : share >= 1 ? 7 : (int)(share * 8);

		if (f->v->utf8)
			fprintf(f->out, "\xe2\x96%c", 0x81 + step);
		else
			fputc(ascii[step], f->out);
	}
	put_escape(f, PLAIN);
}

static void metric_line(struct frame *f, const struct metric *m, const struct top_history *h)
{
	unsigned int used, bar_width, rest;
	char text[LINE], unit[32];
	double top = m->kind == METRIC_SHARE ? 100 : h->peak, value;

	if (*m->why && !m->intervals) {
		line(f, "", "  %-*s not counted: %s", NAME, m->name, m->why);
		return;
	}
	if (!next(f))
		return;
	value = stat_readable(m, m->now, unit);
	if (m->fresh)
		snprintf(text, sizeof(text), "  %-*.*s %12.1f %-10.10s ", NAME, NAME, m->name, value, unit);
	else
		snprintf(text, sizeof(text), "  %-*.*s %12s %-10.10s ", NAME, NAME, m->name, "-", unit);
	used = put_text(f, text, f->v->columns);
	rest = f->v->columns - used;
	bar_width = rest / 3 > BAR_LEAST ? rest / 3 : BAR_LEAST;
	if (rest >= bar_width + 2) {
		bar(f, m->fresh && top > 0 ? m->now / top : 0, bar_width);
		rest -= bar_width + 2;
	}
	if (rest > 1) {
		fputc(' ', f->out);
		spark(f, h, top, rest - 1);
	}
	end_line(f);
}

/* Bandwidth and hits; the others are for few. */
static bool usual(const struct metric *m)
{
	return m->kind == METRIC_SHARE || (m->kind == METRIC_RATE && !strcmp(m->unit, "bytes") &&
					   strncmp(m->name, "acc-", 4));
}

static void put_metrics(struct frame *f, const struct top_state *s)
{
	const char *group = "";

	for (unsigned int i = 0; i < s->metrics->nr; i++) {
		const struct metric *m = &s->metrics->list[i];

		if (!f->v->all && !usual(m))
			continue;
		if (strcmp(group, m->group))
			line(f, BOLD, "%s", m->group);
		group = m->group;
		metric_line(f, m, &s->history[i]);
	}
	if (*s->counters->no_module)
		line(f, "", "NPUs: not counted: %s", s->counters->no_module);
	if (!s->metrics->nr)
		line(f, "", "Machine: no counters that are known here");
}

/* ---- sessions ---- */

static void session_line(struct frame *f, const struct top_session *one)
{
	double seconds = ((double)time(NULL) * 1e9 - (double)one->start_real_ns) / 1e9;
	char rate[24] = "-";

	if (one->rate >= 0)
		snprintf(rate, sizeof(rate), "%.0f", one->rate);
	line(f, one->dropped ? RED : "", "%7d %-12.12s %8.0f %11" PRIu64 " %10s %8" PRIu64 " %6" PRIu64 " %9.1f%s%s",
	     one->pid, one->comm, seconds > 0 ? seconds : 0, one->records, rate, one->dropped, one->open,
	     (double)one->bytes / 1e6, f->v->columns > NARROW ? "  " : "", f->v->columns > NARROW ? one->path : "");
}

static void put_sessions(struct frame *f, const struct top_sessions *s)
{
	line(f, REVERSE, "%7s %-12s %8s %11s %10s %8s %6s %9s%s", "PID", "PROGRAM", "SECONDS", "RECORDS", "RECORDS/S",
	     "DROPPED", "OPEN", "MB", f->v->columns > NARROW ? "  DIRECTORY" : "");
	for (unsigned int i = 0; i < s->nr; i++)
		session_line(f, &s->list[i]);
	if (!s->nr)
		line(f, "", "no session records%s", s->hidden ? " in the processes that you may look at" : "");
}

/* ---- the frame ---- */

static void put_help(struct frame *f)
{
	static const char *const text[] = {
		"q F10 Ctrl-C    end",
		"h F1 ?          this help, and back",
		"Up Down k j     scroll by a line",
		"PgUp PgDn       by a page; Home, End: to the begin, to the end",
		"+ -             longer and shorter intervals",
		"Z Space         hold the screen, and go on",
		"a               all metrics, or bandwidth and hits",
		"Ctrl-L Ctrl-Z   draw anew; suspend",
		"",
		"Bars are against the highest value that was seen, shares against 100 %.",
		"RECORDS, DROPPED and OPEN are what a session accounted for last, once a",
		"second while it records. OPEN: ranges pushed or started that are not over.",
	};

	for (unsigned int i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		line(f, "", "%s", text[i]);
}

static void fixed_line(struct frame *f, const char *attribute, const char *text, bool last)
{
	unsigned int n;

	put_escape(f, attribute);
	n = put_text(f, text, f->v->columns);
	while (f->v->escapes && *attribute && n++ < f->v->columns)
		fputc(' ', f->out);
	put_escape(f, PLAIN);
	if (!last)
		end_line(f);
}

static void put_head(struct frame *f, const struct top_state *s)
{
	uint64_t dropped = s->counters->lost;
	char text[LINE];

	for (unsigned int i = 0; i < s->sessions->nr; i++)
		dropped += s->sessions->list[i].dropped;
	snprintf(text, sizeof(text), "ascprof top - %s, every %.1f s%s - %u session%s, %" PRIu64 " dropped", f->v->when,
		 f->v->interval, f->v->paused ? ", held" : "", s->sessions->nr, s->sessions->nr == 1 ? "" : "s",
		 dropped);
	fixed_line(f, dropped ? REVERSE BOLD : REVERSE, text, false);
}

void top_draw(FILE *out, struct top_view *v, const struct top_state *s)
{
	struct frame f = { .out = out, .v = v, .room = v->rows > 3 ? v->rows - 2 : v->rows ? 1 : 0 };

	if (v->escapes)
		fputs("\033[H\033[K", out);
	put_head(&f, s);
	if (v->help) {
		put_help(&f);
	} else {
		put_metrics(&f, s);
		put_sessions(&f, s->sessions);
	}
	v->lines = f.line;
	while (v->escapes && f.shown < f.room) {
		end_line(&f);
		f.shown++;
	}
	if (v->escapes)
		fixed_line(&f, REVERSE, "F1 Help  q Quit  Up/Down Scroll  +/- Interval  Z Hold  a All", true);
}
