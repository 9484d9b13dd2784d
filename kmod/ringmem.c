// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of rings and its mapping into user space.
 *
 * The pages are charged to the caller's memory cgroup. They are inserted into
 * the mapping one by one, as ordinary pages: a raw frame mapping could not be
 * pinned, and direct I/O writes the ring to disk straight from the mapping.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include "kmod/compat/compat.h"
#include "kmod/ringmem.h"
#include "uapi/ascprof.h"

#define RING_GFP	(GFP_KERNEL_ACCOUNT | __GFP_ZERO)

static void put_page_of_ring(struct page *page)
{
	if (page)
		__free_page(page);	/* drops our reference; a mapping may hold more */
}

/**
 * asc_ringmem_alloc() - get the memory of a ring
 * @mem: zeroed; asc_ringmem_free() it whatever is returned
 * @bytes: power of two, at least a page
 *
 * Return: 0, -ENOMEM, or -EINTR when the caller is being killed.
 */
int asc_ringmem_alloc(struct asc_ringmem *mem, u64 bytes)
{
	unsigned int nr = bytes >> PAGE_SHIFT;
	unsigned int i;

	mem->bytes = bytes;
	mem->pages = kvcalloc(2 * (size_t)nr, sizeof(*mem->pages), GFP_KERNEL_ACCOUNT);
	if (!mem->pages)
		return -ENOMEM;
	mem->nr = nr;

	for (i = 0; i < nr; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		mem->pages[i] = alloc_page(RING_GFP);
		if (!mem->pages[i])
			return -ENOMEM;
		mem->pages[nr + i] = mem->pages[i];
		cond_resched();		/* up to a quarter of a million */
	}
	mem->producer = alloc_page(RING_GFP);
	mem->consumer = alloc_page(RING_GFP);
	if (!mem->producer || !mem->consumer)
		return -ENOMEM;

	mem->data = vmap(mem->pages, 2 * nr, VM_MAP, PAGE_KERNEL);
	return mem->data ? 0 : -ENOMEM;
}

/**
 * asc_ringmem_free() - give it back
 * @mem: from asc_ringmem_alloc(), complete or not
 */
void asc_ringmem_free(struct asc_ringmem *mem)
{
	unsigned int i;

	if (mem->data)
		vunmap(mem->data);
	for (i = 0; i < mem->nr; i++) {
		put_page_of_ring(mem->pages[i]);
		cond_resched();
	}
	put_page_of_ring(mem->producer);
	put_page_of_ring(mem->consumer);
	kvfree(mem->pages);
	memset(mem, 0, sizeof(*mem));
}

static int insert(struct vm_area_struct *vma, struct page **pages, unsigned int nr)
{
	unsigned long addr = vma->vm_start;
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++, addr += PAGE_SIZE) {
		if (fatal_signal_pending(current))
			return -EINTR;
		ret = vm_insert_page(vma, addr, pages[i]);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

/**
 * asc_ringmem_map() - map one of the three areas
 * @mem: complete
 * @vma: where, its offset says which
 *
 * Return: 0; -EINVAL for an unknown offset, a wrong length or a private
 * mapping; -EACCES for rights that an area does not give; -ENOMEM; -EINTR when
 * the caller is being killed.
 */
int asc_ringmem_map(const struct asc_ringmem *mem, struct vm_area_struct *vma)
{
	u64 length = vma->vm_end - vma->vm_start;
	struct page **pages;
	unsigned int nr;
	bool writable = false;

	switch ((u64)vma->vm_pgoff << PAGE_SHIFT) {
	case ASCPROF_OFF_CONSUMER:
		pages = (struct page **)&mem->consumer;
		nr = 1;
		writable = true;
		break;
	case ASCPROF_OFF_PRODUCER:
		pages = (struct page **)&mem->producer;
		nr = 1;
		break;
	case ASCPROF_OFF_DATA:
		pages = mem->pages;
		nr = 2 * mem->nr;
		break;
	default:
		return -EINVAL;
	}

	if (length != (u64)nr << PAGE_SHIFT || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if ((vma->vm_flags & VM_EXEC) || (!writable && (vma->vm_flags & VM_WRITE)))
		return -EACCES;

	vm_flags_clear(vma, writable ? VM_MAYEXEC : VM_MAYEXEC | VM_MAYWRITE);
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	return insert(vma, pages, nr);
}
