/* SPDX-License-Identifier: Apache-2.0 */
/* Which subcommands there are. */
#include <stdio.h>
#include <string.h>

#include "tools/options.h"

const struct command *const commands[] = {
	&command_record, &command_stat, &command_top, &command_export, &command_report, &command_diff,
	&command_info, &command_verify, &command_repair, &command_unpack, &command_serve, &command_bridge,
	&command_doctor, &command_help, NULL,
};

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

int command_unknown(const char *name)
{
	fprintf(stderr, "ascprof: command \"%s\" is not known; expected:", name);
	for (const struct command *const *c = commands; *c; c++)
		fprintf(stderr, " %s", (*c)->name);
	fputs(" (see ascprof --help)\n", stderr);
	return EXIT_USAGE;
}
