/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KUnit on kernels that were built without it: its core is then a module of its
 * own, the loader knows nothing of suites, and we run them ourselves. On a
 * kernel with KUnit nothing changes. To be included once, where the suites are
 * listed.
 */
#ifndef ASC_KUNIT_COMPAT_H
#define ASC_KUNIT_COMPAT_H

#include <kunit/test.h>
#include <linux/module.h>

#if !IS_ENABLED(CONFIG_KUNIT)
#undef kunit_test_suites
#define kunit_test_suites(...) \
struct kunit_suite *asc_suites[] = { __VA_ARGS__, NULL }

extern struct kunit_suite *asc_suites[];

static int asc_nr_suites(void)
{
	int nr = 0;

	while (asc_suites[nr])
		nr++;
	return nr;
}

static int __init asc_suites_init(void)
{
	return __kunit_test_suites_init(asc_suites, asc_nr_suites());
}
module_init(asc_suites_init);

static void __exit asc_suites_exit(void)
{
	__kunit_test_suites_exit(asc_suites, asc_nr_suites());
}
module_exit(asc_suites_exit);
#endif

#endif /* ASC_KUNIT_COMPAT_H */
