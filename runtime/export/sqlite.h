/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A new SQLite database, by libsqlite3 if there is one when it is needed. It
 * is written under a hidden name and gets its own at the end. Tables are made
 * when they get their first row. Not thread-safe.
 */
#ifndef ASCPROF_SQLITE_H
#define ASCPROF_SQLITE_H

#include <stddef.h>
#include <stdint.h>

#include "export/diag.h"

struct sqlite; /* a database */

struct sqlite_table {
	const char *name;
	const char *columns; /* as in CREATE TABLE */
	unsigned int nr_columns;
};

/* Return: NULL with a message; one who has it must end with commit or abort. */
struct sqlite *sqlite_create(const char *path, const struct sqlite_table *tables, unsigned int nr_tables,
			     struct diag *diag);

/*
 * A row: sqlite_row(), then every column from the left, then sqlite_done(). The
 * first error is kept; what follows it does nothing.
 */
void sqlite_row(struct sqlite *db, unsigned int table);
void sqlite_int(struct sqlite *db, int64_t v);
void sqlite_real(struct sqlite *db, double v);
void sqlite_text(struct sqlite *db, const char *s, size_t n); /* valid UTF-8, copied */
void sqlite_done(struct sqlite *db);

int sqlite_failed(const struct sqlite *db);
uint64_t sqlite_rows(const struct sqlite *db); /* of all tables */

/* Both give up @db. Return: 0, or -1 with a message and as after sqlite_abort(). */
int sqlite_commit(struct sqlite *db, struct diag *diag);
void sqlite_abort(struct sqlite *db);

#endif /* ASCPROF_SQLITE_H */
