/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that stands still once, for STALL_MS milliseconds, at its STALL_AT-th
 * write: by LD_PRELOAD and ASCPROF_IO=pwritev.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long number(const char *name, long otherwise)
{
	const char *value = getenv(name);

	return value ? atol(value) : otherwise;
}

ssize_t pwritev(int fd, const struct iovec *vec, int nr, off_t offset)
{
	static atomic_long writes;
	long ms = number("STALL_MS", 5000);
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	if (atomic_fetch_add(&writes, 1) + 1 == number("STALL_AT", 20))
		while (nanosleep(&t, &t))
			;
	return syscall(SYS_pwritev, fd, vec, (long)nr, (long)offset, 0L);
}
