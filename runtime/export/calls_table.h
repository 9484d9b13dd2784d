/* SPDX-License-Identifier: Apache-2.0 */
/* api_statistic.csv: calls of frameworks by level and name, as the public parser sums them up. */
#ifndef ASCPROF_CALLS_TABLE_H
#define ASCPROF_CALLS_TABLE_H

#include "export/out.h"
#include "export/prof.h"

/*
 * Opens @o for @path and writes the table, if there are calls that took time.
 * @rows: without the heading. Return: 0; -1 with a message.
 */
int calls_table_write(struct out *o, const char *path, uint64_t *rows, const struct prof *prof, struct diag *diag);

#endif /* ASCPROF_CALLS_TABLE_H */
