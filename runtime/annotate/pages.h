/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for the annotation path, straight from the kernel: an annotation in a
 * signal handler may have interrupted malloc. It appears page by page, zeroed,
 * when first written.
 */
#ifndef ASCPROF_PAGES_H
#define ASCPROF_PAGES_H

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

static inline void *pages_get(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Address space alone: mprotect() makes memory of it. */
static inline void *pages_reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
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
