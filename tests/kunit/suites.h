/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_KUNIT_SUITES_H
#define ASC_KUNIT_SUITES_H

#include <kunit/test.h>
#include <linux/string.h>

/* what old KUnit has not, or only for strings that are no arrays */
#ifdef kunit_test_suites_for_module
#undef KUNIT_EXPECT_STREQ
#define KUNIT_EXPECT_STREQ(test, left, right) \
	KUNIT_EXPECT_EQ(test, strcmp(left, right), 0)
#endif
#ifndef KUNIT_EXPECT_NULL
#define KUNIT_EXPECT_NULL(test, ptr) \
	KUNIT_EXPECT_PTR_EQ(test, (const void *)(ptr), (const void *)NULL)
#define KUNIT_EXPECT_NOT_NULL(test, ptr) \
	KUNIT_EXPECT_PTR_NE(test, (const void *)(ptr), (const void *)NULL)
#endif

extern struct kunit_suite asc_clock_suite;
extern struct kunit_suite asc_feed_suite;
extern struct kunit_suite asc_news_suite;
extern struct kunit_suite asc_pacing_suite;
extern struct kunit_suite asc_pci_suite;
extern struct kunit_suite asc_policy_suite;
extern struct kunit_suite asc_record_suite;
extern struct kunit_suite asc_ring_suite;
extern struct kunit_suite asc_sim_suite;
extern struct kunit_suite asc_sized_suite;
extern struct kunit_suite asc_wake_suite;
extern struct kunit_suite asc_widen_suite;
extern struct kunit_suite asc_window_suite;

#endif /* ASC_KUNIT_SUITES_H */
