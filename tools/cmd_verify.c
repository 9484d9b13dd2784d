/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof verify: whether result directories are whole. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "export/prof.h"
#include "export/verify.h"
#include "tools/options.h"

static const struct option_def options[] = {
	{ 'q', "quiet", NULL, "print findings only, no line for each directory" },
	{ 0 },
};

static void sum_up(const struct prof *prof, const struct verified *one)
{
	if (one->found[VERIFY_DAMAGED] || one->found[VERIFY_LOST])
		printf("%s: %" PRIu64 " damaged, %" PRIu64 " lost\n", prof->name, one->found[VERIFY_DAMAGED],
		       one->found[VERIFY_LOST]);
	else
		printf("%s: whole: %" PRIu64 " files, %" PRIu64 " rows\n", prof->name, one->files, one->rows);
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	struct verified all = { 0 };
	struct prof_set set = { 0 };
	bool quiet;
	int ret = options_quiet_dirs(c, argc, argv, &quiet);

	if (ret != OPTIONS_END)
		return ret;
	ret = prof_set_open(&set, argv + optind, (unsigned int)(argc - optind), diag);
	/* What could not be opened at all was warned about, and is damage, too. */
	all.found[VERIFY_DAMAGED] = diag->warnings;
	for (unsigned int i = 0; i < set.nr && !ret; i++) {
		struct verified one = { 0 };

		ret = verify(&set.prof[i], stdout, &one, diag);
		if (!ret && !quiet)
			sum_up(&set.prof[i], &one);
		for (int k = 0; k < VERIFY_FINDINGS; k++)
			all.found[k] += one.found[k];
	}
	prof_set_close(&set);
	if (ret)
		return EXIT_FAILED;
	if (all.found[VERIFY_DAMAGED]) {
		diag_fail(diag, "%" PRIu64 " %s damage", all.found[VERIFY_DAMAGED],
			  all.found[VERIFY_DAMAGED] == 1 ? "finding of" : "findings of");
		return EXIT_FAILED;
	}
	return all.found[VERIFY_LOST] ? EXIT_MISMATCH : EXIT_DONE;
}

const struct command command_verify = {
	.name = "verify",
	.operands = "DIR...",
	.summary = "check whether result directories are whole",
	.text = "Checks files and their .done, control files, checksums of blocks, rows, times and\n"
		"the accounting, and prints a line for each finding: damaged, lost (dropped, aged,\n"
		"or not accounted for), or a note.",
	.options = options,
	.run = run,
	.status = "0 Nothing is damaged or lost.\n1 Something is damaged, or cannot be read.\n2 Wrong usage.\n"
		  "3 Nothing is damaged, but something is lost.",
};
