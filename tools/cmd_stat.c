/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof stat: counters of NPUs, of the machine and of a program, as numbers. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock.h"
#include "tools/child.h"
#include "tools/counters.h"
#include "tools/options.h"
#include "tools/stat_print.h"

#define SAMPLE_MS 100
#define NS_PER_MS UINT64_C(1000000)
#define DAYS (100 * 24 * UINT64_C(3600000000000))

static const struct option_def options[] = {
	{ 'I', "interval", "MS", "print each interval, 10 to 3600000 ms", OPTION_NUMBER, 10, 3600000, .unit = "ms" },
	{ 'e', "events", "LIST", "metrics or counters, separated by commas; * ? [] as in file\n"
	  "names (default: all)" },
	{ 'l', "list", NULL, "print what there is, and count nothing" },
	{ 't', "duration", "TIME", "end after that time, as in 500ms or 10s; the program goes on",
	  OPTION_DURATION, 10000000, DAYS },
	{ 'x', "separator", "TEXT", "print CSV with that between fields" },
	{ 'j', "json", NULL, "print a line of JSON for each interval, and one at the end" },
	{ 'o', "output", "FILE", "write into a file (default: standard error with a program,\nstandard output without)",
	  OPTION_PATH },
	{ 0 },
};

struct stat {
	struct stat_print print;
	struct counters_choice choice;
	struct counters counters;
	struct metrics metrics;
	const char *output;
	bool list;
	uint64_t duration_ns;
	uint64_t from_ns;
	char **program; /* NULL: none */
	struct child child;
	struct diag *diag;
};

/* ---- waiting ---- */

static void block_end(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Return: whether somebody wants the end. */
static bool sleep_until(uint64_t due)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), left = due > now ? due - now : 0;
	const struct timespec ts = { (time_t)(left / 1000000000), (long)(left % 1000000000) };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return sigtimedwait(&set, NULL, &ts) > 0;
}

static bool wait_until(struct stat *s, uint64_t due)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!s->program)
		return sleep_until(due);
	return child_wait(&s->child, due > now ? (int)((due - now + NS_PER_MS - 1) / NS_PER_MS) : 0);
}

/* ---- counting ---- */

static int count(struct stat *s)
{
	uint64_t step = s->print.sampled_ms * NS_PER_MS, due = s->from_ns, end = UINT64_MAX;
	bool over = false;

	if (s->duration_ns)
		end = s->from_ns + s->duration_ns;
	s->metrics.shortest = s->print.sampled_ms / 2000.0;
	stat_print_head(&s->print);
	while (!over) {
		/* what is late is left out */
		for (due += step; due <= clock_ns(CLOCK_MONOTONIC); due += step)
			;
		over = wait_until(s, due < end ? due : end) || due >= end;
		counters_read(&s->counters);
		metrics_update(&s->metrics, &s->counters);
		if (s->print.interval_ms && !over &&
		    stat_print_interval(&s->print, &s->metrics, (double)(s->counters.at_ns - s->from_ns) / 1e9))
			return diag_fail(s->diag, "out of memory");
	}
	metrics_end(&s->metrics);
	return stat_print_end(&s->print, &s->metrics, &s->counters) ? diag_fail(s->diag, "out of memory") : 0;
}

static void list(const struct stat *s)
{
	const struct counters *c = &s->counters;

	for (unsigned int i = 0; i < c->nr; i++) {
		const struct counter *one = &c->list[i];

		printf("%-36s %-24s %s%s%s\n", one->name, one->metric, one->group, *one->why ? "; not counted: " : "",
		       one->why);
	}
	if (*c->no_module)
		printf("NPUs: not counted: %s\n", c->no_module);
}

static int open_output(struct stat *s)
{
	s->print.out = s->program ? stderr : stdout;
	if (!s->output)
		return 0;
	s->print.out = fopen(s->output, "we");
	return s->print.out ? 0 : diag_fail(s->diag, "option --output: %s: %s", s->output, strerror(errno));
}

static int close_output(struct stat *s)
{
	bool bad = fflush(s->print.out) || ferror(s->print.out);

	if (s->output)
		bad |= fclose(s->print.out) != 0;
	return bad ? diag_fail(s->diag, "%s: cannot be written", s->output ? s->output : "the output") : 0;
}

static int run_stat(struct stat *s)
{
	int code = 0, ret;

	if (counters_start(&s->counters, s->diag) || open_output(s))
		return EXIT_FAILED;
	s->from_ns = clock_ns(CLOCK_MONOTONIC);
	if (!s->program)
		block_end();
	else
		code = child_begin(&s->child, s->program, NULL, NULL, s->diag);
	if (code) {
		fprintf(stderr, "ascprof stat: %s\n", s->diag->error);
		return code;
	}
	ret = count(s);
	ret = close_output(s) || ret;
	if (!s->program)
		return ret ? EXIT_FAILED : EXIT_DONE;
	while (!child_wait(&s->child, -1))
		;
	code = child_result(&s->child);
	return code ? code : ret ? EXIT_FAILED : EXIT_DONE;
}

static int read_options(const struct command *c, struct stat *s, int argc, char **argv)
{
	struct option_value value;
	int letter;

	while ((letter = options_read(c, argc, argv, &value)) != OPTIONS_END) {
		switch (letter) {
		case 'I':
			s->print.interval_ms = (unsigned int)value.number;
			break;
		case 'e':
			s->choice.patterns = value.text;
			break;
		case 'l':
			s->list = true;
			break;
		case 't':
			s->duration_ns = value.number;
			break;
		case 'x':
			s->print.separator = value.text;
			break;
		case 'j':
			s->print.json = true;
			break;
		case 'o':
			s->output = value.text;
			break;
		default:
			return letter;
		}
	}
	if (s->print.separator && (s->print.json || !*s->print.separator)) {
		options_wrong(c, "option --separator: %s", s->print.json ? "not together with --json" :
			      "a text was expected, not \"\"");
		return OPTIONS_BAD;
	}
	s->program = optind < argc ? argv + optind : NULL;
	return 0;
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct stat s = { .diag = diag };
	int code = read_options(c, &s, argc, argv);

	if (code)
		return code == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
	s.print.sampled_ms = s.print.interval_ms ? s.print.interval_ms : SAMPLE_MS;
	s.choice.period_ns = s.print.sampled_ms * NS_PER_MS < 1000000000 ? s.print.sampled_ms * NS_PER_MS : 1000000000;
	s.choice.program = s.program || s.list;
	if (counters_open(&s.counters, &s.choice, diag)) {
		code = EXIT_FAILED;
	} else if (s.list) {
		list(&s);
		code = EXIT_DONE;
	} else if (s.choice.patterns && !s.counters.nr) {
		code = options_wrong(c, "option --events: nothing is called \"%s\": ascprof stat --list names what there "
				     "is", s.choice.patterns);
	} else if (metrics_make(&s.metrics, &s.counters)) {
		diag_fail(diag, "out of memory");
		code = EXIT_FAILED;
	} else {
		code = run_stat(&s);
	}
	metrics_free(&s.metrics);
	counters_close(&s.counters);
	return code;
}

const struct command command_stat = {
	.name = "stat",
	.operands = "[[--] PROGRAM [ARGUMENT...]]",
	.summary = "count: LLC hits, memory and SoC bandwidth, of NPUs and of the machine",
	.text = "Counts while a program runs, or until Ctrl-C: of each NPU its LLC, memory and SoC,\n"
		"by the kernel module; of each socket what its PMUs offer; of the program its\n"
		"time, faults and cache. Prints average, minimum and maximum of intervals of 100 ms,\n"
		"or of -I. What cannot be counted is called so, with the reason; what was counted\n"
		"for a part of the time only is reckoned for all of it, and the part is told.\n"
		"Nothing is recorded.",
	.options = options,
	.run = run,
	.program = true,
	.status = "0-255 That of the program; if a signal ended it, the same signal ends ascprof.\n"
		  "0 Without a program: done.\n1 Also: failed, with the reason in one line.\n2 Also: wrong usage.\n"
		  "126 The program cannot be executed.\n127 The program was not found.",
};
