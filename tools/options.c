/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_OPTIONS 30
#define HELP_COLUMN 26

static const struct option_def help_option = { 'h', "help", NULL, "print this help" };

static const struct option_def *by_letter(const struct command *c, int letter)
{
	for (const struct option_def *o = c->options; o->letter; o++)
		if (o->letter == letter)
			return o;
	return letter == help_option.letter ? &help_option : NULL;
}

static void fill(const struct command *c, struct option *table, char *letters)
{
	const struct option_def *o = c->options;

	*letters++ = ':'; /* a missing argument is told apart */
	for (int i = 0; i < MOST_OPTIONS; i++) {
		const struct option_def *def = o->letter ? o : &help_option;

		table[i] = (struct option){
			.name = def->name,
			.has_arg = def->argument ? required_argument : no_argument,
			.val = def->letter,
		};
		*letters++ = def->letter;
		if (def->argument)
			*letters++ = ':';
		if (def == &help_option)
			break;
		o++;
	}
	*letters = 0;
}

/* The argument that getopt stumbled over. */
static const char *culprit(char **argv)
{
	return optind > 0 ? argv[optind - 1] : "";
}

int options_next(const struct command *c, int argc, char **argv, const char **value)
{
	struct option table[MOST_OPTIONS + 2] = { 0 };
	char letters[2 * MOST_OPTIONS + 4];
	const struct option_def *o;
	int letter;

	fill(c, table, letters);
	opterr = 0;
	letter = getopt_long(argc, argv, letters, table, NULL);
	switch (letter) {
	case -1:
		return OPTIONS_END;
	case 'h':
		options_help(c);
		return OPTIONS_HELP;
	case ':':
		o = by_letter(c, optopt);
		options_wrong(c, "option --%s needs an argument: %s", o->name, o->argument);
		return OPTIONS_BAD;
	case '?':
		o = optopt ? by_letter(c, optopt) : NULL;
		if (o)
			options_wrong(c, "option --%s takes no argument", o->name);
		else if (optopt)
			options_wrong(c, "option -%c is not known", optopt);
		else
			options_wrong(c, "option %s is not known, or short for more than one",
				      culprit(argv));
		return OPTIONS_BAD;
	default:
		*value = optarg;
		return letter;
	}
}

static void print_option(const struct option_def *o)
{
	char left[64];
	const char *line = o->help;

	snprintf(left, sizeof(left), "  -%c, --%s%s%s", o->letter, o->name,
		 o->argument ? " " : "", o->argument ? o->argument : "");
	while (line) {
		const char *end = strchr(line, '\n');
		int len = end ? (int)(end - line) : (int)strlen(line);

		printf("%-*s%.*s\n", HELP_COLUMN, left, len, line);
		left[0] = 0;
		line = end ? end + 1 : NULL;
	}
}

void options_help(const struct command *c)
{
	printf("Usage: ascprof %s [options] %s\n\n%s\n\nOptions:\n", c->name, c->operands, c->text);
	for (const struct option_def *o = c->options; o->letter; o++)
		print_option(o);
	print_option(&help_option);
}

int options_wrong(const struct command *c, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "ascprof %s: ", c->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (see ascprof %s --help)\n", c->name);
	return EXIT_USAGE;
}
