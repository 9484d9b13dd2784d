/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of pthread functions, by the threads of this process. libascprof_pthread.so, where it was
 * loaded in front of the C library, tells of each that the program or one of its libraries
 * makes; those of this library are left out. Each thread has a ring that only it writes; the
 * flusher reads all of them. Calls under way when recording begins are not recorded.
 */
#ifndef ASCPROF_HOST_PTHREAD_CALLS_H
#define ASCPROF_HOST_PTHREAD_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/text.h"

/*
 * For runtime/preload, around a call. Return of the first: 0: it is not recorded, and the second
 * is not called. @name lives for ever. In any thread, a signal handler's too; errno stays.
 */
__attribute__((visibility("default"))) uint64_t ascprof_pthread_begin(const void *caller);
__attribute__((visibility("default"))) void ascprof_pthread_end(uint64_t begin, const char *name, int result);

/* Whether that library is there. */
bool pthread_calls_watched(void);

/* By one thread at a time. @program: its name in the lines, which live as long */
void pthread_calls_begin(uint64_t raw_ns, const char *program);
void pthread_calls_end(void); /* what ended until then can be read still */
/*
 * Appends finished calls, a line each: those that were there when it returned false for the last
 * time. Return: whether there are more of them.
 */
bool pthread_calls_read(struct host_text *t);
uint64_t pthread_calls_lost(void); /* since begin: without room in a ring, or without a ring */
/* In a forked child. */
void pthread_calls_child(void);

/* The line that tells readers what the stamps are relative to; they show no call of that name. */
size_t pthread_calls_anchor(char *line, size_t size, uint64_t raw_ns);
/* What a line begins with, in ns; 0: it is no call, or the anchor. */
uint64_t pthread_calls_stamp(const char *line);

#endif /* ASCPROF_HOST_PTHREAD_CALLS_H */
