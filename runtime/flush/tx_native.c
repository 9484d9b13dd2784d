/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/tx_native.h"

#include <string.h>

#define BLOCK_PAGES (NATIVE_BLOCK_MAX / NATIVE_PAGE)

_Static_assert(SLICE_KINDS <= NATIVE_KINDS, "kinds of events");
_Static_assert(sizeof(struct native_header) <= SLICE_LOOK, "header of a block");

unsigned int tx_native_kind_of(const void *page)
{
	const struct native_header *h = page;

	return h->magic == NATIVE_MAGIC && h->version == NATIVE_VERSION && h->header_bytes == sizeof(*h) ?
		       SLICE_BLOCK : SLICE_PART;
}

void tx_native_events_in(const void *page, uint32_t events[SLICE_KINDS])
{
	memcpy(events, ((const struct native_header *)page)->events, SLICE_KINDS * sizeof(events[0]));
}

/* A block is in the slice whose texts it refers to. */
static void begin_block(struct run *run)
{
	if (!run->native_begun && !slice_has_room(&run->tx, BLOCK_PAGES)) {
		slice_end(&run->tx);
		native_new_slice(run->native);
	}
	run->native_begun = true;
}

void tx_native_put(struct run *run, const struct native_event *e)
{
	begin_block(run);
	if (native_put(run->native, e))
		tx_native_flush(run);
}

void tx_native_run_begin(struct run *run, uint32_t tid, struct native_run *r)
{
	begin_block(run);
	native_run_begin(run->native, tid, r);
}

void tx_native_run_end(struct run *run, const struct native_run *r, const uint32_t events[NATIVE_KINDS])
{
	if (native_run_end(run->native, r, events))
		tx_native_flush(run);
}

void tx_native_flush(struct run *run)
{
	uint32_t events[NATIVE_KINDS];
	void *to;

	run->native_begun = false;
	if (!native_pending(run->native))
		return;
	to = slice_reserve_event(&run->tx, BLOCK_PAGES);
	if (to) {
		size_t bytes = native_take(run->native, to, events);

		slice_commit_block(&run->tx, (uint32_t)(bytes / NATIVE_PAGE), events);
		return;
	}
	native_drop(run->native, events);
	for (unsigned int k = 0; k < SLICE_KINDS; k++)
		slice_lose(&run->tx, events[k], k);
}
