/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Export as JSON lines: one object per line, for every directory its name,
 * annotations by start, tensors, counters and accounts. docs/format.md has the
 * keys. One directory is in memory at a time.
 */
#ifndef ASCPROF_JSONL_H
#define ASCPROF_JSONL_H

#include "export/diag.h"
#include "export/prof.h"

/*
 * @path: see out_open(). *@lines: how many. Return: 0; -1 with a message, and
 * nothing at @path has changed.
 */
int jsonl_export(const struct prof_set *set, const char *path, uint64_t *lines, struct diag *diag);

#endif /* ASCPROF_JSONL_H */
