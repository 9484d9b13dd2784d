/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where reported rows go: api_event, and one tag for each type of compact and
 * additional data, each twice, for what may age and what stays. A tag has a
 * sink from its first row on.
 */
#ifndef ASCPROF_REPORTS_H
#define ASCPROF_REPORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate/thread.h"
#include "flush/dictionary.h"
#include "flush/slice.h"

#define REPORTS_MAX 96u /* tags; of types beyond, rows go where those without a name go */

struct report_sink;
struct type;

struct reports {
	struct slice_store *store;
	int dir_fd; /* of the data folder; not owned */
	struct report_sink *sink[REPORTS_MAX];
	unsigned int nr;
	uint64_t lost[TX_KINDS]; /* rows that found no sink, since writing had ended */
	uint64_t no_memory[TX_KINDS]; /* or for want of memory */
	struct dictionary types;
	const struct type *types_noted; /* and all older ones: they are in it */
};

void reports_init(struct reports *r, struct slice_store *store, int dir_fd);
/* @row: of as many bytes as rows of @kind have */
void reports_put(struct reports *r, enum tx_kind kind, bool stays, const void *row);
void reports_note_types(struct reports *r); /* what is new since it was called last, once there is a row */
struct slice_sum reports_sum(const struct reports *r, enum tx_kind kind);

void reports_flush(struct reports *r);
void reports_settle(struct reports *r);
void reports_finish(struct reports *r);
void reports_free(struct reports *r);

#endif /* ASCPROF_REPORTS_H */
