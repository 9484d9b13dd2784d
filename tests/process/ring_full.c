// SPDX-License-Identifier: Apache-2.0
/*
 * A flusher that gets no time: the ring fills up, calls return 500005 at once,
 * every such call is counted, few lines are printed, and what went in is written.
 */
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

int main(void)
{
	const char *dir = t_dir(), *printed;
	aclprofConfig *config = t_start(dir);
	unsigned int written = 0, dropped = 0, seconds;
	struct prof_totals totals;
	struct prof_rows rows;
	uint64_t start;
	char text[128];
	void *stamp;

	if (!starve(t_flusher()))
		t_skip("the flusher's thread cannot be slowed down");
	memset(text, 'r', 127);
	text[127] = 0;
	stamp = t_stamp(text);
	start = t_raw_ns();
	t_stderr_begin();
	for (unsigned int i = 0; i < MARKS_MAX && dropped < DROPS; i++) {
		aclError code = aclprofMark(stamp);

		t_check(code == ACL_SUCCESS || code == ACL_ERROR_PROFILING_FAILURE, "mark: %d",
			code);
		written += !code;
		dropped += code != ACL_SUCCESS;
	}
	printed = t_stderr_end();
	seconds = (unsigned int)((t_raw_ns() - start) / 1000000000);
	t_check(dropped, "%u marks, and none was dropped", MARKS_MAX);
	t_check(strstr(ascprof_last_error(), "full"), "reason: '%s'", ascprof_last_error());
	t_check(t_lines(printed) <= seconds + 2, "%u lines in %u s", t_lines(printed), seconds);
	t_check(strstr(printed, "full"), "printed: %s", printed);
	recover(t_flusher());
	t_sleep_us(200000);
	t_code(aclprofMark(stamp), 0); /* there is room again */
	aclprofDestroyStamp(stamp);
	t_stop(config);

	prof_check(dir, "--dropped", &totals);
	t_equal(totals.mark.written, written + 1, "marks written");
	t_equal(totals.mark.dropped, dropped, "marks dropped");
	prof_rows(&rows, prof_only(dir));
	for (size_t i = 0; i < rows.count; i++)
		t_check(!strcmp(rows.row[i].message, text), "row %zu has '%s'", i,
			rows.row[i].message);
	prof_rows_free(&rows);
	return t_end();
}
