/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a trace, written one per line. Part of trace.h's work. */
#ifndef ASCPROF_TRACE_EVENTS_H
#define ASCPROF_TRACE_EVENTS_H

#include "export/hbm.h"
#include "export/host.h"
#include "export/llc.h"
#include "export/out.h"
#include "export/prof.h"
#include "export/soc.h"
#include "export/tracks.h"
#include "export/tx.h"

struct trace {
	struct out out;
	struct tracks tracks;
	const struct account *account; /* of the directory whose annotations are written */
	int64_t origin; /* wall clock of ts 0, ns; INT64_MAX: no event */
	uint64_t events; /* without metadata */
	uint64_t next_id; /* of ranges that found no lane */
};

/* @fallback: the origin when there is no event */
void trace_begin(struct trace *t, int64_t fallback);
void trace_end(struct trace *t);

/* Return: 0, or -1 when memory ran out. */
int trace_tx(struct trace *t, const struct prof *prof, struct tx *tx);
int trace_host(struct trace *t, const struct host_view *v);
int trace_device(struct trace *t, const struct prof_part *part, const struct llc *llc,
		 const struct hbm *hbm);

#endif /* ASCPROF_TRACE_EVENTS_H */
