/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subcommands and their options: one table drives parsing, --help and the
 * check of the manual page.
 */
#ifndef ASCPROF_OPTIONS_H
#define ASCPROF_OPTIONS_H

#include "export/diag.h"

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_MISMATCH = 3, /* the accounting of a directory does not hold; verify: data are lost */
	EXIT_SLOWER = 4, /* diff: a name is slower, and repeated runs support that */
};

struct option_def {
	char letter; /* what parsing returns */
	const char *name;
	const char *argument; /* NULL: takes none */
	const char *help; /* lines after the first are indented */
};

struct command {
	const char *name;
	const char *operands; /* behind the options in the usage line */
	const char *summary; /* one line */
	const char *text; /* what it does, for --help */
	const struct option_def *options; /* ends with letter 0 */
	int (*run)(const struct command *c, int argc, char **argv, struct diag *diag);
};

extern const struct command command_bridge;
extern const struct command command_diff;
extern const struct command command_doctor;
extern const struct command command_export;
extern const struct command command_report;
extern const struct command command_repair;
extern const struct command command_serve;
extern const struct command command_unpack;
extern const struct command command_verify;

/* What options_next() returns beside the letters. */
#define OPTIONS_END (-1)
#define OPTIONS_HELP (-2) /* help was printed */
#define OPTIONS_BAD (-3) /* an error was printed */

/*
 * The next option of argv[1...], its argument in *@value. At the end, *@value
 * is not changed and optind is the first operand. -h and --help belong to every
 * command.
 */
int options_next(const struct command *c, int argc, char **argv, const char **value);

void options_help(const struct command *c);
/* One line on stderr: what is wrong and where help is. Return: EXIT_USAGE. */
int options_wrong(const struct command *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* ASCPROF_OPTIONS_H */
