// SPDX-License-Identifier: Apache-2.0
/* What ascprof serve tells of the module, from a ring made here; and its text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/serve.h"

static char *text;
static size_t len;

static FILE *begin(void)
{
	free(text);
	text = NULL;
	return open_memstream(&text, &len);
}

static void test_labels(void **state)
{
	static const struct {
		const char *value, *text;
	} cases[] = {
		{ "plain", "x=\"plain\"" },
		{ "a\"b\\c\nd", "x=\"a\\\"b\\\\c?d\"" },
		{ "\xff\xc3", "x=\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xc3\xa9", "x=\"\xc3\xa9\"" },
		{ "", "x=\"\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *to = begin();

		serve_label(to, true, "x", cases[i].value);
		fclose(to);
		assert_string_equal(text, cases[i].text);
	}
}

static uint64_t ring[512];
static struct ascprof_producer_page producer;
static struct ascprof_consumer_page consumer;

static void put(const void *record, size_t size)
{
	memcpy((char *)ring + producer.head, record, size);
	producer.head += size;
}

static void put_sample(uint64_t a, uint64_t b, uint64_t c)
{
	union {
		struct ascprof_rec_sample r;
		uint64_t room[16];
	} u = { .r = { .h = { .len = sizeof(u.r) + 24, .type = ASCPROF_REC_SAMPLE }, .nr = 3 } };

	u.r.value[0] = a;
	u.r.value[1] = b;
	u.r.value[2] = c;
	put(&u, u.r.h.len);
}

static void put_user(uint32_t source, uint64_t value)
{
	union {
		struct ascprof_rec_user r;
		uint64_t room[16];
	} u = { .r = { .h = { .len = sizeof(u.r) + 8, .type = ASCPROF_REC_USER }, .source_id = source, .nr = 1 } };

	u.r.value[0] = value;
	put(&u, u.r.h.len);
}

static void test_module(void **state)
{
	static struct serve_module m = {
		.stream = { .fd = 0, .ring_bytes = sizeof(ring), .producer = &producer, .consumer = &consumer, .data = (char *)ring },
		.nr = 3,
		.counter = {
			{ .event = "read", .unit = "bytes", .device = 2, .source = "npu2", .source_id = 7, .slot = 0, .scale = 32 },
			{ .event = "level", .unit = "percent", .device = 2, .source = "npu2", .gauge = true, .source_id = 7, .slot = 1, .scale = 0.5 },
			{ .event = "\"fed\"", .unit = "events", .device = 3, .source = "sim3", .sim = true, .source_id = 9, .slot = 2, .scale = 1 },
		},
	};
	struct ascprof_rec_lost lost = { .h = { .len = sizeof(lost), .type = ASCPROF_REC_LOST }, .samples = 4 };
	FILE *to;

	(void)state;
	/* nothing is told of what is not known yet */
	to = begin();
	serve_module_tell(to, &m);
	fclose(to);
	assert_non_null(strstr(text, "ascprof_module_up 1\n"));
	assert_null(strstr(text, "npu2"));

	put_sample(10, 20, 30);
	put(&lost, sizeof(lost));
	put_sample(1000, 5, 30);
	put_user(9, 77);
	put_user(8, 99);
	serve_module_read(&m);
	assert_int_equal(consumer.tail, producer.head);
	to = begin();
	serve_module_tell(to, &m);
	fclose(to);
	assert_non_null(strstr(text,
			       "ascprof_device_events_total{device=\"2\",source=\"npu2\",event=\"read\",unit=\"bytes\","
			       "simulated=\"no\"} 32000\n"));
	assert_non_null(strstr(text,
			       "ascprof_device_level{device=\"2\",source=\"npu2\",event=\"level\",unit=\"percent\","
			       "simulated=\"no\"} 2.5\n"));
	assert_non_null(strstr(text, "ascprof_device_events_total{device=\"3\",source=\"sim3\",event=\"\\\"fed\\\"\","
				     "unit=\"events\",simulated=\"yes\"} 77\n"));
	assert_non_null(strstr(text, "ascprof_module_lost_samples_total 4\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_module),
	};
	int failures = cmocka_run_group_tests(tests, NULL, NULL);

	free(text);
	return failures;
}
