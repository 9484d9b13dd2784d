/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics from counters: sums, shares, levels, what was counted for a part of the time, what was not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tools/counters.h"

#define NEAR(a, b) assert_true((a) > (b) - 1e-6 && (a) < (b) + 1e-6)

static struct counter counter(const char *metric, const char *unit, double scale)
{
	struct counter c = { .unit = "", .scale = scale, .by = "module", .fd = -1, .fresh = true };

	snprintf(c.group, sizeof(c.group), "npu 0");
	snprintf(c.metric, sizeof(c.metric), "%s", metric);
	snprintf(c.unit, sizeof(c.unit), "%s", unit);
	return c;
}

static void grow(struct counter *c, uint64_t by)
{
	c->before = c->value;
	c->value += by;
}

static void rates(void **state)
{
	struct counter list[2] = { counter("memory-read", "bytes", 32), counter("memory-read", "bytes", 32) };
	struct counters c = { .list = list, .nr = 2, .before_ns = 1000000000, .at_ns = 1500000000 };
	struct metrics m;

	(void)state;
	assert_int_equal(metrics_make(&m, &c), 0);
	assert_int_equal(m.nr, 1);
	assert_int_equal(m.list[0].kind, METRIC_RATE);
	assert_int_equal(m.list[0].counters, 2);
	grow(&list[0], 100);
	grow(&list[1], 50);
	metrics_update(&m, &c);
	NEAR(m.list[0].now, 150 * 32 / 0.5);
	NEAR(m.list[0].total, 150 * 32);
	c.before_ns = 1500000000;
	c.at_ns = 2500000000;
	grow(&list[0], 10);
	grow(&list[1], 0);
	metrics_update(&m, &c);
	NEAR(m.list[0].now, 320);
	NEAR(m.list[0].min, 320);
	NEAR(m.list[0].max, 9600);
	NEAR(metric_average(&m.list[0], m.seconds), (4800 + 320) / 1.5);
	/* a rest is in the average alone */
	m.shortest = 0.5;
	c.before_ns = 2500000000;
	c.at_ns = 2500001000;
	grow(&list[0], 1000);
	grow(&list[1], 0);
	metrics_update(&m, &c);
	NEAR(m.list[0].max, 9600);
	NEAR(m.list[0].total, 4800 + 320 + 32000);
	/* but minimum and maximum never exclude that */
	metrics_end(&m);
	NEAR(m.list[0].min, 320);
	NEAR(m.list[0].max, metric_average(&m.list[0], m.seconds));
	metrics_free(&m);
}

/* Samples of the module come when they come: the time is theirs, and without one nothing is known. */
static void late_samples(void **state)
{
	struct counter list[1] = { counter("memory-read", "bytes", 1) };
	struct counters c = { .list = list, .nr = 1, .before_ns = 1000000000, .at_ns = 2000000000 };
	struct metrics m;

	(void)state;
	assert_int_equal(metrics_make(&m, &c), 0);
	list[0].taken_before_ns = list[0].taken_ns = 900000000;
	grow(&list[0], 0);
	metrics_update(&m, &c);
	assert_false(m.list[0].fresh);
	assert_int_equal(m.list[0].intervals, 0);
	list[0].taken_ns = 2900000000;
	grow(&list[0], 100);
	metrics_update(&m, &c);
	assert_true(m.list[0].fresh);
	NEAR(m.list[0].min, 50);
	metrics_free(&m);
}

static void shares(void **state)
{
	struct counter list[3] = { counter("llc-hit", "%", 1), counter("llc-hit", "%", 1), counter("llc-hit", "%", 1) };
	struct counters c = { .list = list, .nr = 3, .before_ns = 1, .at_ns = 1000000001 };
	struct metrics m;

	(void)state;
	list[2].divisor = true;
	assert_int_equal(metrics_make(&m, &c), 0);
	NEAR(metric_average(&m.list[0], m.seconds), 0);
	grow(&list[0], 30);
	grow(&list[1], 20);
	grow(&list[2], 200);
	metrics_update(&m, &c);
	NEAR(m.list[0].now, 25);
	/* nothing was asked for: there is no share, and not one of 0 */
	for (int i = 0; i < 3; i++)
		grow(&list[i], 0);
	metrics_update(&m, &c);
	assert_false(m.list[0].fresh);
	assert_int_equal(m.list[0].intervals, 1);
	/* the average is of all requests, not of intervals */
	grow(&list[0], 0);
	grow(&list[1], 0);
	grow(&list[2], 800);
	metrics_update(&m, &c);
	NEAR(metric_average(&m.list[0], m.seconds), 5);
	metrics_free(&m);

	/* misses tell the same the other way round */
	for (int i = 0; i < 3; i++)
		list[i].miss = true;
	assert_int_equal(metrics_make(&m, &c), 0);
	grow(&list[0], 30);
	grow(&list[1], 20);
	grow(&list[2], 200);
	metrics_update(&m, &c);
	NEAR(m.list[0].now, 75);
	metrics_free(&m);
}

static void a_part_of_the_time(void **state)
{
	struct counter list[1] = { counter("cycles", "", 1) };
	struct counters c = { .list = list, .nr = 1, .before_ns = 1, .at_ns = 1000000001 };
	struct metrics m;

	(void)state;
	assert_int_equal(metrics_make(&m, &c), 0);
	list[0].enabled_ns = 1000;
	list[0].running_ns = 250;
	grow(&list[0], 100);
	metrics_update(&m, &c);
	NEAR(m.list[0].total, 400);
	NEAR(m.list[0].running, 0.25);
	metrics_free(&m);
}

static void levels(void **state)
{
	struct counter list[1] = { counter("l2-level", "level", 1) };
	struct counters c = { .list = list, .nr = 1, .before_ns = 1, .at_ns = 1000000001 };
	struct metrics m;

	(void)state;
	list[0].level = true;
	list[0].value = 7;
	assert_int_equal(metrics_make(&m, &c), 0);
	metrics_update(&m, &c);
	list[0].value = 1;
	metrics_update(&m, &c);
	NEAR(m.list[0].now, 1);
	NEAR(m.list[0].max, 7);
	NEAR(metric_average(&m.list[0], m.seconds), 4);
	metrics_free(&m);
}

/* A rate of some of its counters is shown as such; a share that lacks one is none. */
static void not_counted(void **state)
{
	struct counter list[4] = { counter("memory-read", "bytes", 1), counter("memory-read", "bytes", 1),
				   counter("llc-hit", "%", 1), counter("llc-hit", "%", 1) };
	struct counters c = { .list = list, .nr = 4, .before_ns = 1, .at_ns = 1000000001 };
	struct metrics m;

	(void)state;
	snprintf(list[0].why, sizeof(list[0].why), "no right to");
	list[0].fresh = false;
	snprintf(list[2].why, sizeof(list[2].why), "this machine does not have it");
	list[2].fresh = false;
	list[3].divisor = true;
	assert_int_equal(metrics_make(&m, &c), 0);
	assert_int_equal(m.nr, 2);
	grow(&list[1], 10);
	grow(&list[3], 10);
	metrics_update(&m, &c);
	NEAR(m.list[0].total, 10);
	assert_int_equal(m.list[0].counted, 1);
	assert_string_equal(m.list[0].why, "");
	assert_string_equal(m.list[1].why, "this machine does not have it");
	assert_int_equal(m.list[1].intervals, 0);
	metrics_free(&m);
}

static void patterns(void **state)
{
	static const struct { const char *patterns; bool wanted; } rows[] = {
		{ "llc-hit", true }, { "llc-*", true }, { "memory-*,llc-*", true }, { "sim0/llc0_0x20", true },
		{ "sim?/*", true }, { "memory-*", false }, { "llc", false }, { "", false }, { "*", true },
	};
	struct counter list[1] = { counter("llc-hit", "%", 1) };

	(void)state;
	snprintf(list[0].name, sizeof(list[0].name), "sim0/llc0_0x20");
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct counters c = { .patterns = rows[i].patterns, .list = list, .nr = 1 };

		assert_int_equal(counters_wanted(&c, &list[0]), rows[i].wanted);
		assert_int_equal(c.nr, rows[i].wanted);
	}
}

static struct ascprof_producer_page producer;
static struct ascprof_consumer_page consumer;
static uint64_t ring[128];

static void put(uint16_t type, const void *record, size_t size, const uint64_t *value, unsigned int nr)
{
	struct ascprof_rec *r = memcpy((char *)ring + producer.head, record, size);

	r->type = type;
	r->len = (uint32_t)(size + nr * sizeof(*value));
	if (nr)
		memcpy((char *)r + size, value, nr * sizeof(*value));
	producer.head += r->len;
}

/* What the module's records say goes to the counters that they are of, by slot or by source, with its times. */
static void records_of_the_module(void **state)
{
	struct counter list[4] = { counter("a", "", 1), counter("b", "", 1), counter("c", "", 1), counter("d", "", 1) };
	struct counters c = { .list = list, .nr = 4, .stream = { .ring_bytes = sizeof(ring), .producer = &producer,
								   .consumer = &consumer, .data = (char *)ring } };
	const struct ascprof_rec_sample timed = { .h = { .flags = ASCPROF_SAMPLE_F_TIMES }, .t_raw = 1000, .nr = 3 };
	const struct ascprof_rec_sample plain = { .t_raw = 2000, .nr = 2 };
	const struct ascprof_rec_user user = { .t_raw = 3000, .source_id = 9, .nr = 1 };
	const struct ascprof_rec_lost lost = { .samples = 4 };
	static const uint64_t triples[] = { 10, 11, 12, 20, 21, 22, 30, 31, 32 }, values[] = { 100, 200 };

	(void)state;
	list[1].slot = 1;
	list[2].slot = 2;
	list[2].by = "perf_event_open";
	list[3].slot = 7;
	list[3].source = 9;
	put(ASCPROF_REC_SAMPLE, &timed, sizeof(timed), triples, 9);
	counters_read_module(&c);
	assert_int_equal(consumer.tail, producer.head);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(list[i].value, triples[3 * i]);
		assert_int_equal(list[i].enabled_ns, triples[3 * i + 1]);
		assert_int_equal(list[i].running_ns, triples[3 * i + 2]);
		assert_int_equal(list[i].taken_ns, 1000);
		assert_true(list[i].read);
	}
	assert_false(list[2].read || list[3].read);

	put(ASCPROF_REC_SAMPLE, &plain, sizeof(plain), values, 2);
	put(ASCPROF_REC_USER, &user, sizeof(user), values, 1);
	put(ASCPROF_REC_LOST, &lost, sizeof(lost), NULL, 0);
	counters_read_module(&c);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(list[i].before, triples[3 * i]);
		assert_int_equal(list[i].running_before_ns, triples[3 * i + 2]);
		assert_int_equal(list[i].value, values[i]);
		assert_int_equal(list[i].taken_ns, 2000);
		assert_int_equal(list[i].taken_before_ns, 1000);
		assert_true(list[i].fresh);
	}
	assert_int_equal(list[3].value, 100);
	assert_int_equal(list[3].taken_ns, 3000);
	assert_false(list[2].read);
	assert_int_equal(c.lost, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates), cmocka_unit_test(late_samples), cmocka_unit_test(shares), cmocka_unit_test(a_part_of_the_time),
		cmocka_unit_test(levels), cmocka_unit_test(not_counted), cmocka_unit_test(patterns),
		cmocka_unit_test(records_of_the_module),
	};

	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
