/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that a forked child has to close: each once, and no other. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/fds.h"

#define MANY 100

static int one(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void passes_errors_through(void **state)
{
	(void)state;
	assert_int_equal(fds_add(-1), -1);
	fds_close(-1);
}

/* What was forgotten, even twice, stays open in a child; all else that was noted is closed. */
static void child(void **state)
{
	int kept[MANY], given, closed;

	(void)state;
	for (int i = 0; i < MANY; i++)
		kept[i] = fds_add(one());
	closed = fds_add(one());
	given = fds_add(one());
	fds_forget(given);
	fds_forget(given);
	fds_close(closed);
	assert_false(is_open(closed));
	assert_true(is_open(given));
	fds_forget(kept[0]);
	fds_fork_lock();
	fds_fork_unlock();
	fds_child();
	for (int i = 1; i < MANY; i++)
		assert_false(is_open(kept[i]));
	assert_true(is_open(kept[0]));
	assert_true(is_open(given));
	close(kept[0]);
	close(given);
	/* nothing is noted any more */
	given = one();
	fds_child();
	assert_true(is_open(given));
	close(given);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(passes_errors_through), cmocka_unit_test(child) };

	return cmocka_run_group_tests_name("fds", tests, NULL, NULL);
}
