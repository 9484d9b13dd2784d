/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include <stdio.h>
#include <string.h>

int failed(const char *call, aclError code)
{
	fprintf(stderr, "%s: %d\n", call, code);
	return 1;
}

void *new_stamp(void)
{
	static const char message[] = "test msprof tx";
	void *stamp = aclprofCreateStamp();
	aclError ret;

	if (!stamp) {
		fprintf(stderr, "aclprofCreateStamp: no stamp\n");
		return NULL;
	}
	ret = aclprofSetStampTraceMessage(stamp, message, strlen(message));
	if (ret) {
		failed("aclprofSetStampTraceMessage", ret);
		aclprofDestroyStamp(stamp);
		return NULL;
	}
	return stamp;
}

static int record(aclprofConfig *config, iteration_fn iteration)
{
	aclError ret = aclprofStart(config);
	int bad = 0;

	if (ret)
		return failed("aclprofStart", ret);
	for (int i = 0; i < ITERATIONS && !bad; i++)
		bad = iteration();
	ret = aclprofStop(config);
	return ret ? failed("aclprofStop", ret) : bad;
}

int record_loop(int argc, char **argv, iteration_fn iteration)
{
	const char *path = argc > 1 ? argv[1] : "./result";
	uint32_t device = 0;
	aclprofConfig *config;
	aclError ret;
	int bad;

	ret = aclprofInit(path, strlen(path));
	if (ret)
		return failed("aclprofInit", ret);
	ret = aclprofSetConfig(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50", 2);
	if (ret)
		return failed("aclprofSetConfig", ret);
	ret = aclprofSetConfig(ACL_PROF_LLC_MODE, "read", 4);
	if (ret)
		return failed("aclprofSetConfig", ret);
	config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_ACL_API | ACL_PROF_MSPROFTX);
	if (!config)
		return failed("aclprofCreateConfig", ACL_ERROR_INVALID_PARAM);
	bad = record(config, iteration);
	aclprofDestroyConfig(config);
	ret = aclprofFinalize();
	return ret ? failed("aclprofFinalize", ret) : bad;
}
