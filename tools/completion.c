/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/completion.h"

#include <stdio.h>
#include <string.h>

#include "tools/options.h"

#define LICENSE "# SPDX-License-Identifier: Apache-2.0\n"
#define MADE "# Made by scripts/generate.sh from the table of options.\n"

static bool is_path(const struct option_def *o)
{
	return o->type == OPTION_PATH;
}

static bool has_words(const struct option_def *o)
{
	return o->type == OPTION_CHOICE || o->type == OPTION_LIST;
}

/* Calls @fn for each option that help shows. */
static void each_option(const struct command *c, void (*fn)(const struct command *c, const struct option_def *o))
{
	for (const struct option_def *o = c->options; o->letter; o++)
		if (o->help)
			fn(c, o);
	fn(c, &options_help_def);
}

/* What describes an option or a command in one line, with @special escaped by a backslash. */
static void put_words(const char *text, const char *special)
{
	for (; *text && *text != '\n'; text++) {
		if (*text == '\'') /* all of it is between such */
			fputs("'\\''", stdout);
		else if (strchr(special, *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void put_names(void)
{
	for (const struct command *const *c = commands; *c; c++)
		printf("%s%s", c == commands ? "" : " ", (*c)->name);
}

/* ---- bash ---- */

static void bash_name(const struct command *c, const struct option_def *o)
{
	(void)c;
	printf(" --%s", o->name);
}

static void bash_argument(const struct command *c, const struct option_def *o)
{
	if (!o->argument)
		return;
	printf("\t'%s --%s'", c->name, o->name);
	if (options_short(o))
		printf("|'%s -%c'", c->name, o->letter);
	if (o->type == OPTION_LIST)
		printf(") _ascprof_list '%s' \"$cur\" ;;\n", o->choices);
	else if (o->type == OPTION_CHOICE)
		printf(") mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\") ;;\n", o->choices);
	else if (is_path(o))
		fputs(") mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n", stdout);
	else
		fputs(") ;;\n", stdout);
}

void completion_bash(void)
{
	fputs("# shellcheck shell=bash\n" LICENSE MADE "\n"
	      "# The last of words that are separated by commas\n"
	      "_ascprof_list()\n{\n"
	      "\tlocal before=\n"
	      "\tcase $2 in *,*) before=${2%,*}, ;; esac\n"
	      "\tcompopt -o nospace\n"
	      "\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${2##*,}\")\n}\n\n"
	      "_ascprof()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} prev=${COMP_WORDS[COMP_CWORD - 1]} i\n"
	      "\tCOMPREPLY=()\n"
	      "\tif ((COMP_CWORD == 1)); then\n\t\tmapfile -t COMPREPLY < <(compgen -W '", stdout);
	put_names();
	fputs(" --help --version' -- \"$cur\")\n\t\treturn\n\tfi\n", stdout);
	fputs("\tif [ \"$prev\" = = ]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
	      "\telif [ \"$cur\" = = ]; then\n\t\tcur=\n\tfi\n"
	      "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	      "\t\t[ \"${COMP_WORDS[i]}\" = -- ] || continue\n"
	      "\t\tif ((i + 1 == COMP_CWORD)); then\n"
	      "\t\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
	      "\t\telse\n\t\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n\t\tfi\n"
	      "\t\treturn\n\tdone\n"
	      "\tcase \"$command $prev\" in\n", stdout);
	for (const struct command *const *c = commands; *c; c++)
		each_option(*c, bash_argument);
	fputs("\t'help help') mapfile -t COMPREPLY < <(compgen -W '", stdout);
	put_names();
	fputs("' -- \"$cur\") ;;\n\t*)\n\t\tcase $command$cur in\n", stdout);
	for (const struct command *const *c = commands; *c; c++) {
		printf("\t\t%s-*) mapfile -t COMPREPLY < <(compgen -W '", (*c)->name);
		each_option(*c, bash_name);
		fputs("' -- \"$cur\") ;;\n", stdout);
	}
	fputs("\t\t*) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n\t\tesac\n\t\t;;\n\tesac\n}\n"
	      "complete -o filenames -F _ascprof ascprof\n", stdout);
}

/* ---- zsh ---- */

static void zsh_option(const struct command *c, const struct option_def *o)
{
	(void)c;
	fputs(" \\\n\t\t\t'", stdout);
	if (options_short(o))
		printf("(-%c --%s)'{-%c,--%s}'", o->letter, o->name, o->letter, o->name);
	else
		printf("--%s", o->name);
	fputs("[", stdout);
	put_words(o->help, "[]:\\");
	fputs("]", stdout);
	if (o->argument) {
		printf(":%s:", o->argument);
		if (o->type == OPTION_LIST)
			printf("_values -s , %s %s", o->name, o->choices);
		else if (o->type == OPTION_CHOICE)
			printf("(%s)", o->choices);
		else if (is_path(o))
			fputs("_files", stdout);
	}
	putchar('\'');
}

void completion_zsh(void)
{
	fputs("#compdef ascprof\n" LICENSE MADE "\n"
	      "_ascprof()\n{\n\tlocal -a names\n\tnames=(\n", stdout);
	for (const struct command *const *c = commands; *c; c++) {
		printf("\t\t'%s:", (*c)->name);
		put_words((*c)->summary, ":\\");
		fputs("'\n", stdout);
	}
	fputs("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command names\n\t\treturn\n\tfi\n"
	      "\tshift words\n\t(( CURRENT-- ))\n\tcase $words[1] in\n", stdout);
	for (const struct command *const *c = commands; *c; c++) {
		printf("\t%s)\n\t\t_arguments -S", (*c)->name);
		each_option(*c, zsh_option);
		if ((*c)->program)
			fputs(" \\\n\t\t\t'*::program:_normal'", stdout);
		else if (*c == &command_help)
			fputs(" \\\n\t\t\t'*:command:(${names%%:*})'", stdout);
		else if (*(*c)->operands)
			fputs(" \\\n\t\t\t'*:directory:_files -/'", stdout);
		fputs("\n\t\t;;\n", stdout);
	}
	fputs("\tesac\n}\n\n_ascprof \"$@\"\n", stdout);
}

/* ---- fish ---- */

static void fish_option(const struct command *c, const struct option_def *o)
{
	printf("complete -c ascprof -n '__fish_seen_subcommand_from %s'", c->name);
	if (options_short(o))
		printf(" -s %c", o->letter);
	printf(" -l %s", o->name);
	if (o->argument)
		fputs(is_path(o) ? " -r" : " -x", stdout);
	if (o->type == OPTION_LIST)
		printf(" -a '(__fish_append , %s)'", o->choices);
	else if (has_words(o))
		printf(" -a '%s'", o->choices);
	fputs(" -d '", stdout);
	put_words(o->help, "");
	fputs("'\n", stdout);
}

void completion_fish(void)
{
	fputs(LICENSE MADE "\n", stdout);
	for (const struct command *const *c = commands; *c; c++) {
		printf("complete -c ascprof -f -n __fish_use_subcommand -a %s -d '", (*c)->name);
		put_words((*c)->summary, "");
		fputs("'\n", stdout);
	}
	for (const struct command *const *c = commands; *c; c++) {
		each_option(*c, fish_option);
		if ((*c)->program)
			printf("complete -c ascprof -n '__fish_seen_subcommand_from %s' -a '(__fish_complete_command)'\n",
			       (*c)->name);
	}
	fputs("complete -c ascprof -f -n '__fish_seen_subcommand_from help' -a '", stdout);
	put_names();
	fputs("'\n", stdout);
}
