/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof top: counters and running sessions, on a screen that is drawn anew. */
#ifndef ASCPROF_TOP_H
#define ASCPROF_TOP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/counters.h"

#define TOP_HISTORY 256 /* values of a sparkline, at most */

/* ---- sessions: those of other processes that we may look at ---- */

struct top_session {
	int pid;
	char comm[32];
	char path[PATH_MAX];
	uint64_t records; /* produced, as the process has accounted for them last */
	uint64_t dropped;
	uint64_t open; /* ranges that are pushed, or started, and not over */
	uint64_t bytes; /* of its files */
	uint64_t start_real_ns;
	double rate; /* records a second; below 0: not known yet */
	double age; /* seconds since the records changed */
};

struct top_sessions {
	struct top_session *list; /* by pid, then by path */
	unsigned int nr, room;
	unsigned int hidden; /* processes whose descriptors are not shown to us */
};

/* Looks for them anew; @seconds since the last time, 0: there was none. Return: -1 without memory. */
int top_sessions_find(struct top_sessions *s, double seconds);
void top_sessions_free(struct top_sessions *s);

/* ---- screen ---- */

struct top_history {
	float value[TOP_HISTORY];
	unsigned int nr, at; /* at: of the next one */
	float peak;
};

struct top_view {
	unsigned int rows, columns; /* of the screen; rows 0: as many lines as there are */
	bool escapes; /* of ANSI terminals */
	bool colour;
	bool utf8;
	bool all; /* metrics that are for few, too */
	bool help;
	bool paused;
	unsigned int scroll; /* lines above the first that is shown */
	unsigned int lines; /* out: that could be */
	double interval;
	const char *when; /* time of day */
};

struct top_state {
	const struct counters *counters;
	const struct metrics *metrics;
	struct top_history *history; /* one for each metric */
	const struct top_sessions *sessions;
};

void top_history_add(struct top_history *h, double value);
/* One frame. */
void top_draw(FILE *out, struct top_view *v, const struct top_state *s);

/* ---- terminal ---- */

enum top_key {
	TOP_NONE, /* the time is over */
	TOP_QUIT, TOP_HELP, TOP_UP, TOP_DOWN, TOP_PAGE_UP, TOP_PAGE_DOWN, TOP_HOME, TOP_END, TOP_FASTER, TOP_SLOWER,
	TOP_PAUSE, TOP_ALL, TOP_SUSPEND, TOP_REDRAW, TOP_OTHER,
};

/* Return: -1 if it is no terminal that can be written on at any place. */
int top_terminal_begin(void);
void top_terminal_end(void);
void top_terminal_suspend(void);
void top_terminal_size(unsigned int *rows, unsigned int *columns);
/* A key, or what else happens within @timeout_ms. */
enum top_key top_terminal_wait(int timeout_ms);
bool top_terminal_utf8(void);

#endif /* ASCPROF_TOP_H */
