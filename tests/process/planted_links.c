// SPDX-License-Identifier: Apache-2.0
/*
 * Links planted under names that will be written, symbolic and hard: what they
 * point to is not touched, and no more is lost than what has no place.
 */
#include "prof.h"
#include "t.h"

#include <sys/stat.h>

static const char *const planted[] = {
	".ascprof.json.tmp",
	"host/.end_info.tmp",
	"host/end_info",
	"host/end_info.done",
	"host/data/aging.additional.msproftx.slice_1",
	"host/data/aging.additional.msproftx.slice_0.done",
};

static void planted_with(const void *arg)
{
	int (*const make_link)(const char *, const char *) = *(int (*const *)(const char *, const char *))arg;
	const char *dir = t_dir(), *victim = t_path("%s/victim", t_dir()), *prof;
	aclprofConfig *config = t_start(dir);
	void *stamp = t_stamp("planted");
	struct stat st;

	prof = prof_only(dir);
	if (!prof)
		return;
	t_write_file(victim, "victim");
	chmod(victim, 0600);
	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++)
		t_equal(make_link(victim, t_path("%s/%s", prof, planted[i])), 0, "planting %s",
			planted[i]);
	t_stderr_begin();
	for (unsigned int i = 0; i < 30000; i++) {
		aclError code = aclprofMark(stamp);

		t_check(code == ACL_SUCCESS || code == ACL_ERROR_PROFILING_FAILURE, "mark: %d",
			code);
	}
	aclprofDestroyStamp(stamp);
	aclprofStop(config);
	aclprofFinalize();
	t_stderr_end();
	aclprofDestroyConfig(config);
	t_check(!stat(victim, &st) && st.st_size == 6, "the victim has %ld bytes",
		(long)st.st_size);
	t_equal(st.st_mode & 07777, 0600, "mode of the victim");
}

int main(void)
{
	int (*const ways[])(const char *, const char *) = { symlink, link };

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		t_equal(t_child(planted_with, &ways[i]), 0, "%s links", i ? "hard" : "symbolic");
	return t_end();
}
