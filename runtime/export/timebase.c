/* SPDX-License-Identifier: Apache-2.0 */
#include "export/timebase.h"

#include <math.h>

#include "export/decimal.h"

#define NS_PER_S 1000000000

static int64_t clamp(int128 v)
{
	return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

/* Ticks of a counter of @micro_hz, in ns */
static int128 ticks_ns(int128 ticks, uint64_t micro_hz)
{
	return div_half_even(ticks * 1000000 * NS_PER_S, micro_hz);
}

static double parser_offset(const struct control *c)
{
	return (double)c->begin_us - (double)c->begin_raw_ns / 1000.0;
}

void timebase_init(struct timebase *tb, const struct control *c)
{
	double hz = c->host_rate.micro_hz ? c->host_rate.hz : 1e9;
	int128 fixed;

	*tb = (struct timebase){
		.host_wall = clamp((int128)c->begin_us * 1000 - c->begin_raw_ns),
		.host_ticks = c->host_ticks,
		.device_ticks = c->device_ticks,
		.device_micro_hz = c->device_rate.micro_hz,
		.version = c->version,
		.parser_offset = parser_offset(c),
		.parser_device_ns = c->device_ns,
	};
	/* Without host_start.log the parser takes host stamps for ns, whatever the rate. */
	if (c->host_log && c->host_rate.micro_hz) {
		tb->host_micro_hz = c->host_rate.micro_hz;
		tb->parser_host_hz = c->host_rate.hz;
	}
	tb->host_simple = !tb->host_micro_hz && tb->host_wall < INT64_MAX - (int64_t)HOST_SIMPLE_MOST;
	tb->host_ns = clamp((int128)c->host_ns +
			    (int128)rint((double)c->host_ticks_diff * 1e9 / hz));

	tb->device_host_ns = tb->host_ns;
	tb->parser_host_ns = (double)tb->host_ns / 1e9;
	tb->parser_host_ticks = (double)c->host_ticks / 1e9;
	tb->parser_delta_ns = (tb->parser_host_ns - (double)c->device_ns / 1e9) * 1e9;
	fixed = decimal_fixed(tb->parser_offset);
	tb->parser_offset_thousandths = decimal_thousandths(fixed);
	tb->parser_offset_short =
		decimal_fixed((double)tb->parser_offset_thousandths / 1000.0) == fixed;
}

void timebase_measured(struct timebase *tb, uint64_t ticks, uint64_t host_ns, uint64_t micro_hz)
{
	tb->device_ticks = ticks;
	tb->device_host_ns = clamp(host_ns);
	tb->device_micro_hz = micro_hz;
}

int64_t timebase_raw(const struct timebase *tb, uint64_t raw_ns)
{
	return clamp((int128)tb->host_wall + raw_ns);
}

int64_t timebase_any_host(const struct timebase *tb, uint64_t stamp)
{
	int128 ns = stamp;

	if (tb->host_micro_hz)
		ns = tb->host_ns +
		     ticks_ns((int128)stamp - tb->host_ticks, tb->host_micro_hz);
	return clamp(tb->host_wall + ns);
}

int64_t timebase_sample(const struct timebase *tb, uint64_t stamp)
{
	if (tb->version == 2)
		return clamp(stamp);
	return clamp((int128)tb->host_wall + tb->host_ns + (int128)stamp * 1000);
}

int64_t timebase_device(const struct timebase *tb, uint64_t ticks)
{
	int128 ns = tb->device_host_ns;

	if (tb->device_micro_hz)
		ns += ticks_ns((int128)ticks - tb->device_ticks, tb->device_micro_hz);
	return clamp(tb->host_wall + ns);
}

int64_t timebase_any_parser_host(const struct timebase *tb, uint64_t stamp)
{
	double us = (double)stamp * 1e6 / 1e9;

	if (tb->host_micro_hz) {
		us = ((double)stamp - tb->parser_host_ticks * 1e9) / tb->parser_host_hz * 1e6 +
		     tb->parser_host_ns * 1e6;
		if (us < 0)
			us = 0;
	}
	return decimal_thousandths(decimal_fixed(us) + decimal_fixed(tb->parser_offset));
}

double timebase_parser_sample(const struct timebase *tb, uint64_t stamp)
{
	if (tb->version == 2)
		return (double)stamp;
	return trunc((double)((uint128)stamp * 1000 + tb->parser_device_ns) +
		     tb->parser_delta_ns + tb->parser_offset * 1000.0);
}
