/* SPDX-License-Identifier: Apache-2.0 */
/* What result directories hold, for people and for programs. Not thread-safe. */
#ifndef ASCPROF_REPORT_H
#define ASCPROF_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "export/readings.h"
#include "export/summary.h"
#include "export/report_text.h"
#include "export/tally.h"

struct report_options {
	unsigned int top; /* names that are shown of each table */
	unsigned int columns; /* of text, 80 at least */
	enum summary_order order;
	bool merge; /* names and counters of all directories in one table */
};

/* What all forms of the report show of one directory. */
struct report_part {
	struct walk_seen seen;
	struct tally tally;
	uint64_t cut_bytes, blank_rows; /* left out of slices */
	int64_t duration; /* ns, as the session says; 0: it does not */
	int64_t last; /* wall clock of the last event; prof->start without any */
};

/*
 * Adds @prof to @names, @counters and @totals. Return: 0; -1 with a message.
 * report_part_free() is due.
 */
int report_part_load(struct report_part *p, const struct prof *prof, struct summary *names, struct readings *counters,
		     struct report_totals *totals, struct diag *diag);
void report_part_free(struct report_part *p);
/* Its name; "?": nothing says it. */
const char *report_program(const struct prof *prof);

/*
 * Text; one JSON object in one line; a page of HTML that needs nothing else, at
 * @path (see out_open()). *@mismatch: the accounting of some directory does not
 * hold, which the report says, too. Return: 0; -1 with a message in @diag.
 */
int report_print(FILE *to, const struct prof_set *set, const struct report_options *options, bool *mismatch,
		 struct diag *diag);
int report_json(FILE *to, const struct prof_set *set, const struct report_options *options, bool *mismatch,
		struct diag *diag);
int report_html(const char *path, const struct prof_set *set, const struct report_options *options, bool *mismatch,
		struct diag *diag);

#endif /* ASCPROF_REPORT_H */
