// SPDX-License-Identifier: Apache-2.0
/* msproftx within one thread: test vectors 107 to 124, adapted to no fixed number of stamps. */
#include "tests/unit/test_api_cases.h"

#include <pthread.h>
#include <sys/syscall.h>

#include "tests/process/prof.h"

#define SLACK_NS 100000 /* of the clock's conversion */
#define BAD ACL_ERROR_INVALID_PARAM
#define NOT_RUN ACL_ERROR_PROF_NOT_RUN

static const char *dir;
static aclprofConfig *config;
static struct prof_rows rows;

static void start(void)
{
	dir = t_dir();
	config = t_start(dir);
}

static void stop(void)
{
	t_stop(config);
	prof_check(dir, "", NULL);
	prof_rows(&rows, prof_only(dir));
}

static void row_is(size_t number, enum row_tx_event event, const char *message)
{
	const struct row_tx *row = &rows.row[number];

	if (number >= rows.count) {
		t_check(false, "row %zu of %zu", number, rows.count);
		return;
	}
	t_equal(row->event, event, "event of row %zu", number);
	t_check(!strcmp(row->message, message), "message of row %zu: '%s', expected '%s'", number,
		row->message, message);
	t_equal(row->pid, getpid(), "pid");
	t_equal(row->tid, syscall(SYS_gettid), "tid");
}

static void vector_107(void)
{
	dir = t_dir();
	t_check(!aclprofCreateStamp(), "a stamp before Init");
	t_code(t_init(dir), 0);
	t_check(!aclprofCreateStamp(), "a stamp before Start");
	config = t_config(ACL_PROF_ACL_API, 1, 0);
	t_code(aclprofStart(config), 0);
	t_check(!aclprofCreateStamp(), "a stamp without ACL_PROF_MSPROFTX");
	t_code(aclprofPop(), NOT_RUN);
	stop();
	t_check(!aclprofCreateStamp(), "a stamp after Stop");
	t_equal(rows.count, 0, "rows");
}

static void vector_109(void)
{
	enum { STAMPS = 20000 };
	static void *stamp[STAMPS];

	start();
	for (size_t i = 0; i < STAMPS; i++) {
		stamp[i] = aclprofCreateStamp();
		t_check(stamp[i], "stamp %zu: %s", i, ascprof_last_error());
	}
	for (size_t i = 0; i < STAMPS; i++)
		for (size_t j = i + 1; j < i + 50 && j < STAMPS; j++)
			t_check(stamp[i] != stamp[j], "stamps %zu and %zu are one", i, j);
	for (size_t i = 0; i < STAMPS; i++)
		aclprofDestroyStamp(stamp[i]);
	stop();
}

/* Nothing of a stamp's last user is left. */
static void reuse(void)
{
	start();
	for (int i = 0; i < 300; i++) {
		void *stamp = aclprofCreateStamp();

		t_code(aclprofMark(stamp), 0);
		t_code(aclprofSetStampTraceMessage(stamp, "used", 4), 0);
		aclprofDestroyStamp(stamp);
	}
	stop();
	t_equal(rows.count, 300, "rows");
	for (size_t i = 0; i < rows.count; i++)
		t_check(!rows.row[i].message[0], "row %zu has the message '%s'", i,
			rows.row[i].message);
}

static void vector_111(void)
{
	void *stamp, *other;

	aclprofDestroyStamp(NULL);
	start();
	aclprofDestroyStamp(NULL);
	stamp = t_stamp("twice");
	aclprofDestroyStamp(stamp);
	t_stderr_begin();
	aclprofDestroyStamp(stamp);
	t_check(t_lines(t_stderr_end()) <= 1, "more than one line");
	stamp = t_stamp("one");
	other = t_stamp("other");
	t_check(stamp != other, "a stamp destroyed twice was given out twice");
	t_code(aclprofMark(stamp), 0);
	t_code(aclprofMark(other), 0);
	stop();
	aclprofDestroyStamp(stamp); /* after the session */
	row_is(0, ROW_TX_MARK, "one");
	row_is(1, ROW_TX_MARK, "other");
}

/* Vectors 112 to 115, 116, 119: refused arguments while a session records */
static void vector_112(void)
{
	static char memory[1024];
	char text[256];
	void *stamp, *gone;
	uint32_t id = 7;

	start();
	memset(text, 'm', sizeof(text));
	stamp = t_stamp("kept");
	gone = t_stamp("gone");
	aclprofDestroyStamp(gone);
	t_code(aclprofSetStampTraceMessage(NULL, "Test msg", 8), BAD);
	t_code(aclprofSetStampTraceMessage(stamp, NULL, 256), BAD);
	t_code(aclprofSetStampTraceMessage(stamp, NULL, 0), BAD);
	t_code(aclprofSetStampTraceMessage(stamp, text, 128), BAD);
	t_code(aclprofSetStampTraceMessage(stamp, text, 65536), BAD);
	t_code(aclprofSetStampTraceMessage(stamp, text, UINT32_MAX), BAD);
	t_code(aclprofSetStampTraceMessage(memory, text, 1), BAD);
	t_code(aclprofSetStampTraceMessage(gone, text, 1), BAD);
	t_code(aclprofMark(NULL), BAD);
	t_code(aclprofMark(memory), BAD);
	t_code(aclprofMark(gone), BAD);
	t_code(aclprofPush(NULL), BAD);
	t_code(aclprofPush(memory), BAD);
	t_code(aclprofPush(gone), BAD);
	t_code(aclprofRangeStart(NULL, &id), BAD);
	t_code(aclprofRangeStart(memory, &id), BAD);
	t_code(aclprofRangeStart(gone, &id), BAD);
	t_code(aclprofRangeStart(stamp, NULL), BAD);
	t_code(aclprofMark(stamp), 0);
	t_code(aclprofPop(), NOT_RUN);
	stop();
	t_equal(rows.count, 1, "rows");
	row_is(0, ROW_TX_MARK, "kept");
}

/* The first refusal of a flood is printed, not each; the reason is always there. */
static void refusals(void)
{
	char text[200];
	void *stamp;

	start();
	stamp = t_stamp("kept");
	memset(text, 'm', sizeof(text));
	t_refused(aclprofSetStampTraceMessage(stamp, text, 128), BAD,
		  "aclprofSetStampTraceMessage msgLen 128 127");
	t_stderr_begin();
	for (int i = 0; i < 100000; i++)
		t_code(aclprofMark(NULL), BAD);
	t_check(t_lines(t_stderr_end()) <= 5, "a flood of lines");
	t_check(strstr(ascprof_last_error(), "aclprofMark") &&
			strstr(ascprof_last_error(), "stamp"),
		"reason: '%s'", ascprof_last_error());
	t_code(aclprofPop(), NOT_RUN);
	t_check(strstr(ascprof_last_error(), "aclprofPop"), "reason: '%s'", ascprof_last_error());
	t_code(aclprofRangeStop(4000000000u), BAD);
	t_check(strstr(ascprof_last_error(), "aclprofRangeStop") &&
			strstr(ascprof_last_error(), "4000000000"),
		"reason: '%s'", ascprof_last_error());
	stop();
}

/* Python hands in plain numbers: none of them is read, whatever it points to. */
static void no_stamps(void)
{
	char *stamp;

	start();
	stamp = t_stamp("a stamp");
	const void *const numbers[] = { (void *)1, (void *)4096, (void *)UINTPTR_MAX, stamp + 1, stamp + 64,
					stamp + 65536, stamp + (1ull << 31), stamp + (1ull << 33), &start };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		void *number = (void *)numbers[i];
		uint32_t id;

		t_code(aclprofMark(number), BAD);
		t_code(aclprofPush(number), BAD);
		t_code(aclprofRangeStart(number, &id), BAD);
		t_code(aclprofSetStampTraceMessage(number, "x", 1), BAD);
		aclprofDestroyStamp(number);
	}
	t_code(aclprofMark(stamp), 0);
	stop();
	t_equal(rows.count, 1, "rows");
}

/* Vectors 117 and 118; the message is the one at Push. */
static void vector_117(void)
{
	void *a, *b;

	start();
	t_code(aclprofPop(), NOT_RUN);
	a = t_stamp("a");
	b = t_stamp("b");
	t_code(aclprofPush(a), 0);
	t_code(aclprofSetStampTraceMessage(a, "changed", 7), 0);
	t_code(aclprofPush(b), 0);
	aclprofDestroyStamp(b); /* the open range keeps what it needs */
	t_code(aclprofPush(a), 0);
	t_code(aclprofPop(), 0);
	t_code(aclprofPop(), 0);
	t_code(aclprofPop(), 0);
	t_code(aclprofPop(), NOT_RUN);
	stop();
	t_equal(rows.count, 3, "rows");
	row_is(0, ROW_TX_PUSH_POP, "changed");
	row_is(1, ROW_TX_PUSH_POP, "b");
	row_is(2, ROW_TX_PUSH_POP, "a");
	if (rows.count == 3)
		t_check(rows.row[2].start <= rows.row[1].start &&
				rows.row[1].end <= rows.row[2].end,
			"ranges do not nest");
}

/* Vectors 121, 122, 124 and overlapping ranges of one stamp */
static void vector_121(void)
{
	uint32_t first = 0, second = 0;
	void *stamp;

	start();
	stamp = t_stamp("first");
	t_code(aclprofRangeStop(0), BAD);
	t_code(aclprofRangeStop(4000000000u), BAD);
	t_code(aclprofRangeStart(stamp, &first), 0);
	t_code(aclprofSetStampTraceMessage(stamp, "second", 6), 0);
	t_code(aclprofRangeStart(stamp, &second), 0);
	t_check(first && second && first != second, "ids %u and %u", first, second);
	aclprofDestroyStamp(stamp);
	t_code(aclprofRangeStop(first), 0);
	t_code(aclprofRangeStop(first), NOT_RUN);
	t_code(aclprofRangeStop(second), 0);
	t_code(aclprofRangeStop(second), NOT_RUN);
	stop();
	t_equal(rows.count, 2, "rows");
	row_is(0, ROW_TX_RANGE, "first");
	row_is(1, ROW_TX_RANGE, "second");
}

static void ids_unique(void)
{
	enum { RANGES = 50000 };
	static uint32_t id[RANGES];
	void *stamp;

	start();
	stamp = t_stamp("range");
	for (size_t i = 0; i < RANGES; i++)
		t_code(aclprofRangeStart(stamp, &id[i]), 0);
	for (size_t i = 0; i < RANGES; i++)
		t_code(aclprofRangeStop(id[i]), 0);
	for (size_t i = 0; i < RANGES; i++) /* also when its memory is used anew */
		t_code(aclprofRangeStop(id[i]), NOT_RUN);
	stop();
	t_equal(rows.count, RANGES, "rows");
}

/* Five pushed, three popped, two ranges left open: counted as open, none written. */
static void left_open(void)
{
	struct prof_totals totals;
	uint32_t id[3];
	void *stamp;

	start();
	stamp = t_stamp("open");
	for (int i = 0; i < 5; i++)
		t_code(aclprofPush(stamp), 0);
	for (int i = 0; i < 3; i++)
		t_code(aclprofPop(), 0);
	for (int i = 0; i < 3; i++)
		t_code(aclprofRangeStart(stamp, &id[i]), 0);
	t_code(aclprofRangeStop(id[1]), 0);
	t_code(aclprofStop(config), 0);
	/* what was open is over */
	t_code(aclprofStart(config), 0);
	t_code(aclprofPop(), NOT_RUN);
	t_code(aclprofRangeStop(id[0]), NOT_RUN);
	t_stop(config);
	prof_check(dir, "", &totals);
	t_equal(totals.push_pop.written, 3, "push_pop rows");
	t_equal(totals.push_pop.open, 2, "push_pop open");
	t_equal(totals.range.written, 1, "range rows");
	t_equal(totals.range.open, 2, "range open");
}

static void *fail_elsewhere(void *arg)
{
	(void)arg;
	t_check(!*ascprof_last_error(), "a thread that failed nothing has '%s'",
		ascprof_last_error());
	t_code(aclprofRangeStop(4000000000u), BAD);
	t_check(strstr(ascprof_last_error(), "aclprofRangeStop"), "reason: '%s'",
		ascprof_last_error());
	return NULL;
}

static void last_error(void)
{
	pthread_t thread;

	start();
	t_code(aclprofPop(), NOT_RUN);
	pthread_create(&thread, NULL, fail_elsewhere, NULL);
	pthread_join(thread, NULL);
	t_check(strstr(ascprof_last_error(), "aclprofPop"), "reason: '%s'", ascprof_last_error());
	stop();
	t_check(strstr(ascprof_last_error(), "aclprofPop"), "reason after good calls: '%s'",
		ascprof_last_error());
}

/* Times: CLOCK_MONOTONIC_RAW, in the order of the calls. */
static void times(void)
{
	uint64_t before, between, after;
	void *stamp;

	start();
	stamp = t_stamp("time");
	before = t_raw_ns();
	t_code(aclprofMark(stamp), 0);
	t_sleep_us(1000);
	between = t_raw_ns();
	t_sleep_us(1000);
	t_code(aclprofPush(stamp), 0);
	t_sleep_us(20000);
	t_code(aclprofPop(), 0);
	after = t_raw_ns();
	stop();
	t_equal(rows.count, 2, "rows");
	if (rows.count != 2)
		return;
	t_check(before <= rows.row[0].start + SLACK_NS && rows.row[0].start <= between,
		"mark at %lu, not from %lu to %lu", rows.row[0].start, before, between);
	t_check(between <= rows.row[1].start && rows.row[1].end <= after + SLACK_NS,
		"range from %lu to %lu, not in %lu to %lu", rows.row[1].start, rows.row[1].end,
		between, after);
	t_check(rows.row[1].end - rows.row[1].start + SLACK_NS >= 20000000,
		"20 ms measured as %lu ns", rows.row[1].end - rows.row[1].start);
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(vector_107), CASE(vector_109), CASE(reuse), CASE(vector_111),
		CASE(vector_112), CASE(refusals), CASE(no_stamps), CASE(vector_117), CASE(vector_121),
		CASE(ids_unique), CASE(left_open), CASE(last_error), CASE(times),
	};

	return api_cases("api_stamp", cases, sizeof(cases) / sizeof(cases[0]));
}
