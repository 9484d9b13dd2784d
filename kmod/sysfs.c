// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/ascprof: what there is, for people and scripts. A file is one value.
 *
 *	abi  version
 *	sources/ID/     name kind alive device numa_node nr_events
 *	streams/NUMBER/ state uid ring_bytes nr_counters samples ...
 */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "kmod/compat/compat.h"
#include "kmod/source.h"
#include "kmod/stream.h"
#include "kmod/sysfs.h"

static struct kobject *top;
static struct kobject *sources;
static struct kobject *streams;

static ssize_t abi_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", ASCPROF_ABI_VERSION);
}

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", ASCPROF_VERSION);
}

static struct kobj_attribute abi_attr = __ATTR_RO(abi);
static struct kobj_attribute version_attr = __ATTR_RO(version);

static const struct attribute *top_attrs[] = { &abi_attr.attr, &version_attr.attr, NULL };

/* ---- sources ---- */

#define SOURCE_FILE(_name, _format, _value) \
static ssize_t source_##_name##_show(struct kobject *kobj, struct kobj_attribute *attr, \
				     char *buf) \
{ \
	struct asc_source *source = container_of(kobj, struct asc_source, folder.kobj); \
\
	return sysfs_emit(buf, _format "\n", _value); \
} \
static struct kobj_attribute source_##_name = __ATTR(_name, 0444, source_##_name##_show, NULL)

static const char *kind_name(u32 kind)
{
	static const char * const names[] = {
		[ASCPROF_SOURCE_PERF] = "perf",
		[ASCPROF_SOURCE_USER] = "user",
		[ASCPROF_SOURCE_PCI] = "pci",
		[ASCPROF_SOURCE_MMIO] = "mmio",
		[ASCPROF_SOURCE_SIM] = "sim",
	};

	return kind < ARRAY_SIZE(names) && names[kind] ? names[kind] : "other";
}

SOURCE_FILE(name, "%s", source->name);
SOURCE_FILE(kind, "%s", kind_name(source->kind));
SOURCE_FILE(alive, "%u", READ_ONCE(source->flags) & ASCPROF_SOURCE_F_ALIVE ? 1 : 0);
SOURCE_FILE(device, "%d", source->device);
SOURCE_FILE(numa_node, "%d", source->numa_node);
SOURCE_FILE(nr_events, "%u", source->nr_events);

static struct attribute *source_attrs[] = {
	&source_name.attr,
	&source_kind.attr,
	&source_alive.attr,
	&source_device.attr,
	&source_numa_node.attr,
	&source_nr_events.attr,
	NULL
};

ASC_FILES(source);

/* ---- streams ---- */

#define STREAM_FILE(_name, _format, _value) \
static ssize_t stream_##_name##_show(struct kobject *kobj, struct kobj_attribute *attr, \
				     char *buf) \
{ \
	struct asc_stream *s = container_of(kobj, struct asc_stream, folder.kobj); \
	struct ascprof_stats stats; \
\
	asc_stream_stats(s, &stats); \
	return sysfs_emit(buf, _format "\n", _value); \
} \
static struct kobj_attribute stream_##_name = __ATTR(_name, 0444, stream_##_name##_show, NULL)

static const char *state_name(u32 state)
{
	static const char * const names[] = {
		[ASCPROF_STATE_IDLE] = "idle",
		[ASCPROF_STATE_RUNNING] = "running",
		[ASCPROF_STATE_STOPPED] = "stopped",
		[ASCPROF_STATE_REVOKED] = "revoked",
		[ASCPROF_STATE_FAULT] = "fault",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "other";
}

STREAM_FILE(state, "%s", state_name(stats.state));
STREAM_FILE(uid, "%u", from_kuid(&init_user_ns, s->uid));
STREAM_FILE(ring_bytes, "%llu", s->req.ring_bytes);
STREAM_FILE(nr_counters, "%u", stats.nr_counters);
STREAM_FILE(samples, "%llu", stats.samples);
STREAM_FILE(lost_records, "%llu", stats.lost_records);
STREAM_FILE(lost_samples, "%llu", stats.lost_samples);
STREAM_FILE(lost_bytes, "%llu", stats.lost_bytes);
STREAM_FILE(missed_ticks, "%llu", stats.missed_ticks);
STREAM_FILE(throttled_ticks, "%llu", stats.throttled_ticks);
STREAM_FILE(unread_bytes, "%llu", stats.head - stats.tail);
STREAM_FILE(period_ns, "%llu", stats.period_ns);
STREAM_FILE(cost_ns, "%u", stats.cost_ns);

static struct attribute *stream_attrs[] = {
	&stream_state.attr,
	&stream_uid.attr,
	&stream_ring_bytes.attr,
	&stream_nr_counters.attr,
	&stream_samples.attr,
	&stream_lost_records.attr,
	&stream_lost_samples.attr,
	&stream_lost_bytes.attr,
	&stream_missed_ticks.attr,
	&stream_throttled_ticks.attr,
	&stream_unread_bytes.attr,
	&stream_period_ns.attr,
	&stream_cost_ns.attr,
	NULL
};

ASC_FILES(stream);

/* ---- folders ---- */

static void folder_release(struct kobject *kobj)
{
	complete(&container_of(kobj, struct asc_folder, kobj)->gone);
}

/* 5.10 wants them without const */
static struct kobj_type source_type = {
	.sysfs_ops = &kobj_sysfs_ops,
	asc_files(source),
	.release = folder_release,
};

static struct kobj_type stream_type = {
	.sysfs_ops = &kobj_sysfs_ops,
	asc_files(stream),
	.release = folder_release,
};

/**
 * asc_sysfs_add_source() - show a source
 * @source: its id and all else filled in
 *
 * The folder's name is the id: names of sources may come from programs.
 *
 * Return: 0 or a negative errno.
 */
int asc_sysfs_add_source(struct asc_source *source)
{
	struct asc_folder *folder = &source->folder;
	int ret;

	memset(folder, 0, sizeof(*folder));
	init_completion(&folder->gone);
	folder->there = true;
	ret = kobject_init_and_add(&folder->kobj, &source_type, sources, "%u", source->id);
	folder->shown = !ret;
	return ret;
}

/**
 * asc_sysfs_add_stream() - show a stream
 * @s: ready for asc_stream_stats()
 *
 * Return: 0 or a negative errno.
 */
int asc_sysfs_add_stream(struct asc_stream *s)
{
	struct asc_folder *folder = &s->folder;
	int ret;

	init_completion(&folder->gone);
	folder->there = true;
	ret = kobject_init_and_add(&folder->kobj, &stream_type, streams, "%u", s->number);
	folder->shown = !ret;
	return ret;
}

/**
 * asc_sysfs_remove() - show it no more
 * @folder: added, even if that failed, or zeroed
 *
 * Waits for whoever is reading one of its files.
 */
void asc_sysfs_remove(struct asc_folder *folder)
{
	if (!folder->there)
		return;
	if (folder->shown)
		kobject_del(&folder->kobj);
	kobject_put(&folder->kobj);
	wait_for_completion(&folder->gone);
	folder->there = false;
}

/**
 * asc_sysfs_init() - make the folders that sources and streams go to
 *
 * Return: 0 or a negative errno.
 */
int asc_sysfs_init(void)
{
	int ret = -ENOMEM;

	top = kobject_create_and_add("ascprof", kernel_kobj);
	if (!top)
		return ret;
	sources = kobject_create_and_add("sources", top);
	if (!sources)
		goto put_top;
	streams = kobject_create_and_add("streams", top);
	if (!streams)
		goto put_sources;
	ret = sysfs_create_files(top, top_attrs);
	if (ret)
		goto put_streams;
	return 0;

put_streams:
	kobject_put(streams);
put_sources:
	kobject_put(sources);
put_top:
	kobject_put(top);
	return ret;
}

/**
 * asc_sysfs_exit() - take them away
 */
void asc_sysfs_exit(void)
{
	sysfs_remove_files(top, top_attrs);
	kobject_put(streams);
	kobject_put(sources);
	kobject_put(top);
}
