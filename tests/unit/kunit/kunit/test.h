/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KUnit, as far as the suites over kmod/core use it, in user space: the same cases run in
 * milliseconds, and under the compilers' sanitizers. tests/unit/test_core_kunit.c runs them.
 */
#ifndef ASC_USER_KUNIT_H
#define ASC_USER_KUNIT_H

#include <stdlib.h>

#include "kmod/core/platform.h"

#define PAGE_SIZE	4096
#define GFP_KERNEL	0
#define __GFP_ZERO	0
#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define cpu_to_le32(x)	htole32(x)
#define cpu_to_le64(x)	htole64(x)

struct kunit {
	void *priv;
	const char *name;
	unsigned int failures;
	struct allocation *allocations; /* freed behind the case */
};

struct kunit_case {
	void (*run)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(function) { .run = function, .name = #function }

void *kunit_kzalloc(struct kunit *test, size_t size, int flags);
void kunit_failed(struct kunit *test, const char *file, int line, const char *text, long long left, long long right);
_Noreturn void kunit_give_up(struct kunit *test);

/* @after: nothing, or the end of the case */
#define KUNIT_CHECK(test, left, op, right, after) do {						\
	__auto_type left_ = (left);								\
	__auto_type right_ = (right);								\
	if (!(left_ op right_)) {								\
		kunit_failed(test, __FILE__, __LINE__, #left " " #op " " #right,		\
			     (long long)left_, (long long)right_);				\
		after;										\
	}											\
} while (0)

#define KUNIT_EXPECT_EQ(test, left, right)	KUNIT_CHECK(test, left, ==, right, )
#define KUNIT_EXPECT_LT(test, left, right)	KUNIT_CHECK(test, left, <, right, )
#define KUNIT_EXPECT_LE(test, left, right)	KUNIT_CHECK(test, left, <=, right, )
#define KUNIT_EXPECT_GT(test, left, right)	KUNIT_CHECK(test, left, >, right, )
#define KUNIT_EXPECT_GE(test, left, right)	KUNIT_CHECK(test, left, >=, right, )
#define KUNIT_ASSERT_EQ(test, left, right)	KUNIT_CHECK(test, left, ==, right, kunit_give_up(test))
#define KUNIT_ASSERT_NE(test, left, right)	KUNIT_CHECK(test, left, !=, right, kunit_give_up(test))
#define KUNIT_ASSERT_LE(test, left, right)	KUNIT_CHECK(test, left, <=, right, kunit_give_up(test))
#define KUNIT_ASSERT_GT(test, left, right)	KUNIT_CHECK(test, left, >, right, kunit_give_up(test))
#define KUNIT_ASSERT_GE(test, left, right)	KUNIT_CHECK(test, left, >=, right, kunit_give_up(test))
#define KUNIT_EXPECT_TRUE(test, condition)	KUNIT_CHECK(test, !!(condition), ==, 1, )
#define KUNIT_EXPECT_FALSE(test, condition)	KUNIT_CHECK(test, !!(condition), ==, 0, )
#define KUNIT_ASSERT_FALSE(test, condition)	KUNIT_CHECK(test, !!(condition), ==, 0, kunit_give_up(test))
#define KUNIT_EXPECT_PTR_EQ(test, left, right)	KUNIT_CHECK(test, (uintptr_t)(left), ==, (uintptr_t)(right), )
#define KUNIT_EXPECT_NULL(test, pointer)	KUNIT_CHECK(test, (uintptr_t)(pointer), ==, 0u, )
#define KUNIT_EXPECT_NOT_NULL(test, pointer)	KUNIT_CHECK(test, (uintptr_t)(pointer), !=, 0u, )
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pointer) \
	KUNIT_CHECK(test, (uintptr_t)(pointer), !=, 0u, kunit_give_up(test))
#define KUNIT_EXPECT_STREQ(test, left, right)	KUNIT_EXPECT_EQ(test, strcmp(left, right), 0)
#define KUNIT_EXPECT_EQ_MSG(test, left, right, ...) KUNIT_EXPECT_EQ(test, left, right)

/* linux/mm.h and vmalloc.h: a page that can be mapped twice in a row */
struct page;
#define VM_MAP		0
#define PAGE_KERNEL	0

struct page *alloc_page(int flags);
void __free_page(struct page *page);
void *vmap(struct page **pages, unsigned int count, int flags, int protection);
void vunmap(const void *address);
void *page_address(const struct page *page); /* another mapping of it, as in the kernel */

/* linux/prandom.h: any numbers, the same ones each time */
struct rnd_state {
	u64 state;
};

static inline void prandom_seed_state(struct rnd_state *rnd, u64 seed)
{
	rnd->state = seed;
}

static inline u32 prandom_u32_state(struct rnd_state *rnd)
{
	rnd->state = rnd->state * 6364136223846793005u + 1442695040888963407u;
	return (u32)(rnd->state >> 33);
}

#endif /* ASC_USER_KUNIT_H */
