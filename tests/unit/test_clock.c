// SPDX-License-Identifier: Apache-2.0
/* The line through pairs of clocks: exact to a nanosecond, rising, and continuous. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clock/clock.h"

#define TICKS_A_SECOND 2596000000u

static struct clock_map map;

static void add(uint64_t ticks, uint64_t raw)
{
	struct clock_pair pair = { .ticks = ticks, .raw = raw };

	clock_map_add(&map, &pair);
}

static void test_few(void **state)
{
	(void)state;
	clock_map_reset(&map);
	assert_int_equal(clock_map_raw(&map, 12345), 0);
	add(1000, 500);
	assert_int_equal(clock_map_raw(&map, 1000), 500);
	assert_int_equal(clock_map_raw(&map, 1), 500); /* no rate is known yet */
	assert_int_equal(clock_map_raw(&map, 5000), 500);
	add(3000, 1500);
	assert_int_equal(clock_map_raw(&map, 1000), 500);
	assert_int_equal(clock_map_raw(&map, 2000), 1000);
	assert_int_equal(clock_map_raw(&map, 3000), 1500);
	assert_int_equal(clock_map_raw(&map, 5000), 2500); /* the line goes on, on both sides */
	assert_int_equal(clock_map_raw(&map, 200), 100);
	assert_int_equal(clock_map_raw(&map, 0), 0);
}

static void test_what_cannot_be(void **state)
{
	(void)state;
	clock_map_reset(&map);
	add(1000, 500);
	add(3000, 1500);
	add(3000, 1600); /* no time has passed for one of the clocks */
	add(4000, 1500);
	add(2000, 1400);
	assert_int_equal(map.n, 2);
	assert_int_equal(clock_map_raw(&map, 4000), 2000);
	/* before the origin of the clock */
	clock_map_reset(&map);
	add(1000000, 10);
	add(2000000, 1000010);
	assert_int_equal(clock_map_raw(&map, 0), 0);
}

/* Noisy pairs, so many that old ones go. What is known of a time must never move across another's. */
static void test_long_and_rising(void **state)
{
	static uint64_t ticks[20000], pair_raw[20000];
	uint64_t before = 0, worst = 0;

	(void)state;
	clock_map_reset(&map);
	srand(1);
	for (size_t i = 0; i < 20000; i++) {
		ticks[i] = 5000000000u + i * (TICKS_A_SECOND / 10) + (uint64_t)(rand() % 1000);
		pair_raw[i] = (uint64_t)((unsigned __int128)ticks[i] * 1000000000u / TICKS_A_SECOND) + (uint64_t)(rand() % 50);
		add(ticks[i], pair_raw[i]);
		assert_true(clock_map_raw(&map, ticks[i]) <= pair_raw[i]);
		assert_true(pair_raw[i] - clock_map_raw(&map, ticks[i]) <= 1);
	}
	assert_true(map.n <= CLOCK_MAP_PAIRS);
	for (uint64_t at = ticks[0]; at < ticks[19999]; at += TICKS_A_SECOND / 30) {
		uint64_t raw = clock_map_raw(&map, at);
		uint64_t exact = (uint64_t)((unsigned __int128)at * 1000000000u / TICKS_A_SECOND);
		uint64_t off = raw > exact ? raw - exact : exact - raw;

		assert_true(raw >= before);
		before = raw;
		worst = off > worst ? off : worst;
	}
	assert_true(worst <= 50); /* the noise that was put in */
}

/* The youngest piece is computed apart: it must agree with what is said of the same times later. */
static void test_same_when_older(void **state)
{
	uint64_t said[100];

	(void)state;
	clock_map_reset(&map);
	add(1000000007, 400000003);
	add(1259600011, 500000017);
	for (unsigned int i = 0; i < 100; i++)
		said[i] = clock_map_raw(&map, 1000000007 + i * 2596000u);
	add(1519200013, 600000001);
	add(1778800029, 700000033);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(clock_map_raw(&map, 1000000007 + i * 2596000u), said[i]);
	/* and pieces meet */
	assert_true(clock_map_raw(&map, 1259600010) <= clock_map_raw(&map, 1259600011));
	assert_int_equal(clock_map_raw(&map, 1259600011), 500000017);
}

#if defined(__x86_64__)
static bool has_word(const char *path, const char *key, const char *word)
{
	char line[8192];
	bool has = false;
	FILE *f = fopen(path, "re");

	while (f && !has && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		for (char *save, *w = strtok_r(line, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save))
			has |= !strcmp(w, word);
	}
	if (f)
		fclose(f);
	return has;
}

/* The cycle counter is the clock where the kernel trusts it, and only there. */
static void test_source(void **state)
{
	bool trusted = has_word("/proc/cpuinfo", "flags", "nonstop_tsc") && has_word("/proc/cpuinfo", "flags", "constant_tsc") &&
		       has_word("/sys/devices/system/clocksource/clocksource0/available_clocksource", "", "tsc");

	(void)state;
	clock_setup();
	assert_string_equal(clock_source_name(), trusted ? "tsc" : "clock_monotonic_raw");
}
#endif

/* An unstable TSC is not in the list, though one that is only for the boot, or of a hypervisor, may be. */
static void test_listed(void **state)
{
	(void)state;
	assert_true(clock_listed("tsc hpet acpi_pm \n", "tsc"));
	assert_true(clock_listed("kvm-clock tsc acpi_pm \n", "tsc"));
	assert_true(clock_listed("hpet acpi_pm tsc", "tsc"));
	assert_true(clock_listed("tsc\n", "tsc"));
	assert_false(clock_listed("hpet pit acpi_pm \n", "tsc"));
	assert_false(clock_listed("tsc-early hpet acpi_pm \n", "tsc"));
	assert_false(clock_listed("hyperv_clocksource_tsc_page xtsc ts t \n", "tsc"));
	assert_false(clock_listed("\n", "tsc"));
	assert_false(clock_listed("", "tsc"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_what_cannot_be),
		cmocka_unit_test(test_long_and_rising),
		cmocka_unit_test(test_same_when_older),
		cmocka_unit_test(test_listed),
#if defined(__x86_64__)
		cmocka_unit_test(test_source),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
