// SPDX-License-Identifier: Apache-2.0
/*
 * Texts that differ in one byte, of every length and at every place, between others that are
 * the same: each event has its own, in order, with times that never go back.
 */
#include "prof.h"
#include "t.h"

#define LENGTHS 127
#define SAME 3 /* the same text so many times in a row */

static char letter(unsigned int at)
{
	return (char)('a' + at % 23);
}

/* The text of @len bytes whose byte @other is another letter; none when @other is @len. */
static void make(char *text, unsigned int len, unsigned int other)
{
	for (unsigned int i = 0; i < len; i++)
		text[i] = (char)(letter(i) - (i == other ? 32 : 0));
	text[len] = 0;
}

/* Marks, but for each seventh, which is a push and a pop. */
static enum row_tx_event event_of(unsigned int i)
{
	return i % 7 == 6 ? ROW_TX_PUSH_POP : ROW_TX_MARK;
}

static void annotate(void *stamp, const char *text, unsigned int len, unsigned int i)
{
	t_code(aclprofSetStampTraceMessage(stamp, text, len), 0);
	if (event_of(i) == ROW_TX_MARK) {
		t_code(aclprofMark(stamp), 0);
	} else {
		t_code(aclprofPush(stamp), 0);
		t_code(aclprofPop(), 0);
	}
}

/* Either makes the events, or compares them with what was written. */
static unsigned int all(void *stamp, const struct prof_rows *rows)
{
	char text[LENGTHS + 1];
	unsigned int i = 0;

	for (unsigned int len = 0; len <= LENGTHS; len++)
		for (unsigned int other = 0; other <= len; other++)
			for (unsigned int s = 0; s < 2 * SAME; s++, i++) {
				const struct row_tx *row = rows ? &rows->row[i] : NULL;

				make(text, len, s < SAME ? len : other);
				if (!rows) {
					annotate(stamp, text, len, i);
				} else if (i < rows->count && (strcmp(row->message, text) || row->event != event_of(i) ||
							       row->end < row->start || (i && row->end < row[-1].end))) {
					t_check(false, "event %u is %u \"%.127s\" from %lu to %lu, expected %u \"%s\"", i,
						row->event, row->message, (unsigned long)row->start, (unsigned long)row->end,
						event_of(i), text);
					return i;
				}
			}
	return i;
}

int main(void)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	void *stamp = aclprofCreateStamp();
	unsigned int events = all(stamp, NULL);
	struct prof_rows rows;

	aclprofDestroyStamp(stamp);
	t_stop(config);
	prof_check(dir, "", NULL);
	prof_rows(&rows, prof_only(dir));
	t_equal(rows.count, events, "events");
	all(NULL, &rows);
	prof_rows_free(&rows);
	return t_end();
}
