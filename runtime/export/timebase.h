/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the stamps of slice files to wall-clock time. The exact functions are
 * integer arithmetic. The parser_ functions take the steps of the public
 * parser, in doubles, for numbers that are compared with its own: it knows the
 * wall clock of host stamps to 0.25 us and that of counters to 256 ns.
 */
#ifndef ASCPROF_TIMEBASE_H
#define ASCPROF_TIMEBASE_H

#include <stdbool.h>
#include <stdint.h>

#include "export/control.h"

struct timebase {
	int64_t host_wall; /* wall clock when CLOCK_MONOTONIC_RAW was 0, ns */
	int64_t host_ns; /* of host_ticks, and of the device's start */
	uint64_t host_ticks, host_micro_hz; /* 0: host stamps are ns */
	int64_t device_host_ns; /* of device_ticks */
	uint64_t device_ticks, device_micro_hz;
	int version;

	bool host_simple; /* a host stamp below HOST_SIMPLE_MOST is one addition */
	double parser_offset; /* what it adds to host us */
	int64_t parser_offset_thousandths; /* of what it prints for that */
	bool parser_offset_short; /* it prints three decimals at most */
	double parser_host_ns, parser_host_ticks, parser_host_hz;
	double parser_delta_ns; /* host minus device clock */
	uint64_t parser_device_ns;
};

/* @c->started must hold. */
void timebase_init(struct timebase *tb, const struct control *c);

/*
 * The device's counter was @ticks at @host_ns of CLOCK_MONOTONIC_RAW, and goes at
 * @micro_hz: measured, where start files have one moment and the nominal rate.
 */
void timebase_measured(struct timebase *tb, uint64_t ticks, uint64_t host_ns, uint64_t micro_hz);

#define HOST_SIMPLE_MOST (1000ULL << 41) /* rounding stays below what the parser prints */

/* As those without "any": for all stamps, but slower. */
int64_t timebase_any_host(const struct timebase *tb, uint64_t stamp);
int64_t timebase_any_parser_host(const struct timebase *tb, uint64_t stamp);

/* Wall clock in ns of a host stamp, an LLC or HBM stamp, a device counter. */
static inline int64_t timebase_host(const struct timebase *tb, uint64_t stamp)
{
	return tb->host_simple && stamp < HOST_SIMPLE_MOST ? tb->host_wall + (int64_t)stamp :
							     timebase_any_host(tb, stamp);
}

int64_t timebase_sample(const struct timebase *tb, uint64_t stamp);
int64_t timebase_device(const struct timebase *tb, uint64_t ticks);
/* Wall clock in ns of a CLOCK_MONOTONIC_RAW value. */
int64_t timebase_raw(const struct timebase *tb, uint64_t raw_ns);

/* What the parser prints for a host stamp: thousandths of us. */
static inline int64_t timebase_parser_host(const struct timebase *tb, uint64_t stamp)
{
	return tb->host_simple && tb->parser_offset_short && stamp < HOST_SIMPLE_MOST ?
		       tb->parser_offset_thousandths + (int64_t)stamp :
		       timebase_any_parser_host(tb, stamp);
}

/* The wall clock, ns, it computes rates of LLC and HBM from. */
double timebase_parser_sample(const struct timebase *tb, uint64_t stamp);

#endif /* ASCPROF_TIMEBASE_H */
