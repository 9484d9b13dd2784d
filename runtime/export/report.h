/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of result directories as text, 80 to 100 columns wide. */
#ifndef ASCPROF_REPORT_H
#define ASCPROF_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "export/diag.h"
#include "export/prof.h"

/*
 * One part per directory, showing at most @top messages, and the totals at the
 * end. *@mismatch: the accounting of some directory does not hold; said in the
 * text, too. Return: 0; -1 with a message in @diag.
 */
int report_print(FILE *to, const struct prof_set *set, unsigned int top, bool *mismatch,
		 struct diag *diag);

#endif /* ASCPROF_REPORT_H */
