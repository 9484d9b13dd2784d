// SPDX-License-Identifier: GPL-2.0-only
#include "kunit_compat.h"
#include "suites.h"

kunit_test_suites(&asc_clock_suite, &asc_feed_suite, &asc_news_suite, &asc_pacing_suite,
		  &asc_pci_suite, &asc_policy_suite, &asc_record_suite, &asc_ring_suite,
		  &asc_sim_suite, &asc_sized_suite, &asc_wake_suite, &asc_widen_suite,
		  &asc_window_suite);

MODULE_DESCRIPTION("Tests of the logic of ascprof");
MODULE_AUTHOR("The ascprof developers");
MODULE_LICENSE("GPL");
