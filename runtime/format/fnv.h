/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a, 64 bits: the numbers that stand for texts in a dictionary. */
#ifndef ASCPROF_FNV_H
#define ASCPROF_FNV_H

#include <stdint.h>

static inline uint64_t fnv_text(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}

#endif /* ASCPROF_FNV_H */
