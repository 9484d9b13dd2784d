/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording that `ascprof record` began: the library was loaded into a program that
 * need not know of it, and finds in its environment what to record.
 *
 *	ASCPROF_RECORD={"id":"<16 hex digits>","pid":<the program's>,"follow":true,"ignore_own":false,
 *		"begin_ns":<CLOCK_MONOTONIC or 0>,"end_ns":<the same>,
 *		"devices":<mask; all bits: those there are>,"profiler":{<as in acl.json>}}
 *
 * The program itself records all of it, from before main(); what it starts records
 * annotations, if "follow" says so. Meanwhile the program's own sessions are refused, as
 * they are with an acl.json, or ignored. A thread of ours keeps the times, and ends recording when a
 * signal is about to end the program: only here, and only in place of the default action,
 * the library has signal handlers.
 */
#ifndef ASCPROF_INJECTED_H
#define ASCPROF_INJECTED_H

#include <stdbool.h>

/* The program's life cycle calls succeed and do nothing, instead of being refused. */
bool injected_ignores_own(void);

/*
 * For runtime/preload: the process is about to end without exit(), or to become another
 * program: recording ends, as if by exit(). Takes no lock and waits for two seconds at most,
 * since a signal handler may be the caller. Nothing in a child that shares its parent's memory.
 */
__attribute__((visibility("default"))) void ascprof_injected_end(void);
/* It has not become another program: recording goes on, into another directory. */
__attribute__((visibility("default"))) void ascprof_injected_again(void);

/* The flusher has read rows: the program is up, and has the handlers that it wants. */
void injected_rows(void);

/* In a forked child: of the parent nothing is left; then, with signals as they were, its own begins. */
void injected_child(void);
void injected_child_begin(void);

#endif /* ASCPROF_INJECTED_H */
