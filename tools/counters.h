/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that `ascprof stat` and `ascprof top` watch: those of the module where it is
 * loaded, and of perf_event_open(2) where the caller may. Counters make metrics, as the
 * bandwidth of all memory units of a device. What cannot be counted is in the set all the
 * same, with the reason. Not thread-safe.
 */
#ifndef ASCPROF_COUNTERS_H
#define ASCPROF_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/hub.h"
#include "export/diag.h"

#define COUNTERS_GROUP 96
#define COUNTERS_NAME 112
#define COUNTERS_SOURCES 64

struct counter {
	char group[COUNTERS_GROUP]; /* "npu 0 (sim0, simulated numbers)", "socket 0", "program" */
	char name[COUNTERS_NAME]; /* SOURCE/EVENT; of the program EVENT */
	char metric[COUNTERS_NAME]; /* that it is a part of */
	char unit[16]; /* of the metric */
	double scale; /* units in one count */
	bool level; /* a level, and nothing that grows */
	bool divisor; /* the metric is a share of this */
	bool miss; /* a share of what was not found */

	const char *by; /* "module" or "perf_event_open" */
	char why[128]; /* it is not counted; "": it is */
	int fd; /* of perf_event_open, or -1 */
	uint32_t source, slot; /* in the stream of the module */
	uint64_t value, enabled_ns, running_ns; /* as read last */
	uint64_t before, enabled_before_ns, running_before_ns; /* and before that */
	uint64_t taken_ns, taken_before_ns; /* of a sample of the module: when; 0: as the interval began and ended */
	bool read; /* it has been, once */
	bool fresh; /* both are there */
};

struct counters {
	const char *patterns; /* of what is wanted; NULL: all that is known */
	struct counter *list;
	unsigned int nr, room;
	struct hub_stream stream; /* fd -1: none */
	unsigned int streamed; /* counters in it */
	uint64_t lost; /* samples of the stream that found no room */
	char no_module[160]; /* why, "": it is there */
	uint64_t at_ns, before_ns; /* CLOCK_MONOTONIC */
	bool no_memory;
};

enum metric_kind { METRIC_RATE, METRIC_SHARE, METRIC_LEVEL, METRIC_COUNT };

/* One line of what is shown. */
struct metric {
	const char *group, *name, *unit;
	const char *by, *why; /* of its first counter; why is "" if any of them is counted */
	enum metric_kind kind;
	unsigned int counters, counted; /* how many it is made of */
	double now; /* of the last interval: units a second, percent, units */
	bool fresh; /* now is */
	double min, max, sum, total; /* of all intervals; total: units */
	double weight, part; /* of shares: whole and part in all */
	unsigned int intervals;
	double running; /* share of the time in which its counters counted, 0 to 1 */
};

struct metrics {
	struct metric *list;
	unsigned int nr;
	double seconds;
	double shortest; /* interval that minimum and maximum are of, seconds: the last one may be a rest */
};

struct counters_choice {
	const char *patterns; /* of names of metrics or counters, with commas between; NULL: all */
	bool program; /* what this process starts from now on */
	uint64_t period_ns; /* of the module's samples */
};

/* Finds and opens them. Return: -1 with a message. */
int counters_open(struct counters *c, const struct counters_choice *choice, struct diag *diag);
int counters_start(struct counters *c, struct diag *diag);
void counters_read(struct counters *c);
void counters_close(struct counters *c);

/* For those below: one more, which is not counted yet. NULL: no memory. */
struct counter *counters_add(struct counters *c);
/* Is the one that was added last wanted? If not, it is gone. */
bool counters_wanted(struct counters *c, const struct counter *one);
/* What was read is what was before. */
void counters_shift(struct counter *one);
void counters_find_module(struct counters *c, uint64_t period_ns);
void counters_find_perf(struct counters *c, bool program);
void counters_read_module(struct counters *c);
void counters_read_perf(struct counters *c);

/* The metrics of the counters, in their order. Return: -1 without memory. */
int metrics_make(struct metrics *m, const struct counters *c);
/* Takes one more interval into them. */
void metrics_update(struct metrics *m, const struct counters *c);
double metric_average(const struct metric *m, double seconds);
/* After the last interval: a rest at the end is in the average, which then may lie beyond minimum and maximum. */
void metrics_end(struct metrics *m);
void metrics_free(struct metrics *m);

#endif /* ASCPROF_COUNTERS_H */
