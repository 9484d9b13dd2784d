// SPDX-License-Identifier: GPL-2.0-only
/* sched_set_fifo_low(): real-time policy without a choice of the priority */
#include <linux/sched.h>

void probe(struct task_struct *task);
void probe(struct task_struct *task)
{
	sched_set_fifo_low(task);
}
