/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/emit.h"

#include <errno.h>
#include <unistd.h>

#include "log/log.h"

struct tx_thread *emit_attach(void)
{
	int saved = errno;
	struct tx_thread *t = tx_attach();

	errno = saved;
	return t;
}

void emit_wake(void)
{
	int fd = atomic_load_explicit(&gate.wake_fd, memory_order_acquire);
	uint64_t one = 1;
	int saved = errno;

	/* One of many threads is enough to wake the flusher. */
	atomic_store_explicit(&gate.sleeping, 0, memory_order_relaxed);
	if (fd >= 0 && write(fd, &one, sizeof(one)) < 0)
		errno = saved; /* the counter is at its limit: awake already */
}

aclError emit_no_room(struct tx_thread *t, enum tx_kind kind)
{
	count(&t->counts.dropped[kind][TX_DROP_RING_FULL]);
	emit_wake();
	return fail_often(ACL_ERROR_PROFILING_FAILURE,
			  "annotation dropped and counted: the ring of thread %u is full (%u MiB)", t->tid,
			  TX_RING_BYTES >> 20);
}
