// SPDX-License-Identifier: GPL-2.0-only
/*
 * When the reader is woken, and what poll() tells it.
 */
#include "wake.h"

/**
 * asc_wake_after() - time until unread data has waited long enough
 * @ring: the ring
 * @max_latency: ns, 0: for ever
 * @now: CLOCK_MONOTONIC_RAW, ns
 *
 * Return: ns, 0 if it has; U64_MAX if nothing waits or nothing is due ever.
 */
u64 asc_wake_after(const struct asc_ring *ring, u64 max_latency, u64 now)
{
	u64 waited = now - ring->waiting_since;

	if (!max_latency || !asc_ring_unread(ring))
		return U64_MAX;
	return waited < max_latency ? max_latency - waited : 0;
}

/**
 * asc_wake_mask() - what poll() says
 * @ring: the ring, its tail just synced
 * @state: enum ascprof_stream_state
 * @watermark: unread bytes that make it readable while it runs
 * @max_latency: ns, 0: none
 * @now: CLOCK_MONOTONIC_RAW, ns
 *
 * Return: ASC_WAKE_* bits.
 */
unsigned int asc_wake_mask(const struct asc_ring *ring, u32 state, u64 watermark,
			   u64 max_latency, u64 now)
{
	u64 unread = asc_ring_unread(ring);

	switch (state) {
	case ASCPROF_STATE_FAULT:
		return ASC_WAKE_ERR;
	case ASCPROF_STATE_REVOKED:
		return ASC_WAKE_HUP | (unread ? ASC_WAKE_IN : 0);
	case ASCPROF_STATE_STOPPED:
		return unread ? ASC_WAKE_IN : ASC_WAKE_HUP;
	default:
		if (unread >= watermark || asc_wake_after(ring, max_latency, now) == 0)
			return ASC_WAKE_IN;
		return 0;
	}
}
