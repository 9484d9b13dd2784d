/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/categories.h"

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int nr;
static struct {
	uint32_t category;
	char name[CATEGORY_NAME_MAX + 1];
} table[CATEGORIES_MAX]; /* memory where it is used */

bool categories_name(uint32_t category, const char *name)
{
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < nr && table[i].category != category; i++)
		;
	if (i < CATEGORIES_MAX) {
		table[i].category = category;
		snprintf(table[i].name, sizeof(table[i].name), "%s", name);
		if (i == nr)
			nr++;
	}
	pthread_mutex_unlock(&lock);
	return i < CATEGORIES_MAX;
}

bool categories_any(void)
{
	bool any;

	pthread_mutex_lock(&lock);
	any = nr;
	pthread_mutex_unlock(&lock);
	return any;
}

void categories_each(void (*each)(void *arg, uint32_t category, const char *name), void *arg)
{
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < nr; i++)
		each(arg, table[i].category, table[i].name);
	pthread_mutex_unlock(&lock);
}

void categories_fork_lock(void)
{
	pthread_mutex_lock(&lock);
}

void categories_fork_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
