/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/gate.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "annotate/thread.h"
#include "clock/clock.h"
#include "log/log.h"

#define QUIESCE_NS 1000000000u

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

void gate_open(bool waits)
{
	uint32_t state = atomic_load_explicit(&gate.state, memory_order_relaxed);

	/* Registering is per process and does not survive a fork: always ask. */
	if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0)
		state &= ~GATE_FENCE;
	else
		state |= GATE_FENCE;
	atomic_store_explicit(&gate.waits, waits, memory_order_relaxed);
	state = (state + GATE_GENERATION) | GATE_ON;
	atomic_store_explicit(&gate.state, state, memory_order_seq_cst);
}

bool gate_shut(void)
{
	uint32_t state = atomic_load_explicit(&gate.state, memory_order_relaxed);
	uint64_t deadline;
	bool quiet = true;

	atomic_store_explicit(&gate.state, state & ~GATE_ON, memory_order_seq_cst);
	gate_barrier();
	deadline = clock_ns(CLOCK_MONOTONIC) + QUIESCE_NS;
	for (struct tx_thread *t = tx_threads(); t; t = t->next) {
		while (atomic_load_explicit(&t->busy, memory_order_seq_cst)) {
			/* A thread stopped by a debugger, or one that calls Stop from a
			 * signal handler inside its own annotation, never gets out. */
			if (clock_ns(CLOCK_MONOTONIC) > deadline) {
				quiet = false;
				break;
			}
			sched_yield();
		}
	}
	return quiet;
}

void gate_child(void)
{
	uint32_t state = atomic_load_explicit(&gate.state, memory_order_relaxed);

	atomic_store_explicit(&gate.state, (state & ~GATE_ON) + GATE_GENERATION, memory_order_relaxed);
	atomic_store_explicit(&gate.sleeping, 0, memory_order_relaxed);
	atomic_store_explicit(&gate.wake_fd, -1, memory_order_relaxed);
}
