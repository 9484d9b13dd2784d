/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Export as Perfetto's own binary trace: packets of track descriptors, slices,
 * instants and counters on one timeline, with the wall clock as the trace's
 * clock. What is on which track is as in the Chrome trace.
 */
#ifndef ASCPROF_PERFETTO_H
#define ASCPROF_PERFETTO_H

#include "export/diag.h"
#include "export/prof.h"
#include "export/trace.h"

/*
 * @path: see out_open(). Return: 0; -1 with a message, and nothing at @path
 * has changed.
 */
int perfetto_export(const struct prof_set *set, const char *path, struct trace_total *total,
		    struct diag *diag);

#endif /* ASCPROF_PERFETTO_H */
