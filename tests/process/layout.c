// SPDX-License-Identifier: Apache-2.0
/* Names, modes whatever the umask, and control files that are there from Start on. */
#include "prof.h"
#include "t.h"

#include <sys/stat.h>

static void one(mode_t mask)
{
	const char *dir = t_path("%s/result", t_dir());
	struct prof_list list;
	aclprofConfig *config;
	void *stamp;

	umask(mask);
	t_code(t_set(ACL_PROF_LLC_MODE, "read"), ACL_ERROR_UNINITIALIZE);
	t_code(t_init(dir), 0);
	t_code(t_set(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50"), 0);
	config = t_config(ACL_PROF_MSPROFTX | ACL_PROF_ACL_API, 3, 0, 1, 12);
	for (int round = 0; round < 2; round++) {
		t_code(aclprofStart(config), 0);
		stamp = t_stamp("layout");
		for (int i = 0; i < 20000; i++)
			t_code(aclprofMark(stamp), 0);
		aclprofDestroyStamp(stamp);
		prof_find(&list, dir);
		t_equal(list.count, round + 1, "directories");
		if (list.count)
			prof_check(list.path[list.count - 1], "--state running", NULL);
		prof_free(&list);
		t_code(aclprofStop(config), 0);
	}
	t_code(aclprofDestroyConfig(config), 0);
	t_code(aclprofFinalize(), 0);
	t_equal(t_mode(dir), 0750, "mode of the result path");
	prof_check(dir, "", NULL);
}

static void child(const void *arg)
{
	t_stderr_begin(); /* the missing module's warnings */
	one(*(const mode_t *)arg);
	t_stderr_end();
}

int main(void)
{
	static const mode_t masks[] = { 0, 022, 077, 0777 };

	for (size_t i = 0; i < 4; i++)
		t_equal(t_child(child, &masks[i]), 0, "under umask %04o", masks[i]);
	return t_end();
}
