/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of an NPU beside the host's. */
#include "clock/clock.h"
#include "collect/npu.h"

#define CLOCK_TRIES 5
#define CLOCK_NS 10000000000u /* from one reading of the clocks to the next */

/* The narrowest of a few readings was not interrupted. Return: false when the driver does not tell. */
static bool read_between(const struct npu *n, enum hal_fact fact, struct relation_reading *best)
{
	best->width_ns = UINT64_MAX;
	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC_RAW), width;
		int64_t value = hal_fact(n->hal, n->id, HAL_MODULE_SYSTEM, fact, 0);

		width = clock_ns(CLOCK_MONOTONIC_RAW) - before;
		if (value <= 0)
			return false;
		if (width < best->width_ns)
			*best = (struct relation_reading){ (uint64_t)value, before + width / 2, width };
	}
	return true;
}

void npu_clock_read(const struct npu *n, struct npu_clock *clock)
{
	struct relation_reading counter, raw;

	*clock = (struct npu_clock){ .host_ns = clock_ns(CLOCK_MONOTONIC_RAW) };
	if (read_between(n, HAL_FACT_COUNTER, &counter)) {
		clock->counter = counter.counter;
		clock->host_ns = counter.host_ns;
		clock->width_ns = counter.width_ns;
	}
	/* All three are of one moment. */
	if (read_between(n, HAL_FACT_MONOTONIC_RAW, &raw))
		clock->device_ns = raw.counter - (raw.host_ns - clock->host_ns);
}

void npu_clock_take(struct npu *n, const struct npu_clock *clock)
{
	if (clock->counter)
		relation_add(&n->clock, &(struct relation_reading){ clock->counter, clock->host_ns, clock->width_ns });
	n->clock_due = clock_ns(CLOCK_MONOTONIC) + CLOCK_NS;
}

void npu_clock_note(struct npu *n, bool now)
{
	struct npu_clock clock;

	if (n->finished || (!now && clock_ns(CLOCK_MONOTONIC) < n->clock_due))
		return;
	npu_clock_read(n, &clock);
	npu_clock_take(n, &clock);
}
