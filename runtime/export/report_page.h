/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the page that report_html() makes. Not thread-safe. */
#ifndef ASCPROF_REPORT_PAGE_H
#define ASCPROF_REPORT_PAGE_H

#include "export/page.h"
#include "export/report.h"
#include "export/series.h"
#include "export/spans.h"

#define PAGE_NAME 200 /* characters of a name */

struct report_page {
	struct out out;
	const struct prof_set *set;
	const struct report_options *options;
	struct report_part *part; /* of each directory */
	struct summary names;
	struct readings counters;
	struct report_totals totals;
	struct spans timeline;
	struct series_set series;
};

/* Tables, which need no script. */
void report_page_tables(struct report_page *p);
void report_page_missing(struct report_page *p); /* one of them */
/* What the script draws: one JSON object in a script element. */
void report_page_data(struct report_page *p);

#endif /* ASCPROF_REPORT_PAGE_H */
