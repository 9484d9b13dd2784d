// SPDX-License-Identifier: Apache-2.0
/* The comparison of module and program, as far as it goes without a module. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tools/doctor.h"
#include "tools/sampling.h"

#define SOFTWARE 1 /* perf_event_attr.type */
#define NO_TYPE 0x7ffffff0

static struct sampling_plan software(void)
{
	return (struct sampling_plan){
		.type = SOFTWARE, .nr_configs = 2, .configs = { 0, 2 }, .nr_cpus = sampling_cpus(),
	};
}

static void program(void **state)
{
	struct sampling_plan plan = software();
	struct sampling_result r;
	const char *what;

	(void)state;
	if (sampling_possible(&plan))
		skip(); /* not for this user */
	assert_int_equal(sampling_measure(&plan, SAMPLING_PROGRAM, &r, &what), 0);
	assert_true(r.span_ns > 0);
	assert_true(r.span_99_ns >= r.span_ns);
	assert_true(r.cost_ns > 0);
	assert_true(r.due >= SAMPLING_TICKS - 1); /* the first is at once */
	assert_true(r.missed < r.due);
	assert_int_equal(r.throttled, 0);
}

static void failures(void **state)
{
	struct sampling_plan plan = software();
	struct sampling_result r;
	const char *what = "";

	(void)state;
	setenv("ASCPROF_DEVICE", "/no/such/device", 1);
	assert_int_equal(sampling_measure(&plan, SAMPLING_MODULE, &r, &what), ENOENT);
	assert_non_null(strstr(what, "perf counters"));
	setenv("ASCPROF_DEVICE", "/dev/null", 1);
	assert_int_equal(sampling_measure(&plan, SAMPLING_MODULE, &r, &what), ENOTTY);
	plan.type = NO_TYPE;
	assert_int_not_equal(sampling_possible(&plan), 0);
	assert_int_not_equal(sampling_measure(&plan, SAMPLING_PROGRAM, &r, &what), 0);
	assert_string_equal(what, "perf_event_open");
}

static void ratios(void **state)
{
	(void)state;
	assert_true(sampling_ratio(200, 500) == 2.5);
	assert_true(sampling_ratio(0, 500) == 0);
}

static void load_ends(void **state)
{
	struct sampling_load load;

	(void)state;
	assert_int_equal(sampling_busy(&load, 1), 0);
	assert_int_equal(load.nr, SAMPLING_BUSY_PER_CPU);
	for (int i = 0; i < load.nr; i++)
		assert_int_equal(waitpid(load.pid[i], NULL, WNOHANG), 0); /* it runs */
	sampling_idle(&load);
	assert_int_equal(load.nr, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void without_a_module(void **state)
{
	struct doctor d = { .root = "" };

	(void)state;
	setenv("ASCPROF_DEVICE", "/no/such/device", 1);
	doctor_bench(&d);
	assert_int_equal(d.nr, 1);
	assert_int_equal(d.list[0].state, DOCTOR_NOTE);
	assert_non_null(strstr(d.list[0].text, "/no/such/device is not there"));
	doctor_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program), cmocka_unit_test(failures),	      cmocka_unit_test(ratios),
		cmocka_unit_test(load_ends), cmocka_unit_test(without_a_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
