/* SPDX-License-Identifier: Apache-2.0 */
/* Export as CSV: the tables of the public parser, under its names. */
#ifndef ASCPROF_TABLES_H
#define ASCPROF_TABLES_H

#include "export/diag.h"
#include "export/prof.h"

struct tables_total {
	unsigned int files;
	uint64_t rows; /* without headings */
};

/*
 * Writes msprof_tx.csv, llc_read_write.csv, hbm.csv, and those of host data
 * (host_table_name()) into the folder @out, which is made when there is none; with several result directories into one
 * folder per directory below it, called like it. A table without data is not
 * written, and removed if it is there from an earlier export. All tables appear
 * together at the end. Return: 0; -1 with a message, and no table has changed
 * (unless the last step, renaming, failed half way).
 */
int tables_export(const struct prof_set *set, const char *out, struct tables_total *total,
		  struct diag *diag);

#endif /* ASCPROF_TABLES_H */
