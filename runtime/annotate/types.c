/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate/types.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct type *_Atomic newest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* whoever adds one */
static unsigned int nr; /* under lock */

/* What nobody has to name. */
static const struct {
	uint16_t level;
	uint32_t type;
	const char *name;
} known[] = {
	{ 20500, 0, "msproftx" },
	{ 15000, 0, "graph_id_map" },
	{ 15000, 7, "logic_stream_info" },
	{ 15000, 8, "model_exeom" },
	{ 10000, 0, "node_basic_info" },
	{ 10000, 1, "tensor_info" },
	{ 10000, 2, "fusion_op_info" },
	{ 10000, 4, "context_id_info" },
	{ 10000, 5, "launch" },
	{ 10000, 6, "task_memory_info" },
	{ 10000, 9, "node_attr_info" },
	{ 10000, 11, "static_op_mem" },
	{ 5500, 0x10001, "master" },
	{ 5500, 0x10002, "slave" },
};

static struct type *find(uint64_t key)
{
	struct type *t = atomic_load_explicit(&newest, memory_order_acquire);

	while (t && t->key != key)
		t = t->next;
	return t;
}

static bool add(uint64_t key, const char *name)
{
	struct type *old = find(key);
	size_t len = strnlen(name, TYPE_NAME_BYTES);
	struct type *t;

	if (old && !strncmp(old->name, name, TYPE_NAME_BYTES))
		return true;
	t = nr < TYPES_MAX ? malloc(sizeof(*t) + len + 1) : NULL;
	if (!t)
		return false;
	nr++;
	t->next = atomic_load_explicit(&newest, memory_order_relaxed);
	t->key = key;
	atomic_init(&t->replaced, false);
	memcpy(t->name, name, len);
	t->name[len] = '\0';
	if (old)
		atomic_store_explicit(&old->replaced, true, memory_order_release);
	atomic_store_explicit(&newest, t, memory_order_release);
	return true;
}

/* Before the first one that is asked for or added. */
static bool add_known(void)
{
	bool done = true, first = !nr;

	for (size_t i = 0; first && i < sizeof(known) / sizeof(known[0]) && done; i++)
		done = add(type_key(known[i].level, known[i].type), known[i].name);
	return done;
}

bool types_name(uint16_t level, uint32_t type, const char *name)
{
	bool done;

	pthread_mutex_lock(&lock);
	done = add_known() && add(type_key(level, type), name);
	pthread_mutex_unlock(&lock);
	return done;
}

static bool fits_a_file(const char *name)
{
	size_t n;

	for (n = 0; name[n]; n++)
		if (n == TYPE_FILE_NAME_MAX || (!isalnum((unsigned char)name[n]) && !strchr("_-.", name[n])))
			return false;
	return true;
}

const char *types_file_name(uint16_t level, uint32_t type)
{
	const struct type *t = types_newest();

	while (t && t->key != type_key(level, type))
		t = t->next;
	return t && fits_a_file(t->name) ? t->name : NULL;
}

const struct type *types_newest(void)
{
	pthread_mutex_lock(&lock);
	add_known();
	pthread_mutex_unlock(&lock);
	return atomic_load_explicit(&newest, memory_order_acquire);
}

void types_fork_lock(void)
{
	pthread_mutex_lock(&lock);
}

void types_fork_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
