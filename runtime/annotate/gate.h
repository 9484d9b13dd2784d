/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one word that every annotation looks at, and the rule by which Stop
 * knows that no annotation is under way any more.
 *
 * An annotation marks its thread as inside, and looks at the gate again; Stop shuts
 * the gate, and looks at every such mark. One of the two must see the other's
 * store: a full fence between store and load on both sides does that, but
 * annotations would pay for it on every call, so Stop makes it for all threads
 * with membarrier(2). Where the kernel has no membarrier, GATE_FENCE makes
 * annotations pay, with a sequentially consistent store.
 */
#ifndef ASCPROF_GATE_H
#define ASCPROF_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GATE_ON 1u    /* a session records msproftx */
#define GATE_FENCE 2u /* no membarrier: annotations fence themselves */
#define GATE_REPORTS 4u /* a session records what frameworks report: each does */
#define GATE_GENERATION 8u /* one more per opening, so that no two look alike */

struct gate {
	_Alignas(64) _Atomic uint32_t state;
	_Atomic uint32_t sleeping; /* the flusher waits without a timer */
	_Atomic int wake_fd;
	_Atomic uint32_t waits; /* a full ring is waited for: the session says so, and can write */
};

extern struct gate gate __attribute__((visibility("hidden"))); /* found without a table of addresses */

/* All three are called under the session's lock. */
void gate_open(bool annotations, bool waits); /* for reports in any case; @waits: for room in a full ring */
/* Return: false when a thread stayed inside an annotation for a second. */
bool gate_shut(void);
void gate_child(void); /* in a forked child: shut, and nothing is left of it */

/* A full fence in every thread of the process; see above. */
void gate_barrier(void);
bool gate_has_barrier(void);

static inline uint32_t gate_now(void)
{
	return atomic_load_explicit(&gate.state, memory_order_relaxed);
}

static inline bool gate_is_on(void)
{
	return gate_now() & GATE_ON;
}

/* From now on a full ring is not waited for, until the gate is opened anew. */
static inline void gate_stop_waiting(void)
{
	atomic_store_explicit(&gate.waits, 0, memory_order_relaxed);
}

#endif /* ASCPROF_GATE_H */
