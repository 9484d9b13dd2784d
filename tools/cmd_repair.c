/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof repair: completes result directories of killed programs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "export/prof.h"
#include "export/repair.h"
#include "tools/options.h"

static const struct option_def options[] = {
	{ 'f', "force", NULL, "even if a process of the same number and name runs" },
	{ 'q', "quiet", NULL, "do not say what was done" },
	{ 0 },
};

static void say(const struct prof *prof, const struct repaired *r)
{
	if (!r->slices && !r->control_files)
		fprintf(stderr, "%s: complete already\n", prof->path);
	else
		fprintf(stderr, "%s: %u slices closed, %" PRIu64 " bytes of torn ends cut off, %u control files written\n",
			prof->path, r->slices, r->cut_bytes, r->control_files);
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct prof_set set = { 0 };
	char given[OPTIONS_FLAGS];
	int ret = options_flags_dirs(c, argc, argv, given);

	if (ret != OPTIONS_END)
		return ret;
	ret = prof_set_open(&set, argv + optind, (unsigned int)(argc - optind), diag);
	for (unsigned int i = 0; i < set.nr && !ret; i++) {
		struct repaired done;

		ret = repair(&set.prof[i], strchr(given, 'f'), &done, diag);
		if (!ret && !strchr(given, 'q'))
			say(&set.prof[i], &done);
	}
	prof_set_close(&set);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_repair = {
	.name = "repair",
	.operands = "DIR...",
	.summary = "complete result directories of programs that were killed",
	.text = "Cuts torn ends off slices, and writes the .done files, end_info and the\n"
		"accounting that a killed program, or a machine that lost power, did not write.\n"
		"export and report read such directories without it; other programs may not.",
	.options = options,
	.run = run,
};
