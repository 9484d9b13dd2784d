/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_SIZED_H
#define ASC_CORE_SIZED_H

#include "platform.h"
#include "uapi/ascprof.h"

bool asc_sized_same(u32 ours, u32 given);
int asc_sized_in(void *dst, size_t size, const void *src, size_t given);
void asc_sized_out(void *dst, size_t given, const void *src, size_t size);

#endif /* ASC_CORE_SIZED_H */
