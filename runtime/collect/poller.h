/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that read channels, for all runs of the process: the driver has
 * one list of channels that are ready. One thread at a time waits for it, while
 * the others read what was ready before. There are none while no channel runs;
 * the last ones end when the driver lets go of them, within a second after.
 */
#ifndef ASCPROF_POLLER_H
#define ASCPROF_POLLER_H

#include "collect/channel.h"

/* From here on threads read @c. Return: 0, or an errno. */
int poller_add(struct channel *c);
/* None does any more. A channel that was never added may be removed. */
void poller_remove(struct channel *c);

/* At exit: waits for the last threads, for so many seconds, since the driver's library is about to be taken down. */
void poller_wait(unsigned int seconds);
void poller_child(void); /* in a forked child, where the threads do not exist */

#endif /* ASCPROF_POLLER_H */
