/* SPDX-License-Identifier: Apache-2.0 */
/* A program that runs under a command: how it ends, and that signals of this process are as they were. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/child.h"

static struct child child;
static struct diag diag = { .program = "test" };

static int begin(const char *script)
{
	char *const argv[] = { "sh", "-c", (char *)script, NULL };

	return child_begin(&child, argv, NULL, NULL, &diag);
}

static void assert_signals(bool blocked)
{
	static const int number[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		assert_int_equal(sigismember(&now, number[i]), blocked);
}

static void exits(void **state)
{
	(void)state;
	assert_int_equal(begin("exit 7"), 0);
	assert_signals(true);
	assert_true(child_wait(&child, -1));
	assert_true(child_wait(&child, 0));
	assert_int_equal(child_result(&child), 7);
	assert_signals(false);
}

static int refuse(void *arg)
{
	return *(int *)arg;
}

static void does_not_begin(void **state)
{
	char *const missing[] = { "/nowhere/program", NULL }, *const folder[] = { "/", NULL }, *const sh[] = { "sh", "-c", "exit 0", NULL };
	int no = 1;

	(void)state;
	assert_int_equal(child_begin(&child, missing, NULL, NULL, &diag), CHILD_NO_PROGRAM);
	assert_non_null(strstr(diag.error, "/nowhere/program: No such file"));
	assert_signals(false);
	diag.error[0] = '\0';
	assert_int_equal(child_begin(&child, folder, NULL, NULL, &diag), CHILD_NO_START);
	assert_signals(false);
	diag.error[0] = '\0';
	assert_int_equal(child_begin(&child, sh, refuse, &no, &diag), CHILD_NO_START);
	assert_non_null(strstr(diag.error, strerror(ENOMEM)));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* A program that has said that it is ready, and then waits for what comes. */
static void begin_waiting(const char *trap)
{
	char script[160], byte;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	snprintf(script, sizeof(script), "%s; echo >&%d; while :; do sleep 0.01; done", trap, fds[1]);
	assert_int_equal(begin(script), 0);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	close(fds[1]);
	assert_false(child_wait(&child, 1) || child.ended);
}

static void signals_are_handed_on(void **state)
{
	(void)state;
	begin_waiting("trap 'exit 4' USR1");
	kill(getpid(), SIGUSR1);
	assert_true(child_wait(&child, -1));
	assert_int_equal(child_result(&child), 4);

	begin_waiting("trap '' INT");
	kill(getpid(), SIGINT);
	while (!child.interrupts)
		assert_false(child_wait(&child, 1));
	assert_int_equal(child.interrupts, 1);
	kill(getpid(), SIGINT);
	assert_true(child_wait(&child, -1));
	assert_int_equal(WTERMSIG(child.status), SIGKILL);
	sigprocmask(SIG_SETMASK, &child.before, NULL);
}

/* What ended the program ends this process, too. */
static void ends_by_a_signal(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (!pid) {
		begin("kill -TERM $$");
		child_wait(&child, -1);
		child_result(&child);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exits), cmocka_unit_test(does_not_begin), cmocka_unit_test(signals_are_handed_on),
		cmocka_unit_test(ends_by_a_signal),
	};

	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
