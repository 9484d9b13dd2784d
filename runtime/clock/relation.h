/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the counter of a device goes with CLOCK_MONOTONIC_RAW of the host: a line
 * through readings of both, and how far at most the readings are from it. Pure
 * computation, not thread-safe.
 */
#ifndef ASCPROF_RELATION_H
#define ASCPROF_RELATION_H

#include <stdbool.h>
#include <stdint.h>

#define RELATION_READINGS 256u

/* The counter was read at some moment of an interval of the host's clock. */
struct relation_reading {
	uint64_t counter;
	uint64_t host_ns; /* middle of the interval */
	uint64_t width_ns; /* its length */
};

struct relation {
	struct relation_reading reading[RELATION_READINGS]; /* in the order of time */
	unsigned int n;
	unsigned int taken; /* with those that are not kept */
};

/* @counter at @host_ns, and its rate; other moments follow. */
struct relation_line {
	uint64_t counter;
	uint64_t host_ns;
	uint64_t micro_hz;
	int64_t drift_ppb; /* the rate's, from the nominal one */
	uint64_t error_ns; /* of the host's time, at most, at the readings */
};

/* When there is no more room, every second of the older half goes, but for the first. */
void relation_add(struct relation *r, const struct relation_reading *reading);
/*
 * The line of least squares; that of the nominal rate through the first reading
 * where it is no worse: with one reading, or some that are close together, no
 * drift can be told. @khz: nominal rate, not 0. Return: false without a reading.
 */
bool relation_fit(const struct relation *r, uint32_t khz, struct relation_line *line);

#endif /* ASCPROF_RELATION_H */
