/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of Chrome trace events. Part of trace.h's work. */
#ifndef ASCPROF_TRACE_PIECES_H
#define ASCPROF_TRACE_PIECES_H

#include <stdint.h>

#include "export/out.h"

#define TRACE_ROOM 1024 /* bytes of an event, without foreign text */

/* Each writes at @to and returns the end. */
char *trace_put_key(char *to, const char *key);
char *trace_put_track(char *to, uint64_t pid, uint64_t tid);
/* As a string where viewers would round it */
char *trace_put_integer(char *to, uint64_t v);

/* Metadata events with one text, and with the place among the processes */
void trace_metadata(struct out *o, const char *what, const char *key, uint64_t pid, uint64_t tid,
		    const char *value);
void trace_sort_index(struct out *o, uint64_t pid, uint64_t index);
/* The first event: which wall-clock time ts 0 is. */
void trace_put_origin(struct out *o, int64_t origin);

#endif /* ASCPROF_TRACE_PIECES_H */
