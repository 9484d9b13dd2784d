/* SPDX-License-Identifier: Apache-2.0 */
#include "clock/clock.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool clock_uses_cycles;

bool clock_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (list += strspn(list, " \n"); *list; list += strspn(list, " \n")) {
		size_t word = strcspn(list, " \n");

		if (word == length && !memcmp(list, name, length))
			return true;
		list += word;
	}
	return false;
}

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
	return clock_listed(list, "tsc");
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

void clock_correlate(struct clock_correlation *c)
{
	uint64_t best = UINT64_MAX;

	/* The narrowest of a few readings was not interrupted. */
	for (int i = 0; i < 8; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC_RAW);
		uint64_t ticks = clock_ticks();
		uint64_t real = clock_ns(CLOCK_REALTIME);
		uint64_t after = clock_ns(CLOCK_MONOTONIC_RAW);

		if (after - before < best) {
			best = after - before;
			*c = (struct clock_correlation){
				.ticks = ticks,
				.raw_ns = before + best / 2,
				.real_ns = real,
				.error_ns = (best + 1) / 2,
			};
		}
	}
}

void clock_map_reset(struct clock_map *map)
{
	map->n = 0;
	map->youngest = (struct clock_point){ 0 };
}

/* Rounded down, so that a piece ends no later than the next one begins. */
static uint64_t rate_of(const struct clock_pair *from, const struct clock_pair *to)
{
	return (uint64_t)(((unsigned __int128)(to->raw - from->raw) << CLOCK_RATE_SHIFT) / (to->ticks - from->ticks));
}

/* Makes room by taking every second point out of the older half. */
static void thin_out(struct clock_map *map)
{
	size_t half = CLOCK_MAP_PAIRS / 2, kept = 0;

	for (size_t i = 0; i < half; i += 2) {
		map->point[kept] = map->point[i];
		map->point[kept++].rate = rate_of(&map->point[i].at, &map->point[i + 2].at);
	}
	memmove(&map->point[kept], &map->point[half], half * sizeof(map->point[0]));
	map->n = kept + half;
}

void clock_map_add(struct clock_map *map, const struct clock_pair *pair)
{
	struct clock_point *last = map->n ? &map->point[map->n - 1] : NULL;

	/* Equal or falling values would make the line vertical or fall. */
	if (last && (pair->ticks <= last->at.ticks || pair->raw <= last->at.raw))
		return;
	if (map->n == CLOCK_MAP_PAIRS) {
		thin_out(map);
		last = &map->point[map->n - 1];
	}
	map->point[map->n++] = (struct clock_point){ .at = *pair };
	if (!last) { /* nothing is known of the rate yet */
		map->youngest = map->point[0];
		return;
	}
	last->rate = rate_of(&last->at, pair);
	map->youngest = *last;
}

uint64_t clock_map_older(const struct clock_map *map, uint64_t ticks)
{
	size_t low = 0, high = map->n - 1;
	const struct clock_point *p;
	__int128 d;

	if (map->n < 2)
		return map->n ? map->point[0].at.raw : 0;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (map->point[mid].at.ticks <= ticks)
			low = mid;
		else
			high = mid;
	}
	p = &map->point[low];
	d = ((__int128)(int64_t)(ticks - p->at.ticks) * (int64_t)p->rate >> CLOCK_RATE_SHIFT) + p->at.raw;
	return d < 0 ? 0 : (uint64_t)d;
}
