/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/gate.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "annotate/thread.h"
#include "log/log.h"

#define YIELDS 1000u
#define NAPS 1000u /* of a millisecond at least */

struct gate gate = { .wake_fd = -1 };

static int membarrier(int cmd)
{
	return (int)syscall(SYS_membarrier, cmd, 0, 0);
}

void gate_barrier(void)
{
	if (gate_has_barrier())
		membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

bool gate_has_barrier(void)
{
	return !(atomic_load_explicit(&gate.state, memory_order_relaxed) & GATE_FENCE);
}

void gate_open(bool annotations, bool waits)
{
	uint32_t state = atomic_load_explicit(&gate.state, memory_order_relaxed);

	/* Registering is per process and does not survive a fork: always ask. */
	if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0)
		state &= ~GATE_FENCE;
	else
		state |= GATE_FENCE;
	atomic_store_explicit(&gate.waits, waits, memory_order_relaxed);
	state = (state + GATE_GENERATION) | GATE_REPORTS | (annotations ? GATE_ON : 0);
	if (state < GATE_GENERATION) /* all have been used: TX_INSIDE stays apart */
		state += GATE_GENERATION;
	atomic_store_explicit(&gate.state, state, memory_order_seq_cst);
}

/*
 * A second, but not by the clock: it goes on while the whole process is
 * stopped, or waits for a processor, and then nobody could get out.
 */
static bool gets_out(struct tx_thread *t, unsigned int *tries)
{
	const struct timespec nap = { 0, 1000000 };

	while (atomic_load_explicit(&t->pass, memory_order_seq_cst) == TX_INSIDE) {
		/* A thread stopped by a debugger, or one that calls Stop from a
		 * signal handler inside its own annotation, never gets out. */
		if (*tries == YIELDS + NAPS)
			return false;
		if ((*tries)++ < YIELDS)
			sched_yield();
		else
			nanosleep(&nap, NULL);
	}
	return true;
}

bool gate_shut(void)
{
	uint32_t state = atomic_load_explicit(&gate.state, memory_order_relaxed);
	unsigned int tries = 0;
	bool quiet = true;

	atomic_store_explicit(&gate.state, state & ~(GATE_ON | GATE_REPORTS), memory_order_seq_cst);
	gate_barrier();
	for (struct tx_thread *t = tx_threads(); t; t = t->next)
		quiet &= gets_out(t, &tries);
	return quiet;
}

void gate_child(void)
{
	uint32_t state = atomic_load_explicit(&gate.state, memory_order_relaxed);

	atomic_store_explicit(&gate.state, (state & ~(GATE_ON | GATE_REPORTS)) + GATE_GENERATION, memory_order_relaxed);
	atomic_store_explicit(&gate.sleeping, 0, memory_order_relaxed);
	atomic_store_explicit(&gate.wake_fd, -1, memory_order_relaxed);
}
