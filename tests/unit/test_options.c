/* SPDX-License-Identifier: Apache-2.0 */
/* Types of options: what is taken, as which number, and what is told to have been expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/options.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)

struct row {
	const char *text;
	bool good;
	uint64_t value;
};

static void check(const struct option_def *o, bool set, const struct row *rows, size_t nr, const char *expected)
{
	for (size_t i = 0; i < nr; i++) {
		struct option_value v = { 0 };
		char told[256] = "";
		bool good = options_parse(o, rows[i].text, &v, told);

		if (good != rows[i].good || (good && (set ? v.set : v.number) != rows[i].value))
			fail_msg("\"%s\": %s, %llu", rows[i].text, good ? "taken" : "refused",
				 (unsigned long long)(set ? v.set : v.number));
		if (!good)
			assert_string_equal(told, expected);
	}
}

#define CHECK(o, set, rows, expected) check(o, set, rows, sizeof(rows) / sizeof(rows[0]), expected)

static void numbers(void **state)
{
	static const struct option_def o = { 'n', "n", "N", "", OPTION_NUMBER, 1, 100, .unit = "Hz" };
	static const struct row rows[] = {
		{ "1", true, 1 }, { "100", true, 100 }, { "050", true, 50 }, { "50Hz", true, 50 },
		{ "0", false, 0 }, { "101", false, 0 }, { "", false, 0 }, { " 5", false, 0 }, { "+5", false, 0 },
		{ "-5", false, 0 }, { "5 ", false, 0 }, { "0x5", false, 0 }, { "5.0", false, 0 }, { "50hz", false, 0 },
		{ "18446744073709551617", false, 0 },
	};

	(void)state;
	CHECK(&o, false, rows, "a number from 1 to 100 Hz");
}

static void sizes(void **state)
{
	static const struct option_def o = { 's', "s", "SIZE", "", OPTION_SIZE, 200000000, 4000000000, .unit = NULL };
	static const struct row rows[] = {
		{ "200MB", true, 200000000 }, { "1.5GB", true, 1500000000 }, { "1GiB", true, 1 << 30 },
		{ "300000000", true, 300000000 }, { "4GB", true, 4000000000 }, { "0.2GB", true, 200000000 },
		{ "199MB", false, 0 }, { "5GB", false, 0 }, { "200mb", false, 0 }, { "MB", false, 0 },
		{ "1.GB", false, 0 }, { "20000000000GB", false, 0 }, { "1GB ", false, 0 },
	};

	(void)state;
	CHECK(&o, false, rows, "a size from 200MB to 4GB");
}

static void durations(void **state)
{
	static const struct option_def o = { 'd', "d", "TIME", "", OPTION_DURATION, 10 * MS, 3600 * S, .unit = NULL };
	static const struct row rows[] = {
		{ "10ms", true, 10 * MS }, { "1.5s", true, 1500 * MS }, { "2min", true, 120 * S }, { "1h", true, 3600 * S },
		{ "0.25s", true, 250 * MS }, { "9.999999ms", false, 0 }, { "10", false, 0 }, { "61min", false, 0 },
		{ "s", false, 0 }, { "1m", false, 0 }, { "-1s", false, 0 }, { "1.s", false, 0 },
	};

	(void)state;
	CHECK(&o, false, rows, "a time from 10ms to 1h");
}

static void choices(void **state)
{
	static const struct option_def one = { 'c', "c", "MODE", "", OPTION_CHOICE, .choices = "read write off" };
	static const struct option_def some = { 'l', "l", "LIST", "", OPTION_LIST, .choices = "cpu mem disk" };
	static const struct row modes[] = {
		{ "read", true, 0 }, { "write", true, 1 }, { "off", true, 2 },
		{ "", false, 0 }, { "rea", false, 0 }, { "reads", false, 0 }, { "read write", false, 0 },
	};
	static const struct row lists[] = {
		{ "cpu", true, 1 }, { "disk,cpu", true, 5 }, { "mem,mem", true, 2 },
		{ "", false, 0 }, { "cpu,", false, 0 }, { ",cpu", false, 0 }, { "cpu mem", false, 0 },
	};

	(void)state;
	CHECK(&one, false, modes, "read, write or off");
	CHECK(&some, true, lists, "some of cpu, mem, disk, separated by commas");
}

static void ids(void **state)
{
	static const struct option_def o = { 'd', "d", "IDS", "", OPTION_IDS, 0, 63, .unit = NULL };
	static const struct row rows[] = {
		{ "0", true, 1 }, { "0,2,4-7", true, 0xf5 }, { "63", true, 1ULL << 63 }, { "0-63", true, UINT64_MAX },
		{ "", false, 0 }, { "64", false, 0 }, { "3-2", false, 0 }, { "1,", false, 0 }, { "1-", false, 0 },
		{ "a", false, 0 }, { "1 ", false, 0 },
	};

	(void)state;
	CHECK(&o, true, rows, "numbers from 0 to 63, as in 0,2,4-7");
}

static void paths(void **state)
{
	static const struct option_def o = { 'o', "o", "DIR", "", OPTION_PATH, .unit = NULL };
	struct option_value v;
	char told[256];

	(void)state;
	assert_true(options_parse(&o, "a b", &v, told));
	assert_string_equal(v.text, "a b");
	assert_false(options_parse(&o, "", &v, told));
	assert_string_equal(told, "a name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers), cmocka_unit_test(sizes), cmocka_unit_test(durations),
		cmocka_unit_test(choices), cmocka_unit_test(ids), cmocka_unit_test(paths),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
