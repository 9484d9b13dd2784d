// SPDX-License-Identifier: Apache-2.0
/* 32 processes record at once below one path: 32 complete directories. */
#include "prof.h"
#include "t.h"

#define PROCESSES 32
#define MARKS 500

static void record(const void *arg)
{
	aclprofConfig *config = t_start(arg);
	void *stamp = t_stamp("one of many");

	for (int i = 0; i < MARKS; i++)
		t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_stop(config);
}

int main(void)
{
	const char *dir = t_path("%s/made/by/all", t_dir());
	struct prof_totals totals;
	pid_t pids[PROCESSES];

	for (int i = 0; i < PROCESSES; i++)
		pids[i] = t_spawn(record, dir);
	for (int i = 0; i < PROCESSES; i++)
		t_equal(t_wait(pids[i]), 0, "status of process %d", i);
	prof_check(dir, "", &totals);
	t_equal(totals.dirs, PROCESSES, "directories");
	t_equal(totals.mark.written, PROCESSES * MARKS, "marks");
	return t_end();
}
