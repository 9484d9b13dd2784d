/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ascprof.json: what a run was made with, and for every kind of data the
 * equation produced = written + dropped, with the reasons.
 */
#ifndef ASCPROF_ACCOUNT_H
#define ASCPROF_ACCOUNT_H

#include "session/run.h"

/* Writes the file anew; of a run that has ended also on a full disk. Return: 0, or an errno. */
int account_write(struct run *run);

uint64_t account_open(const struct run *run); /* ranges that nobody ended; once the host part has */
/*
 * How much was dropped, of all kinds together, and why; what aged made room as
 * it was asked to. Return: the sum, with @text for people if it is not 0.
 */
uint64_t account_losses(const struct run *run, char *text, size_t size);

#endif /* ASCPROF_ACCOUNT_H */
