/* SPDX-License-Identifier: Apache-2.0 */
/* aclprofMarkEx and mstx with a stream: test vectors 126 to 130, with a stand-in for the device runtime. */
#define MSTX_NO_IMPL
#include "tests/unit/test_api_cases.h"
#include "tests/unit/test_api_session.h"

#include <mstx/ms_tools_ext.h>

#include "tests/process/device.h"
#include "tests/process/mstx.h"

#define BAD ACL_ERROR_INVALID_PARAM
#define NOT_RUN ACL_ERROR_PROF_NOT_RUN
#define REFUSED ACL_ERROR_PROFILING_FAILURE
#define RETRY_US 150000 /* a function that was missing is looked for again by then */

static struct mstx_events all;

static void stop(void)
{
	mstx_read(&all, session_end("--dropped"));
}

static void called(const struct device_standin *device, unsigned int n, uint64_t id, unsigned int tag)
{
	t_equal(device->trace[n].id, (long long)id, "id of call %u", n);
	t_equal(device->trace[n].model, 0xFFFFFFFFll, "model of call %u", n);
	t_equal(device->trace[n].tag, tag, "tag of call %u", n);
	t_check(device->trace[n].stream == DEVICE_STREAM, "stream of call %u: %p", n, device->trace[n].stream);
}

static void vector_126(void)
{
	t_code(aclprofMarkEx("abc", 3, DEVICE_STREAM), NOT_RUN);
	device_load(RTLD_GLOBAL);
	t_code(aclprofMarkEx("abc", 3, DEVICE_STREAM), NOT_RUN);
	session_begin();
	t_code(aclprofMarkEx("abc", 3, DEVICE_STREAM), 0);
	stop();
	t_code(aclprofMarkEx("abc", 3, DEVICE_STREAM), NOT_RUN);
	t_equal((long long)all.count, 1, "rows");
}

static void vector_127(void)
{
	struct device_standin *device = device_load(RTLD_GLOBAL);
	char text[157];

	memset(text, 'x', sizeof(text));
	text[156] = 0;
	session_begin();
	t_refused(aclprofMarkEx("abc", 3, NULL), BAD, "aclprofMarkEx stream NULL");
	t_sleep_us(1100000); /* at most one line a second */
	t_refused(aclprofMarkEx(NULL, 0, DEVICE_STREAM), BAD, "aclprofMarkEx msg NULL");
	t_code(aclprofMarkEx("abc", 1, DEVICE_STREAM), BAD);
	t_code(aclprofMarkEx("abc", 4, DEVICE_STREAM), BAD);
	t_code(aclprofMarkEx("", 0, DEVICE_STREAM), BAD);
	t_code(aclprofMarkEx(text, 156, DEVICE_STREAM), BAD);
	t_code(aclprofMarkEx(text, (size_t)1 << 32, DEVICE_STREAM), BAD);
	stop();
	t_equal(device->traces, 0, "calls of the runtime");
	t_equal((long long)all.count, 0, "rows");
}

static void vector_128(void)
{
	struct device_standin *device = device_load(RTLD_GLOBAL);
	const struct mstx_event *e;
	struct mstx_account a;
	char text[156];

	session_begin();
	for (int i = 0; i < 3; i++) {
		static const size_t lengths[] = { 127, 155, 1 };

		memset(text, 'a' + i, sizeof(text));
		text[lengths[i]] = 0;
		t_code(aclprofMarkEx(text, lengths[i], DEVICE_STREAM), 0);
	}
	stop();
	t_equal((long long)all.count, 3, "rows");
	t_equal(device->traces, 3, "calls of the runtime");
	for (unsigned int i = 0; i < 3 && i < all.count; i++) {
		e = &all.event[i];
		called(device, i, e->head.mark_id, 11);
		t_equal(e->head.event, ROW_TX_MARK_EX, "event");
		t_equal(e->head.info_type, 1, "info type");
		t_check(e->message[0] == 'a' + (char)i, "message '%s'", e->message);
		t_check(e->head.start == e->head.end, "a mark that lasts");
		t_check(!i || e->head.mark_id != all.event[i - 1].head.mark_id, "a mark id twice");
	}
	a = mstx_account(prof_only(dir), "mark_ex");
	t_equal((long long)a.produced, 3, "produced");
	t_equal((long long)a.written, 3, "written");
}

/* No runtime: told, and nothing recorded. It may come later, and by its name only. */
static void no_runtime(void)
{
	struct device_standin *device;

	session_begin();
	t_refused(aclprofMarkEx("before", 6, DEVICE_STREAM), ACL_ERROR_FEATURE_UNSUPPORTED,
		  "aclprofMarkEx runtime rtProfilerTraceEx libruntime.so");
	device = device_load(RTLD_LOCAL);
	t_sleep_us(RETRY_US);
	t_code(aclprofMarkEx("after", 5, DEVICE_STREAM), 0);
	stop();
	t_equal(device->traces, 1, "calls of the runtime");
	t_equal((long long)all.count, 1, "rows");
	mstx_only(&all, "after");
}

static void refusals(void)
{
	struct device_standin *device = device_load(RTLD_GLOBAL);

	device->refuse_trace = 107003;
	session_begin();
	t_refused(aclprofMarkEx("refused", 7, DEVICE_STREAM), REFUSED, "aclprofMarkEx rtProfilerTraceEx 107003");
	device->refuse_trace = 0;
	t_code(aclprofMarkEx("taken", 5, DEVICE_STREAM), 0);
	stop();
	t_equal((long long)all.count, 1, "rows");
	mstx_only(&all, "taken");
}

static aclError inside_code;

static void mark_inside(void)
{
	void *stamp = t_stamp("inside");

	inside_code = aclprofMark(stamp);
	aclprofDestroyStamp(stamp);
}

static void stop_inside(void)
{
	t_code(aclprofStop(config), 0);
}

/* The runtime may annotate, and the session may end while it works. */
static void runtime_annotates(void)
{
	struct device_standin *device = device_load(RTLD_GLOBAL);
	struct prof_rows rows;

	device->inside = mark_inside;
	inside_code = -1;
	session_begin();
	t_code(aclprofMarkEx("outside", 7, DEVICE_STREAM), 0);
	t_code(inside_code, 0);
	stop();
	prof_rows(&rows, prof_only(dir));
	t_equal((long long)rows.count, 2, "rows");
	prof_rows_free(&rows);
}

static void session_ends(void)
{
	struct device_standin *device = device_load(RTLD_GLOBAL);

	session_begin();
	device->inside = stop_inside;
	t_code(aclprofMarkEx("late", 4, DEVICE_STREAM), NOT_RUN);
	device->inside = NULL;
	t_code(aclprofDestroyConfig(config), 0);
	t_code(aclprofFinalize(), 0);
	prof_check(dir, "", NULL);
	mstx_read(&all, prof_only(dir));
	t_equal((long long)all.count, 0, "rows");
}

static void mstx_without_runtime(void)
{
	session_begin();
	mstxMarkA("mark", DEVICE_STREAM);
	mstxRangeEnd(mstxRangeStartA("range", DEVICE_STREAM));
	stop();
	mstx_only(&all, "mark");
	mstx_only(&all, "range");
}

static void mstx_with_runtime(void)
{
	mstxDomainHandle_t domain = mstxDomainCreateA("of the device");
	struct device_standin *device = device_load(RTLD_GLOBAL);
	mstxRangeId plain, with, other;

	session_begin();
	mstxMarkA("mark", DEVICE_STREAM);
	mstxDomainMarkA(domain, "mark of d", DEVICE_STREAM);
	with = mstxRangeStartA("range", DEVICE_STREAM);
	plain = mstxRangeStartA("no stream", NULL);
	other = mstxDomainRangeStartA(domain, "range of d", DEVICE_STREAM);
	t_equal(device->traces, 4, "calls of the runtime");
	mstxRangeEnd(plain);
	t_equal(device->traces, 4, "calls after a range without a stream");
	mstxRangeEnd(with);
	mstxRangeEnd(with); /* ended already */
	mstxDomainRangeEnd(domain, other);
	mstxMarkA("=no", DEVICE_STREAM); /* no message, no call */
	mstxDomainMarkA(NULL, "no domain", DEVICE_STREAM);
	t_equal(device->traces, 6, "calls of the runtime");
	stop();
	called(device, 0, mstx_only(&all, "mark")->head.mark_id, 11);
	called(device, 1, mstx_only(&all, "mark of d")->head.mark_id, 11);
	called(device, 2, mstx_only(&all, "range")->head.mark_id, 12);
	called(device, 3, mstx_only(&all, "range of d")->head.mark_id, 12);
	called(device, 4, mstx_only(&all, "range")->head.mark_id, 12);
	called(device, 5, mstx_only(&all, "range of d")->head.mark_id, 12);
	t_equal((long long)all.count, 5, "events");
}

/* What the runtime refuses is an event of the host all the same. */
static void mstx_refused(void)
{
	struct device_standin *device = device_load(RTLD_GLOBAL);
	mstxRangeId id;

	device->refuse_trace = 7;
	session_begin();
	t_stderr_begin();
	mstxMarkA("mark", DEVICE_STREAM);
	t_check(strstr(t_stderr_end(), "rtProfilerTraceEx returned 7"), "not told: '%s'", ascprof_last_error());
	id = mstxRangeStartA("range", DEVICE_STREAM);
	t_check(id, "no range");
	device->refuse_trace = 0;
	mstxRangeEnd(id); /* began in no stream */
	t_equal(device->traces, 2, "calls of the runtime");
	stop();
	mstx_only(&all, "mark");
	mstx_only(&all, "range");
}

int main(void)
{
	static const struct api_case cases[] = {
		CASE(vector_126), CASE(vector_127), CASE(vector_128), CASE(no_runtime), CASE(refusals),
		CASE(runtime_annotates), CASE(session_ends), CASE(mstx_without_runtime), CASE(mstx_with_runtime),
		CASE(mstx_refused),
	};

	return api_cases("api_mark_ex", cases, sizeof(cases) / sizeof(cases[0]));
}
