/* SPDX-License-Identifier: Apache-2.0 */
/* From the rings of all threads to msproftx rows. */
#ifndef ASCPROF_TX_ROWS_H
#define ASCPROF_TX_ROWS_H

#include <stdbool.h>

#include "clock/clock.h"
#include "flush/slice.h"
#include "session/run.h"

struct tx_reader {
	uint32_t pid;
	struct clock_map map;
};

/* Before a session's first record: forgets what came too late for the last one. */
void tx_reader_reset(struct tx_reader *r);
/* Empties all rings. Return: whether there was anything. */
bool tx_read(struct tx_reader *r, struct slice_sink *sink, struct run_tx *seen);
bool tx_pending(void); /* some ring is not empty */

#endif /* ASCPROF_TX_ROWS_H */
