/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Export as one array of Chrome trace events, which Perfetto loads: all result
 * directories on one timeline. ts are us with three decimals from the earliest
 * event; a metadata event named ascprof_origin says which wall-clock time ts 0
 * is. Pushes and ranges are X events, ranges on rows ("lanes") of their own
 * beside the thread that started them; marks are instants; numbers of devices
 * are counters.
 */
#ifndef ASCPROF_TRACE_H
#define ASCPROF_TRACE_H

#include "export/diag.h"
#include "export/prof.h"

struct trace_total {
	uint64_t events; /* without metadata */
	uint64_t bytes;
};

/*
 * @path: see out_open(). Return: 0; -1 with a message, and nothing at @path
 * has changed.
 */
int trace_export(const struct prof_set *set, const char *path, struct trace_total *total,
		 struct diag *diag);

#endif /* ASCPROF_TRACE_H */
