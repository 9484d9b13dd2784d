// SPDX-License-Identifier: GPL-2.0-only
/*
 * Four clocks at one moment. They cannot be read at once; they are read
 * between two looks at the raw clock, three times, and the tightest wins.
 */
#include "clock.h"

#define TRIES	3

/**
 * asc_clock_read() - read all clocks
 * @ops: the clocks
 * @clock: result; the raw clock in the middle of the interval that the others
 *	were read in, and the length of that interval
 */
void asc_clock_read(const struct asc_clock_ops *ops, struct asc_clock *clock)
{
	struct asc_clock now;
	u64 before, width;
	int i;

	for (i = 0; i < TRIES; i++) {
		before = ops->raw();
		now.mono = ops->mono();
		now.cycles = ops->cycles();
		now.real = ops->real();
		width = ops->raw() - before;
		now.raw = before + width / 2;
		now.width = min_t(u64, width, U32_MAX);
		if (i == 0 || now.width < clock->width)
			*clock = now;
	}
}

/**
 * asc_clock_publish() - show the clocks in the producer page
 * @page: the page
 * @clock: what to show
 *
 * The sequence is odd while the words change. A reader loads it with acquire,
 * reads the words, and believes them if the sequence is even and, read again
 * after a read barrier, the same.
 */
void asc_clock_publish(struct ascprof_producer_page *page, const struct asc_clock *clock)
{
	u32 seq = page->clock_seq & ~1U;

	WRITE_ONCE(page->clock_seq, seq + 1);
	/* behind the odd sequence: the reader's barrier is before its second look */
	smp_store_release(&page->clk_mono, clock->mono);
	/* likewise */
	smp_store_release(&page->clk_raw, clock->raw);
	/* likewise */
	smp_store_release(&page->clk_real, clock->real);
	/* likewise */
	smp_store_release(&page->clk_cycles, clock->cycles);
	/* before the even sequence: pairs with the reader's first acquire */
	smp_store_release(&page->clock_seq, seq + 2);
}
