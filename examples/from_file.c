/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is recorded, and where, is told by a file and not by the program:
 * from_file ACL_JSON
 *
 * With AscendCL in the process its own aclInit reads the file.
 */
#include <acl/acl.h>
#include <acl/acl_prof.h>

#include <stdio.h>
#include <string.h>

#define STEPS 20

static int failed(const char *call, aclError code)
{
	const char *why = aclGetRecentErrMsg();

	fprintf(stderr, "%s: %d: %s\n", call, code, why ? why : "");
	return 1;
}

/* Without "msproftx":"on" in the file there is no stamp, and nothing to do. */
static void step(unsigned int number)
{
	void *stamp = aclprofCreateStamp();
	char text[32];
	volatile double sum = 0; /* some work */

	snprintf(text, sizeof(text), "step %u", number);
	if (stamp) {
		aclprofSetStampTraceMessage(stamp, text, strlen(text));
		aclprofPush(stamp);
	}
	for (unsigned int i = 0; i < 100000; i++)
		sum = sum + i * 0.5;
	if (stamp) {
		aclprofPop();
		aclprofDestroyStamp(stamp);
	}
}

int main(int argc, char **argv)
{
	aclError ret;

	if (argc != 2) {
		fprintf(stderr, "usage: from_file ACL_JSON\n");
		return 2;
	}
	ret = aclInit(argv[1]);
	if (ret)
		return failed("aclInit", ret);
	for (unsigned int i = 0; i < STEPS; i++)
		step(i);
	ret = aclFinalize();
	return ret ? failed("aclFinalize", ret) : 0;
}
