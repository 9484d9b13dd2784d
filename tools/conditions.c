/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/conditions.h"

#include "export/filter.h"
#include "export/timeline.h"

/* Return: what was expected instead; NULL: it is fine. */
static const char *add(struct filter *f, int letter, const char *value)
{
	switch (letter) {
	case CONDITION_FROM:
	case CONDITION_TO:
		return filter_add_time(f, letter == CONDITION_TO, value);
	case CONDITION_PID:
		return filter_add_pid(f, value);
	case CONDITION_TID:
		return filter_add_tid(f, value);
	case CONDITION_KIND:
		return filter_add_kind(f, value);
	default:
		return filter_add_name(f, value);
	}
}

int conditions_add(const struct command *c, struct filter *f, int letter, const char *value)
{
	const char *expected = add(f, letter, value);
	const struct option_def *o = c->options;

	if (!expected)
		return OPTIONS_END;
	while (o->letter != letter)
		o++;
	return options_wrong(c, "option --%s: %s, not \"%s\"", o->name, expected, value);
}

/* Relative times count from the first event, whatever else is wanted. */
int conditions_apply(struct prof_set *set, struct filter *f, struct diag *diag)
{
	int64_t first = 0;

	if (!f->active)
		return 0;
	if ((f->from.relative || f->to.relative) && timeline_first(set, &first, diag))
		return -1;
	filter_origin(f, first);
	prof_set_filter(set, f);
	return 0;
}
