/* SPDX-License-Identifier: Apache-2.0 */
/* Events into a run's sink of blocks in the native layout. For the flusher's thread alone. */
#ifndef ASCPROF_TX_NATIVE_H
#define ASCPROF_TX_NATIVE_H

#include "native/block.h"
#include "native/encode.h"
#include "session/run.h"

void tx_native_put(struct run *run, const struct native_event *e);
/* A run of those without details, as native/encode.h has it. */
void tx_native_run_begin(struct run *run, uint32_t tid, struct native_run *r);
void tx_native_run_end(struct run *run, const struct native_run *r, const uint32_t events[NATIVE_KINDS]);
/* Events that are not in a block of the sink yet go into one. */
void tx_native_flush(struct run *run);

/* Of a sink of pages. */
unsigned int tx_native_kind_of(const void *page);
void tx_native_events_in(const void *page, uint32_t events[SLICE_KINDS]);

#endif /* ASCPROF_TX_NATIVE_H */
