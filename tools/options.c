/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_OPTIONS 40
#define HELP_COLUMN 26

const struct option_def options_help_def = { 'h', "help", .help = "print this help" };

static const struct option_def *by_letter(const struct command *c, int letter)
{
	for (const struct option_def *o = c->options; o->letter; o++)
		if (o->letter == letter)
			return o;
	return letter == options_help_def.letter ? &options_help_def : NULL;
}

static void fill(const struct command *c, struct option *table, char *letters)
{
	const struct option_def *o = c->options;

	if (c->program)
		*letters++ = '+'; /* options end at the first operand */
	*letters++ = ':'; /* a missing argument is told apart */
	for (int i = 0; i < MOST_OPTIONS; i++) {
		const struct option_def *def = o->letter ? o : &options_help_def;

		table[i] = (struct option){
			.name = def->name,
			.has_arg = def->argument ? required_argument : no_argument,
			.val = def->letter,
		};
		if (options_short(def)) {
			*letters++ = def->letter;
			if (def->argument)
				*letters++ = ':';
		}
		if (def == &options_help_def)
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

static int judged(const struct command *c, int letter, struct option_value *value)
{
	const struct option_def *o = by_letter(c, letter);
	char expected[256];

	*value = (struct option_value){ .text = optarg };
	if (!o->argument || options_parse(o, optarg, value, expected))
		return letter;
	options_wrong(c, "option --%s: %s was expected, not \"%s\"", o->name, expected, optarg);
	return OPTIONS_BAD;
}

int options_read(const struct command *c, int argc, char **argv, struct option_value *value)
{
	struct option table[MOST_OPTIONS + 2] = { 0 };
	char letters[2 * MOST_OPTIONS + 5];
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
		return judged(c, letter, value);
	}
}

int options_next(const struct command *c, int argc, char **argv, const char **value)
{
	struct option_value read;
	int letter = options_read(c, argc, argv, &read);

	if (letter > 0)
		*value = read.text;
	return letter;
}

int options_flags_dirs(const struct command *c, int argc, char **argv, char given[OPTIONS_FLAGS])
{
	const char *value;
	int letter;
	size_t nr = 0;

	memset(given, 0, OPTIONS_FLAGS);
	while ((letter = options_next(c, argc, argv, &value)) != OPTIONS_END) {
		if (letter < 0)
			return letter == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
		if (!strchr(given, letter) && nr < OPTIONS_FLAGS - 1)
			given[nr++] = (char)letter;
	}
	if (optind == argc)
		return options_wrong(c, "argument DIR: a result directory was expected");
	return OPTIONS_END;
}

static void print_option(const struct option_def *o)
{
	char left[80], letter[8] = "    ";
	const char *line = o->help;

	if (options_short(o))
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(left, sizeof(left), "  %s--%s%s%s", letter, o->name, o->argument ? " " : "",
		 o->argument ? o->argument : "");
	/* A line of its own for what would touch its text. */
	if (strlen(left) >= HELP_COLUMN) {
		puts(left);
		left[0] = 0;
	}
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
	printf("Usage: ascprof %s [options]%s%s\n\n%s\n\nOptions:\n", c->name, *c->operands ? " " : "", c->operands,
	       c->text);
	for (const struct option_def *o = c->options; o->letter; o++)
		if (o->help)
			print_option(o);
	print_option(&options_help_def);
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
