/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of the report: times, foreign text, message lines, the totals. */
#ifndef ASCPROF_REPORT_TEXT_H
#define ASCPROF_REPORT_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "export/prof.h"
#include "export/summary.h"
#include "export/tally.h"

#define REPORT_TIME 64 /* bytes of a time's text */

enum report_time_form {
	REPORT_CLOCK, /* 08:00:00.123, local time */
	REPORT_DATE, /* 01-15 08:00:00 */
	REPORT_FULL, /* 2027-01-15 08:00:00.123456 +0000 */
};

void report_time(char *out, int64_t wall, enum report_time_form form);

/* Terminated, at most @columns wide, nothing in it that a terminal obeys. */
void report_safe(char *out, const char *text, unsigned int columns);

/* The table of names, at least 80 columns wide. */
void report_names_heading(FILE *to, unsigned int columns);
void report_name(FILE *to, struct summary_row *r, unsigned int columns);

/* "1.23ms": three digits of a duration. Return: @out, of REPORT_TIME bytes */
const char *report_duration(char *out, uint64_t ns);
/* A number in nine columns behind a blank. */
void report_number(FILE *to, double v);

/* Kinds of all directories, and what does not add up. */
struct report_total {
	char kind[ACCOUNT_KIND_LEN];
	uint64_t produced, written, dropped;
	bool unknown; /* some directory does not say what was produced */
	int64_t first, last;
};

struct report_totals {
	struct report_total *total;
	unsigned int nr;
	char **wrong; /* one line each */
	unsigned int nr_wrong;
	unsigned int unknown; /* directories without final accounting */
};

int report_add(struct report_totals *t, const struct prof *prof, const struct tally *tally);
void report_totals(FILE *to, const struct prof_set *set, const struct report_totals *t);
void report_totals_free(struct report_totals *t);

#endif /* ASCPROF_REPORT_TEXT_H */
