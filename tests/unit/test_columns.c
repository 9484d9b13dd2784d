// SPDX-License-Identifier: Apache-2.0
/* Rows as columns: what comes back is what went in, it is small, and nothing that is damaged is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "format/crc32c.h"
#include "format/rows.h"
#include "native/columns.h"
#include "native/frames.h"

static uint64_t number = 1;

static uint64_t any(uint64_t below)
{
	number = number * 6364136223846793005u + 1442695040888963407u;
	return (number >> 33) % below;
}

static void need_zstd(void)
{
	if (*native_zstd_missing()) {
		print_message("skipped: %s\n", native_zstd_missing());
		skip();
	}
}

static void there_and_back(const struct columns *c, const char *rows, uint32_t nr)
{
	size_t len = (size_t)nr * c->row_bytes;
	char *columns = malloc(len + 1), *back = malloc(len + 1);

	columns[len] = back[len] = 77;
	columns_split(c, columns, rows, nr);
	columns_join(c, back, columns, nr);
	assert_memory_equal(back, rows, len);
	assert_true(columns[len] == 77 && back[len] == 77);
	free(columns);
	free(back);
}

/* Whatever the rows are: all widths, differences beyond half of a number's range, few rows and many. */
static void any_rows(void **state)
{
	static const uint8_t widths[] = { 1, 2, 4, 8 };

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct columns c = { .nr = 1 + (uint32_t)any(COLUMNS_MAX) };
		uint32_t nr = (uint32_t)any(200);
		size_t len;
		char *rows;

		c.away = 1 + (uint32_t)any(any(2) ? 5 : COLUMNS_AWAY_MAX);
		for (uint32_t i = 0; i < c.nr; i++)
			c.row_bytes += c.width[i] = widths[any(4)];
		assert_true(columns_are_sound(&c));
		len = (size_t)nr * c.row_bytes;
		rows = malloc(len + 1);
		for (size_t i = 0; i < len; i++)
			rows[i] = (char)(any(3) ? any(256) : any(2) * 255);
		there_and_back(&c, rows, nr);
		free(rows);
	}
}

static void unsound(void **state)
{
	struct columns good = { .row_bytes = 16, .away = 3, .nr = 2, .width = { 8, 8 } }, c;

	(void)state;
	assert_true(columns_are_sound(&good));
	c = good, c.away = 0;
	assert_false(columns_are_sound(&c));
	c = good, c.away = COLUMNS_AWAY_MAX + 1;
	assert_false(columns_are_sound(&c));
	c = good, c.nr = 0;
	assert_false(columns_are_sound(&c));
	c = good, c.nr = COLUMNS_MAX + 1;
	assert_false(columns_are_sound(&c));
	c = good, c.width[1] = 0, c.row_bytes = 8;
	assert_false(columns_are_sound(&c));
	c = good, c.width[0] = 3, c.row_bytes = 11;
	assert_false(columns_are_sound(&c));
	c = good, c.row_bytes = 15;
	assert_false(columns_are_sound(&c));
}

/* ---- rows of counters ---- */

#define TICKS 200u
#define LLC_ROWS (TICKS * 8)

static struct row_llc llc[LLC_ROWS];

static void fill_llc(void)
{
	for (uint32_t i = 0; i < LLC_ROWS; i++)
		llc[i] = (struct row_llc) {
			.stamp_us = 1000000 + i / 8 * 10000 + any(20),
			.count = (1 + i % 8) * 1000000 + any(1000),
			.event = i % 4,
			.slice = i % 8 / 4,
		};
}

static void described(void **state)
{
	static const struct {
		const char *description;
		uint32_t bytes;
	} of[] = {
		{ ROW_LLC_COLUMNS, sizeof(struct row_llc) },
		{ ROW_HBM_COLUMNS, sizeof(struct row_hbm) },
		{ ROW_SOC_COLUMNS, sizeof(struct row_soc_acc) },
		{ ROW_SOC_COLUMNS, sizeof(struct row_soc_sio) },
	};
	struct columns c;

	(void)state;
	fill_llc();
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		columns_describe(&c, of[i].description, llc, sizeof(llc));
		assert_int_equal(c.row_bytes, of[i].bytes);
		assert_true(columns_are_sound(&c));
	}
	/* the same counter comes again with the next tick; and where none comes again */
	columns_describe(&c, ROW_LLC_COLUMNS, llc, sizeof(llc));
	assert_int_equal(c.away, 8);
	columns_describe(&c, ROW_LLC_COLUMNS, llc, 8 * sizeof(llc[0]));
	assert_int_equal(c.away, 1);
	columns_describe(&c, ROW_LLC_COLUMNS, llc, sizeof(llc[0]));
	assert_int_equal(c.away, 1);
	there_and_back(&c, (const char *)llc, LLC_ROWS);
}

static void frames_of_columns(void **state)
{
	struct native_zstd *z;
	char *packed = malloc(NATIVE_ZSTD_STORED(sizeof(llc))), *back = malloc(2 * FRAMES_MAX), *work = malloc(sizeof(llc));
	size_t as_rows, as_columns, used;

	(void)state;
	need_zstd();
	z = native_zstd_new(1, true);
	fill_llc();
	as_rows = frames_pack(z, NULL, packed, llc, sizeof(llc), NULL);
	assert_int_equal(frames_unpack(back, packed, as_rows, back + FRAMES_MAX, &used), sizeof(llc));
	assert_memory_equal(back, llc, sizeof(llc));
	as_columns = frames_pack(z, ROW_LLC_COLUMNS, packed, llc, sizeof(llc), work);
	assert_int_equal(frames_unpack(back, packed, as_columns, back + FRAMES_MAX, &used), sizeof(llc));
	assert_int_equal(used, as_columns);
	assert_memory_equal(back, llc, sizeof(llc));
	print_message("%u rows of LLC: %.1f bytes each, as rows %.1f\n", LLC_ROWS, (double)as_columns / LLC_ROWS,
		      (double)as_rows / LLC_ROWS);
	assert_true(as_columns < as_rows * 2 / 3);

	/* too few to be worth it, none at all: as they are */
	for (uint32_t nr = 0; nr < 4; nr++) {
		size_t n = frames_pack(z, ROW_LLC_COLUMNS, packed, llc, nr * sizeof(llc[0]), work);

		assert_true(n <= NATIVE_ZSTD_STORED(nr * sizeof(llc[0])));
		assert_int_equal(frames_unpack(back, packed, n, back + FRAMES_MAX, &used), nr * sizeof(llc[0]));
		assert_memory_equal(back, llc, nr * sizeof(llc[0]));
	}
	native_zstd_free(z);
	free(packed);
	free(back);
	free(work);
}

/* Any bit of it, and any end: refused, and never other rows. (Frames have bits that mean nothing.) */
static void frames_damaged(void **state)
{
	struct native_zstd *z;
	char *packed = malloc(NATIVE_ZSTD_STORED(sizeof(llc))), *back = malloc(2 * FRAMES_MAX), *work = malloc(sizeof(llc));
	size_t n, used, unnoticed = 0;
	long got;

	(void)state;
	need_zstd();
	z = native_zstd_new(1, true);
	fill_llc();
	n = frames_pack(z, ROW_LLC_COLUMNS, packed, llc, 64 * sizeof(llc[0]), work);
	assert_memory_equal(packed, "\x5a\x2a\x4d\x18", 4);
	for (size_t bit = 0; bit < n * 8; bit++) {
		packed[bit / 8] = (char)(packed[bit / 8] ^ 1 << bit % 8);
		got = frames_unpack(back, packed, n, back + FRAMES_MAX, &used);
		packed[bit / 8] = (char)(packed[bit / 8] ^ 1 << bit % 8);
		if (got < 0)
			continue;
		unnoticed++;
		assert_int_equal(got, 64 * sizeof(llc[0]));
		assert_memory_equal(back, llc, 64 * sizeof(llc[0]));
	}
	assert_true(unnoticed < n * 8 / 50);
	for (size_t cut = 0; cut < n; cut++) {
		char *end = malloc(cut + 1); /* its end is where the sanitizer watches */

		memcpy(end, packed, cut);
		assert_int_equal(frames_unpack(back, end, cut, back + FRAMES_MAX, &used), -1);
		free(end);
	}
	assert_int_equal(frames_unpack(back, packed, n, back + FRAMES_MAX, &used), 64 * sizeof(llc[0]));
	native_zstd_free(z);
	free(packed);
	free(back);
	free(work);
}

/* What is right by its checksum, and yet wrong. */
static void heads_refused(void **state)
{
	static const struct {
		unsigned int at;
		char value;
	} wrong[] = { { 12, 2 }, { 14, 0 }, { 15, 0x7f }, { FRAMES_HEAD, 7 }, { FRAMES_HEAD + 3, 0 }, { FRAMES_HEAD + 1, 1 } };
	struct native_zstd *z;
	char *packed = malloc(NATIVE_ZSTD_STORED(sizeof(llc))), *back = malloc(2 * FRAMES_MAX), *work = malloc(sizeof(llc));
	size_t n, used;

	(void)state;
	need_zstd();
	z = native_zstd_new(1, true);
	fill_llc();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint32_t crc = 0;

		/* 25 rows: no number of rows of other sizes */
		n = frames_pack(z, ROW_LLC_COLUMNS, packed, llc, 25 * sizeof(llc[0]), work);
		packed[wrong[i].at] = wrong[i].value;
		if (wrong[i].at == 14)
			packed[15] = 0;
		memcpy(packed + 16, &crc, 4);
		crc = crc32c(~0u, packed, FRAMES_HEAD + 4);
		memcpy(packed + 16, &crc, 4);
		assert_int_equal(frames_unpack(back, packed, n, back + FRAMES_MAX, &used), -1);
	}
	native_zstd_free(z);
	free(packed);
	free(back);
	free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_rows),
		cmocka_unit_test(unsound),
		cmocka_unit_test(described),
		cmocka_unit_test(frames_of_columns),
		cmocka_unit_test(frames_damaged),
		cmocka_unit_test(heads_refused),
	};

	return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
