/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int taken[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

#define TAKEN (sizeof(taken) / sizeof(taken[0]))

static void taken_set(sigset_t *set)
{
	sigemptyset(set);
	for (unsigned int i = 0; i < TAKEN; i++)
		sigaddset(set, taken[i]);
}

static _Noreturn void execute(const struct child *c, char *const *argv, int (*prepare)(void *arg), void *arg, int report)
{
	int err = prepare && prepare(arg) ? ENOMEM : 0;

	if (!err) {
		sigprocmask(SIG_SETMASK, &c->before, NULL);
		execvp(argv[0], argv);
		err = errno;
	}
	/* Only the failure is told; success closes the pipe. */
	if (write(report, &err, sizeof(err)) != sizeof(err))
		_exit(CHILD_NO_START);
	_exit(err == ENOENT ? CHILD_NO_PROGRAM : CHILD_NO_START);
}

int child_begin(struct child *c, char *const *argv, int (*prepare)(void *arg), void *arg, struct diag *diag)
{
	sigset_t set;
	int fds[2], err = 0;
	ssize_t got;

	memset(c, 0, sizeof(*c));
	if (pipe2(fds, O_CLOEXEC)) {
		diag_fail(diag, "a pipe: %s", strerror(errno));
		return CHILD_NO_START;
	}
	taken_set(&set);
	sigprocmask(SIG_BLOCK, &set, &c->before);
	fflush(NULL);
	c->pid = fork();
	if (!c->pid)
		execute(c, argv, prepare, arg, fds[1]);
	close(fds[1]);
	if (c->pid < 0) {
		close(fds[0]);
		diag_fail(diag, "a process: %s", strerror(errno));
		return CHILD_NO_START;
	}
	while ((got = read(fds[0], &err, sizeof(err))) < 0 && errno == EINTR)
		;
	close(fds[0]);
	if (got != sizeof(err))
		return 0;
	waitpid(c->pid, NULL, 0);
	sigprocmask(SIG_SETMASK, &c->before, NULL);
	diag_fail(diag, "%s: %s", argv[0], strerror(err));
	return err == ENOENT ? CHILD_NO_PROGRAM : CHILD_NO_START;
}

static void hand_on(struct child *c, const siginfo_t *info)
{
	bool interrupt = info->si_signo == SIGINT || info->si_signo == SIGQUIT;

	if (interrupt && ++c->interrupts > 1)
		kill(c->pid, SIGKILL);
	/* What the terminal sends has gone to the program, too. */
	else if (!interrupt || info->si_code <= 0)
		kill(c->pid, info->si_signo);
}

bool child_wait(struct child *c, int timeout_ms)
{
	struct timespec now, until, left;
	siginfo_t info;
	sigset_t set;
	int got;

	taken_set(&set);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += timeout_ms % 1000 * 1000000L;
	for (;;) {
		c->ended = c->ended || waitpid(c->pid, &c->status, WNOHANG) == c->pid;
		if (c->ended)
			return true;
		clock_gettime(CLOCK_MONOTONIC, &now);
		left.tv_sec = until.tv_sec - now.tv_sec;
		left.tv_nsec = until.tv_nsec - now.tv_nsec;
		while (left.tv_nsec < 0) {
			left.tv_nsec += 1000000000;
			left.tv_sec--;
		}
		while (left.tv_nsec >= 1000000000) {
			left.tv_nsec -= 1000000000;
			left.tv_sec++;
		}
		if (timeout_ms >= 0 && left.tv_sec < 0)
			return false;
		got = sigtimedwait(&set, &info, timeout_ms < 0 ? NULL : &left);
		if (got > 0 && got != SIGCHLD)
			hand_on(c, &info);
	}
}

int child_result(struct child *c)
{
	const struct rlimit none = { 0, 0 };
	sigset_t one;
	int number;

	if (WIFEXITED(c->status)) {
		sigprocmask(SIG_SETMASK, &c->before, NULL);
		return WEXITSTATUS(c->status);
	}
	number = WTERMSIG(c->status);
	setrlimit(RLIMIT_CORE, &none); /* the program's is the one to look at */
	signal(number, SIG_DFL);
	raise(number);
	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	return 128 + number;
}
