/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_RINGMEM_H
#define ASC_RINGMEM_H

#include <linux/mm_types.h>
#include <linux/types.h>

/**
 * struct asc_ringmem - the pages of one ring
 * @bytes: of data
 * @nr: pages of data
 * @pages: 2 * @nr entries, the second half repeats the first
 * @data: all of them, mapped into the kernel
 * @producer: page that the reader sees
 * @consumer: page that the reader writes
 */
struct asc_ringmem {
	u64 bytes;
	unsigned int nr;
	struct page **pages;
	void *data;
	struct page *producer;
	struct page *consumer;
};

int asc_ringmem_alloc(struct asc_ringmem *mem, u64 bytes);
void asc_ringmem_free(struct asc_ringmem *mem);
int asc_ringmem_map(const struct asc_ringmem *mem, struct vm_area_struct *vma);

#endif /* ASC_RINGMEM_H */
