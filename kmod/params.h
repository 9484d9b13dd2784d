/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_PARAMS_H
#define ASC_PARAMS_H

#include "kmod/core/policy.h"

u32 asc_paranoid(void);
u32 asc_mlock_kb(void);
void asc_limits(struct asc_limits *limits);

#endif /* ASC_PARAMS_H */
