/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine's other processes, each in files of its own, as the public parser
 * wants them: those that have used processor time since recording began, or hold
 * a hundredth of the memory. All are looked at in one round. Rounds take at most a
 * fiftieth of one processor's time, so that there are fewer of them where there are
 * many processes.
 */
#ifndef ASCPROF_HOST_PROCESSES_H
#define ASCPROF_HOST_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "flush/slice.h"

#define PROCESSES_OPEN 64u /* whose files are open at a time, or less where few files may be */
#define PROCESSES_MAX 1024u /* in one directory */

enum process_part { PROCESS_CPU, PROCESS_MEM, PROCESS_PARTS };

struct processes;

/* @root: of /proc, NULL: that. Return: NULL without memory. */
struct processes *processes_open(const char *root, const bool wanted[PROCESS_PARTS]);
/* @data_fd stays the caller's. */
void processes_attach(struct processes *p, struct slice_store *store, int data_fd);

/* By the flusher; @p may be NULL. */
void processes_sample(struct processes *p, uint64_t ns, bool now); /* @now: even if it is too soon */
void processes_flush(struct processes *p);
void processes_settle(struct processes *p);
void processes_finish(struct processes *p);
void processes_free(struct processes *p);

struct processes_sum {
	struct slice_sum slices; /* in samples */
	uint64_t no_place; /* samples of those that found no place */
	uint64_t first_ns, last_ns; /* 0: none */
};

struct processes_sum processes_sum(const struct processes *p, enum process_part part);

#endif /* ASCPROF_HOST_PROCESSES_H */
