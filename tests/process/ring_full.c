// SPDX-License-Identifier: Apache-2.0
/*
 * A flusher that gets no time: the ring fills up, calls return 500005 at once,
 * every such call is counted, few lines are printed, and what went in is written.
 */
#include "device.h"
#include "mstx.h"
#include "prof.h"
#include "t.h"

#include <sched.h>

#define MARKS_MAX 3000000u
#define DROPS 100000u

/* Both on this processor, and the flusher only when nobody else wants it. */
static bool starve(pid_t thread)
{
	struct sched_param param = { 0 };
	int cpu = sched_getcpu();
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : cpu, &one);
	return thread && !sched_setaffinity(0, sizeof(one), &one) &&
	       !sched_setaffinity(thread, sizeof(one), &one) &&
	       !sched_setscheduler(thread, SCHED_IDLE, &param);
}

static void recover(pid_t thread)
{
	struct sched_param param = { 0 };

	/* without privilege it stays SCHED_IDLE, but we only wait from here on */
	sched_setscheduler(thread, SCHED_OTHER, &param);
}

static char text[128];
static void *stamp;

static aclError mark(void)
{
	return aclprofMark(stamp);
}

static aclError mark_ex(void)
{
	return aclprofMarkEx(text, strlen(text), DEVICE_STREAM);
}

/* Twelve tensors: three rows. */
static aclError launch(void)
{
	static aclprofTensor tensors[12];
	aclprofTensorInfo info = { .opNameId = 5, .tensorNum = 12, .stream = DEVICE_STREAM, .tensors = tensors };
	aclprofEventAttributes attributes = { .version = 1, .size = sizeof(attributes), .message.tensorInfo = &info };

	t_code(aclprofRangePushEx(&attributes), 0);
	return aclprofRangePop();
}

static const struct way {
	const char *kind;
	aclError (*call)(void);
	unsigned int rows;
} ways[] = { { "mark", mark, 1 }, { "mark_ex", mark_ex, 1 }, { "tensor_info", launch, 3 } };

static void fill(const void *arg)
{
	const struct way *way = arg;
	unsigned int written = 0, dropped = 0, seconds;
	const char *dir = t_dir(), *printed;
	struct mstx_account account;
	struct prof_rows rows;
	aclprofConfig *config;
	uint64_t start;

	device_load(RTLD_GLOBAL);
	config = t_start(dir);
	if (!starve(t_flusher()))
		t_skip("the flusher's thread cannot be slowed down");
	memset(text, 'r', 127);
	stamp = t_stamp(text);
	start = t_raw_ns();
	t_stderr_begin();
	for (unsigned int i = 0; i < MARKS_MAX && dropped < DROPS; i++) {
		aclError code = way->call();

		t_check(code == ACL_SUCCESS || code == ACL_ERROR_PROFILING_FAILURE, "%s: %d", way->kind, code);
		written += !code;
		dropped += code != ACL_SUCCESS;
	}
	printed = t_stderr_end();
	seconds = (unsigned int)((t_raw_ns() - start) / 1000000000);
	t_check(dropped, "%u of %s, and none was dropped", MARKS_MAX, way->kind);
	t_check(strstr(ascprof_last_error(), "full"), "reason: '%s'", ascprof_last_error());
	t_check(t_lines(printed) <= seconds + 2, "%u lines in %u s", t_lines(printed), seconds);
	t_check(strstr(printed, "full"), "printed: %s", printed);
	recover(t_flusher());
	t_sleep_us(200000);
	t_code(way->call(), 0); /* there is room again */
	aclprofDestroyStamp(stamp);
	t_stop(config);

	prof_check(dir, "--dropped", NULL);
	account = mstx_account(prof_only(dir), way->kind);
	t_equal((long long)account.written, (written + 1) * way->rows, "%s written", way->kind);
	t_equal((long long)account.ring_full, dropped * way->rows, "%s dropped", way->kind);
	prof_rows(&rows, prof_only(dir));
	for (size_t i = 0; i < rows.count; i++)
		t_check(!strcmp(rows.row[i].message, text), "row %zu has '%s'", i, rows.row[i].message);
	prof_rows_free(&rows);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		int status = t_child(fill, &ways[i]);

		if (status == T_SKIP)
			return T_SKIP;
		t_equal(status, 0, "%s", ways[i].kind);
	}
	return t_end();
}
