/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices that are packed: annotations in the native layout, and any slice that
 * was compressed (<name>.zst, of zstd frames). Thread-safe.
 */
#ifndef ASCPROF_UNPACK_H
#define ASCPROF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum packed { PACKED_NOT, PACKED_NATIVE, PACKED_ZSTD };

/* How the slice of that name is packed, and the length of its name without an ending that says so. */
enum packed unpack_kind(const char *name, size_t *len);

/* Whether @name is a slice's, packed or not. */
bool unpack_is_slice(const char *name);

/* In a folder of slices: packed ones that are still there have been unpacked. */
#define UNPACK_MARK ".unpacked"
bool unpack_is_done(int dir_fd);

struct unpacked {
	uint64_t bytes; /* given out */
	size_t good_bytes; /* of the packed slice, from its start */
	const char *wrong; /* with what lies behind them; NULL: that is all */
};

/*
 * Gives out, in portions of whole rows, what @slice of @size bytes holds;
 * rows of one event come together. @put returns 0, or -1 to stop.
 * Return: 0; -1 stopped, or without memory.
 */
int unpack_slice(enum packed kind, const void *slice, size_t size,
		 int (*put)(void *arg, const void *data, size_t len), void *arg, struct unpacked *out);

#endif /* ASCPROF_UNPACK_H */
