/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof unpack: the vendor's layout from packed slices. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "export/prof.h"
#include "export/restore.h"
#include "tools/options.h"

static const struct option_def options[] = {
	{ 'q', "quiet", NULL, "do not say what was done" },
	{ 0 },
};

static void say(const struct prof *prof, const struct restored *r)
{
	if (!r->packed)
		fprintf(stderr, "%s: nothing in it is packed\n", prof->path);
	else
		fprintf(stderr, "%s: %u slices with %" PRIu64 " bytes from %u with %" PRIu64 "\n", prof->path, r->plain,
			r->plain_bytes, r->packed, r->packed_bytes);
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
		struct restored done;

		ret = restore(&set.prof[i], &done, diag);
		if (!ret && !*given)
			say(&set.prof[i], &done);
	}
	prof_set_close(&set);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_unpack = {
	.name = "unpack",
	.operands = "DIR...",
	.summary = "turn packed slices into the layout that the public parser reads",
	.text = "Replaces annotations in the native layout (ASCPROF_LAYOUT=native) and compressed\n"
		"slices (ASCPROF_COMPRESS=zstd) by the slices that the runtime would have written\n"
		"without these settings. The packed slices go when all others are complete.",
	.options = options,
	.run = run,
};
