/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_WINDOW_H
#define ASC_CORE_WINDOW_H

#include "platform.h"
#include "uapi/ascprof.h"
#include "uapi/ascprof_window.h"

/**
 * struct asc_window - what the head of a counter window says
 * @count: entries
 * @stride: bytes from one to the next
 * @first: offset of the first
 * @msix: interrupts ask for samples
 */
struct asc_window {
	u32 count;
	u32 stride;
	u32 first;
	bool msix;
};

/**
 * struct asc_window_counter - what one entry says
 * @event: what it counts; config is the number of the entry
 * @offset: of the register
 * @width: bits of it
 * @rate: most counts per second; 0 for a gauge
 */
struct asc_window_counter {
	struct ascprof_event event;
	u32 offset;
	u32 width;
	u64 rate;
};

/**
 * struct asc_window_io - how a window is read
 * @read32: the word at an offset, in the machine's byte order
 * @ctx: for it
 */
struct asc_window_io {
	u32 (*read32)(void *ctx, u32 offset);
	void *ctx;
};

const char *asc_window_head(const struct ascprof_window_head *head, u64 room,
			    struct asc_window *window);
const char *asc_window_entry(const struct ascprof_window_entry *entry,
			     const struct asc_window *window, u32 index,
			     struct asc_window_counter *counters);
int asc_window_read(const struct asc_window_io *io, const struct asc_window_counter *counter,
		    u64 *value);
u64 asc_window_refresh(const struct asc_window_counter *counters, u32 nr);

#endif /* ASC_CORE_WINDOW_H */
