// SPDX-License-Identifier: Apache-2.0
/*
 * No function is a cancellation point: a thread that is to be cancelled goes
 * through whole sessions, misuse and subscriptions, and what it began is
 * usable by others after its end.
 */
#include "ops.h"
#include "prof.h"
#include "t.h"

#include "acl/acl.h"
#include "mstx/ms_tools_ext.h"

#define MARKS 200u

struct work {
	const char *dir;
	void (*calls)(const struct work *);
	bool through;
};

/* Sleeping is a cancellation point. */
static void spin_ms(unsigned int ms)
{
	for (uint64_t until = t_raw_ns() + ms * 1000000ull; t_raw_ns() < until;)
		;
}

/* Slow enough that the flusher sleeps in between, and has to be woken. */
static void annotate(void)
{
	void *stamp = t_stamp("to be cancelled");
	uint32_t range;

	for (unsigned int i = 0; i < MARKS; i++) {
		t_code(aclprofMark(stamp), 0);
		if (i % 50 == 0)
			spin_ms(150);
	}
	t_code(aclprofRangeStart(stamp, &range), 0);
	t_code(aclprofRangeStop(range), 0);
	mstxMarkA("to be cancelled", NULL);
	aclprofStr2Id("to be cancelled");
	aclprofDestroyStamp(stamp);
}

static void misuse(void)
{
	mstxMarkA(NULL, NULL);
	t_check(aclprofMark(NULL) != 0, "mark of NULL");
	t_check(aclprofPop() != 0, "pop of nothing");
	t_check(aclprofRangeStop(3) != 0, "stop of nothing");
	t_check(aclprofStart(NULL) != 0, "start of NULL");
	t_check(aclprofInit(NULL, 0) != 0, "init of NULL");
}

static void session(const struct work *work)
{
	aclprofConfig *config = t_start(work->dir);

	annotate();
	misuse();
	t_stop(config);
}

static void begin_only(const struct work *work)
{
	t_start(work->dir);
	annotate();
}

static void command(const struct work *work)
{
	t_code(aclInit(t_path("%s/acl.json", work->dir)), 0);
	annotate();
	t_code(aclFinalize(), 0);
}

static void subscription(const struct work *work)
{
	struct ops_reader reader;
	int fds[2];

	(void)work;
	t_equal(pipe(fds), 0, "pipe");
	ops_reader_start(&reader, fds[0], 1000);
	ops_subscribe(1, &fds[1]);
	for (uint64_t i = 1; i <= MARKS; i++) {
		t_code(ops_report(1, i), 0);
		if (i % 50 == 0)
			spin_ms(30);
	}
	t_code(aclprofModelUnSubscribe(1), 0);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* the test's own end waits */
	t_equal(ops_reader_end(&reader), MARKS, "records");
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
}

static void *cancelled(void *arg)
{
	struct work *work = arg;

	pthread_cancel(pthread_self());
	work->calls(work);
	work->through = true;
	pthread_testcancel();
	return NULL;
}

static void run(const void *arg)
{
	struct work work = *(const struct work *)arg;
	pthread_t thread;
	void *result;

	work.dir = t_dir();
	t_write_file(t_path("%s/acl.json", work.dir),
		     t_path("{\"profiler\":{\"switch\":\"on\",\"msproftx\":\"on\",\"output\":\"%s\"}}", work.dir));
	t_stderr_begin();
	pthread_create(&thread, NULL, cancelled, &work);
	pthread_join(thread, &result);
	t_stderr_end();
	t_check(work.through, "cancelled in one of the calls");
	t_check(result == PTHREAD_CANCELED, "not cancelled in the end");
	if (work.calls != begin_only || !work.through)
		return;
	annotate(); /* as another thread, perhaps in the same context */
	t_code(aclprofFinalize(), 0);
}

int main(void)
{
	static const struct {
		const char *name;
		struct work work;
	} all[] = {
		{ "a session", { .calls = session } },
		{ "a session that another thread ends", { .calls = begin_only } },
		{ "aclInit", { .calls = command } },
		{ "a subscription", { .calls = subscription } },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		t_equal(t_child(run, &all[i].work), 0, "%s", all[i].name);
	return t_end();
}
