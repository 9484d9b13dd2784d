/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the categories of stamps: of the process, for the accounts of all its sessions. */
#ifndef ASCPROF_CATEGORIES_H
#define ASCPROF_CATEGORIES_H

#include <stdbool.h>
#include <stdint.h>

#define CATEGORIES_MAX 1024
#define CATEGORY_NAME_MAX 127 /* bytes */

/* @name: at most CATEGORY_NAME_MAX bytes. Return: false when there are too many. */
bool categories_name(uint32_t category, const char *name);
bool categories_any(void);
/* Calls @each for every name, in the order in which they came, with a lock held. */
void categories_each(void (*each)(void *arg, uint32_t category, const char *name), void *arg);

/* Around fork(): the child must not find the table half changed. */
void categories_fork_lock(void);
void categories_fork_unlock(void);

#endif /* ASCPROF_CATEGORIES_H */
