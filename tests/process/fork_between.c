// SPDX-License-Identifier: Apache-2.0
/*
 * fork() between two sessions: what the flusher keeps of the first for the next
 * is the parent's. Both then record on their own, more than the buffers hold.
 */
#include "prof.h"
#include "t.h"

#define MARKS 60000 /* rows of seven buffers, the most that are kept being four */

static void record(const char *dir, unsigned long dirs)
{
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);
	struct prof_totals totals;
	void *stamp;

	t_code(aclprofStart(config), 0);
	stamp = t_stamp("between");
	for (int i = 0; i < MARKS; i++)
		t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_code(aclprofStop(config), 0);
	t_code(aclprofDestroyConfig(config), 0);
	prof_check(dir, "", &totals);
	t_equal(totals.dirs, dirs, "directories");
	t_equal(totals.mark.written, dirs * MARKS, "marks");
}

static void child(const void *dir)
{
	t_code(t_init(dir), 0);
	record(dir, 1);
	record(dir, 2);
	t_code(aclprofFinalize(), 0);
}

int main(void)
{
	const char *dir = t_path("%s/parent", t_dir()), *early = t_path("%s/early", t_dir()),
		   *late = t_path("%s/late", t_dir());

	t_code(t_init(dir), 0);
	record(dir, 1);
	t_equal(t_child(child, early), 0, "a child that records");
	record(dir, 2);
	t_code(aclprofFinalize(), 0);
	t_equal(t_child(child, late), 0, "one that is forked after Finalize");
	return t_end();
}
