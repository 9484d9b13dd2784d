// SPDX-License-Identifier: GPL-2.0-only
/* vm_flags_set(), vm_flags_clear(): flags of a mapping are changed by functions */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);
void probe(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYWRITE);
}
