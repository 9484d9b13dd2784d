/* SPDX-License-Identifier: Apache-2.0 */
/* ASCPROF_LAYOUT and ASCPROF_COMPRESS: how what is recorded lies on disk. */
#ifndef ASCPROF_LAYOUT_H
#define ASCPROF_LAYOUT_H

#include <stdbool.h>

struct layout {
	bool native; /* annotations in blocks of native/block.h, not in the vendor's rows */
	int zstd; /* level; 0: nothing is compressed */
};

/* What the environment asks for. What it should not have in it is told, and left out. */
void layout_read(struct layout *layout);

#endif /* ASCPROF_LAYOUT_H */
