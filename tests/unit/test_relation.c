/* SPDX-License-Identifier: Apache-2.0 */
/* The line through readings of a device's counter and the host's clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "clock/relation.h"

#define BEGIN_NS 5000000000000u
#define BEGIN_TICKS 123456789000u
#define S 1000000000u

/* The counter of a device of @khz whose rate is off by @ppb, @ns behind the begin. */
static uint64_t counter_at(uint32_t khz, int64_t ppb, uint64_t ns)
{
	long double hz = (long double)khz * 1000 * (1 + (long double)ppb / 1e9L);

	return BEGIN_TICKS + (uint64_t)(hz * (long double)ns / 1e9L);
}

static uint32_t state = 1;

static uint32_t some(uint32_t below)
{
	state = state * 1103515245u + 12345u;
	return (state >> 8) % below;
}

/* A reading in an interval of @width that has the counter somewhere within. */
static void read_at(struct relation *r, uint32_t khz, int64_t ppb, uint64_t ns, uint32_t width)
{
	uint32_t before = some(width + 1);

	relation_add(r, &(struct relation_reading){ .counter = counter_at(khz, ppb, ns),
						     .host_ns = BEGIN_NS + ns - before + width / 2, .width_ns = width });
}

/* By how much the line is wrong @ns behind the begin. */
static long double wrong_by(const struct relation_line *l, uint32_t khz, int64_t ppb, uint64_t ns)
{
	long double ticks = (long double)(int64_t)(counter_at(khz, ppb, ns) - l->counter);
	long double got = (long double)(int64_t)(l->host_ns - BEGIN_NS) + ticks * 1e15L / (long double)l->micro_hz;

	return got - (long double)ns;
}

static void no_reading(void **unused)
{
	struct relation r = { 0 };
	struct relation_line l;

	(void)unused;
	assert_false(relation_fit(&r, 50000, &l));
}

static void one_reading(void **unused)
{
	struct relation r = { 0 };
	struct relation_line l;

	(void)unused;
	read_at(&r, 50000, 0, 0, 1500);
	assert_true(relation_fit(&r, 50000, &l));
	assert_int_equal(l.counter, BEGIN_TICKS);
	assert_int_equal(l.micro_hz, 50000000000000u);
	assert_int_equal(l.drift_ppb, 0);
	assert_int_equal(l.error_ns, 750);
}

/* An hour of a clock that is 20 ppm fast, read every 10 s: known to within its bound everywhere. */
static void drift(void **unused)
{
	static const int64_t drifts[] = { 20000, -20000, 137, 0, 300000 };
	static const uint32_t rates[] = { 50000, 1000000, 19200 };

	(void)unused;
	for (size_t k = 0; k < 15; k++) {
		int64_t ppb = drifts[k % 5];
		uint32_t khz = rates[k / 5];
		struct relation r = { 0 };
		struct relation_line l;

		for (uint64_t s = 0; s <= 3600; s += 10)
			read_at(&r, khz, ppb, s * S, 1000 + some(4000));
		assert_true(relation_fit(&r, khz, &l));
		assert_int_equal(r.taken, 361);
		assert_in_range(l.drift_ppb - ppb + 10, 0, 20);
		assert_in_range(l.error_ns, 500, 6000);
		for (uint64_t s = 0; s <= 3600; s += 7) {
			long double off = wrong_by(&l, khz, ppb, s * S);

			assert_true(off <= (long double)l.error_ns && -off <= (long double)l.error_ns);
		}
	}
}

/* A step of a millisecond is in no line: the bound says so. */
static void step(void **unused)
{
	struct relation r = { 0 };
	struct relation_line l;

	(void)unused;
	for (uint64_t s = 0; s <= 100; s += 10) {
		struct relation_reading reading = { .counter = counter_at(50000, 20000, s * S) + (s > 50 ? 50000 : 0),
						    .host_ns = BEGIN_NS + s * S, .width_ns = 1000 };

		relation_add(&r, &reading);
	}
	assert_true(relation_fit(&r, 50000, &l));
	assert_in_range(l.error_ns, 100000, 1000000);
}

/* A counter that stands still has no rate. */
static void still(void **unused)
{
	struct relation r = { 0 };
	struct relation_line l;

	(void)unused;
	for (uint64_t s = 0; s <= 20; s += 10)
		relation_add(&r, &(struct relation_reading){ BEGIN_TICKS, BEGIN_NS + s * S, 100 });
	assert_true(relation_fit(&r, 50000, &l));
	assert_int_equal(l.drift_ppb, 0);
	assert_int_equal(l.error_ns, 20ull * S + 50);
}

/* The line begins at the nearest nanosecond: the mean of three readings that are off by one, and two that are not. */
static void nearest(void **unused)
{
	(void)unused;
	for (int off = -1; off <= 1; off++) {
		struct relation r = { 0 };
		struct relation_line l;

		for (uint64_t i = 0; i < 5; i++)
			relation_add(&r, &(struct relation_reading){ .counter = BEGIN_TICKS + 1000 * i,
								     .host_ns = BEGIN_NS + 1000 * i + (uint64_t)(i % 4 ? off : 0) });
		assert_true(relation_fit(&r, 1000000, &l));
		assert_int_equal((int64_t)(l.host_ns - BEGIN_NS), off);
		assert_int_equal(l.drift_ppb, 0);
		assert_int_equal(l.error_ns, off != 0);
	}
}

/* The first and the newest are kept, whatever goes. */
static void thinned(void **unused)
{
	struct relation r = { 0 };

	(void)unused;
	for (uint64_t s = 0; s < 5000; s++)
		read_at(&r, 50000, 0, s * S, 0);
	assert_true(r.n <= RELATION_READINGS);
	assert_int_equal(r.taken, 5000);
	assert_int_equal(r.reading[0].host_ns, BEGIN_NS);
	assert_int_equal(r.reading[r.n - 1].host_ns, BEGIN_NS + 4999ull * S);
	for (unsigned int i = 1; i < r.n; i++)
		assert_true(r.reading[i].host_ns > r.reading[i - 1].host_ns);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_reading), cmocka_unit_test(one_reading), cmocka_unit_test(drift),
		cmocka_unit_test(step),	      cmocka_unit_test(still),	     cmocka_unit_test(nearest),
		cmocka_unit_test(thinned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
