/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the core files need from their surroundings. The core is pure logic: no
 * locks, no allocation, no clocks. It is built into the module, into the KUnit
 * suites and, over user_shim.h, into the user-space tests.
 */
#ifndef ASC_CORE_PLATFORM_H
#define ASC_CORE_PLATFORM_H

#ifdef __KERNEL__
#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/byteorder.h>
#else
#include "user_shim.h"
#endif

#endif /* ASC_CORE_PLATFORM_H */
