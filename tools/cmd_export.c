/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof export: tables or a trace from result directories. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/prof.h"
#include "export/tables.h"
#include "export/trace.h"
#include "tools/options.h"

struct arguments {
	bool csv;
	bool quiet;
	const char *out; /* NULL: not given */
};

static const struct option_def options[] = {
	{ 'f', "format", "FORMAT", "csv: tables msprof_tx.csv, llc_read_write.csv, hbm.csv,\n"
				   "and of host data, as far as there are any\n"
				   "trace: Chrome trace events, for Perfetto (default)",
	  OPTION_CHOICE, .choices = "csv trace" },
	{ 'o', "output", "OUT", "csv: folder of the tables (default ascprof_csv)\n"
				"trace: file, a folder (gets trace.json), or - for\n"
				"standard output (default trace.json)", OPTION_PATH },
	{ 'q', "quiet", NULL, "do not say what was written" },
	{ 0 },
};

/* A folder as OUT gets trace.json in it. NULL: out of memory */
static char *trace_path(const char *out)
{
	struct stat st;
	char *path;

	if (!out)
		return strdup("trace.json");
	if (strcmp(out, "-") && !stat(out, &st) && S_ISDIR(st.st_mode))
		return asprintf(&path, "%s/trace.json", out) < 0 ? NULL : path;
	return strdup(out);
}

static int export_trace(const struct prof_set *set, const struct arguments *a, struct diag *diag)
{
	char *path = trace_path(a->out);
	struct trace_total total;
	int ret;

	if (!path)
		return diag_fail(diag, "out of memory");
	ret = trace_export(set, path, &total, diag);
	if (!ret && !a->quiet)
		fprintf(stderr, "%s: %" PRIu64 " events, %" PRIu64 " bytes, %u %s\n",
			strcmp(path, "-") ? path : "standard output", total.events, total.bytes,
			set->nr, set->nr == 1 ? "directory" : "directories");
	free(path);
	return ret;
}

static int export_tables(const struct prof_set *set, const struct arguments *a, struct diag *diag)
{
	const char *out = a->out ? a->out : "ascprof_csv";
	struct tables_total total;

	if (tables_export(set, out, &total, diag))
		return -1;
	if (!a->quiet)
		fprintf(stderr, "%s: %u %s, %" PRIu64 " rows, %u %s\n", out, total.files,
			total.files == 1 ? "table" : "tables", total.rows, set->nr,
			set->nr == 1 ? "directory" : "directories");
	return 0;
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct arguments a = { 0 };
	struct prof_set set = { 0 };
	const char *value;
	int letter, ret;

	while ((letter = options_next(c, argc, argv, &value)) != OPTIONS_END) {
		switch (letter) {
		case 'f':
			a.csv = !strcmp(value, "csv");
			break;
		case 'o':
			a.out = value;
			break;
		case 'q':
			a.quiet = true;
			break;
		default:
			return letter == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
		}
	}
	if (optind == argc)
		return options_wrong(c, "argument DIR: a result directory was expected");
	if (a.csv && a.out && !strcmp(a.out, "-"))
		return options_wrong(c, "option --output: csv needs a folder, not \"-\"");
	ret = prof_set_open(&set, argv + optind, (unsigned int)(argc - optind), diag);
	if (!ret)
		ret = (a.csv ? export_tables : export_trace)(&set, &a, diag);
	prof_set_close(&set);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_export = {
	.name = "export",
	.operands = "DIR...",
	.summary = "write tables (CSV) or a timeline (Chrome trace) of result directories",
	.text = "Writes what result directories hold as tables or as one timeline. DIR is a\n"
		"PROF_* directory or a folder that holds some. For a single PROF_* directory the\n"
		"tables are in OUT itself, otherwise in OUT/PROF_*, one folder per directory; a\n"
		"timeline is always one file. Nothing is written unless all could be read.",
	.options = options,
	.run = run,
};
