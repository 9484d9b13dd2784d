/* SPDX-License-Identifier: Apache-2.0 */
/* Records 200,000 ranges that any thread could end: range [DIRECTORY] */
#include "loop.h"

static int iteration(void)
{
	void *stamp = new_stamp();
	uint32_t id;
	aclError ret;

	if (!stamp)
		return 1;
	ret = aclprofRangeStart(stamp, &id);
	if (!ret)
		ret = aclprofRangeStop(id);
	aclprofDestroyStamp(stamp);
	return ret ? failed("aclprofRangeStart or aclprofRangeStop", ret) : 0;
}

int main(int argc, char **argv)
{
	return record_loop(argc, argv, iteration);
}
