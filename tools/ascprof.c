/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof: the command. Each subcommand is a file cmd_<name>.c, listed in commands.c. */
#include <stdio.h>
#include <string.h>

#include "tools/options.h"

/* Help and reports are output like any other: a full disk is an error. */
static int finish(int code)
{
	if (fflush(stdout) || ferror(stdout)) {
		fputs("ascprof: standard output: cannot be written\n", stderr);
		return code ? code : EXIT_FAILED;
	}
	return code;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct diag diag = { .program = "ascprof" };
	int code = c->run(c, argc, argv, &diag);

	if (code == EXIT_FAILED && *diag.error)
		fprintf(stderr, "ascprof %s: %s\n", c->name, diag.error);
	return finish(code);
}

int main(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		fputs("ascprof: a command was expected (see ascprof --help)\n", stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return run(&command_help, 1, argv);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("ascprof " ASCPROF_VERSION);
		return finish(EXIT_DONE);
	}
	c = command_find(argv[1]);
	if (!c)
		return command_unknown(argv[1]);
	return run(c, argc - 1, argv + 1);
}
