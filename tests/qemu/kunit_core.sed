# SPDX-License-Identifier: Apache-2.0
# lib/kunit/test.c of any kernel, made fit for a stock kernel: its tasks do not point to the
# running test, its loader knows nothing of suites, nobody but us wants KUnit's hooks, and
# what is read-only data of the kernel only the kernel knows.
/^void __printf(3, 4) __kunit_fail_current_test_impl(/,/^}/d
/current->kunit_test = /d
/^static void kunit_module_init(/,/^};/d
s/return register_module_notifier(&kunit_mod_nb);/return 0;/
/unregister_module_notifier(&kunit_mod_nb);/d
/#include "hooks-impl.h"/d
/kunit_install_hooks();/d
/memset(&kunit_hooks,/d
/static_branch_[a-z]*(&kunit_running);/d
/kunit_free_boot_suites();/d
s/is_kernel_rodata((unsigned long)[a-z]*)/false/
