/* SPDX-License-Identifier: Apache-2.0 */
#include "clock/clock.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool clock_uses_cycles;

#if defined(__x86_64__)
/*
 * The processor promises a counter of constant rate, and the kernel has not
 * found it to be a lie: an unstable TSC vanishes from the list of clock sources.
 */
static bool cycles_invariant(void)
{
	unsigned int a, b, c, d;
	char list[256] = "";
	FILE *f;

	if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1u << 8)))
		return false;
	f = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
	if (!f)
		return false;
	if (!fgets(list, sizeof(list), f))
		list[0] = '\0';
	fclose(f);
	for (char *save, *word = strtok_r(list, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
		if (!strcmp(word, "tsc"))
			return true;
	return false;
}
#elif defined(__aarch64__)
/* The architecture defines the counter as invariant. */
static bool cycles_invariant(void)
{
	return true;
}
#else
static bool cycles_invariant(void)
{
	return false;
}
#endif

uint64_t clock_raw_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

void clock_setup(void)
{
	clock_uses_cycles = cycles_invariant();
}

const char *clock_source_name(void)
{
	if (!clock_uses_cycles)
		return "clock_monotonic_raw";
#if defined(__aarch64__)
	return "cntvct";
#else
	return "tsc";
#endif
}

void clock_take_pair(struct clock_pair *pair)
{
	uint64_t best = UINT64_MAX;

	if (!clock_uses_cycles) {
		pair->ticks = pair->raw = clock_ns(CLOCK_MONOTONIC_RAW);
		return;
	}
	/* A reading that was interrupted is wide; the narrowest of a few is not. */
	for (int i = 0; i < 4; i++) {
		uint64_t before = clock_cycles();
		uint64_t raw = clock_ns(CLOCK_MONOTONIC_RAW);
		uint64_t after = clock_cycles();

		if (after - before < best) {
			best = after - before;
			pair->ticks = before + (after - before) / 2;
			pair->raw = raw;
		}
	}
}

void clock_map_add(struct clock_map *map, const struct clock_pair *pair)
{
	const struct clock_pair *last = map->n ? &map->pair[map->n - 1] : NULL;

	/* Equal or falling values would make the line vertical or fall. */
	if (last && (pair->ticks <= last->ticks || pair->raw <= last->raw))
		return;
	if (map->n == CLOCK_MAP_PAIRS) {
		size_t half = CLOCK_MAP_PAIRS / 2, kept = 0;

		for (size_t i = 0; i < half; i += 2)
			map->pair[kept++] = map->pair[i];
		memmove(&map->pair[kept], &map->pair[half], half * sizeof(map->pair[0]));
		map->n = kept + half;
	}
	map->pair[map->n++] = *pair;
}

uint64_t clock_map_raw(const struct clock_map *map, uint64_t ticks)
{
	const struct clock_pair *a, *b;
	size_t low = 0, high;
	uint64_t product;
	__int128 d;

	if (map->n == 0)
		return 0;
	if (map->n == 1) /* nothing is known of the rate yet */
		return map->pair[0].raw;
	/* Nearly always the youngest segment. */
	high = map->n - 1;
	if (ticks >= map->pair[high - 1].ticks)
		low = high - 1;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (map->pair[mid].ticks <= ticks)
			low = mid;
		else
			high = mid;
	}
	a = &map->pair[low];
	b = &map->pair[low + 1];
	/* Nearly always 64 bits are enough, and divide several times faster. */
	if (ticks >= a->ticks && !__builtin_mul_overflow(ticks - a->ticks, b->raw - a->raw, &product))
		return a->raw + product / (b->ticks - a->ticks);
	d = (__int128)((int64_t)(ticks - a->ticks)) * (int64_t)(b->raw - a->raw) /
	    (int64_t)(b->ticks - a->ticks);
	d += a->raw;
	return d < 0 ? 0 : (uint64_t)d;
}
