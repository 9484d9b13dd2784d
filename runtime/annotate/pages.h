/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for the annotation path, straight from the kernel: an annotation in a
 * signal handler may have interrupted malloc. It appears page by page, zeroed,
 * when first written. errno stays the program's, also where there is none.
 */
#ifndef ASCPROF_PAGES_H
#define ASCPROF_PAGES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

static inline void *pages_or_null(void *p, int saved)
{
	errno = saved;
	return p == MAP_FAILED ? NULL : p;
}

static inline void *pages_map(size_t bytes, int protection)
{
	int saved = errno;

	return pages_or_null(mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), saved);
}

static inline void *pages_get(size_t bytes)
{
	return pages_map(bytes, PROT_READ | PROT_WRITE);
}

/* Address space that reads as zeros, of which memory is made bit by bit. */
static inline void *pages_show(size_t bytes)
{
	return pages_map(bytes, PROT_READ);
}

static inline bool pages_use(void *shown, size_t bytes)
{
	int saved = errno;
	bool done = !mprotect(shown, bytes, PROT_READ | PROT_WRITE);

	errno = saved;
	return done;
}

/* By a copy: sanitizers do not see mremap(), and hold the new place's former owner against us. */
static inline void *pages_grow(void *old, size_t old_bytes, size_t bytes)
{
	void *p = pages_get(bytes);

	if (p && old) {
		memcpy(p, old, old_bytes);
		munmap(old, old_bytes);
	}
	return p;
}

#endif /* ASCPROF_PAGES_H */
