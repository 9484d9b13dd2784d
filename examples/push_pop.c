/* SPDX-License-Identifier: Apache-2.0 */
/* Records 200,000 ranges that one thread begins and ends: push_pop [DIRECTORY] */
#include "loop.h"

static int iteration(void)
{
	void *stamp = new_stamp();
	aclError ret;

	if (!stamp)
		return 1;
	ret = aclprofPush(stamp);
	if (!ret)
		ret = aclprofPop();
	aclprofDestroyStamp(stamp);
	return ret ? failed("aclprofPush or aclprofPop", ret) : 0;
}

int main(int argc, char **argv)
{
	return record_loop(argc, argv, iteration);
}
