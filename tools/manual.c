/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/manual.h"

#include <stdio.h>
#include <string.h>

/* What roff would take for something else. A new line begins where the text has one. */
static void put_text(const char *text)
{
	bool begin = true;

	for (; *text; text++) {
		if (begin && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
		/* roff wants a line for each sentence */
		if (*text == '.' && text[1] == ' ' && text[2] >= 'A' && text[2] <= 'Z') {
			putchar('\n');
			text++;
		}
		begin = *text == '\n';
	}
	putchar('\n');
}

static void put_option(const struct option_def *o)
{
	fputs(".It ", stdout);
	if (options_short(o))
		printf("Fl %c , ", o->letter);
	printf("Fl \\-%s", o->name);
	if (o->argument)
		printf(" Ar %s", o->argument);
	putchar('\n');
	put_text(o->help);
}

static void put_synopsis(const struct command *c)
{
	printf(".Sh SYNOPSIS\n.Nm ascprof %s\n", c->name);
	for (const struct option_def *o = c->options; o->letter; o++) {
		if (!o->help)
			continue;
		if (options_short(o))
			printf(".Op Fl %c", o->letter);
		else
			printf(".Op Fl \\-%s", o->name);
		printf("%s%s\n", o->argument ? " Ar " : "", o->argument ? o->argument : "");
	}
	if (*c->operands)
		put_text(c->operands);
}

static void put_status(const struct command *c)
{
	const char *at = c->status;

	puts(".Sh EXIT STATUS\n.Bl -tag -width Ds -compact");
	if (!at)
		at = "0 Done.\n1 Failed, with the reason in one line.\n2 Wrong usage.";
	while (at) {
		const char *end = strchr(at, '\n'), *text = strchr(at, ' ') + 1;
		int len = end ? (int)(end - text) : (int)strlen(text);
		char one[256];

		snprintf(one, sizeof(one), "%.*s", len, text);
		printf(".It %.*s\n", (int)(text - at) - 1, at);
		put_text(one);
		at = end ? end + 1 : NULL;
	}
	puts(".El");
}

static void put_title(const char *name)
{
	printf(".\\\" SPDX-License-Identifier: Apache-2.0\n"
	       ".\\\" Made by scripts/generate.sh from the table of options and packaging/man/parts.\n"
	       ".Dd November 30, 2026\n.Dt %s 1\n.Os\n", name);
}

static void put_page(const struct command *c)
{
	char title[64] = "ASCPROF-";
	size_t len = strlen(title);

	for (const char *p = c->name; *p && len + 1 < sizeof(title); p++)
		title[len++] = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
	put_title(title);
	printf(".Sh NAME\n.Nm ascprof-%s\n.Nd %s\n", c->name, c->summary);
	put_synopsis(c);
	puts(".Sh DESCRIPTION");
	put_text(c->text);
	puts(".Bl -tag -width Ds");
	for (const struct option_def *o = c->options; o->letter; o++)
		if (o->help)
			put_option(o);
	put_option(&options_help_def);
	puts(".El");
	put_status(c);
	puts(".Sh SEE ALSO\n.Xr ascprof 1");
}

static void put_list(void)
{
	put_title("ASCPROF");
	puts(".Sh COMMANDS\n.Bl -tag -width ascprof\\-repair");
	for (const struct command *const *c = commands; *c; c++)
		printf(".It Xr ascprof-%s 1\n%s\n", (*c)->name, (*c)->summary);
	puts(".El");
}

void manual_print(const struct command *c)
{
	if (c)
		put_page(c);
	else
		put_list();
}
