/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The documented order of calls, for two models on overlapping devices:
 * two_models [DIRECTORY]
 *
 * With AscendCL, aclInit() comes first, each model is loaded after its Start,
 * and aclFinalize() comes last; this program needs neither model nor NPU.
 */
#include <acl/acl_prof.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#define STEPS 10

static int failed(const char *call, aclError code)
{
	fprintf(stderr, "%s: %d\n", call, code);
	return 1;
}

static void execute_step(void)
{
	const struct timespec ms20 = { 0, 20000000 };

	nanosleep(&ms20, NULL);
}

static int execute(const char *model)
{
	void *stamp = aclprofCreateStamp();
	aclError ret;

	if (!stamp)
		return failed("aclprofCreateStamp", ACL_ERROR_PROF_NOT_RUN);
	ret = aclprofSetStampTraceMessage(stamp, model, strlen(model));
	for (int i = 0; i < STEPS && !ret; i++) {
		ret = aclprofPush(stamp);
		execute_step();
		if (!ret)
			ret = aclprofPop();
	}
	aclprofDestroyStamp(stamp);
	return ret ? failed("annotating", ret) : 0;
}

static int profile(uint32_t first_device, const char *model)
{
	uint32_t devices[] = { first_device, first_device + 1 };
	aclprofConfig *config =
		aclprofCreateConfig(devices, 2, ACL_AICORE_NONE, NULL, ACL_PROF_ACL_API | ACL_PROF_MSPROFTX);
	aclError ret;
	int bad;

	if (!config)
		return failed("aclprofCreateConfig", ACL_ERROR_INVALID_PARAM);
	ret = aclprofStart(config);
	if (ret) {
		aclprofDestroyConfig(config);
		return failed("aclprofStart", ret);
	}
	bad = execute(model);
	ret = aclprofStop(config);
	aclprofDestroyConfig(config);
	return ret ? failed("aclprofStop", ret) : bad;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "./result";
	aclError ret;
	int bad;

	ret = aclprofInit(path, strlen(path));
	if (ret)
		return failed("aclprofInit", ret);
	ret = aclprofSetConfig(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50", 2);
	if (ret)
		return failed("aclprofSetConfig", ret);
	bad = profile(0, "model 1") || profile(1, "model 2");
	ret = aclprofFinalize();
	return ret ? failed("aclprofFinalize", ret) : bad;
}
