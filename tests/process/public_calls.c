// SPDX-License-Identifier: Apache-2.0
/*
 * What calls of other profilers have been reported to do: messages that name nothing, what
 * was pushed changing with the caller's object, durations that follow the wall clock, and
 * callbacks that wait for themselves. (docs/reports.md: L-4, A-6, C-4, T-11)
 */
#include "prof.h"
#include "t.h"

#include "acl/acl_prof_optional.h"
#include "ascprof/report.h"
#include "mstx/ms_tools_ext.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#define HOUR 3600
#define MOST 5 /* callbacks that call everything */

static atomic_long wall_step; /* s */

/* In the place of the C library's: somebody sets the clock. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *time)
{
	int ret = (int)syscall(SYS_clock_gettime, id, time);

	if (id == CLOCK_REALTIME)
		time->tv_sec += atomic_load(&wall_step);
	return ret;
}

static void started_twice(const void *arg)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 2, 0, 3);
	aclprofConfig *other = t_config(ACL_PROF_MSPROFTX, 1, 3);
	aclprofConfig *more = t_config(ACL_PROF_MSPROFTX | ACL_PROF_ACL_API, 1, 5);
	const char *dir = t_dir();

	(void)arg;
	t_code(t_init(dir), 0);
	t_code(aclprofStart(config), 0);
	t_refused(aclprofStart(config), ACL_ERROR_PROF_ALREADY_RUN, t_path("aclprofStart device 0 %s", dir));
	t_refused(aclprofStart(other), ACL_ERROR_PROF_ALREADY_RUN, "aclprofStart device 3 PROF_");
	/* what runs, and what was asked for */
	t_refused(aclprofStart(more), ACL_ERROR_INVALID_PROFILING_CONFIG, "aclprofStart dataTypeConfig 0x81, 0x80,");
	t_code(aclprofStop(config), 0);
	t_code(aclprofFinalize(), 0);
	prof_check(dir, "", NULL);
}

/* The message is what it was at Push and RangeStart, whatever becomes of stamp and text. */
static void pushed_then_changed(const void *arg)
{
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	char text[] = "as it was pushed";
	void *stamp = t_stamp(text);
	struct prof_rows rows;
	mstxRangeId mstx_id;
	uint32_t id;

	(void)arg;
	t_code(aclprofPush(stamp), 0);
	t_code(aclprofRangeStart(stamp, &id), 0);
	mstx_id = mstxRangeStartA(text, NULL);
	memset(text, 'x', sizeof(text) - 1);
	t_code(aclprofSetStampTraceMessage(stamp, text, sizeof(text) - 1), 0);
	aclprofDestroyStamp(stamp);
	stamp = t_stamp("another in its place");
	mstxRangeEnd(mstx_id);
	t_code(aclprofRangeStop(id), 0);
	t_code(aclprofPop(), 0);
	t_stop(config);
	prof_rows(&rows, prof_only(dir));
	t_equal((long long)rows.count, 3, "rows");
	for (size_t i = 0; i < rows.count; i++)
		t_check(!strcmp(rows.row[i].message, "as it was pushed"), "row %zu has '%s'", i, rows.row[i].message);
	prof_rows_free(&rows);
}

static void set_clock(const void *arg)
{
	static const long steps[] = { 0, HOUR, -HOUR, 0 };
	const char *dir = t_dir();
	aclprofConfig *config = t_start(dir);
	struct prof_totals totals;
	struct prof_rows rows;
	uint64_t last = 0, most;
	void *stamp = t_stamp("while the clock is set"), *inner = t_stamp("mark");
	uint64_t before = t_raw_ns();

	(void)arg;
	t_code(aclprofPush(stamp), 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		atomic_store(&wall_step, steps[i]);
		for (int j = 0; j < 100; j++) {
			t_code(aclprofMark(inner), 0);
			t_sleep_us(100);
		}
	}
	t_code(aclprofPop(), 0);
	most = t_raw_ns() - before;
	t_stop(config);
	prof_check(dir, "", &totals);
	prof_rows(&rows, prof_only(dir));
	t_equal((long long)rows.count, 401, "rows");
	for (size_t i = 0; i < rows.count; i++) {
		const struct row_tx *row = &rows.row[i];

		t_check(row->start >= before && row->end >= row->start && row->end - row->start <= most,
			"row %zu took %lld ns", i, (long long)(row->end - row->start));
		if (row->event == ROW_TX_MARK)
			t_check(row->start > last, "mark %zu is before the one in front of it", i);
		if (row->event == ROW_TX_MARK)
			last = row->start;
	}
	prof_rows_free(&rows);
	t_equal(prof_export(prof_only(dir)), 0, "status of ascprof export");
}

/* ---- every call, out of a callback ---- */

static aclprofConfig *running;
static unsigned int called;

static void documented(aclError code, const char *call)
{
	static const aclError codes[] = {
		ACL_SUCCESS, ACL_ERROR_INVALID_PARAM, ACL_ERROR_UNINITIALIZE, ACL_ERROR_REPEAT_INITIALIZE,
		ACL_ERROR_INVALID_PROFILING_CONFIG, ACL_ERROR_INVALID_MODEL_ID, ACL_ERROR_PROF_ALREADY_RUN,
		ACL_ERROR_PROF_NOT_RUN, ACL_ERROR_PROF_API_CONFLICT, ACL_ERROR_FEATURE_UNSUPPORTED,
	};

	called++;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i] == code)
			return;
	t_check(false, "%s: %d", call, code);
}

#define DOCUMENTED(call) documented(call, #call)

static void every_call(const char *dir)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 7);
	void *stamp = aclprofCreateStamp();
	uint32_t id = 0;

	DOCUMENTED(aclprofMark(stamp));
	DOCUMENTED(aclprofPush(stamp));
	DOCUMENTED(aclprofPop());
	DOCUMENTED(aclprofRangeStart(stamp, &id));
	DOCUMENTED(aclprofRangeStop(id));
	DOCUMENTED(aclprofMarkEx("ex", 2, &id));
	mstxMarkA("mstx", NULL);
	mstxRangeEnd(mstxRangeStartA("mstx", NULL));
	mstxDomainDestroy(mstxDomainCreateA("out of a callback"));
	t_check(aclprofStr2Id("text"), "no number");
	DOCUMENTED(aclprofSetCategoryName(1, "category"));
	aclprofDestroyStamp(stamp);
	DOCUMENTED(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50"));
	DOCUMENTED(t_init(dir));
	DOCUMENTED(aclprofModelUnSubscribe(1));
	DOCUMENTED(aclprofStart(running));
	DOCUMENTED(aclprofStart(config));
	DOCUMENTED(aclprofStop(config));
	DOCUMENTED(aclprofDestroyConfig(config));
}

static const char *callback_dir;
static unsigned int within, starts, stops;

static int32_t told(uint32_t type, void *data, uint32_t length)
{
	const struct MsprofCommandHandle *h = data;

	(void)type;
	(void)length;
	starts += h->type == PROF_COMMANDHANDLE_TYPE_START;
	stops += h->type == PROF_COMMANDHANDLE_TYPE_STOP;
	if (within || starts + stops > MOST) /* each begins another session */
		return 0;
	within = 1;
	every_call(callback_dir);
	/* the last thing, so that also this one is told */
	if (h->type == PROF_COMMANDHANDLE_TYPE_START)
		DOCUMENTED(aclprofStop(running));
	if (h->type == PROF_COMMANDHANDLE_TYPE_STOP)
		DOCUMENTED(aclprofFinalize());
	within = 0;
	return 0;
}

static bool finalized(const char *prof)
{
	char text[256] = "";
	FILE *file = fopen(t_path("%s/ascprof.json", prof), "r");

	t_check(file && fgets(text, sizeof(text), file), "%s/ascprof.json cannot be read", prof);
	if (file)
		fclose(file);
	return strstr(text, "\"state\":\"finalized\"");
}

static void out_of_callbacks(const void *arg)
{
	struct prof_list list;

	(void)arg;
	alarm(60);
	callback_dir = t_dir();
	running = t_config(ACL_PROF_MSPROFTX, 1, 0);
	t_code(MsprofRegisterCallback(3, told), 0);
	t_code(t_init(callback_dir), 0);
	t_stderr_begin(); /* what is refused is printed */
	for (int i = 0; i < 3; i++) {
		DOCUMENTED(aclprofStart(running));
		DOCUMENTED(aclprofStop(running));
		DOCUMENTED(t_init(callback_dir)); /* a callback may have finalized */
	}
	DOCUMENTED(aclprofFinalize());
	t_stderr_end();
	t_check(starts && starts == stops, "told of %u starts and %u stops", starts, stops);
	t_check(called > 50, "%u calls", called);
	prof_find(&list, callback_dir);
	t_check(list.count >= 1, "no directory");
	for (size_t i = 0; i < list.count; i++)
		prof_check(list.path[i], finalized(list.path[i]) ? "--state finalized" : "--state stopped", NULL);
	prof_free(&list);
}

int main(void)
{
	t_equal(t_child(started_twice, NULL), 0, "started twice");
	t_equal(t_child(pushed_then_changed, NULL), 0, "pushed, then changed");
	t_equal(t_child(set_clock, NULL), 0, "while the clock is set");
	t_equal(t_child(out_of_callbacks, NULL), 0, "out of callbacks");
	return t_end();
}
