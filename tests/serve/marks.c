// SPDX-License-Identifier: Apache-2.0
/* marks DIRECTORY: marks, every millisecond, until its input ends. Exit: 0, or 1 when it cannot record. */
#include <poll.h>
#include <stdint.h>
#include <string.h>

#include "acl/acl_prof.h"

int main(int argc, char **argv)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	uint32_t device = 0;
	aclprofConfig *config;
	void *stamp;

	if (argc != 2 || aclprofInit(argv[1], strlen(argv[1])))
		return 1;
	config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
	if (!config || aclprofStart(config))
		return 1;
	stamp = aclprofCreateStamp();
	aclprofSetStampTraceMessage(stamp, "tick", 4);
	while (!poll(&input, 1, 1))
		aclprofMark(stamp);
	aclprofDestroyStamp(stamp);
	return aclprofStop(config) || aclprofDestroyConfig(config) || aclprofFinalize();
}
