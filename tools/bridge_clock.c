/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/bridge_clock.h"

#include <string.h>

void bridge_clock_init(struct bridge_clock *c, uint64_t hz)
{
	memset(c, 0, sizeof(*c));
	c->hz = hz;
}

/* Nominal nanoseconds since the first stamp; stamps may come a little out of order. */
static int64_t device_ns(const struct bridge_clock *c, uint64_t stamp)
{
	__int128 ticks = (__int128)(int64_t)(stamp - c->origin);

	return (int64_t)(ticks * 1000000000 / (__int128)c->hz);
}

void bridge_clock_see(struct bridge_clock *c, uint64_t stamp, uint64_t host_ns)
{
	struct bridge_clock_point p;

	if (!c->begun) {
		c->begun = true;
		c->origin = stamp;
		c->now = (struct bridge_clock_point){ 0, (int64_t)host_ns };
		c->window_end = BRIDGE_CLOCK_WINDOW_NS;
		return;
	}
	p.device_ns = device_ns(c, stamp);
	p.delay = (int64_t)host_ns - p.device_ns;
	if (p.device_ns >= c->window_end) {
		c->best = c->now;
		if (!c->windows++)
			c->first = c->now;
		c->now = p;
		c->window_end = p.device_ns + BRIDGE_CLOCK_WINDOW_NS;
	} else if (p.delay < c->now.delay) {
		c->now = p;
	}
}

int64_t bridge_clock_drift(const struct bridge_clock *c)
{
	const int64_t limit = BRIDGE_CLOCK_DRIFT_PPM * 1000;
	__int128 drift;

	if (c->windows < 2 || c->best.device_ns <= c->first.device_ns)
		return 0;
	drift = (__int128)(c->best.delay - c->first.delay) * 1000000000 /
		(c->best.device_ns - c->first.device_ns);
	if (drift > limit)
		return limit;
	return drift < -limit ? -limit : (int64_t)drift;
}

uint64_t bridge_clock_host(struct bridge_clock *c, uint64_t stamp, uint64_t now_ns)
{
	int64_t at = device_ns(c, stamp), host;
	const struct bridge_clock_point *p = c->windows ? &c->best : &c->now;

	/* less delay was seen since: that is the better guess, whatever drifts */
	host = at + p->delay +
	       (int64_t)((__int128)(at - p->device_ns) * bridge_clock_drift(c) / 1000000000);
	if (host > at + c->now.delay)
		host = at + c->now.delay;
	if (host > (int64_t)now_ns)
		host = (int64_t)now_ns;
	if (host <= (int64_t)c->last_host_ns)
		host = (int64_t)c->last_host_ns + 1;
	if (host <= 0 || host > (int64_t)now_ns)
		return 0;
	c->last_host_ns = (uint64_t)host;
	return c->last_host_ns;
}
