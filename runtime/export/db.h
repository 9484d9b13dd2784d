/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Export as the SQLite database that the public parser makes: its tables, its
 * columns, numbers of texts in STRING_IDS. Times are wall clock, ns. Tables of
 * kinds that are not there are left out.
 */
#ifndef ASCPROF_DB_H
#define ASCPROF_DB_H

#include "export/diag.h"
#include "export/prof.h"

/*
 * Writes the file @path, which libsqlite3 must be there for. *@rows: of all
 * tables. Return: 0; -1 with a message, and nothing at @path has changed.
 */
int db_export(const struct prof_set *set, const char *path, uint64_t *rows, struct diag *diag);

#endif /* ASCPROF_DB_H */
