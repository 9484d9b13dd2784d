/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof top: a live view for terminals, and for what is none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock.h"
#include "tools/options.h"
#include "tools/top.h"

#define NS_PER_MS UINT64_C(1000000)
#define LEAST_MS 100
#define MOST_MS 60000

static const struct option_def options[] = {
	{ 'd', "delay", "TIME", "between frames, 100ms to 1min (default 1s)", OPTION_DURATION, LEAST_MS * 1000000,
	  (uint64_t)MOST_MS * 1000000 },
	{ 'n', "frames", "N", "end after so many", OPTION_NUMBER, 1, 1000000000 },
	{ 'b', "batch", NULL, "print frames one after the other, without control sequences" },
	{ 'a', "all", NULL, "all metrics, not only bandwidth and hits" },
	{ 0 },
};

struct top {
	struct counters counters;
	struct metrics metrics;
	struct top_sessions sessions;
	struct top_history *history;
	struct top_view view;
	uint64_t delay_ms;
	uint64_t frames; /* 0: without end */
	uint64_t looked_ns; /* CLOCK_MONOTONIC, for sessions */
	struct diag *diag;
};

static int sample(struct top *t)
{
	uint64_t now;

	counters_read(&t->counters);
	metrics_update(&t->metrics, &t->counters);
	for (unsigned int i = 0; i < t->metrics.nr; i++)
		if (t->metrics.list[i].fresh)
			top_history_add(&t->history[i], t->metrics.list[i].now);
	now = clock_ns(CLOCK_MONOTONIC);
	if (top_sessions_find(&t->sessions, t->looked_ns ? (double)(now - t->looked_ns) / 1e9 : 0))
		return diag_fail(t->diag, "out of memory");
	t->looked_ns = now;
	return 0;
}

/* The whole frame in one write, so that nothing flickers. */
static int draw(struct top *t)
{
	const struct top_state state = { &t->counters, &t->metrics, t->history, &t->sessions };
	time_t now = time(NULL);
	char when[16], *text = NULL;
	struct tm tm;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int ret = 0;

	if (!out)
		return diag_fail(t->diag, "out of memory");
	strftime(when, sizeof(when), "%H:%M:%S", localtime_r(&now, &tm));
	t->view.when = when;
	t->view.interval = (double)t->delay_ms / 1000;
	if (t->view.escapes)
		top_terminal_size(&t->view.rows, &t->view.columns);
	top_draw(out, &t->view, &state);
	if (fclose(out))
		ret = diag_fail(t->diag, "out of memory");
	else if (fwrite(text, 1, len, stdout) != len || fflush(stdout))
		ret = diag_fail(t->diag, "standard output: %s", strerror(errno));
	free(text);
	return ret;
}

static void scroll(struct top_view *v, int lines)
{
	int page = (int)v->rows - 2, last = (int)v->lines > page ? (int)v->lines - page : 0;
	int to = (int)v->scroll + lines;

	v->scroll = (unsigned int)(to < 0 ? 0 : to > last ? last : to);
}

static void press(struct top *t, enum top_key key)
{
	struct top_view *v = &t->view;
	int page = (int)v->rows - 3;

	switch (key) {
	case TOP_HELP:
		v->help = !v->help;
		v->scroll = 0;
		break;
	case TOP_UP:
		scroll(v, -1);
		break;
	case TOP_DOWN:
		scroll(v, 1);
		break;
	case TOP_PAGE_UP:
		scroll(v, -page);
		break;
	case TOP_PAGE_DOWN:
		scroll(v, page);
		break;
	case TOP_HOME:
		v->scroll = 0;
		break;
	case TOP_END:
		scroll(v, (int)v->lines);
		break;
	case TOP_FASTER:
		t->delay_ms = t->delay_ms / 2 > LEAST_MS ? t->delay_ms / 2 : LEAST_MS;
		break;
	case TOP_SLOWER:
		t->delay_ms = t->delay_ms * 2 < MOST_MS ? t->delay_ms * 2 : MOST_MS;
		break;
	case TOP_PAUSE:
		v->paused = !v->paused;
		break;
	case TOP_ALL:
		v->all = !v->all;
		v->scroll = 0;
		break;
	case TOP_SUSPEND:
		top_terminal_suspend();
		break;
	default:
		break;
	}
}

static int live(struct top *t)
{
	uint64_t due = clock_ns(CLOCK_MONOTONIC), now;
	int ret = 0;

	for (uint64_t frames = 0; !ret;) {
		enum top_key key;

		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= due) {
			if (!t->view.paused)
				ret = sample(t);
			due = clock_ns(CLOCK_MONOTONIC) + t->delay_ms * NS_PER_MS;
			if (!ret && t->frames && frames++ == t->frames)
				break;
		}
		ret = ret ? ret : draw(t);
		if (ret)
			break;
		now = clock_ns(CLOCK_MONOTONIC);
		key = top_terminal_wait(due > now ? (int)((due - now) / NS_PER_MS + 1) : 0);
		if (key == TOP_QUIT)
			break;
		press(t, key);
	}
	top_terminal_end();
	return ret;
}

static int batch(struct top *t)
{
	int ret = 0;

	t->view.columns = 120;
	for (uint64_t i = 0; !ret && (!t->frames || i < t->frames); i++) {
		struct timespec ts = { (time_t)(t->delay_ms / 1000), (long)(t->delay_ms % 1000 * NS_PER_MS) };

		nanosleep(&ts, NULL);
		ret = sample(t);
		if (!ret)
			ret = draw(t);
	}
	return ret;
}

static int run_top(struct top *t, bool plain)
{
	const struct counters_choice choice = { .period_ns = LEAST_MS * NS_PER_MS };
	const char *no_colour = getenv("NO_COLOR");

	if (counters_open(&t->counters, &choice, t->diag) || counters_start(&t->counters, t->diag))
		return -1;
	if (metrics_make(&t->metrics, &t->counters))
		return diag_fail(t->diag, "out of memory");
	t->history = calloc(t->metrics.nr + 1, sizeof(*t->history));
	if (!t->history)
		return diag_fail(t->diag, "out of memory");
	t->view.utf8 = top_terminal_utf8();
	if (plain || top_terminal_begin())
		return batch(t);
	t->view.escapes = true;
	t->view.colour = !no_colour || !*no_colour;
	return live(t);
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct top t = { .diag = diag, .delay_ms = 1000 };
	struct option_value value;
	bool plain = false;
	int letter, ret;

	while ((letter = options_read(c, argc, argv, &value)) != OPTIONS_END) {
		switch (letter) {
		case 'd':
			t.delay_ms = value.number / NS_PER_MS;
			break;
		case 'n':
			t.frames = value.number;
			break;
		case 'b':
			plain = true;
			break;
		case 'a':
			t.view.all = true;
			break;
		default:
			return letter == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
		}
	}
	if (optind < argc)
		return options_wrong(c, "argument \"%s\": none was expected", argv[optind]);
	ret = run_top(&t, plain);
	free(t.history);
	top_sessions_free(&t.sessions);
	metrics_free(&t.metrics);
	counters_close(&t.counters);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_top = {
	.name = "top",
	.operands = "",
	.summary = "watch bandwidth and running sessions on the terminal",
	.text = "Shows bandwidth and hits of each NPU and socket, with bars and what came before,\n"
		"and the sessions that record now, of the processes that you may look at. h shows\n"
		"the keys. Colours are left out if NO_COLOR is set. Where standard output is no\n"
		"terminal, or TERM is dumb, frames are printed one after the other.",
	.options = options,
	.run = run,
};
