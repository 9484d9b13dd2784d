/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that narrow what is taken of result directories, the same in every command
 * that has them. Not thread-safe.
 */
#ifndef ASCPROF_CONDITIONS_H
#define ASCPROF_CONDITIONS_H

#include "export/prof.h"
#include "tools/options.h"

#define CONDITION_TID 't'
#define CONDITION_PID 'p'
#define CONDITION_FROM 'F'
#define CONDITION_TO 'T'
#define CONDITION_KIND 'k'

/* Rows of a table of options. @name: the letter of --name */
#define CONDITION_OPTIONS(name) \
	{ CONDITION_FROM, "from", "TIME", "only what is not over by then: 1.5s, 20ms, 3us, 7ns\n" \
					  "behind the first event, @SECONDS since 1970, or\n" \
					  "2027-01-15T08:00:00.25Z" }, \
	{ CONDITION_TO, "to", "TIME", "only what begins before" }, \
	{ CONDITION_PID, "pid", "PID,...", "only annotations of these processes" }, \
	{ CONDITION_TID, "tid", "TID,...", "only annotations of these threads" }, \
	{ name, "name", "PATTERN", "only these messages and counters; * and ? stand for any\n" \
				   "characters, /.../ is a regular expression; may be repeated" }, \
	{ CONDITION_KIND, "kind", "KIND,...", "only mark, push_pop, range, mark_ex, mstx_mark, mstx_range,\n" \
					      "tensor_info, api, event, syscall, pthread, llc, hbm, soc_profile, host;\n" \
					      "annotations or counters for all of them" }

/* One of these options as it was given. Return: OPTIONS_END; EXIT_USAGE with a line on stderr */
int conditions_add(const struct command *c, struct filter *f, int letter, const char *value);

/* Makes readers of @set give out what @f wants; it lives as long as @set. Return: 0; -1 with a message */
int conditions_apply(struct prof_set *set, struct filter *f, struct diag *diag);

#endif /* ASCPROF_CONDITIONS_H */
