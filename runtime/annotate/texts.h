/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that stand in records as a number, those of aclprofStr2Id() and MsprofGetHashId(). They are
 * kept for the life of the process, so that every directory gets all of them
 * into its dictionary; the process has one list, which only grows, at its head.
 *
 * Looking up a known text takes no lock. Not for signal handlers.
 */
#ifndef ASCPROF_TEXTS_H
#define ASCPROF_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#define TEXTS_MAX (256u << 10) /* texts, and */
#define TEXTS_BYTES (64u << 20) /* of memory: what is beyond has a number, and is in no dictionary */
#define TEXT_BYTES 4000u /* of a longer text the begin is kept */

struct text {
	const struct text *next;
	uint64_t id;
	uint64_t hash; /* of the whole text, as is */
	uint64_t len;
	char text[]; /* ends with a zero */
};

/* @len: not 0. Return: the number of @text; never 0, 1 or UINT64_MAX. */
uint64_t texts_id(const char *text, size_t len);
const struct text *texts_find(uint64_t id); /* NULL: none has that number */
const struct text *texts_newest(void);

/* Around fork(): the child must not find the list half changed. */
void texts_fork_lock(void);
void texts_fork_unlock(void);

#endif /* ASCPROF_TEXTS_H */
