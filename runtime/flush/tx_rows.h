/* SPDX-License-Identifier: Apache-2.0 */
/* From the rings of all threads to rows: those of annotations are made here, reported ones are there already. */
#ifndef ASCPROF_TX_ROWS_H
#define ASCPROF_TX_ROWS_H

#include <stdbool.h>

#include "clock/clock.h"
#include "flush/slice.h"
#include "native/rows.h"
#include "session/run.h"

struct tx_reader {
	uint32_t pid;
	uint64_t recording; /* number of the one under way */
	struct clock_map map;
	/* Rows that have been filled, and not committed: */
	struct row_tx *rows;
	uint32_t room;
	uint32_t filled;
	uint32_t events[SLICE_KINDS];
	struct row_tx plain; /* all that is the same in every row of a stamp without details, of one thread */
	char text[NATIVE_ROWS_TEXT]; /* message of the record being read, as valid UTF-8 */
};

/* Before a session's first record: forgets what came too late for the last one. */
void tx_reader_reset(struct tx_reader *r);
/* Empties all rings, of all that is there at the time. Return: whether there was anything. */
bool tx_read(struct tx_reader *r, struct run *run);
bool tx_pending(void); /* some ring is not empty */
unsigned int tx_kind_of(const void *row); /* enum tx_kind, or SLICE_PART */

#endif /* ASCPROF_TX_ROWS_H */
