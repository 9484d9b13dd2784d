/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of the native layout, read: believes nothing that they say. Thread-safe. */
#ifndef ASCPROF_EXPORT_NATIVE_H
#define ASCPROF_EXPORT_NATIVE_H

#include <stddef.h>
#include <stdint.h>

#include "native/block.h"

struct native_reading {
	uint64_t events[NATIVE_KINDS];
	uint64_t blocks;
	size_t good_bytes; /* from the start: whole blocks */
	uint32_t pid; /* of the block whose events are given out; of the last one in the end */
	const char *wrong; /* what the first bad block has; NULL: there is none */
};

/*
 * Calls @each for all events of one slice, block by block, up to the first
 * block that is not whole: each block is checked before anything of it is
 * given out. The event and its text are valid during the call; the text may be
 * any bytes. @each returns 0, or another value to stop.
 * Return: 0, what @each returned, or -1 without memory.
 */
int native_read(const void *slice, size_t size, int (*each)(void *arg, const struct native_event *event), void *arg,
		struct native_reading *out);

#endif /* ASCPROF_EXPORT_NATIVE_H */
