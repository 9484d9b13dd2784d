/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof: the command. Each subcommand is a file cmd_<name>.c. */
#include <stdio.h>
#include <string.h>

#include "tools/options.h"

static const struct command *const commands[] = { &command_export, &command_report, &command_repair, &command_unpack,
						  &command_verify, &command_diff, &command_serve,
						  &command_bridge, &command_doctor };

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void help(void)
{
	puts("Usage: ascprof COMMAND [options] [DIR...]\n\n"
	     "Reads what libascprof recorded.\n\nCommands:");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	puts("  help       print the help of a command\n\n"
	     "Options:\n"
	     "  -h, --help       print this help\n"
	     "  -V, --version    print the version\n\n"
	     "ascprof COMMAND --help tells more. Exit status: 0 done, 1 failed, 2 wrong usage,\n"
	     "3 the accounting of a directory does not hold, or data are lost;\n4 diff: a name is slower.");
}

static int unknown(const char *name)
{
	fprintf(stderr, "ascprof: command \"%s\" is not known; expected:", name);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(stderr, " %s", commands[i]->name);
	fputs(" help (see ascprof --help)\n", stderr);
	return EXIT_USAGE;
}

static int help_of(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		help();
		return EXIT_DONE;
	}
	c = find(argv[1]);
	if (!c)
		return unknown(argv[1]);
	options_help(c);
	return EXIT_DONE;
}

/* Help and reports are output like any other: a full disk is an error. */
static int finish(int code)
{
	if (fflush(stdout) || ferror(stdout)) {
		fputs("ascprof: standard output: cannot be written\n", stderr);
		return code ? code : EXIT_FAILED;
	}
	return code;
}

int main(int argc, char **argv)
{
	struct diag diag = { .program = "ascprof" };
	const struct command *c;
	int code;

	if (argc < 2) {
		fputs("ascprof: a command was expected (see ascprof --help)\n", stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help();
		return finish(EXIT_DONE);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("ascprof " ASCPROF_VERSION);
		return finish(EXIT_DONE);
	}
	if (!strcmp(argv[1], "help"))
		return finish(help_of(argc - 1, argv + 1));
	c = find(argv[1]);
	if (!c)
		return unknown(argv[1]);
	code = c->run(c, argc - 1, argv + 1, &diag);
	if (code == EXIT_FAILED)
		fprintf(stderr, "ascprof %s: %s\n", c->name, diag.error);
	return finish(code);
}
