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

/* old ones have modules run their suites themselves, as we do */
#if !IS_ENABLED(CONFIG_KUNIT) && !defined(kunit_test_suites_for_module)
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
#ifdef ASC_KUNIT_ASKS_WHETHER
	return __kunit_test_suites_init(asc_suites, asc_nr_suites(), true);
#else
	return __kunit_test_suites_init(asc_suites, asc_nr_suites());
#endif
}
module_init(asc_suites_init);

static void __exit asc_suites_exit(void)
{
	__kunit_test_suites_exit(asc_suites, asc_nr_suites());
}
module_exit(asc_suites_exit);
#endif

#endif /* ASC_KUNIT_COMPAT_H */
