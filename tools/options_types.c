/* SPDX-License-Identifier: Apache-2.0 */
/* One parser for each type of option. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/options.h"

struct unit {
	const char *name;
	uint64_t factor;
};

/* In order of size, so that limits are told in the largest that divides them. */
static const struct unit sizes[] = {
	{ "", 1 }, { "KB", 1000 }, { "KiB", 1024 }, { "MB", 1000000 }, { "MiB", 1 << 20 },
	{ "GB", 1000000000 }, { "GiB", 1 << 30 }, { 0 },
};
static const struct unit times[] = {
	{ "ms", 1000000 }, { "s", 1000000000 }, { "min", 60000000000 }, { "h", 3600000000000 }, { 0 },
};

const char *options_choice(const struct option_def *o, unsigned int i, int *len)
{
	const char *at = o->choices;

	while (at && i--) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	if (at)
		*len = (int)strcspn(at, " ");
	return at;
}

/* Index of a word among the choices, or -1. */
static int choice_of(const struct option_def *o, const char *word, size_t n)
{
	const char *choice;
	int len;

	for (unsigned int i = 0; (choice = options_choice(o, i, &len)); i++)
		if ((size_t)len == n && !strncmp(choice, word, n))
			return (int)i;
	return -1;
}

/* Decimal digits at *@at. */
static bool digits(const char **at, uint64_t *value)
{
	const char *from = *at;

	for (*value = 0; **at >= '0' && **at <= '9'; (*at)++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(**at - '0'), value))
			return false;
	return *at != from;
}

/* A number with up to nine digits behind a point, and a unit: in the least of them. */
static bool measured(const char *text, const struct unit *units, uint64_t *value)
{
	uint64_t whole, part = 0, scale = 1;
	const struct unit *u = units;
	unsigned __int128 sum;

	if (!digits(&text, &whole))
		return false;
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9' && scale < 1000000000; text++, scale *= 10)
			part = part * 10 + (uint64_t)(*text - '0');
		if (scale == 1)
			return false;
	}
	while (u->name && strcmp(u->name, text))
		u++;
	if (!u->name)
		return false;
	sum = (unsigned __int128)whole * u->factor + (unsigned __int128)part * u->factor / scale;
	*value = (uint64_t)sum;
	return sum == *value;
}

static bool number(const struct option_def *o, const char *text, uint64_t *value)
{
	if (!digits(&text, value))
		return false;
	return !*text || (o->unit && !strcmp(text, o->unit));
}

static bool list(const struct option_def *o, const char *text, uint64_t *set)
{
	for (*set = 0;; text++) {
		size_t len = strcspn(text, ",");
		int choice = choice_of(o, text, len);

		if (choice < 0)
			return false;
		*set |= 1ULL << choice;
		text += len;
		if (!*text)
			return true;
	}
}

static bool ids(const struct option_def *o, const char *text, uint64_t *set)
{
	for (*set = 0;; text++) {
		uint64_t first, last;

		if (!digits(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!digits(&text, &last))
				return false;
		}
		if (first < o->min || last > o->max || first > last)
			return false;
		for (uint64_t id = first; id <= last; id++)
			*set |= 1ULL << id;
		if (*text != ',')
			return !*text;
	}
}

static void with_unit(char *text, size_t size, uint64_t value, const struct unit *units)
{
	const struct unit *best = units;

	for (const struct unit *u = units; u->name; u++)
		if (value >= u->factor && value % u->factor == 0)
			best = u;
	snprintf(text, size, "%" PRIu64 "%s", value / best->factor, best->name);
}

static void expect_measured(const struct option_def *o, char *expected, const char *what, const struct unit *units)
{
	char min[32], max[32];

	with_unit(min, sizeof(min), o->min, units);
	with_unit(max, sizeof(max), o->max, units);
	snprintf(expected, 256, "%s from %s to %s", what, min, max);
}

/* "a, b or c", or for a list "some of a, b, c, separated by commas". */
static void expect_choices(const struct option_def *o, char *expected)
{
	bool some = o->type == OPTION_LIST;
	const char *choice, *next;
	int len, next_len, n = 0;

	n = snprintf(expected, 256, "%s", some ? "some of " : "");
	for (unsigned int i = 0; (choice = options_choice(o, i, &len)) && n < 256; i++) {
		next = options_choice(o, i + 1, &next_len);
		n += snprintf(expected + n, (size_t)(256 - n), "%s%.*s",
			      !i ? "" : next || some ? ", " : " or ", len, choice);
	}
	if (some && n < 256)
		snprintf(expected + n, (size_t)(256 - n), ", separated by commas");
}

bool options_parse(const struct option_def *o, const char *text, struct option_value *value, char expected[256])
{
	bool good = false;
	int choice;

	value->text = text;
	switch (o->type) {
	case OPTION_TEXT:
		return true;
	case OPTION_PATH:
		snprintf(expected, 256, "a name");
		return *text;
	case OPTION_NUMBER:
		snprintf(expected, 256, "a number from %" PRIu64 " to %" PRIu64 "%s%s", o->min, o->max,
			 o->unit ? " " : "", o->unit ? o->unit : "");
		good = number(o, text, &value->number);
		break;
	case OPTION_SIZE:
		expect_measured(o, expected, "a size", sizes);
		good = measured(text, sizes, &value->number);
		break;
	case OPTION_DURATION:
		expect_measured(o, expected, "a time", times);
		good = measured(text, times, &value->number);
		break;
	case OPTION_CHOICE:
		expect_choices(o, expected);
		choice = choice_of(o, text, strlen(text));
		value->number = (uint64_t)choice;
		return choice >= 0;
	case OPTION_LIST:
		expect_choices(o, expected);
		return list(o, text, &value->set);
	case OPTION_IDS:
		snprintf(expected, 256, "numbers from %" PRIu64 " to %" PRIu64 ", as in 0,2,4-7", o->min, o->max);
		return ids(o, text, &value->set);
	}
	return good && value->number >= o->min && value->number <= o->max;
}
