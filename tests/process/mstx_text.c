// SPDX-License-Identifier: Apache-2.0
/*
 * Messages of mstx of every length: rows of at most 155 bytes, cut between
 * characters, that make up the message again. Marks, and ranges, which keep
 * their message meanwhile: in place, or in memory of its own when it is long.
 */
#include "mstx.h"

#include <iconv.h>

#include <mstx/ms_tools_ext.h>

#define LONGEST 65535
#define FFFD "\xef\xbf\xbd"

static char text[LONGEST + 2];

/* An event with the text, of as many rows as it takes, and each of them UTF-8 by itself. */
static void check_rows(const struct prof_rows *rows, size_t *at, const char *expected, enum row_tx_event event)
{
	size_t len = strlen(expected), done = 0;
	iconv_t utf8 = iconv_open("UTF-32LE", "UTF-8");
	unsigned int n = 0;

	do {
		const struct row_tx *row = &rows->row[*at + n];
		char out[1024], *from = (char *)row->message, *to = out;
		size_t bytes, left, room = sizeof(out);

		if (*at + n >= rows->count) {
			t_check(false, "rows end at byte %zu of %zu of '%.20s'", done, len, expected);
			break;
		}
		bytes = left = strnlen(row->message, sizeof(row->message));
		t_equal(row->segment, n, "segment of '%.20s' (%zu bytes)", expected, len);
		t_equal(row->event, event, "event");
		t_check(bytes <= 155, "row of %zu bytes", bytes);
		t_check(!memcmp(row->message, expected + done, bytes), "row %u of '%.20s' at byte %zu", n, expected, done);
		t_check(iconv(utf8, &from, &left, &to, &room) == 0 && !left, "row %u of '%.20s' is not UTF-8", n,
			expected);
		done += bytes;
		/* no row is shorter than it must be */
		t_check(done == len || bytes > 151, "row %u of '%.20s' has %zu bytes", n, expected, bytes);
		n++;
	} while (done < len && n <= 1024);
	t_check(*at + n == rows->count || rows->row[*at + n].segment == 0, "more rows than the text has");
	iconv_close(utf8);
	*at += n;
}

static void record(const char *message)
{
	mstxRangeId id;

	mstxMarkA(message, NULL);
	id = mstxRangeStartA(message, NULL);
	t_check(id, "no range with %zu bytes", strlen(message));
	mstxRangeEnd(id);
}

static void check(const struct prof_rows *rows, size_t *at, const char *expected)
{
	check_rows(rows, at, expected, ROW_TX_MARK);
	check_rows(rows, at, expected, ROW_TX_RANGE);
}

static const size_t lengths[] = { 1, 7, 8, 126, 127, 128, 154, 155, 156, 255, 256, 257, 309, 310, 311, 465, 466,
				  4095, 4096, 4097, 65534, 65535 };

static const char *ascii(size_t length)
{
	for (size_t i = 0; i < length; i++)
		text[i] = (char)('a' + (i + length) % 26);
	text[length] = 0;
	return text;
}

/* A character of @bytes bytes that begins @before bytes before the border of the rows. */
static const char *across(unsigned int bytes, unsigned int before)
{
	static const char *const characters[] = { "", "b", "\xc3\xa9", "\xe6\x95\xb0", "\xf0\x9f\x98\x80" };

	ascii(155 - before);
	strcat(text, characters[bytes]);
	strcat(text, "end");
	return text;
}

static const char *many(const char *character, size_t bytes)
{
	size_t step = strlen(character), n = 0;

	text[n++] = 'm'; /* off the border of every size of character */
	for (; n + step <= bytes; n += step)
		memcpy(text + n, character, step);
	text[n] = 0;
	return text;
}

/* message, and what is expected of it where that differs */
static const char *const damaged[][2] = {
	{ "a\x80z", "a" FFFD "z" },
	{ "\xff", FFFD },
	{ "cut \xe6\x95", "cut " }, /* as for stamps: what is cut off at the end is left out */
	{ "\xed\xa0\x80", FFFD FFFD FFFD },
};

static void each(void (*visit)(const struct prof_rows *, size_t *, const char *), const struct prof_rows *rows,
		 size_t *at)
{
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		visit(rows, at, ascii(lengths[i]));
	for (unsigned int bytes = 1; bytes <= 4; bytes++)
		for (unsigned int before = 0; before <= bytes; before++)
			visit(rows, at, across(bytes, before));
	visit(rows, at, many("\xc3\xa9", 2000));
	visit(rows, at, many("\xe6\x95\xb0", 20000));
	visit(rows, at, many("\xf0\x9f\x98\x80", LONGEST));
}

static void visit_record(const struct prof_rows *rows, size_t *at, const char *message)
{
	(void)rows;
	(void)at;
	record(message);
}

/* Bytes that each grow to three: as many characters as an event has room for, and no half. */
static void check_grown(const struct prof_rows *rows, size_t *at)
{
	for (int twice = 0; twice < 2; twice++) {
		unsigned int n = 0, characters = 0;

		for (; *at < rows->count && rows->row[*at].segment == n; n++, (*at)++) {
			const char *m = rows->row[*at].message;

			for (; *m; m += 3, characters++)
				t_check(!strncmp(m, FFFD, 3), "row %u: %.10s", n, m);
		}
		t_check(n > 1000 && n <= 1024, "%u rows", n);
		t_check(characters >= 50000, "%u characters", characters);
	}
}

/* What ranges keep of long messages is given back, when they end and when nobody ends them. */
static void memory_comes_back(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	long before = 0;

	for (int i = 0; i < 4000; i++) {
		mstxRangeId id = mstxRangeStartA(ascii(LONGEST), NULL);

		if (!i)
			before = t_status_kb("VmSize");
		t_check(id, "no range");
		if (i % 2)
			mstxRangeEnd(id);
		if (i % 100 == 0)
			t_sleep_us(1000);
	}
	t_stop(config);
	t_check(t_status_kb("VmSize") < before + 65536, "%ld kB of address space, %ld before", t_status_kb("VmSize"),
		before);
}

int main(void)
{
	const char *dir = t_dir();
	struct mstx_account marks;
	struct prof_rows rows;
	aclprofConfig *config = t_start(dir);
	size_t at = 0, events;

	each(visit_record, NULL, NULL);
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		record(damaged[i][0]);
	memset(text, 0xff, LONGEST);
	text[LONGEST] = 0;
	record(text);
	/* the text is kept as it was at the begin */
	for (size_t length = 100; length <= 300; length += 100) {
		mstxRangeId id = mstxRangeStartA(ascii(length), NULL);

		memset(text, 'X', length);
		mstxRangeEnd(id);
	}
	memset(text, 'L', LONGEST + 1);
	text[LONGEST + 1] = 0;
	t_stderr_begin();
	mstxMarkA(text, NULL);
	t_code(mstxRangeStartA(text, NULL), 0);
	t_stderr_end();
	t_check(strstr(ascprof_last_error(), "65535"), "65536 bytes: '%s'", ascprof_last_error());
	t_stop(config);

	prof_check(dir, "", NULL);
	prof_rows(&rows, prof_only(dir));
	each(check, &rows, &at);
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		check(&rows, &at, damaged[i][1]);
	check_grown(&rows, &at);
	for (size_t length = 100; length <= 300; length += 100)
		check_rows(&rows, &at, ascii(length), ROW_TX_RANGE);
	t_equal((long long)at, (long long)rows.count, "rows");
	prof_rows_free(&rows);

	events = sizeof(lengths) / sizeof(lengths[0]) + 14 + 3 + sizeof(damaged) / sizeof(damaged[0]) + 1;
	marks = mstx_account(prof_only(dir), "mstx_mark");
	t_equal((long long)marks.written, (long long)events, "marks, which are counted as events");
	t_equal((long long)mstx_account(prof_only(dir), "mstx_range").written, (long long)events + 3, "ranges");
	memory_comes_back();
	return t_end();
}
