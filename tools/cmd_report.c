/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof report: what result directories hold, as text. */
#include <stdio.h>
#include <unistd.h>

#include "export/prof.h"
#include "export/report.h"
#include "tools/options.h"

#define TOP_DEFAULT 10

static const struct option_def options[] = {
	{ 'n', "top", "N", "messages shown per directory, 0 to 1000000 (default 10)", OPTION_NUMBER, 0, 1000000 },
	{ 0 },
};

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct prof_set set = { 0 };
	unsigned int top = TOP_DEFAULT;
	bool mismatch = false;
	struct option_value value;
	int letter, ret;

	while ((letter = options_read(c, argc, argv, &value)) != OPTIONS_END) {
		if (letter != 'n')
			return letter == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
		top = (unsigned int)value.number;
	}
	if (optind == argc)
		return options_wrong(c, "argument DIR: a result directory was expected");
	ret = prof_set_open(&set, argv + optind, (unsigned int)(argc - optind), diag);
	if (!ret)
		ret = report_print(stdout, &set, top, &mismatch, diag);
	prof_set_close(&set);
	if (ret)
		return EXIT_FAILED;
	return mismatch ? EXIT_MISMATCH : EXIT_DONE;
}

const struct command command_report = {
	.name = "report",
	.operands = "DIR...",
	.summary = "print what result directories hold: accounting, messages, counters",
	.text = "Prints a summary of each result directory and the totals of all. DIR is a PROF_*\n"
		"directory or a folder that holds some. The accounting is checked against the\n"
		"files: written = rows in the slice files, produced = written + dropped; when\n"
		"that does not hold, the exit status is 3.",
	.options = options,
	.run = run,
	.status = "0 Done.\n1 Failed: something could not be read.\n2 Wrong usage.\n"
		  "3 The accounting of a directory does not hold.",
};
