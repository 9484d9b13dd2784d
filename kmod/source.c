// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of sources. Some are there as long as the module; others come and go,
 * with a device or the process that feeds them, and live on, gone, until the
 * last counter of them is removed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "kmod/source.h"
#include "kmod/stream.h"

static LIST_HEAD(sources);
static DEFINE_MUTEX(sources_lock);
static u32 next_id = 1;

static void enlist(struct asc_source *source)
{
	lockdep_assert_held(&sources_lock);

	kref_init(&source->refs);
	source->id = next_id++;
	source->flags |= ASCPROF_SOURCE_F_ALIVE;
	list_add_tail(&source->list, &sources);
}

static void show(struct asc_source *source)
{
	if (asc_sysfs_add_source(source))
		pr_warn("source %s is not shown in sysfs\n", source->name);
}

/**
 * asc_source_register() - add a source that lives as long as the module
 * @source: everything but list and id filled in
 */
void asc_source_register(struct asc_source *source)
{
	mutex_lock(&sources_lock);
	enlist(source);
	mutex_unlock(&sources_lock);
	show(source);
}

/**
 * asc_source_unregister() - take such a source away
 * @source: registered, with no counter left
 */
void asc_source_unregister(struct asc_source *source)
{
	asc_sysfs_remove(&source->folder);
	mutex_lock(&sources_lock);
	list_del(&source->list);
	mutex_unlock(&sources_lock);
}

static bool name_taken(const char *name)
{
	struct asc_source *source;

	lockdep_assert_held(&sources_lock);

	list_for_each_entry(source, &sources, list)
		if (!strcmp(source->name, name))
			return true;
	return false;
}

/**
 * asc_source_appear() - add a source that may go away
 * @source: everything but list and id filled in; its release() frees it
 *
 * Return: 0, or -EEXIST if a source has that name.
 */
int asc_source_appear(struct asc_source *source)
{
	int ret = 0;

	mutex_lock(&sources_lock);
	if (name_taken(source->name))
		ret = -EEXIST;
	else
		enlist(source);
	mutex_unlock(&sources_lock);
	if (ret)
		return ret;
	show(source);
	asc_streams_new(source);
	return 0;
}

/**
 * asc_source_retire() - a source is gone
 * @source: from asc_source_appear(), once
 *
 * Streams that count it are told. The source is freed when nothing refers to it
 * any more, which may be now.
 */
void asc_source_retire(struct asc_source *source)
{
	asc_sysfs_remove(&source->folder);
	mutex_lock(&sources_lock);
	list_del(&source->list);
	WRITE_ONCE(source->gone, true);
	mutex_unlock(&sources_lock);

	asc_streams_gone(source);
	asc_source_put(source);
}

static void release(struct kref *refs)
{
	struct asc_source *source = container_of(refs, struct asc_source, refs);

	source->ops->release(source);
}

/**
 * asc_source_put() - give back a reference
 * @source: from asc_source_find()
 */
void asc_source_put(struct asc_source *source)
{
	kref_put(&source->refs, release);
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
 * Return: the source, with a reference; or NULL.
 */
struct asc_source *asc_source_find(u32 id)
{
	struct asc_source *source, *found = NULL;

	mutex_lock(&sources_lock);
	list_for_each_entry(source, &sources, list) {
		if (source->id == id) {
			kref_get(&source->refs);
			found = source;
			break;
		}
	}
	mutex_unlock(&sources_lock);
	return found;
}

static struct asc_source *nth_source(u32 index)
{
	struct asc_source *source;

	lockdep_assert_held(&sources_lock);

	list_for_each_entry(source, &sources, list)
		if (index-- == 0)
			return source;
	return NULL;
}

/**
 * asc_source_get() - answer SOURCE_GET
 * @arg: index in, the rest out
 *
 * Return: 0 or -EINVAL.
 */
int asc_source_get(struct ascprof_source *arg)
{
	struct asc_source *source;
	u32 index = arg->index;

	mutex_lock(&sources_lock);
	source = nth_source(index);
	if (!source) {
		mutex_unlock(&sources_lock);
		return -EINVAL;
	}
	memset(arg, 0, sizeof(*arg));
	arg->index = index;
	arg->id = source->id;
	arg->kind = source->kind;
	arg->flags = source->flags;
	arg->device = source->device;
	arg->numa_node = source->numa_node;
	arg->nr_events = source->nr_events;
	arg->pci_addr = source->pci_addr;
	strscpy(arg->name, source->name, sizeof(arg->name));
	mutex_unlock(&sources_lock);
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
	int ret = -EINVAL;

	if (!source)
		return -ENOENT;
	if (index < source->nr_events)
		ret = source->ops->event(source, index, arg);
	if (!ret) {
		arg->source_id = source->id;
		arg->index = index;
	}
	asc_source_put(source);
	return ret;
}
