/* SPDX-License-Identifier: Apache-2.0 */
/* Reading result directories in tests. */
#ifndef ASCPROF_TEST_PROF_H
#define ASCPROF_TEST_PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/rows.h"

/* PROF_ directories below result, sorted by name; free with prof_free(). */
struct prof_list {
	size_t count;
	char **path;
};
void prof_find(struct prof_list *list, const char *result);
void prof_free(struct prof_list *list);
/* The only one; a failed check and NULL when there are none or more. */
const char *prof_only(const char *result);

/* All msproftx rows of a PROF_ directory, in file order. */
struct prof_rows {
	size_t count;
	struct row_tx *row;
};
void prof_rows(struct prof_rows *rows, const char *prof);
void prof_rows_free(struct prof_rows *rows);
size_t prof_rows_of(const struct prof_rows *rows, enum row_tx_event event);

/*
 * Runs profdir.py over every PROF_ directory below result (or result itself, if
 * it is one): format and accounting. Problems are failed checks. Fills totals,
 * when not NULL.
 */
struct prof_totals {
	unsigned long dirs;
	struct {
		unsigned long produced, written, dropped, open;
	} mark, push_pop, range;
	char backend[32];
	char reason[256];
};
void prof_check(const char *result, const char *options, struct prof_totals *totals);

/* What ascprof.json says of one kind of annotation; zeros and a failed check if it says nothing. */
struct prof_account {
	unsigned long produced, written, dropped; /* for all reasons, ageing among them */
	bool running;
};
void prof_account(struct prof_account *account, const char *prof, const char *kind);

/* Runs `ascprof export` to tables, which are removed again: its exit status. */
int prof_export(const char *prof);
int prof_repair(const char *prof); /* likewise `ascprof repair` */

#endif /* ASCPROF_TEST_PROF_H */
