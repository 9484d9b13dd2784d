/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few kernel names that the core files use, for user-space builds. The
 * barriers become C11 atomics, so that a thread sanitizer sees them.
 */
#ifndef ASC_CORE_USER_SHIM_H
#define ASC_CORE_USER_SHIM_H

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;

#define S32_MAX		INT32_MAX
#define S32_MIN		INT32_MIN
#define U32_MAX		UINT32_MAX
#define U64_MAX		(~0ULL)
#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define le32_to_cpu(x)		le32toh(x)
#define le64_to_cpu(x)		le64toh(x)
#define IS_ALIGNED(x, a)	(((x) & ((__typeof__(x))(a) - 1)) == 0)
#define BIT(n)			(1UL << (n))
#define BUILD_BUG_ON(cond)	_Static_assert(!(cond), #cond)

static inline bool is_power_of_2(unsigned long n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

/* Returns the bytes not found to be @c, as the kernel's memchr_inv() does. */
static inline const void *memchr_inv(const void *start, int c, size_t bytes)
{
	const u8 *p = start;
	size_t i;

	for (i = 0; i < bytes; i++)
		if (p[i] != (u8)c)
			return p + i;
	return NULL;
}

static inline ssize_t strscpy(char *dst, const char *src, size_t size)
{
	size_t len = strlen(src);

	if (size == 0)
		return -E2BIG;
	if (len < size) {
		memcpy(dst, src, len + 1);
		return (ssize_t)len;
	}
	memcpy(dst, src, size - 1);
	dst[size - 1] = '\0';
	return -E2BIG;
}

#endif /* ASC_CORE_USER_SHIM_H */
