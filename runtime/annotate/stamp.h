/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps: the objects of aclprofCreateStamp(). Each thread keeps those that it
 * frees for itself; memory of stamps is never given back, so that a stamp used
 * after its end is found out instead of corrupting something else.
 */
#ifndef ASCPROF_STAMP_H
#define ASCPROF_STAMP_H

#include <stdint.h>

#include "annotate/thread.h"

#define STAMP_LIVE 0x57a3b11eu
#define STAMP_FREE 0xdeadf4eeu

struct tx_stamp {
	_Alignas(64) struct tx_stamp *next;
	uint32_t state; /* STAMP_LIVE or STAMP_FREE */
	uint32_t message_len;
	char message[TX_MESSAGE_MAX + 1];
};

/* Fills the free list of @t; false without memory. */
bool stamp_refill(struct tx_thread *t);
/* Takes @stamp where the thread has no context, or too many stamps already. */
void stamp_give(struct tx_stamp *stamp);
/* Around fork(): the child must not find the lists half changed. */
void stamp_fork_lock(void);
void stamp_fork_unlock(void);
void stamp_child(void); /* after stamp_fork_unlock() */

#endif /* ASCPROF_STAMP_H */
