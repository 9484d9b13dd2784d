/* SPDX-License-Identifier: Apache-2.0 */
/* A program that runs under a command: its begin, its signals, its end. */
#ifndef ASCPROF_CHILD_H
#define ASCPROF_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "export/diag.h"

#define CHILD_NO_PROGRAM 127 /* exit status: it was not found */
#define CHILD_NO_START 126 /* it is there, and cannot be executed */

struct child {
	pid_t pid;
	sigset_t before; /* signals of this process */
	bool ended;
	int status; /* as of waitpid() then */
	unsigned int interrupts; /* SIGINT and SIGQUIT that have come */
};

/*
 * Blocks what child_wait() takes, and executes @argv. @prepare is called in the new process
 * before, if it is not NULL, and may refuse. Return: 0; an exit status with the message
 * in @diag.
 */
int child_begin(struct child *c, char *const *argv, int (*prepare)(void *arg), void *arg, struct diag *diag);

/*
 * Until the program has ended, or for @timeout_ms (-1: however long). Signals to this
 * process are handed on; an interrupt of the terminal has reached the program by itself. A
 * second interrupt ends the program at once. Return: whether it has ended.
 */
bool child_wait(struct child *c, int timeout_ms);

/* Its exit status. If a signal ended it, the same signal ends this process here. */
int child_result(struct child *c);

#endif /* ASCPROF_CHILD_H */
