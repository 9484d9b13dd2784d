/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks and ranges by mstx, in the default domain and in one of our own, one
 * range begun by one thread and ended by another: mstx [DIRECTORY]
 *
 * The mstx calls need the header only. Without the aclprof calls the program
 * runs as well, and they record nothing.
 */
#include <acl/acl_prof.h>
#include <mstx/ms_tools_ext.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define STEPS 10

static int failed(const char *call, aclError code)
{
	fprintf(stderr, "%s: %d\n", call, code);
	return 1;
}

static void *send_result(void *arg)
{
	mstxRangeEnd(*(const mstxRangeId *)arg);
	return NULL;
}

static int work(void)
{
	mstxDomainHandle_t net = mstxDomainCreateA("network");
	mstxRangeId request = mstxRangeStartA("request", NULL);
	pthread_t sender;
	char message[256];

	for (int i = 0; i < STEPS; i++) {
		mstxRangeId step = mstxDomainRangeStartA(net, "all-reduce", NULL);

		/* Longer messages become several rows of one event. */
		snprintf(message, sizeof(message),
			 "{\"step\": %d, \"group\": \"группа\", \"count\": 1048576, \"type\": \"float16\", "
			 "\"source\": 0, \"destination\": 1, \"algorithm\": \"ring\", \"note\": \"数据 → узел\"}", i);
		mstxDomainMarkA(net, message, NULL);
		mstxDomainRangeEnd(net, step);
	}
	mstxDomainDestroy(net);
	if (pthread_create(&sender, NULL, send_result, &request))
		return failed("pthread_create", 0);
	pthread_join(sender, NULL);
	mstxMarkA("done", NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "./result";
	aclprofConfig *config;
	aclError ret;
	int bad;

	ret = aclprofInit(path, strlen(path));
	if (ret)
		return failed("aclprofInit", ret);
	config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
	if (!config)
		return failed("aclprofCreateConfig", ACL_ERROR_INVALID_PARAM);
	ret = aclprofStart(config);
	if (ret)
		return failed("aclprofStart", ret);
	bad = work();
	ret = aclprofStop(config);
	aclprofDestroyConfig(config);
	if (ret)
		return failed("aclprofStop", ret);
	ret = aclprofFinalize();
	return ret ? failed("aclprofFinalize", ret) : bad;
}
