/* SPDX-License-Identifier: Apache-2.0 */
#include "subscribe/models.h"

#include <pthread.h>
#include <stdlib.h>

static struct {
	pthread_mutex_t lock;
	struct model {
		uint32_t id;
		uint32_t device;
	} *table;
	size_t used, room;
} models = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Return: its place, or models.used. */
static size_t find(uint32_t id)
{
	size_t i = 0;

	while (i < models.used && models.table[i].id != id)
		i++;
	return i;
}

static bool grow(void)
{
	size_t room = models.room ? models.room * 2 : 16;
	struct model *bigger = realloc(models.table, room * sizeof(*bigger));

	if (!bigger)
		return false;
	models.table = bigger;
	models.room = room;
	return true;
}

bool models_set(uint32_t model, uint32_t device)
{
	bool done = true;
	size_t i;

	pthread_mutex_lock(&models.lock);
	i = find(model);
	if (i == models.room)
		done = grow();
	if (done) {
		models.table[i] = (struct model){ model, device };
		models.used += i == models.used;
	}
	pthread_mutex_unlock(&models.lock);
	return done;
}

void models_unset(uint32_t model)
{
	size_t i;

	pthread_mutex_lock(&models.lock);
	i = find(model);
	if (i < models.used)
		models.table[i] = models.table[--models.used];
	pthread_mutex_unlock(&models.lock);
}

bool models_find(uint32_t model, uint32_t *device)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&models.lock);
	i = find(model);
	found = i < models.used;
	if (found)
		*device = models.table[i].device;
	pthread_mutex_unlock(&models.lock);
	return found;
}

void models_fork_lock(void)
{
	pthread_mutex_lock(&models.lock);
}

void models_fork_unlock(void)
{
	pthread_mutex_unlock(&models.lock);
}

void models_child(void)
{
	models.used = 0;
}
