/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_PINNED_H
#define ASC_PINNED_H

#include <linux/types.h>

struct cred;
struct mm_struct;

/**
 * struct asc_pinned - on whose account pinned memory is
 * @cred: of the user whose locked_vm it is in, NULL: nothing is charged
 * @mm: whose pinned_vm it is in
 * @pages: how many
 */
struct asc_pinned {
	const struct cred *cred;
	struct mm_struct *mm;
	unsigned long pages;
};

int asc_pinned_charge(struct asc_pinned *pinned, u64 bytes);
void asc_pinned_release(struct asc_pinned *pinned);

#endif /* ASC_PINNED_H */
