// SPDX-License-Identifier: GPL-2.0-only
/*
 * Narrow counters. A register that wraps is followed by modular differences,
 * which is right as long as it wraps at most once between two reads; only the
 * clock can tell. A difference that the hardware cannot make in the time means
 * that the register was reset.
 */
#include "widen.h"

/**
 * asc_widen_init() - begin to follow a register
 * @widen: what to fill in
 * @bits: its width, 1 to 64
 * @rate: most counts per second it can make, 1 to ASC_WIDEN_RATE_MAX
 * @total: 64-bit value to begin with; its low bits are the register
 * @now: any clock, ns
 */
void asc_widen_init(struct asc_widen *widen, unsigned int bits, u64 rate, u64 total, u64 now)
{
	u64 mask = U64_MAX >> (64 - bits);
	u64 rest, seconds;

	widen->total = total;
	widen->last = total & mask;
	widen->stamp = now;
	widen->mask = mask;
	widen->rate = rate;

	seconds = div64_u64_rem(mask, rate, &rest);
	if (seconds >= U64_MAX / NSEC_PER_SEC)
		widen->safe_ns = U64_MAX;
	else
		widen->safe_ns = seconds * NSEC_PER_SEC + div64_u64(rest * NSEC_PER_SEC, rate);
}

/* Twice what the hardware can count in @ns: clocks are not exact. */
static u64 largest_step(const struct asc_widen *widen, u64 ns)
{
	u64 rest;
	u64 seconds = div64_u64_rem(ns, NSEC_PER_SEC, &rest);

	if (seconds >= U64_MAX / 4 / widen->rate)
		return U64_MAX;
	return 2 * (seconds * widen->rate + div64_u64(rest * widen->rate, NSEC_PER_SEC)) + 1;
}

/**
 * asc_widen() - take in a new reading
 * @widen: state; @widen->total is the result
 * @raw: the register
 * @now: same clock as before, ns
 *
 * Return: 0; -EOVERFLOW if so much time went by that the register may have
 * wrapped more than once (the total then is a lower bound); -ERANGE if it moved
 * further than it can, that is, was reset (the total stands still once).
 */
int asc_widen(struct asc_widen *widen, u64 raw, u64 now)
{
	u64 elapsed = now - widen->stamp;
	u64 step = (raw - widen->last) & widen->mask;

	widen->last = raw & widen->mask;
	widen->stamp = now;

	if (elapsed > widen->safe_ns) {
		widen->total += step;
		return -EOVERFLOW;
	}
	if (step > largest_step(widen, elapsed))
		return -ERANGE;
	widen->total += step;
	return 0;
}
