/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls of the threads of this process, by the kernel's tracepoints:
 * each call with its begin, duration and result. Our own thread is left out.
 */
#ifndef ASCPROF_HOST_OSRT_H
#define ASCPROF_HOST_OSRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/text.h"

struct osrt;

/* Return: NULL with @why. */
struct osrt *osrt_open(char *why, size_t size);
void osrt_close(struct osrt *o);

/* Follows threads that are new, from here on; lets go those that ended. By the thread that is left out. */
void osrt_threads(struct osrt *o);

/* Appends finished calls, a line each. Return: whether there are more. */
bool osrt_read(struct osrt *o, struct host_text *t);
uint64_t osrt_lost(const struct osrt *o); /* calls that found no room */

/* The line that tells readers what the stamps are relative to: nothing, that is @raw_ns at @raw_ns. */
size_t osrt_anchor(char *line, size_t size, uint64_t raw_ns);
uint64_t osrt_stamp(const char *line); /* what a line begins with, in ns */

#endif /* ASCPROF_HOST_OSRT_H */
