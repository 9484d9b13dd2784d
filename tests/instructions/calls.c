// SPDX-License-Identifier: Apache-2.0
/* Each hot call a thousand times, for check.sh to count what it executes: calls on|off DIRECTORY. */
#include <acl/acl_prof.h>
#include <mstx/ms_tools_ext.h>
#include <valgrind/callgrind.h>

#include <stdbool.h>
#include <string.h>

#define TIMES 1000

static const char text[] = "forward/layer_04/abc";

static void all(void *stamp)
{
	uint32_t id;
	void *other;

	for (int i = 0; i < TIMES; i++) {
		other = aclprofCreateStamp();
		aclprofSetStampTraceMessage(stamp, text, sizeof(text) - 1);
		aclprofMark(stamp);
		aclprofPush(stamp);
		aclprofPop();
		aclprofRangeStart(stamp, &id);
		aclprofRangeStop(id);
		mstxMarkA(text, NULL);
		mstxRangeEnd(mstxRangeStartA(text, NULL));
		aclprofDestroyStamp(other);
	}
}

int main(int argc, char **argv)
{
	aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
	bool on = argc == 3 && !strcmp(argv[1], "on");
	void *stamp;

	if (argc != 3 || aclprofInit(argv[2], strlen(argv[2])) || (on && aclprofStart(config)))
		return 1;
	stamp = aclprofCreateStamp();
	all(stamp); /* what is made once is there */
	CALLGRIND_TOGGLE_COLLECT;
	all(stamp);
	CALLGRIND_TOGGLE_COLLECT;
	if (on && aclprofStop(config))
		return 1;
	aclprofDestroyConfig(config);
	return aclprofFinalize();
}
