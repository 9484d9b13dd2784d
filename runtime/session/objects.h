/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that the program has by their address. What it hands back is looked
 * up in a list first: nothing is read through an address that is not (or no
 * longer) known. One lock guards all lists.
 */
#ifndef ASCPROF_OBJECTS_H
#define ASCPROF_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

struct object { /* the first member of each */
	struct object *next;
};

struct object_list {
	struct object *first;
};

void objects_add(struct object_list *list, struct object *object);
/* Return: the object, now the caller's; NULL when there is none at @address. */
void *objects_remove(struct object_list *list, const void *address);
/* Copies the object. Return: false when there is none at @address. */
bool objects_copy(struct object_list *list, const void *address, void *out, size_t bytes);

/* Has @change change the object, under the lock. Return: as above. */
bool objects_change(struct object_list *list, const void *address, void (*change)(void *object, void *arg), void *arg);

void objects_fork_lock(void);
void objects_fork_unlock(void);

#endif /* ASCPROF_OBJECTS_H */
