/* SPDX-License-Identifier: Apache-2.0 */
/* The text of start_info and end_info: when a collection began or ended. */
#ifndef ASCPROF_COLLECTION_H
#define ASCPROF_COLLECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "format/json_write.h"

/* One moment on two clocks. */
struct moment {
	uint64_t raw_ns; /* CLOCK_MONOTONIC_RAW */
	uint64_t real_ns; /* CLOCK_REALTIME */
};

void collection_write(struct json_writer *w, const struct moment *m, bool begin);

#endif /* ASCPROF_COLLECTION_H */
