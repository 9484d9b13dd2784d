/* SPDX-License-Identifier: Apache-2.0 */
#include "session/objects.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void objects_add(struct object_list *list, struct object *object)
{
	pthread_mutex_lock(&lock);
	object->next = list->first;
	list->first = object;
	pthread_mutex_unlock(&lock);
}

static struct object **find(struct object_list *list, const void *address)
{
	struct object **link = &list->first;

	while (*link && *link != address)
		link = &(*link)->next;
	return link;
}

void *objects_remove(struct object_list *list, const void *address)
{
	struct object **link, *found;

	pthread_mutex_lock(&lock);
	link = find(list, address);
	found = *link;
	if (found)
		*link = found->next;
	pthread_mutex_unlock(&lock);
	return found;
}

bool objects_copy(struct object_list *list, const void *address, void *out, size_t bytes)
{
	const struct object *found;

	pthread_mutex_lock(&lock);
	found = *find(list, address);
	if (found)
		memcpy(out, found, bytes);
	pthread_mutex_unlock(&lock);
	return found;
}

bool objects_change(struct object_list *list, const void *address, void (*change)(void *object, void *arg), void *arg)
{
	struct object *found;

	pthread_mutex_lock(&lock);
	found = *find(list, address);
	if (found)
		change(found, arg);
	pthread_mutex_unlock(&lock);
	return found;
}

void objects_fork_lock(void)
{
	pthread_mutex_lock(&lock);
}

void objects_fork_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
