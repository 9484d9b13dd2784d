/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores past the caches, for what no processor will read again: what a device
 * has read, or is about to, need not be fetched first only to be overwritten.
 */
#ifndef ASCPROF_STREAM_H
#define ASCPROF_STREAM_H

#include <stddef.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Both begin at a multiple of 16, which @bytes is, too. Others see it after stream_done(). */
static inline void stream_copy(void *to, const void *from, size_t bytes)
{
#if defined(__SSE2__)
	const __m128i *f = from;
	__m128i *t = to;

	for (size_t i = 0; i < bytes / sizeof(*t); i++)
		_mm_stream_si128(t + i, _mm_load_si128(f + i));
#else
	memcpy(to, from, bytes);
#endif
}

static inline void stream_done(void)
{
#if defined(__SSE2__)
	_mm_sfence();
#endif
}

#endif /* ASCPROF_STREAM_H */
