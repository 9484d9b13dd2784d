/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof help: of all, or of one command; and what is made of the same table when ascprof is built. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/completion.h"
#include "tools/manual.h"
#include "tools/options.h"

/* Options without a help text are not shown: they are for scripts/generate.sh. */
static const struct option_def options[] = {
	{ 'c', "completion", "SHELL", NULL, OPTION_CHOICE, .choices = "bash fish zsh" },
	{ 'm', "man", .help = NULL },
	{ 0 },
};

static void (*const completions[])(void) = { completion_bash, completion_fish, completion_zsh };

static void help(void)
{
	puts("Usage: ascprof COMMAND [options] [operands]\n\n"
	     "Records programs with libascprof, watches counters, and reads what was recorded.\n\nCommands:");
	for (const struct command *const *c = commands; *c; c++)
		printf("  %-10s %s\n", (*c)->name, (*c)->summary);
	puts("\nOptions:\n"
	     "  -h, --help       print this help\n"
	     "  -V, --version    print the version\n\n"
	     "ascprof COMMAND --help tells more. Exit status: 0 done, 1 failed, 2 wrong usage,\n"
	     "3 data was lost, or the accounting of a directory does not hold; of record and\n"
	     "stat that of their program.");
}

static int run(const struct command *c, int argc, char **argv, struct diag *diag)
{
	const struct command *of = NULL;
	struct option_value value;
	bool man = false;
	int letter;

	(void)diag;
	while ((letter = options_read(c, argc, argv, &value)) != OPTIONS_END) {
		if (letter < 0)
			return letter == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
		if (letter == 'c') {
			completions[value.number]();
			return EXIT_DONE;
		}
		man = true;
	}
	if (argc - optind > 1)
		return options_wrong(c, "one command was expected, not also \"%s\"", argv[optind + 1]);
	if (optind < argc) {
		of = command_find(argv[optind]);
		if (!of)
			return command_unknown(argv[optind]);
	}
	if (man)
		manual_print(of);
	else if (of)
		options_help(of);
	else
		help();
	return EXIT_DONE;
}

const struct command command_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.summary = "print the help of a command",
	.text = "Prints what ascprof can do, or the options of a command.",
	.options = options,
	.run = run,
};
