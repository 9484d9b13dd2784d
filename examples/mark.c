/* SPDX-License-Identifier: Apache-2.0 */
/* Marks 200,000 instants: mark [DIRECTORY] */
#include "loop.h"

static int iteration(void)
{
	void *stamp = new_stamp();
	aclError ret;

	if (!stamp)
		return 1;
	ret = aclprofMark(stamp);
	aclprofDestroyStamp(stamp);
	return ret ? failed("aclprofMark", ret) : 0;
}

int main(int argc, char **argv)
{
	return record_loop(argc, argv, iteration);
}
