/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of host data as such: where they begin, how many there are, and of when. */
#ifndef ASCPROF_SAMPLES_H
#define ASCPROF_SAMPLES_H

#include "export/prof.h"

/* Name of the kind in the account; NULL: no kind of host data */
const char *samples_kind(enum slices_kind kind);

struct samples {
	uint64_t nr; /* without those that slices begin with as a copy */
	uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC_RAW; 0: none */
};

void samples_count(const struct prof_part *part, enum slices_kind kind, struct samples *s);

/* Bytes of a slice up to the last sample that can be whole. */
size_t samples_whole(enum slices_kind kind, const char *text, size_t size);

#endif /* ASCPROF_SAMPLES_H */
