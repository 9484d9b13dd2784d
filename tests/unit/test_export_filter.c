// SPDX-License-Identifier: Apache-2.0
/* Conditions of a filter: what they take, what they refuse, and what they leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/filter.h"
#include "export/timebase.h"
#include "format/rows.h"

#define S 1000000000LL

static void test_times(void **state)
{
	static const struct {
		const char *text;
		bool relative;
		int64_t ns; /* -1: refused */
	} cases[] = {
		{ "0", true, 0 },
		{ "1.5", true, 1500000000 },
		{ "1.5s", true, 1500000000 },
		{ "20ms", true, 20000000 },
		{ "0.25ms", true, 250000 },
		{ "3us", true, 3000 },
		{ "7ns", true, 7 },
		{ "9223372036s", true, 9223372036 * S },
		{ "9223372037s", true, -1 },
		{ "@1800000000.25", false, 1800000000 * S + 250000000 },
		{ "@0", false, 0 },
		{ "2027-01-15T08:00:00Z", false, 1800000000 * S },
		{ "2027-01-15T08:00:00.000000001Z", false, 1800000000 * S + 1 },
		{ "1970-01-01T00:00:00Z", false, 0 },
		{ "", true, -1 },
		{ "-1", true, -1 },
		{ "1m", true, -1 },
		{ "1 s", true, -1 },
		{ "1.5.2", true, -1 },
		{ "@", true, -1 },
		{ "@1s", true, -1 },
		{ "2027-01-15T08:00:00", true, -1 },
		{ "2027-01-15T08:00:61Z", true, -1 },
		{ "2027-01-15", true, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct filter f = { 0 };
		const char *wrong = filter_add_time(&f, false, cases[i].text);

		assert_int_equal(wrong == NULL, cases[i].ns >= 0);
		assert_int_equal(f.active, cases[i].ns >= 0);
		if (wrong)
			continue;
		assert_int_equal(f.from.ns, cases[i].ns);
		assert_int_equal(f.from.relative, cases[i].relative);
		filter_origin(&f, 1000);
		assert_int_equal(f.from.ns, cases[i].relative ? cases[i].ns + 1000 > 0 ? cases[i].ns + 1000 : INT64_MAX :
								cases[i].ns);
	}
}

static void test_window(void **state)
{
	struct filter f = { 0 };

	(void)state;
	assert_null(filter_add_time(&f, false, "@10"));
	assert_null(filter_add_time(&f, true, "@20"));
	assert_true(filter_wants_time(&f, 10 * S, 10 * S)); /* a mark at the beginning */
	assert_false(filter_wants_time(&f, 10 * S - 1, 10 * S - 1));
	assert_false(filter_wants_time(&f, 20 * S, 20 * S)); /* one at the end */
	assert_true(filter_wants_time(&f, 20 * S - 1, 30 * S));
	assert_true(filter_wants_time(&f, 5 * S, 30 * S)); /* all over it */
	assert_true(filter_wants_time(&f, 5 * S, 10 * S + 1));
	assert_false(filter_wants_time(&f, 5 * S, 10 * S)); /* over when it begins */
	assert_true(filter_wants_time(NULL, 0, 0));
}

static bool matches(const char *pattern, const char *name, size_t len)
{
	struct filter f = { 0 };
	bool found;

	assert_null(filter_add_name(&f, pattern));
	found = filter_wants_name(&f, name, len);
	filter_free(&f);
	return found;
}

/* Expressions that would take all memory are refused, and no others. */
static void test_hungry(void **state)
{
	static const char *const hungry[] = { "/+++++++++++++++++++++++++++b/", "/((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+/",
					      "/((a{255}){255}){255}/", "/(a{1,20000})/", "/a*+++++++++++++/", "/api*++++++++++/",
					      "/(x{,5000})+/" };
	static const char *const modest[] = { "/a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+/", "/[+++++++++++++++++++]/", "/x\\+\\+\\++/",
					      "/^(layer|step)+ [0-9]{1,3}$/", "/[]+++++++++++++++++++]/", "/((a{10}){10}b)+/",
					      "/[^]+++++++++++++++]a/" };
	struct filter f = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(hungry) / sizeof(hungry[0]); i++)
		assert_string_equal(filter_add_name(&f, hungry[i]),
				    "a regular expression with fewer repetitions in repetitions was expected");
	assert_false(f.active);
	for (size_t i = 0; i < sizeof(modest) / sizeof(modest[0]); i++)
		assert_null(filter_add_name(&f, modest[i]));
	filter_free(&f);
}

static void test_names(void **state)
{
	char as[2000];
	struct filter f = { 0 };

	(void)state;
	assert_true(matches("step", "step", 4));
	assert_false(matches("step", "steps", 5));
	assert_true(matches("step*", "steps", 5));
	assert_true(matches("*", "", 0));
	assert_false(matches("?", "", 0));
	assert_true(matches("", "", 0));
	assert_true(matches("a*b*c", "a--b--b--c", 10));
	assert_false(matches("a*b*c", "a--b--b--", 9));
	assert_true(matches("s??p", "st\0p", 4));
	assert_true(matches("*/x/*", "a/x/b", 5)); /* no expression: the slashes are not its ends */
	assert_true(matches("/^st.p$/", "step", 4));
	assert_true(matches("/te/", "step", 4));
	assert_false(matches("/^te/", "step", 4));
	assert_false(matches("/p$/", "stepx", 5));
	assert_true(matches("/p$/", "stepx", 4)); /* what is behind the name is not looked at */
	assert_string_equal(filter_add_name(&f, "/(/"), "a regular expression was expected between the slashes");
	assert_false(f.active);
	/* alternatives */
	assert_null(filter_add_name(&f, "a"));
	assert_null(filter_add_name(&f, "/b+/"));
	assert_true(filter_wants_name(&f, "a", 1));
	assert_true(filter_wants_name(&f, "xbx", 3));
	assert_false(filter_wants_name(&f, "x", 1));
	filter_free(&f);
	/* what takes others for ever */
	memset(as, 'a', sizeof(as));
	assert_false(matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", as, sizeof(as)));
}

static void test_kinds(void **state)
{
	struct filter f = { 0 };

	(void)state;
	assert_null(filter_add_kind(&f, "mark,hbm"));
	assert_true(filter_wants_kind(&f, "mark"));
	assert_false(filter_wants_kind(&f, "mark_ex"));
	assert_true(filter_wants_counter(&f, "hbm", 0));
	assert_false(filter_wants_counter(&f, "llc", 0));
	assert_null(filter_add_kind(&f, "counters"));
	assert_true(filter_wants_counter(&f, "llc", 0));
	assert_false(filter_wants_kind(&f, "range"));
	assert_non_null(filter_add_kind(&f, "marks"));
	assert_non_null(filter_add_kind(&f, "mark,"));
	assert_non_null(filter_add_kind(&f, ""));
	/* no counter is of a thread */
	assert_null(filter_add_tid(&f, "7"));
	assert_false(filter_wants_counter(&f, "llc", 0));
	filter_free(&f);
}

static void test_rows(void **state)
{
	struct timebase tb = { .host_simple = true, .host_wall = 100 * S };
	struct row_tx row = { .pid = 1, .tid = 2, .event = ROW_TX_RANGE, .start = 5 * S, .end = 6 * S };
	struct filter f = { 0 };

	(void)state;
	assert_true(filter_wants_row(NULL, &tb, &row));
	assert_null(filter_add_pid(&f, "3,1"));
	assert_true(filter_wants_row(&f, &tb, &row));
	assert_null(filter_add_tid(&f, "3"));
	assert_false(filter_wants_row(&f, &tb, &row));
	assert_null(filter_add_tid(&f, "2"));
	assert_true(filter_wants_row(&f, &tb, &row));
	assert_null(filter_add_time(&f, false, "@105.5"));
	assert_true(filter_wants_row(&f, &tb, &row));
	assert_null(filter_add_kind(&f, "mstx_range"));
	assert_false(filter_wants_row(&f, &tb, &row));
	row.info_type = ROW_TX_INFO_SEGMENT;
	assert_true(filter_wants_row(&f, &tb, &row));
	assert_non_null(filter_add_pid(&f, "4294967296"));
	assert_non_null(filter_add_pid(&f, "1,"));
	assert_non_null(filter_add_pid(&f, "x"));
	filter_free(&f);
	for (int i = 0; i < FILTER_MOST; i++)
		assert_null(filter_add_pid(&f, "1"));
	assert_string_equal(filter_add_pid(&f, "1"), "at most 64 values were expected");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times), cmocka_unit_test(test_window), cmocka_unit_test(test_names),
		cmocka_unit_test(test_hungry),
		cmocka_unit_test(test_kinds), cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
