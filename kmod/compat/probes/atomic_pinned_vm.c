// SPDX-License-Identifier: GPL-2.0-only
/* mm->pinned_vm is atomic; else the mm's lock guards it */
#include <linux/atomic.h>
#include <linux/mm_types.h>

void probe(struct mm_struct *mm);
void probe(struct mm_struct *mm)
{
	atomic64_add(1, &mm->pinned_vm);
}
