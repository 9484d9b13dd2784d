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
	REPORT_DATE, /* 2027-01-15 08:00:00.123 */
	REPORT_FULL, /* 2027-01-15 08:00:00.123456 +0000 */
};

void report_time(char *out, int64_t wall, enum report_time_form form);

/* Terminated, at most @columns wide, nothing in it that a terminal obeys. */
void report_safe(char *out, const char *text, unsigned int columns);

void report_message(FILE *to, const struct summary_row *r);

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
