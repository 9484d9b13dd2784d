// SPDX-License-Identifier: Apache-2.0
/*
 * The documented loops: 200,000 marks, push and pop pairs, ranges; a stamp of
 * its own for each. Every one is a row, in order, with its message.
 */
#include "prof.h"
#include "t.h"

#define LOOPS 200000u

static aclError mark(void *stamp)
{
	return aclprofMark(stamp);
}

static aclError push_pop(void *stamp)
{
	aclError code = aclprofPush(stamp);

	return code ? code : aclprofPop();
}

static aclError range(void *stamp)
{
	uint32_t id;
	aclError code = aclprofRangeStart(stamp, &id);

	return code ? code : aclprofRangeStop(id);
}

static void loop(aclError (*body)(void *), enum row_tx_event event)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	struct prof_totals totals;
	struct prof_rows rows;
	uint64_t last = 0;
	char text[32];

	for (unsigned int i = 0; i < LOOPS; i++) {
		void *stamp = aclprofCreateStamp();
		int length = snprintf(text, sizeof(text), "test msprof tx %u", i);

		t_check(stamp, "no stamp: %s", ascprof_last_error());
		t_equal(aclprofSetStampTraceMessage(stamp, text, (uint32_t)length), 0, "message");
		t_equal(body(stamp), 0, "loop %u (%s)", i, ascprof_last_error());
		aclprofDestroyStamp(stamp);
	}
	t_stop(config);
	prof_check(dir, "", &totals);
	prof_rows(&rows, prof_only(dir));
	t_equal(rows.count, LOOPS, "rows");
	for (unsigned int i = 0; i < rows.count; i++) {
		const struct row_tx *row = &rows.row[i];

		snprintf(text, sizeof(text), "test msprof tx %u", i);
		t_check(!strcmp(row->message, text), "row %u has '%s'", i, row->message);
		t_equal(row->event, event, "event of row %u", i);
		t_check(row->start >= last, "row %u begins before the row before it", i);
		last = row->start;
	}
	prof_rows_free(&rows);
	t_equal(totals.mark.produced + totals.push_pop.produced + totals.range.produced, LOOPS,
		"produced");
	t_equal(totals.mark.written + totals.push_pop.written + totals.range.written, LOOPS,
		"written");
}

int main(void)
{
	loop(mark, ROW_TX_MARK);
	loop(push_pop, ROW_TX_PUSH_POP);
	loop(range, ROW_TX_RANGE);
	return t_end();
}
