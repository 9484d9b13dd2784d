/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KUnit on kernels that were built without it: its core is then a module of its
 * own, the loader knows nothing of suites, and we run them ourselves. On a
 * kernel with KUnit nothing changes.
 */
#ifndef ASC_KUNIT_COMPAT_H
#define ASC_KUNIT_COMPAT_H

#include <kunit/test.h>
#include <linux/module.h>

#if !IS_ENABLED(CONFIG_KUNIT)
#undef kunit_test_suites
#define kunit_test_suites(...) \
static struct kunit_suite * const asc_suites[] = { __VA_ARGS__ }; \
static int __init asc_suites_init(void) \
{ \
	return __kunit_test_suites_init((struct kunit_suite **)asc_suites, \
					ARRAY_SIZE(asc_suites)); \
} \
static void __exit asc_suites_exit(void) \
{ \
	__kunit_test_suites_exit((struct kunit_suite **)asc_suites, ARRAY_SIZE(asc_suites)); \
} \
module_init(asc_suites_init); \
module_exit(asc_suites_exit)
#endif

#endif /* ASC_KUNIT_COMPAT_H */
