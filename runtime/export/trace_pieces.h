/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of events, which annotations and counters share. Part of trace.h's work. */
#ifndef ASCPROF_TRACE_PIECES_H
#define ASCPROF_TRACE_PIECES_H

#include "export/trace_events.h"

#define TRACE_ROOM 512 /* bytes of an event, without foreign text */

/* @to - @from, and the largest number when that is larger */
int64_t trace_span(int64_t from, int64_t to);

/* Each writes at @to and returns the end. */
char *trace_put_key(char *to, const char *key);
char *trace_put_ts(char *to, const struct trace *t, int64_t wall);
char *trace_put_track(char *to, uint64_t pid, uint64_t tid);
/* As a string where viewers would round it */
char *trace_put_integer(char *to, uint64_t v);

/* Metadata events with one text, and with the place among the processes */
void trace_metadata(struct trace *t, const char *what, const char *key, uint64_t pid, uint64_t tid,
		    const char *value);
/* Process @pid of host number @id, named. NULL: out of memory; valid as those of tracks.h */
struct track *trace_process(struct trace *t, const struct prof_part *host, int id, uint32_t pid);
void trace_sort_index(struct trace *t, uint64_t pid, uint64_t index);

#endif /* ASCPROF_TRACE_PIECES_H */
