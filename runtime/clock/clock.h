/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time of annotations. The hot path reads the cycle counter where that is
 * invariant, else CLOCK_MONOTONIC_RAW; the flusher turns ticks into
 * CLOCK_MONOTONIC_RAW nanoseconds with pairs of both that it takes as it goes.
 */
#ifndef ASCPROF_CLOCK_H
#define ASCPROF_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

extern bool clock_uses_cycles __attribute__((visibility("hidden"))); /* set once by clock_setup() */

/* Decides which clock annotations use; idempotent, not thread-safe. */
void clock_setup(void);
const char *clock_source_name(void);
bool clock_listed(const char *list, const char *name); /* among the kernel's clock sources, as sysfs lists them */

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_cycles(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
	return 0;
#endif
}

/* Apart: what is in its frame must not cost those who have cycles. */
uint64_t clock_raw_ns(void);

/* Ticks, for clock_map_raw() only. */
static inline uint64_t clock_ticks(void)
{
	return __builtin_expect(clock_uses_cycles, 1) ? clock_cycles() : clock_raw_ns();
}

struct clock_pair {
	uint64_t ticks;
	uint64_t raw; /* CLOCK_MONOTONIC_RAW, ns */
};

/*
 * One moment on all clocks: when `raw_ns` was, each other clock showed what is
 * here, give or take what it shows in `error_ns`; for all were read between two
 * readings of CLOCK_MONOTONIC_RAW that were twice as far apart.
 */
struct clock_correlation {
	uint64_t ticks; /* what annotations read */
	uint64_t raw_ns; /* CLOCK_MONOTONIC_RAW */
	uint64_t real_ns; /* CLOCK_REALTIME */
	uint64_t error_ns;
};

void clock_correlate(struct clock_correlation *c);

#define CLOCK_MAP_PAIRS 4096
#define CLOCK_RATE_SHIFT 40

/* Where a piece of the line begins. */
struct clock_point {
	struct clock_pair at;
	uint64_t rate; /* ns of a tick from here on, in units of 1 / 2^CLOCK_RATE_SHIFT */
};

/*
 * A continuous, rising line through the pairs taken, so that order survives
 * the conversion. When full, every second pair of the older half goes: times
 * long past are then known to within the noise of a pair, some 50 ns.
 */
struct clock_map {
	struct clock_point youngest; /* piece that has been measured; it goes on beyond its end */
	size_t n;
	struct clock_point point[CLOCK_MAP_PAIRS];
};

void clock_take_pair(struct clock_pair *pair);
void clock_map_reset(struct clock_map *map);
/* Adds a pair; what is converted afterwards should be no younger than it. */
void clock_map_add(struct clock_map *map, const struct clock_pair *pair);
uint64_t clock_map_older(const struct clock_map *map, uint64_t ticks); /* than the youngest piece */

/* Nanoseconds of @ticks, at the rate of a piece */
static inline uint64_t clock_map_since(uint64_t ticks, uint64_t rate)
{
	return (uint64_t)((unsigned __int128)ticks * rate >> CLOCK_RATE_SHIFT);
}

/* @p: a copy of the youngest piece of @map */
static inline uint64_t clock_map_raw_by(const struct clock_map *map, const struct clock_point *p, uint64_t ticks)
{
	if (__builtin_expect(ticks < p->at.ticks, 0))
		return clock_map_older(map, ticks);
	return p->at.raw + clock_map_since(ticks - p->at.ticks, p->rate);
}

static inline uint64_t clock_map_raw(const struct clock_map *map, uint64_t ticks)
{
	return clock_map_raw_by(map, &map->youngest, ticks);
}

#endif /* ASCPROF_CLOCK_H */
