/* SPDX-License-Identifier: Apache-2.0 */
/* Packed slices of a result directory, replaced by the vendor's layout. Not thread-safe. */
#ifndef ASCPROF_RESTORE_H
#define ASCPROF_RESTORE_H

#include <stdint.h>

#include "export/diag.h"
#include "export/prof.h"

struct restored {
	unsigned int packed; /* slices that were, and are gone */
	unsigned int plain; /* slices that are there instead */
	uint64_t packed_bytes, plain_bytes;
};

/* Return: 0, also when nothing is packed; -1 with a message, and then the packed slices are all there. */
int restore(const struct prof *prof, struct restored *out, struct diag *diag);

#endif /* ASCPROF_RESTORE_H */
