/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one thread that writes: it empties the rings of all threads and the
 * streams of all devices into slice files. It sleeps without a timer while
 * nothing happens, and has everything on its way to disk 100 ms after it was
 * recorded.
 *
 * Life cycle calls hand it requests and wait for them; they hold the session's
 * lock, so there is one at a time.
 */
#ifndef ASCPROF_FLUSHER_H
#define ASCPROF_FLUSHER_H

#include <stdint.h>

#include "flush/io.h"
#include "session/run.h"

/* Starts the thread. Return: 0, or an errno. */
int flusher_start(enum io_choice choice);
void flusher_stop(void); /* no run may be left */

/* Return: 0, or the errno of writing its first account; it is added all the same. */
int flusher_add(struct run *run);
/* Reads and writes out what the devices have, for good. */
void flusher_end_devices(struct run *run, uint64_t devices);
/* The same for the host part; the gate must be shut when the run is annotated. */
void flusher_end_host(struct run *run);
/* Writes the last account; the run is the caller's again. Return: the first error of writing, or 0. */
int flusher_remove(struct run *run, const char *state);

void flusher_child(void); /* in a forked child, where the thread does not exist */

#endif /* ASCPROF_FLUSHER_H */
