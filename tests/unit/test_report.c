// SPDX-License-Identifier: Apache-2.0
/* What reports are made of: quantiles, self times, names, the longest spans, foreign text in a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "export/summary.h"
#include "export/nest.h"
#include "export/page.h"
#include "export/quantile.h"
#include "export/report.h"
#include "export/spans.h"

/* ---- quantiles ---- */

static void test_exact(void **state)
{
	struct quantile_budget budget = { 1000 };
	struct quantile q = { 0 };

	(void)state;
	assert_int_equal(quantile_get(&q, 500), 0);
	for (uint64_t i = 100; i; i--)
		assert_int_equal(quantile_add(&q, i * 10, &budget), 0);
	assert_true(quantile_exact(&q));
	assert_int_equal(quantile_get(&q, 0), 10);
	assert_int_equal(quantile_get(&q, 500), 500);
	assert_int_equal(quantile_get(&q, 990), 990);
	assert_int_equal(quantile_get(&q, 991), 1000);
	assert_int_equal(quantile_get(&q, 1000), 1000);
	/* also after more came */
	assert_int_equal(quantile_add(&q, 1, &budget), 0);
	assert_int_equal(quantile_get(&q, 0), 1);
	assert_true(budget.left < 1000);
	quantile_free(&q, &budget);
	assert_int_equal(budget.left, 1000);
}

/* Beyond the budget: every quantile of a wide spread within 0.8 %. */
static void test_sketch(void **state)
{
	enum { N = 20000 };
	struct quantile_budget budget = { 100 };
	struct quantile q = { 0 };
	static uint64_t value[N];
	uint64_t v = 1;

	(void)state;
	for (int i = 0; i < N; i++) {
		value[i] = v;
		v += 1 + v / 550; /* in order, up to 2^60 */
	}
	for (int i = 0; i < N; i++)
		assert_int_equal(quantile_add(&q, value[(i * 7919) % N], &budget), 0);
	assert_false(quantile_exact(&q));
	assert_int_equal(budget.left, 100);
	for (unsigned int permille = 1; permille <= 1000; permille++) {
		uint64_t want = value[(uint64_t)N * permille / 1000 - 1], got = quantile_get(&q, permille);
		uint64_t off = got > want ? got - want : want - got;

		if (off > want / 125)
			fail_msg("%u permille: %llu instead of %llu", permille, (unsigned long long)got,
				 (unsigned long long)want);
	}
	quantile_free(&q, &budget);
	/* the greatest value there is */
	assert_int_equal(quantile_add(&q, UINT64_MAX, &(struct quantile_budget){ 0 }), 0);
	assert_true(quantile_get(&q, 500) > UINT64_MAX / 128 * 127);
	quantile_free(&q, &budget);
}

static void test_spread(void **state)
{
	uint64_t counts[8], from, to, sum;

	(void)state;
	for (size_t room = 0; room <= 1000; room += 1000) {
		struct quantile_budget budget = { room };
		struct quantile q = { 0 };

		for (uint64_t i = 1; i <= 256; i++)
			quantile_add(&q, i, &budget);
		quantile_spread(&q, 8, counts, &from, &to);
		sum = 0;
		for (int i = 0; i < 8; i++)
			sum += counts[i];
		assert_int_equal(sum, 256);
		assert_int_equal(from, 1);
		assert_true(counts[7] > counts[5] && counts[5] > counts[1]);
		quantile_free(&q, &budget);
		/* one value: one class */
		quantile_add(&q, 5, &budget);
		quantile_spread(&q, 8, counts, &from, &to);
		assert_int_equal(counts[0], 1);
		assert_int_equal(from, to);
		quantile_free(&q, &budget);
	}
}

/* ---- self times ---- */

static uint64_t self[8];

static void add_self(void *arg, uint32_t name, uint64_t ns)
{
	(void)arg;
	self[name] += ns;
}

static void nest_of(const int64_t (*range)[4], size_t nr)
{
	struct nest n;

	memset(self, 0, sizeof(self));
	assert_int_equal(nest_begin(&n, add_self, NULL), 0);
	for (size_t i = 0; i < nr; i++) /* start, end, thread, name */
		assert_int_equal(nest_add(&n, range[i][0], range[i][1], (uint64_t)range[i][2], (uint32_t)range[i][3]),
				 0);
	assert_int_equal(nest_end(&n), 0);
	nest_free(&n);
}

static void test_nesting(void **state)
{
	/* 0 holds 1 and 2, 2 holds 3; another thread's lies in none; in any order */
	static const int64_t ranges[][4] = {
		{ 0, 100, 1, 0 }, { 10, 30, 1, 1 }, { 40, 90, 1, 2 }, { 50, 60, 1, 3 }, { 5, 95, 2, 4 },
	};
	int64_t turned[5][4];

	(void)state;
	for (int turn = 0; turn < 5; turn++) {
		for (int i = 0; i < 5; i++)
			memcpy(turned[(i * 2 + turn) % 5], ranges[i], sizeof(ranges[i]));
		nest_of(turned, 5);
		assert_int_equal(self[0], 30);
		assert_int_equal(self[1], 20);
		assert_int_equal(self[2], 40);
		assert_int_equal(self[3], 10);
		assert_int_equal(self[4], 90);
	}
}

static void test_not_nesting(void **state)
{
	static const int64_t overlap[][4] = { { 0, 10, 1, 0 }, { 5, 15, 1, 1 } };
	static const int64_t same[][4] = { { 0, 10, 1, 1 }, { 0, 10, 1, 0 } }; /* the inner one ends first */
	static const int64_t edges[][4] = { { 0, 5, 1, 1 }, { 5, 10, 1, 1 }, { 0, 10, 1, 0 }, { 10, 10, 1, 2 } };

	(void)state;
	nest_of(overlap, 2);
	assert_int_equal(self[0], 10);
	assert_int_equal(self[1], 10);
	nest_of(same, 2);
	assert_int_equal(self[1], 10);
	assert_int_equal(self[0], 0);
	nest_of(edges, 4);
	assert_int_equal(self[0], 0);
	assert_int_equal(self[1], 10);
}

/* More than the window, and more children than are kept apart: nothing is lost. */
static void test_many(void **state)
{
	const int64_t children = 3 * NEST_WINDOW;
	struct nest n;

	(void)state;
	memset(self, 0, sizeof(self));
	assert_int_equal(nest_begin(&n, add_self, NULL), 0);
	for (int64_t i = 0; i < children; i++)
		assert_int_equal(nest_add(&n, 10 * i + 1, 10 * i + 8, 1, 1), 0);
	assert_int_equal(nest_add(&n, 0, 10 * children, 1, 0), 0);
	assert_int_equal(nest_end(&n), 0);
	nest_free(&n);
	assert_int_equal(self[1], 7 * children);
	assert_int_equal(self[0], 3 * children);
}

static void test_many_threads(void **state)
{
	struct nest n;

	(void)state;
	memset(self, 0, sizeof(self));
	assert_int_equal(nest_begin(&n, add_self, NULL), 0);
	for (uint64_t i = 0; i < NEST_THREADS + 10; i++) {
		assert_int_equal(nest_add(&n, 0, 10, i << 32, 1), 0);
		assert_int_equal(nest_add(&n, 0, 30, i << 32, 0), 0);
	}
	assert_int_equal(nest_end(&n), 0);
	nest_free(&n);
	assert_int_equal(self[1], 10 * (NEST_THREADS + 10));
	assert_int_equal(self[0], 20 * NEST_THREADS + 30 * 10);
}

/* ---- rows made here ---- */

static struct diag diag = { .program = "test" };

static struct row_tx row(uint32_t event, uint64_t start, uint64_t end, const char *message)
{
	struct row_tx r = { .magic = ROW_MAGIC, .magic2 = ROW_MAGIC, .event = event, .start = start, .end = end,
			    .pid = 7, .tid = 8 };

	strncpy(r.message, message, sizeof(r.message) - 1);
	return r;
}

static struct row_tx segment(uint64_t mark, uint16_t index, const char *message)
{
	struct row_tx r = row(ROW_TX_RANGE, 100 + mark, 200 + mark, message);

	r.info_type = 1;
	r.segment = index;
	r.mark_id = mark;
	return r;
}

/* A directory of one slice in memory. */
static struct prof prof_of(struct prof_part *part, struct slice *slice, struct row_tx *rows, size_t nr)
{
	*slice = (struct slice){ .map.begin = (char *)rows, .size = nr * sizeof(*rows) };
	*part = (struct prof_part){ .device = -1 };
	part->table[SLICES_TX] = (struct slices){ .row_size = sizeof(*rows), .slice = slice, .nr = 1, .rows = nr };
	return (struct prof){ .path = (char *)"PROF", .name = (char *)"PROF", .part = part, .nr_parts = 1 };
}

static char texts[8][400];
static unsigned int nr_texts;

static int take_text(void *arg, const struct walk_event *e)
{
	(void)arg;
	snprintf(texts[nr_texts++ % 8], sizeof(texts[0]), "%.*s", (int)e->len, e->message);
	return nr_texts == 100 ? 5 : 0;
}

/* Rows of an event come together whatever lies between, up to a limit. */
static void test_segments(void **state)
{
	struct row_tx rows[] = { segment(1, 0, "one-"), segment(2, 0, "two-"), row(ROW_TX_MARK, 5, 5, "mark"),
				 segment(1, 1, "more"), segment(2, 1, "parts") };
	struct prof_part part;
	struct slice slice;
	uint64_t bad;

	(void)state;
	rows[2].magic2 = 1;
	(void)prof_of(&part, &slice, rows, 5);
	nr_texts = 0;
	assert_int_equal(walk(&part, take_text, NULL, &bad), 0);
	assert_int_equal(bad, 1);
	assert_int_equal(nr_texts, 2);
	assert_string_equal(texts[0], "one-more");
	assert_string_equal(texts[1], "two-parts");
	assert_int_equal(walk(NULL, take_text, NULL, &bad), 0);
	assert_int_equal(nr_texts, 2);
}

static void test_many_segments(void **state)
{
	static struct row_tx rows[300];
	struct prof_part part;
	struct slice slice;
	uint64_t bad;

	(void)state;
	for (unsigned int i = 0; i < 300; i++)
		rows[i] = segment(i / 2, i % 2, i % 2 ? "b" : "a");
	(void)prof_of(&part, &slice, rows, 300);
	nr_texts = 0;
	/* and a callback that stops */
	assert_int_equal(walk(&part, take_text, NULL, &bad), 5);
	assert_int_equal(nr_texts, 100);
	for (int i = 0; i < 8; i++)
		assert_string_equal(texts[i], "ab");
}

static void test_names(void **state)
{
	struct row_tx rows[] = { row(ROW_TX_PUSH_POP, 10, 20, "inner"), row(ROW_TX_PUSH_POP, 30, 60, "inner"),
				 row(ROW_TX_PUSH_POP, 0, 100, "outer"), row(ROW_TX_MARK, 50, 50, "inner"),
				 row(ROW_TX_RANGE, 200, 190, "back") };
	struct walk_seen seen;
	struct prof_part part;
	struct slice slice;
	struct prof prof = prof_of(&part, &slice, rows, 5);
	struct summary_row *r;
	struct summary n;

	(void)state;
	summary_init(&n);
	for (int turn = 1; turn <= 2; turn++) {
		assert_int_equal(summary_add(&n, &prof, &seen, &diag), 0);
		assert_int_equal(n.nr, 4);
		r = summary_find(&n, TX_PUSH_POP, "inner", 5);
		assert_non_null(r);
		assert_int_equal(r->count, 2 * turn);
		assert_int_equal(r->total, 40 * turn);
		assert_int_equal(r->self, 40 * turn);
		assert_int_equal(r->min, 10);
		assert_int_equal(r->max, 30);
		r = summary_find(&n, TX_PUSH_POP, "outer", 5);
		assert_int_equal(r->self, 60 * turn);
		assert_int_equal(summary_find(&n, TX_MARK, "inner", 5)->total, 0);
		assert_int_equal(summary_find(&n, TX_RANGE, "back", 4)->total, 0);
		assert_int_equal(seen.backward, 1);
		assert_int_equal(seen.events[TX_ACCOUNT_PUSH_POP], 3);
		assert_int_equal(seen.first[TX_ACCOUNT_PUSH_POP], 0);
		assert_int_equal(seen.last[TX_ACCOUNT_PUSH_POP], 100);
	}
	summary_sort(&n, SUMMARY_TOTAL);
	assert_string_equal((n.row[0].text[5] = 0, n.row[0].text), "outer");
	summary_sort(&n, SUMMARY_COUNT);
	assert_int_equal(n.row[0].count, 4);
	summary_sort(&n, SUMMARY_NAME);
	assert_string_equal((n.row[0].text[4] = 0, n.row[0].text), "back");
	assert_non_null(summary_find(&n, TX_PUSH_POP, "outer", 5));
	assert_string_equal(summary_order_word(SUMMARY_P99), "p99");
	summary_free(&n);
}

/* Names beyond the limit are one row, and counted there. */
static void test_too_many_names(void **state)
{
	const size_t nr = SUMMARY_MOST + 500;
	struct row_tx *rows = calloc(nr, sizeof(*rows));
	char name[16];
	struct walk_seen seen;
	struct prof_part part;
	struct slice slice;
	struct prof prof;
	struct summary n;

	(void)state;
	assert_non_null(rows);
	for (size_t i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		rows[i] = row(ROW_TX_PUSH_POP, 100 * i, 100 * i + 7, name);
	}
	prof = prof_of(&part, &slice, rows, nr);
	summary_init(&n);
	assert_int_equal(summary_add(&n, &prof, &seen, &diag), 0);
	assert_int_equal(n.nr, SUMMARY_MOST + 1);
	assert_int_equal(summary_find(&n, TX_PUSH_POP, SUMMARY_OTHER, strlen(SUMMARY_OTHER))->count, 500);
	assert_int_equal(summary_find(&n, TX_PUSH_POP, SUMMARY_OTHER, strlen(SUMMARY_OTHER))->total, 3500);
	summary_free(&n);
	free(rows);
}

/* The longest stay, all others are counted where they begin. */
static void test_timeline(void **state)
{
	const size_t nr = SPANS_MOST + 1000;
	struct row_tx *rows = calloc(nr, sizeof(*rows));
	struct walk_seen seen;
	struct prof_part part;
	struct slice slice;
	struct prof prof;
	struct spans t;
	struct summary n;
	uint64_t thinned = 0;

	(void)state;
	assert_non_null(rows);
	for (size_t i = 0; i < nr; i++) {
		rows[i] = row(ROW_TX_PUSH_POP, 1000 * i, 1000 * i + 1 + (i * 7919) % nr, "x");
		rows[i].tid = (uint32_t)(i % 300);
	}
	prof = prof_of(&part, &slice, rows, nr);
	summary_init(&n);
	assert_int_equal(summary_add(&n, &prof, &seen, &diag), 0);
	assert_int_equal(spans_begin(&t, 0, 1000 * (int64_t)nr), 0);
	assert_int_equal(spans_add(&t, &prof, 0, &n), 0);
	spans_end(&t);
	assert_int_equal(t.nr, SPANS_MOST);
	assert_int_equal(t.events, nr);
	assert_int_equal(t.nr_lanes, SPANS_LANES);
	assert_true(t.shared);
	for (unsigned int i = 0; i < t.nr_lanes; i++)
		for (int b = 0; b < SPANS_BINS; b++)
			thinned += t.lane[i].thinned[b];
	assert_int_equal(thinned, 1000);
	for (size_t i = 0; i < t.nr; i++) {
		assert_true(t.span[i].duration > 1000);
		assert_true(!i || t.span[i].lane >= t.span[i - 1].lane);
	}
	spans_free(&t);
	summary_free(&n);
	free(rows);
}

/* ---- text ---- */

static const char *in_page(void (*put)(struct out *o, const char *s, size_t n, size_t most), const char *s, size_t n,
			   size_t most)
{
	static char buf[OUT_BUFFER];
	struct out o = { .fd = -1, .buf = buf, .shown = "test" };

	put(&o, s, n, most);
	buf[o.used] = 0;
	return buf;
}

static void test_page_text(void **state)
{
	static const struct {
		const char *in, *html, *json;
	} cases[] = {
		{ "plain \xc3\xa9", "plain \xc3\xa9", "plain \xc3\xa9" },
		{ "</script>", "&lt;/script&gt;", "\\u003c/script\\u003e" },
		{ "<!--&\"'\\", "&lt;!--&amp;&quot;&#39;\\", "\\u003c!--\\u0026\\\"'\\\\" },
		{ "a\nb\x01\x1b\x7f", "a\xe2\x90\x8a" "b\xe2\x90\x81\xe2\x90\x9b\xe2\x90\xa1",
		  "a\xe2\x90\x8a" "b\xe2\x90\x81\xe2\x90\x9b\xe2\x90\xa1" },
		{ "\xe2\x80\xae" "evil", "\xef\xbf\xbd" "evil", "\xef\xbf\xbd" "evil" }, /* override */
		{ "\xe2\x81\xa7|\xe2\x80\xa8|\xc2\x85", "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd",
		  "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd" },
		{ "\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(in_page(page_text, cases[i].in, strlen(cases[i].in), 100), cases[i].html);
		assert_string_equal(in_page(page_json, cases[i].in, strlen(cases[i].in), 100), cases[i].json);
	}
	assert_string_equal(in_page(page_text, "abcdef", 6, 3), "abc\xe2\x80\xa6");
	assert_string_equal(in_page(page_text, "abc", 3, 3), "abc");
}

/* All bytes, alone and in pairs: no markup, no control characters. */
static void test_page_bytes(void **state)
{
	(void)state;
	for (int a = 0; a < 256; a++) {
		for (int b = 0; b < 256; b++) {
			const char pair[2] = { (char)a, (char)b };
			const char *html = in_page(page_text, pair, 2, 10);

			for (; *html; html++)
				assert_true((unsigned char)*html >= 0x20 && !strchr("<>\"'\x7f", *html));
			for (html = in_page(page_json, pair, 2, 10); *html; html++)
				assert_true((unsigned char)*html >= 0x20 && !strchr("<>&\x7f", *html));
		}
	}
}

static void test_durations(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0ns" }, { 999, "999ns" }, { 1000, "1.00us" }, { 1234, "1.23us" }, { 9994, "9.99us" },
		{ 9996, "10.0us" }, { 99949, "99.9us" }, { 99960, "100us" }, { 999499, "999us" }, { 999500, "1.00ms" },
		{ 1500000000, "1.50s" }, { 3600000000000, "3600s" }, { UINT64_MAX, "18446744074s" },
	};
	char text[REPORT_TIME];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(report_duration(text, cases[i].ns), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_sketch),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_not_nesting),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_many_threads),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_many_segments),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_too_many_names),
		cmocka_unit_test(test_timeline),
		cmocka_unit_test(test_page_text),
		cmocka_unit_test(test_page_bytes),
		cmocka_unit_test(test_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
