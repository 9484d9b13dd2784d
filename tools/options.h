/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subcommands and their options: one table drives parsing, --help, the manual
 * pages (manual.h) and the completions of shells (completion.h).
 */
#ifndef ASCPROF_OPTIONS_H
#define ASCPROF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "export/diag.h"

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_MISMATCH = 3, /* data was lost, or the accounting of a directory does not hold */
	EXIT_SLOWER = 4, /* diff: a name is slower, and repeated runs support that */
};

/* What the argument of an option is. What is wrong with one is told once, by options_read(). */
enum option_type {
	OPTION_TEXT, /* anything; the command looks at it */
	OPTION_PATH, /* a file or folder; not empty */
	OPTION_NUMBER, /* decimal, from min to max; @unit may stand behind it */
	OPTION_SIZE, /* bytes from min to max: a number and KB, MB, GB or KiB, MiB, GiB */
	OPTION_DURATION, /* ns from min to max: a number, with a point or without, and ms, s, min or h */
	OPTION_CHOICE, /* one of @choices */
	OPTION_LIST, /* some of @choices, separated by commas */
	OPTION_IDS, /* numbers from min to max, below 64: "0,2,4-7" */
};

struct option_def {
	char letter; /* what parsing returns; one below ' ' is for the long name only */
	const char *name;
	const char *argument; /* NULL: takes none */
	const char *help; /* lines after the first are indented */
	enum option_type type;
	uint64_t min, max;
	const char *choices; /* words, separated by spaces */
	const char *unit; /* OPTION_NUMBER: "Hz", ... */
};

struct option_value {
	const char *text;
	uint64_t number; /* of OPTION_NUMBER, bytes, ns, the index of the choice */
	uint64_t set; /* of OPTION_LIST and OPTION_IDS: a bit for each */
};

struct command {
	const char *name;
	const char *operands; /* behind the options in the usage line */
	const char *summary; /* one line */
	const char *text; /* what it does, for --help */
	const struct option_def *options; /* ends with letter 0 */
	int (*run)(const struct command *c, int argc, char **argv, struct diag *diag);
	bool program; /* the first operand is a program: what follows are its options */
	const char *status; /* exit status, where it is not that of all: lines "N text" */
};

extern const struct command command_bridge;
extern const struct command command_diff;
extern const struct command command_doctor;
extern const struct command command_export;
extern const struct command command_help;
extern const struct command command_info;
extern const struct command command_record;
extern const struct command command_repair;
extern const struct command command_report;
extern const struct command command_serve;
extern const struct command command_stat;
extern const struct command command_top;
extern const struct command command_unpack;
extern const struct command command_verify;

/* All of them, in the order of help; up to NULL. */
extern const struct command *const commands[];

const struct command *command_find(const char *name);
/* One line on stderr. Return: EXIT_USAGE. */
int command_unknown(const char *name);

/* What options_next() and options_read() return beside the letters. */
#define OPTIONS_END (-1)
#define OPTIONS_HELP (-2) /* help was printed */
#define OPTIONS_BAD (-3) /* an error was printed */

/*
 * The next option of argv[1...], its argument in *@value. At the end, *@value
 * is not changed and optind is the first operand. -h and --help belong to every
 * command.
 */
int options_read(const struct command *c, int argc, char **argv, struct option_value *value);
/* The same for who wants the text only; it is checked all the same. */
int options_next(const struct command *c, int argc, char **argv, const char **value);

/*
 * For a command whose options take no arguments and whose operands are directories:
 * @given gets the letters of those that were given. Return: OPTIONS_END, and optind is
 * the first directory; else the exit code.
 */
#define OPTIONS_FLAGS 8
int options_flags_dirs(const struct command *c, int argc, char **argv, char given[OPTIONS_FLAGS]);

/*
 * Judges @text as the argument of @o. Return: false with what was expected in
 * @expected.
 */
bool options_parse(const struct option_def *o, const char *text, struct option_value *value, char expected[256]);

/* The option that every command has. */
extern const struct option_def options_help_def;
/* Has it a short form? */
static inline bool options_short(const struct option_def *o)
{
	return o->letter > ' ';
}

/* Word @i of @o's choices, its length in *@len; NULL: there are no more. */
const char *options_choice(const struct option_def *o, unsigned int i, int *len);

void options_help(const struct command *c);
/* One line on stderr: what is wrong and where help is. Return: EXIT_USAGE. */
int options_wrong(const struct command *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* ASCPROF_OPTIONS_H */
