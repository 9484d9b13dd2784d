// SPDX-License-Identifier: Apache-2.0
/* A disk that takes a second to sync a file, by LD_PRELOAD and ASCPROF_IO=pwritev. */
#include <time.h>

int fsync(int fd)
{
	struct timespec second = { 1, 0 };

	(void)fd;
	nanosleep(&second, NULL);
	return 0;
}
