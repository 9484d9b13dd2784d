/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of ours take no signals: those are the program's, and what a write of
 * ours would send (SIGPIPE, SIGXFSZ) becomes the error that it returns.
 */
#ifndef ASCPROF_THREADS_H
#define ASCPROF_THREADS_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* @thread: NULL for one that nobody joins. Return: 0, or an errno. */
static inline int threads_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, before;
	pthread_t alone;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread ? thread : &alone, NULL, run, arg);
	if (!err && !thread)
		pthread_detach(alone);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

#endif
