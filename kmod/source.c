// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of sources. It changes only while the module is loaded and unloaded,
 * when no descriptor is open; the lock is for the sake of both ends.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "kmod/source.h"

static LIST_HEAD(sources);
static DEFINE_MUTEX(sources_lock);
static u32 next_id = 1;

/**
 * asc_source_register() - add a source
 * @source: everything but list and id filled in
 */
void asc_source_register(struct asc_source *source)
{
	mutex_lock(&sources_lock);
	source->id = next_id++;
	source->flags |= ASCPROF_SOURCE_F_ALIVE;
	list_add_tail(&source->list, &sources);
	mutex_unlock(&sources_lock);
	if (asc_sysfs_add_source(source))
		pr_warn("source %s is not shown in sysfs\n", source->name);
}

/**
 * asc_source_unregister() - take a source away
 * @source: registered, with no counter left
 */
void asc_source_unregister(struct asc_source *source)
{
	asc_sysfs_remove(&source->folder);
	mutex_lock(&sources_lock);
	list_del(&source->list);
	mutex_unlock(&sources_lock);
}

/**
 * asc_source_count() - how many there are
 */
u32 asc_source_count(void)
{
	struct asc_source *source;
	u32 nr = 0;

	mutex_lock(&sources_lock);
	list_for_each_entry(source, &sources, list)
		nr++;
	mutex_unlock(&sources_lock);
	return nr;
}

/**
 * asc_source_find() - the source with an id
 * @id: from SOURCE_GET
 *
 * Return: the source, or NULL.
 */
struct asc_source *asc_source_find(u32 id)
{
	struct asc_source *source, *found = NULL;

	mutex_lock(&sources_lock);
	list_for_each_entry(source, &sources, list) {
		if (source->id == id) {
			found = source;
			break;
		}
	}
	mutex_unlock(&sources_lock);
	return found;
}

static struct asc_source *nth_source(u32 index)
{
	struct asc_source *source, *found = NULL;

	mutex_lock(&sources_lock);
	list_for_each_entry(source, &sources, list) {
		if (index-- == 0) {
			found = source;
			break;
		}
	}
	mutex_unlock(&sources_lock);
	return found;
}

/**
 * asc_source_get() - answer SOURCE_GET
 * @arg: index in, the rest out
 *
 * Return: 0 or -EINVAL.
 */
int asc_source_get(struct ascprof_source *arg)
{
	struct asc_source *source = nth_source(arg->index);
	u32 index = arg->index;

	if (!source)
		return -EINVAL;
	memset(arg, 0, sizeof(*arg));
	arg->index = index;
	arg->id = source->id;
	arg->kind = source->kind;
	arg->flags = source->flags;
	arg->device = source->device;
	arg->numa_node = source->numa_node;
	arg->nr_events = source->nr_events;
	strscpy(arg->name, source->name, sizeof(arg->name));
	return 0;
}

/**
 * asc_event_get() - answer EVENT_GET
 * @arg: source and index in, the rest out
 *
 * Return: 0; -ENOENT for an unknown source; -EINVAL beyond the last event.
 */
int asc_event_get(struct ascprof_event *arg)
{
	struct asc_source *source = asc_source_find(arg->source_id);
	u32 index = arg->index;
	int ret;

	if (!source)
		return -ENOENT;
	if (index >= source->nr_events)
		return -EINVAL;
	ret = source->ops->event(source, index, arg);
	if (ret)
		return ret;
	arg->source_id = source->id;
	arg->index = index;
	return 0;
}
