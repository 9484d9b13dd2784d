/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of what frameworks report, by level and type. They are kept for the life
 * of the process, like texts: the list only grows, at its head. A name that was
 * replaced stays in it, marked.
 */
#ifndef ASCPROF_TYPES_H
#define ASCPROF_TYPES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define TYPES_MAX 16384u
#define TYPE_NAME_BYTES 256u /* of a longer name the begin is kept */
#define TYPE_FILE_NAME_MAX 40u

struct type {
	struct type *next;
	uint64_t key; /* type_key() */
	_Atomic bool replaced;
	char name[];
};

static inline uint64_t type_key(uint16_t level, uint32_t type)
{
	return (uint64_t)level << 32 | type;
}

/* @level: not 0; @name: not empty. Return: false without memory, or with TYPES_MAX names. */
bool types_name(uint16_t level, uint32_t type, const char *name);
/* What stands for a type in the name of a file; NULL: it has no name, or one that cannot. */
const char *types_file_name(uint16_t level, uint32_t type);
const struct type *types_newest(void);

/* Around fork(): the child must not find the list half changed. */
void types_fork_lock(void);
void types_fork_unlock(void);

#endif /* ASCPROF_TYPES_H */
