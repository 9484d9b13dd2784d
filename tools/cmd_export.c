/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof export: tables, a timeline, lines or a database from result directories. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "export/db.h"
#include "export/jsonl.h"
#include "export/perfetto.h"
#include "export/prof.h"
#include "export/tables.h"
#include "export/timeline.h"
#include "export/trace.h"
#include "tools/options.h"

struct arguments {
	const struct format *format;
	bool quiet;
	const char *out; /* NULL: not given */
	struct filter filter;
};

static const struct option_def options[] = {
	{ 'f', "format", "FORMAT", "trace: Chrome trace events, for Perfetto (default)\n"
				   "perfetto: Perfetto's binary trace, smaller\n"
				   "csv: tables msprof_tx.csv, llc_read_write.csv, hbm.csv,\n"
				   "and of calls and host data, as far as there are any\n"
				   "db: SQLite, as the public parser's database\n"
				   "jsonl: JSON, one event a line",
	  OPTION_CHOICE, .choices = "trace perfetto csv db jsonl" },
	{ 'o', "output", "OUT", "csv: folder of the tables (default ascprof_csv)\n"
				"others: a file, a folder (gets trace.json,\n"
				"trace.pftrace, msprof_<time>.db, events.jsonl), or,\n"
				"but for db, - for standard output", OPTION_PATH },
	{ 'F', "from", "TIME", "only what is not over by then: 1.5s, 20ms, 3us, 7ns\n"
			       "behind the first event, @SECONDS since 1970, or\n"
			       "2027-01-15T08:00:00.25Z" },
	{ 'T', "to", "TIME", "only what begins before" },
	{ 'p', "pid", "PID,...", "only annotations of these processes" },
	{ 't', "tid", "TID,...", "only annotations of these threads" },
	{ 'n', "name", "PATTERN", "only these messages and counters; * and ? stand for any\n"
				  "characters, /.../ is a regular expression; may be repeated" },
	{ 'k', "kind", "KIND,...", "only mark, push_pop, range, mark_ex, mstx_mark, mstx_range,\n"
				   "tensor_info, api, event, syscall, pthread, llc, hbm, soc_profile, host;\n"
				   "annotations or counters for all of them" },
	{ 'q', "quiet", NULL, "do not say what was written" },
	{ 0 },
};

/* ---- formats ---- */

/* What a format says it has written, behind the file's name. */
struct told {
	char text[128];
};

struct format {
	const char *name;
	const char *file; /* default; also in a folder that is named. NULL: made up from the time */
	bool folder; /* writes several files */
	bool no_stdout;
	int (*write)(const struct prof_set *set, const char *path, struct told *told, struct diag *diag);
};

static int tell_events(struct told *told, const struct trace_total *total)
{
	snprintf(told->text, sizeof(told->text), "%" PRIu64 " events, %" PRIu64 " bytes", total->events,
		 total->bytes);
	return 0;
}

static int write_trace(const struct prof_set *set, const char *path, struct told *told, struct diag *diag)
{
	struct trace_total total;

	return trace_export(set, path, &total, diag) ? -1 : tell_events(told, &total);
}

static int write_perfetto(const struct prof_set *set, const char *path, struct told *told, struct diag *diag)
{
	struct trace_total total;

	return perfetto_export(set, path, &total, diag) ? -1 : tell_events(told, &total);
}

static int write_lines(const struct prof_set *set, const char *path, struct told *told, struct diag *diag)
{
	uint64_t lines;

	if (jsonl_export(set, path, &lines, diag))
		return -1;
	snprintf(told->text, sizeof(told->text), "%" PRIu64 " lines", lines);
	return 0;
}

static int write_db(const struct prof_set *set, const char *path, struct told *told, struct diag *diag)
{
	uint64_t rows;

	if (db_export(set, path, &rows, diag))
		return -1;
	snprintf(told->text, sizeof(told->text), "%" PRIu64 " rows", rows);
	return 0;
}

static int write_tables(const struct prof_set *set, const char *path, struct told *told, struct diag *diag)
{
	struct tables_total total;

	if (tables_export(set, path, &total, diag))
		return -1;
	snprintf(told->text, sizeof(told->text), "%u %s, %" PRIu64 " rows", total.files,
		 total.files == 1 ? "table" : "tables", total.rows);
	return 0;
}

static const struct format formats[] = {
	{ "trace", "trace.json", false, false, write_trace },
	{ "perfetto", "trace.pftrace", false, false, write_perfetto },
	{ "csv", "ascprof_csv", true, true, write_tables },
	{ "db", NULL, false, true, write_db },
	{ "jsonl", "events.jsonl", false, false, write_lines },
};

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

/* ---- where to ---- */

/* Readers know a database by 14 digits in its name; these are when the recording began. */
static void default_file(const struct format *f, const struct prof_set *set, char *name, size_t size)
{
	time_t seconds = (time_t)(set->prof[0].start / 1000000000);
	char digits[32] = "00000000000000";
	struct tm tm;

	if (gmtime_r(&seconds, &tm) && tm.tm_year + 1900 >= 1000 && tm.tm_year + 1900 <= 9999)
		strftime(digits, sizeof(digits), "%Y%m%d%H%M%S", &tm);
	if (f->file)
		snprintf(name, size, "%s", f->file);
	else
		snprintf(name, size, "msprof_%s.db", digits);
}

/* NULL: out of memory */
static char *output_path(const struct arguments *a, const struct prof_set *set)
{
	char name[64], *path;
	struct stat st;

	default_file(a->format, set, name, sizeof(name));
	if (!a->out)
		return strdup(name);
	if (!a->format->folder && strcmp(a->out, "-") && !stat(a->out, &st) && S_ISDIR(st.st_mode))
		return asprintf(&path, "%s/%s", a->out, name) < 0 ? NULL : path;
	return strdup(a->out);
}

/* ---- the command ---- */

/* An option that narrows what is written. Return: what was expected instead; NULL: it is fine. */
static const char *add_condition(struct filter *f, int letter, const char *value)
{
	switch (letter) {
	case 'F':
	case 'T':
		return filter_add_time(f, letter == 'T', value);
	case 'p':
		return filter_add_pid(f, value);
	case 't':
		return filter_add_tid(f, value);
	case 'n':
		return filter_add_name(f, value);
	default:
		return filter_add_kind(f, value);
	}
}

static const char *option_name(int letter)
{
	const struct option_def *o = options;

	while (o->letter != letter)
		o++;
	return o->name;
}

/* Return: EXIT_DONE, or what to leave with */
static int parse(const struct command *c, int argc, char **argv, struct arguments *a)
{
	const char *value, *expected;
	int letter;

	while ((letter = options_next(c, argc, argv, &value)) != OPTIONS_END) {
		switch (letter) {
		case 'f':
			a->format = find_format(value);
			break;
		case 'o':
			a->out = value;
			break;
		case 'q':
			a->quiet = true;
			break;
		case OPTIONS_HELP:
		case OPTIONS_BAD:
			return letter;
		default:
			expected = add_condition(&a->filter, letter, value);
			if (expected)
				return options_wrong(c, "option --%s: %s, not \"%s\"", option_name(letter),
						     expected, value);
		}
	}
	if (optind == argc)
		return options_wrong(c, "argument DIR: a result directory was expected");
	if (a->format->no_stdout && a->out && !strcmp(a->out, "-"))
		return options_wrong(c, "option --output: %s needs a %s, not \"-\"", a->format->name,
				     a->format->folder ? "folder" : "file");
	return EXIT_DONE;
}

/* Relative times count from the first event, whatever else is wanted. */
static int apply_filter(struct prof_set *set, struct filter *f, struct diag *diag)
{
	int64_t first = 0;

	if (!f->active)
		return 0;
	if ((f->from.relative || f->to.relative) && timeline_first(set, &first, diag))
		return -1;
	filter_origin(f, first);
	prof_set_filter(set, f);
	return 0;
}

static int export(struct arguments *a, char **dirs, unsigned int nr, struct diag *diag)
{
	struct prof_set set = { 0 };
	struct told told;
	char *path = NULL;
	int ret = prof_set_open(&set, dirs, nr, diag);

	if (!ret)
		ret = apply_filter(&set, &a->filter, diag);
	if (!ret) {
		path = output_path(a, &set);
		ret = path ? a->format->write(&set, path, &told, diag) : diag_fail(diag, "out of memory");
	}
	if (!ret && !a->quiet)
		fprintf(stderr, "%s: %s, %u %s\n", strcmp(path, "-") ? path : "standard output", told.text, set.nr,
			set.nr == 1 ? "directory" : "directories");
	free(path);
	prof_set_close(&set);
	return ret;
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct arguments a = { .format = &formats[0] };
	int code = parse(c, argc, argv, &a);

	if (code == EXIT_DONE)
		code = export(&a, argv + optind, (unsigned int)(argc - optind), diag) ? EXIT_FAILED : EXIT_DONE;
	else if (code < 0)
		code = code == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
	filter_free(&a.filter);
	return code;
}

const struct command command_export = {
	.name = "export",
	.operands = "DIR...",
	.summary = "write tables, a timeline, lines or a database of result directories",
	.text = "Writes what result directories hold as tables, as one timeline, as lines of\n"
		"JSON or as a database. DIR is a PROF_* directory or a folder that holds some.\n"
		"For a single PROF_* directory the tables are in OUT itself, otherwise in\n"
		"OUT/PROF_*, one folder per directory; all other formats are one file. Nothing is\n"
		"written unless all could be read.",
	.options = options,
	.run = run,
};
