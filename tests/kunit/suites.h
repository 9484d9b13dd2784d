/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_KUNIT_SUITES_H
#define ASC_KUNIT_SUITES_H

#include <kunit/test.h>

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
