// SPDX-License-Identifier: Apache-2.0
/* Reads the calls of a row, makes them, and compares; the notation is told in rows.c. */
#include "rows.h"

#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>

#include "tests/process/t.h"

#define VARIABLES 16
#define TEXT_BYTES 16384

static struct variable {
	char name[16];
	uint64_t value;
} variables[VARIABLES];

static const char *folder; /* of the row */
static unsigned char junk[512]; /* a pointer that is no object */

_Noreturn void row_broken(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(T_FAIL);
}

/* ---- reading ---- */

static char *at; /* what is left of the calls */

static void blanks(void)
{
	while (*at == ' ')
		at++;
}

static bool take(const char *token)
{
	blanks();
	if (strncmp(at, token, strlen(token)))
		return false;
	at += strlen(token);
	return true;
}

static void need(const char *token)
{
	if (!take(token))
		row_broken("expected %s at: %.40s", token, at);
}

static const char *word(void)
{
	static char name[64];
	size_t n = 0;

	blanks();
	while ((isalnum((unsigned char)*at) || *at == '_') && n < sizeof(name) - 1)
		name[n++] = *at++;
	name[n] = '\0';
	return name;
}

static struct variable *variable(const char *name)
{
	for (size_t i = 0; i < VARIABLES; i++) {
		if (!variables[i].name[0])
			snprintf(variables[i].name, sizeof(variables[i].name), "%s", name);
		if (!strcmp(variables[i].name, name))
			return &variables[i];
	}
	row_broken("too many variables");
}

static char character(void)
{
	char c = *at++;

	if (c != '\\')
		return c;
	c = *at++;
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'x': {
		char hex[3] = { at[0], at[0] ? at[1] : '\0', '\0' };

		at += strlen(hex);
		return (char)strtoul(hex, NULL, 16);
	}
	default:
		return c;
	}
}

/* One quoted text with its repetition; returns what was added. */
static size_t quoted(char *to, size_t room)
{
	char quote = *at++;
	unsigned long times = 1;
	size_t n = 0, once;

	while (*at && *at != quote) {
		if (at[0] == '%' && at[1] == 'D') {
			n += (size_t)snprintf(to + n, room - n, "%s", folder);
			at += 2;
			continue;
		}
		if (n + 1 >= room)
			row_broken("a text is too long");
		to[n++] = character();
	}
	if (!*at++)
		row_broken("a text has no end");
	once = n;
	if (take("*"))
		times = strtoul(at, &at, 10);
	if (once * times >= room)
		row_broken("a text is too long");
	for (n = 0; times; times--, n += once)
		memmove(to + n, to, once);
	return n;
}

static bool is_text(void)
{
	blanks();
	return *at == '\'' || *at == '"';
}

/* Never freed: the interface may keep it, and the program is short. */
static char *joined(void)
{
	static char texts[8][TEXT_BYTES];
	static unsigned int used;
	char *to;
	size_t n = 0;

	to = texts[used++ % 8];
	do {
		blanks();
		n += quoted(to + n, TEXT_BYTES - n);
	} while (take("+") && is_text());
	to[n] = '\0';
	return to;
}

static uint64_t number(void)
{
	uint64_t value = 0;

	do {
		blanks();
		if (isdigit((unsigned char)*at) || *at == '-') {
			bool minus = take("-");
			uint64_t n = strtoull(at, &at, 0);

			value |= minus ? -n : n;
		} else {
			const char *name = word();
			const struct row_name *constant = row_name(name);

			if (!*name)
				row_broken("expected a value at: %.40s", at);
			value |= constant ? constant->number :
				 !strcmp(name, "junk") ? (uintptr_t)junk : variable(name)->value;
		}
	} while (take("|"));
	return value;
}

static void argument(struct argument *a)
{
	memset(a, 0, sizeof(*a));
	if (take("&")) {
		a->out = &variable(word())->value;
	} else if (take("[")) {
		while (!take("]")) {
			if (a->listed == ROW_LIST)
				row_broken("a list is too long");
			a->list[a->listed++] = (uint32_t)number();
			take(",");
		}
	} else if (is_text()) {
		a->text = joined();
	} else {
		a->number = number();
	}
}

/* ---- calling ---- */

struct step {
	char source[256]; /* the call as the row has it, for messages */
	const struct row_call *call;
	struct arguments a;
	struct answer got;
	char *last_error;
};

static void *make(void *arg)
{
	struct step *s = arg;

	s->got = s->call->call(&s->a);
	s->last_error = strdup(ascprof_last_error());
	return NULL;
}

static void show(const struct step *s, const char *expected)
{
	char got[64];

	snprintf(got, sizeof(got), s->got.kind == ANSWER_POINTER ? "%#llx" : "%lld",
		 (unsigned long long)s->got.number);
	printf("%s\n  expected %s, got %s%s%s\n", s->source, expected,
	       s->got.kind == ANSWER_NOTHING ? "nothing" : got, s->got.text ? " = " : "",
	       s->got.text ? s->got.text : "");
	if (*s->last_error)
		printf("  ascprof_last_error(): %s\n", s->last_error);
	exit(T_FAIL);
}

static bool expected(const struct answer *got, uint64_t *plain)
{
	*plain = 0;
	if (is_text()) {
		const char *wanted = joined();

		return got->kind == ANSWER_TEXT && got->text && !strcmp(got->text, wanted);
	}
	if (take("void"))
		return got->kind == ANSWER_NOTHING;
	if (take("object"))
		return got->kind == ANSWER_POINTER && got->number;
	if (take("nonzero"))
		return got->kind == ANSWER_NUMBER && got->number;
	*plain = number();
	return got->kind != ANSWER_NOTHING && got->number == *plain;
}

/* Takes {words}, and looks for them. */
static void check_words(const struct step *s)
{
	char words[256], *one, *next, *choice, *other;
	size_t n;

	if (!take("{"))
		return;
	n = strcspn(at, "}");
	snprintf(words, sizeof(words), "%.*s", (int)n, at);
	at += n;
	need("}");
	for (one = strtok_r(words, " ", &next); one; one = strtok_r(NULL, " ", &next)) {
		char wanted[256];
		bool found = false;

		snprintf(wanted, sizeof(wanted), "%s", one);
		for (choice = strtok_r(one, "|", &other); choice; choice = strtok_r(NULL, "|", &other))
			found |= strstr(s->last_error, choice) != NULL;
		if (!found)
			row_broken("%s\n  the message lacks %s: %s", s->source, wanted, s->last_error);
	}
	if (strchr(s->last_error, '\n'))
		row_broken("%s\n  a message of more than one line: %s", s->source, s->last_error);
}

static void step(void)
{
	struct step s = { .call = NULL };
	char *begin = at, name[64], *arrow;
	bool other = false, good;
	uint64_t plain;

	snprintf(name, sizeof(name), "%s", word());
	if (take(":=")) {
		char to[16];

		snprintf(to, sizeof(to), "%.15s", name);
		variable(to); /* so that "to" is known, whatever comes */
		other = take("@");
		snprintf(name, sizeof(name), "%s", word());
		snprintf(s.source, sizeof(s.source), "%s", to);
	} else if (!*name && take("@")) {
		other = true;
		snprintf(name, sizeof(name), "%s", word());
	}
	s.call = row_call(name);
	if (!s.call)
		row_broken("no such call: %s", name);
	need("(");
	while (!take(")")) {
		if (s.a.count == ROW_ARGS)
			row_broken("%s: too many arguments", name);
		argument(&s.a.at[s.a.count++]);
		take(",");
	}
	if (s.a.count < s.call->least || s.a.count > s.call->most)
		row_broken("%s takes %u to %u arguments", name, s.call->least, s.call->most);
	if (other) {
		pthread_t thread;

		pthread_create(&thread, NULL, make, &s);
		pthread_join(thread, NULL);
	} else {
		make(&s);
	}
	if (*s.source)
		variable(s.source)->value = s.got.number;
	snprintf(s.source, sizeof(s.source), "%.*s", (int)(at - begin), begin);
	need("->");
	blanks();
	arrow = at;
	good = expected(&s.got, &plain);
	if (!good)
		show(&s, t_path("%.*s", (int)(at - arrow > 0 ? at - arrow : 1), arrow));
	check_words(&s);
	free(s.last_error);
}

void row_steps(char *calls, const char *here)
{
	folder = here;
	at = calls;
	do {
		step();
	} while (take(";"));
	blanks();
	if (*at)
		row_broken("cannot read on at: %.40s", at);
}
