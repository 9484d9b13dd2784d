/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof report: what result directories hold, as text, JSON or a page of HTML. */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "export/filter.h"
#include "export/prof.h"
#include "export/report.h"
#include "tools/conditions.h"
#include "tools/options.h"

#define TOP_DEFAULT 10
#define TOP_MOST 1000000
#define COLUMNS_LEAST 80
#define COLUMNS_MOST 300

enum form { FORM_TEXT, FORM_JSON, FORM_HTML };

struct arguments {
	struct report_options report;
	enum form form;
	bool quiet;
	const char *out; /* NULL: not given */
	struct filter filter;
};

static const struct option_def options[] = {
	{ 'n', "top", "N", "names shown per table, 0 to 1000000 (default 10; all in JSON,\n"
			   "1000 in HTML)", OPTION_NUMBER, 0, TOP_MOST },
	{ 's', "sort", "KEY", "order of names: total (default), self, count, average, p99,\n"
			      "max, name", OPTION_CHOICE, .choices = "total self count average p99 max name" },
	{ 'm', "merge", NULL, "one table of names and one of counters for all directories" },
	{ 'j', "json", NULL, "print one JSON object" },
	{ 'w', "html", NULL, "write a page with plots, one file that needs no network" },
	{ 'o', "output", "FILE", "where the page goes, - for standard output\n"
				 "(default ascprof_report.html)", OPTION_PATH },
	CONDITION_OPTIONS('N'),
	{ 'q', "quiet", NULL, "do not say what was written" },
	{ 0 },
};

/* 80, or what a terminal has more. */
static unsigned int columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < COLUMNS_LEAST)
		return COLUMNS_LEAST;
	return size.ws_col < COLUMNS_MOST ? size.ws_col : COLUMNS_MOST;
}

/* Return: OPTIONS_END, or what ends the command. */
static int parse(const struct command *c, int argc, char **argv, struct arguments *a)
{
	struct option_value value;
	bool top = false;
	int letter, code;

	while ((letter = options_read(c, argc, argv, &value)) != OPTIONS_END) {
		switch (letter) {
		case 'n':
			top = true;
			a->report.top = (unsigned int)value.number;
			break;
		case 's':
			a->report.order = (enum summary_order)value.number;
			break;
		case 'm':
			a->report.merge = true;
			break;
		case 'j':
		case 'w':
			if (a->form && a->form != (letter == 'j' ? FORM_JSON : FORM_HTML))
				return options_wrong(c, "options --json and --html: one of them was expected");
			a->form = letter == 'j' ? FORM_JSON : FORM_HTML;
			break;
		case 'o':
			a->out = value.text;
			break;
		case 'q':
			a->quiet = true;
			break;
		case OPTIONS_HELP:
			return EXIT_DONE;
		case OPTIONS_BAD:
			return EXIT_USAGE;
		default:
			code = conditions_add(c, &a->filter, letter, value.text);
			if (code != OPTIONS_END)
				return code;
		}
	}
	if (optind == argc)
		return options_wrong(c, "argument DIR: a result directory was expected");
	if (a->out && a->form != FORM_HTML)
		return options_wrong(c, "option --output: goes with --html");
	if (!top)
		a->report.top = a->form == FORM_TEXT ? TOP_DEFAULT : a->form == FORM_HTML ? 1000 : TOP_MOST;
	return OPTIONS_END;
}

static int write_page(const struct prof_set *set, const struct arguments *a, bool *mismatch, struct diag *diag)
{
	const char *out = a->out ? a->out : "ascprof_report.html";

	if (report_html(out, set, &a->report, mismatch, diag))
		return -1;
	if (!a->quiet)
		fprintf(stderr, "%s: a page of %u %s\n", strcmp(out, "-") ? out : "standard output", set->nr,
			set->nr == 1 ? "directory" : "directories");
	return 0;
}

static int report(struct arguments *a, char **dirs, unsigned int nr, struct diag *diag)
{
	struct prof_set set = { 0 };
	bool mismatch = false;
	int ret = prof_set_open(&set, dirs, nr, diag);

	if (!ret)
		ret = conditions_apply(&set, &a->filter, diag);
	if (!ret && a->form == FORM_HTML)
		ret = write_page(&set, a, &mismatch, diag);
	else if (!ret)
		ret = (a->form == FORM_JSON ? report_json : report_print)(stdout, &set, &a->report, &mismatch, diag);
	prof_set_close(&set);
	if (ret)
		return EXIT_FAILED;
	return mismatch ? EXIT_MISMATCH : EXIT_DONE;
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct arguments a = { .report.columns = columns() };
	int ret = parse(c, argc, argv, &a);

	if (ret == OPTIONS_END)
		ret = report(&a, argv + optind, (unsigned int)(argc - optind), diag);
	filter_free(&a.filter);
	return ret;
}

const struct command command_report = {
	.name = "report",
	.operands = "DIR...",
	.summary = "summarise result directories: names, counters, accounting; text, JSON, HTML",
	.text = "Prints a summary of each result directory and the totals of all. DIR is a PROF_*\n"
		"directory or a folder that holds some. Times per name are those of pushes and\n"
		"ranges; self is without what lies in them on the same thread, wanted or not. The\n"
		"accounting is of everything, whatever is asked for, and is checked against the\n"
		"files: written = rows in the slice files, produced = written + dropped; when that\n"
		"does not hold, the exit status is 3.",
	.options = options,
	.run = run,
	.status = "0 Done.\n1 Failed: something could not be read or written.\n2 Wrong usage.\n"
		  "3 The accounting of a directory does not hold.",
};
