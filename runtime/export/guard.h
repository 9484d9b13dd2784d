/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading files that somebody may shorten meanwhile. A mapped page behind the
 * new end raises SIGBUS; for the ranges registered here such a page is replaced
 * by zeros and the range is marked, so that the reader can end with an error
 * instead of a crash. One thread registers; other SIGBUS go their usual way.
 *
 * Pages that were read stay in the process until somebody takes them back, so
 * that large files would fill it: guard_trim() does that.
 */
#ifndef ASCPROF_GUARD_H
#define ASCPROF_GUARD_H

#include <signal.h>
#include <stddef.h>

struct guard_range {
	struct guard_range *volatile next;
	char *begin;
	size_t len;
	volatile sig_atomic_t hit; /* a page was missing */
};

void guard_add(struct guard_range *range);
void guard_remove(struct guard_range *range);

#define GUARD_RESIDENT (16u << 20) /* bytes of mapped files that may stay */

/* Lets go of the pages of all ranges when there are too many; the kernel has them still. */
void guard_trim(void);

#endif /* ASCPROF_GUARD_H */
