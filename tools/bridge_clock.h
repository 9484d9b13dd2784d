/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a device's clock to the host's, without help from the device. A record
 * reaches the host some time after it was stamped, never before. So of many
 * records the one with the least delay tells most, and two such, far enough
 * apart, tell how fast the device's clock runs. Pure.
 */
#ifndef ASCPROF_BRIDGE_CLOCK_H
#define ASCPROF_BRIDGE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define BRIDGE_CLOCK_WINDOW_NS 5000000000 /* the least delay of each counts */
#define BRIDGE_CLOCK_DRIFT_PPM 200 /* more is no drift, but a wrong guess */

struct bridge_clock_point {
	int64_t device_ns;
	int64_t delay; /* host - device, ns */
};

struct bridge_clock {
	uint64_t hz; /* of the stamps */
	bool begun;
	uint64_t origin; /* stamp that is device time 0 */
	struct bridge_clock_point first; /* of the first whole window */
	struct bridge_clock_point best; /* of the window that is over last */
	struct bridge_clock_point now; /* of the present one */
	int64_t window_end;
	unsigned int windows; /* that are over */
	uint64_t last_host_ns; /* as handed out */
};

void bridge_clock_init(struct bridge_clock *c, uint64_t hz);
/* A record with this stamp was there at that time of the host. */
void bridge_clock_see(struct bridge_clock *c, uint64_t stamp, uint64_t host_ns);
/*
 * Host time of a stamp; after bridge_clock_see(). Later than what it returned
 * before, and not later than now_ns. 0: that cannot be.
 */
uint64_t bridge_clock_host(struct bridge_clock *c, uint64_t stamp, uint64_t now_ns);
/* Drift of the device's clock, parts per 10^9; positive: the host's runs faster. */
int64_t bridge_clock_drift(const struct bridge_clock *c);

#endif /* ASCPROF_BRIDGE_CLOCK_H */
