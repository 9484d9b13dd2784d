/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_SOURCE_H
#define ASC_SOURCE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>

#include "kmod/core/news.h"
#include "kmod/core/record.h"
#include "kmod/sysfs.h"
#include "uapi/ascprof.h"

struct asc_source;
struct asc_stream;

/**
 * struct asc_counter - one counter of one stream; a source embeds it in its own
 * @source: where the numbers come from
 * @add: as it was asked for, slot filled in
 * @event: what it is: scale, unit, class, name
 * @cpu: CPU on which it is cheapest to read, or -1; the source may change it
 *	while it reads
 * @first: first of its source in its stream; this and the rest is kept by the
 *	stream
 * @error: what the last read returned
 * @told: how it is, as the reader knows
 */
struct asc_counter {
	struct asc_source *source;
	struct ascprof_counter_add add;
	struct ascprof_event event;
	int cpu;
	bool first;
	int error;
	struct asc_health told;
};

/**
 * struct asc_caller - on whose behalf a counter is added
 * @paranoid: module parameter
 * @capable: has CAP_PERFMON
 * @period: of the stream, ns
 * @stream: that gets it
 */
struct asc_caller {
	u32 paranoid;
	bool capable;
	u64 period;
	struct asc_stream *stream;
};

/**
 * struct asc_source_ops - what a source does
 * @event: describe event number @index; -EINVAL beyond the last
 * @add: make a counter or an ERR_PTR(); the caller has checked the policy as
 *	far as it can be known beforehand
 * @remove: release it
 * @start: begin to count; @elapsed is the stream's own time, ns
 * @stop: counting may pause
 * @gather: optional: begins a round of reads; may read all counters of @source
 *	among @counters at once, and @read then tells what was read
 * @read: the value now
 * @release: the last user of a source that may go away is gone; NULL for one
 *	that lives as long as the module
 *
 * All of them may sleep and are never called at the same time for one counter.
 * A source that is gone gets @remove, @stop and @read all the same.
 */
struct asc_source_ops {
	int (*event)(struct asc_source *source, u32 index, struct ascprof_event *event);
	struct asc_counter *(*add)(struct asc_source *source,
				   const struct ascprof_counter_add *add,
				   const struct asc_caller *caller);
	void (*remove)(struct asc_counter *counter);
	int (*start)(struct asc_counter *counter, u64 elapsed);
	void (*stop)(struct asc_counter *counter);
	void (*gather)(struct asc_source *source, struct asc_counter **counters, u32 nr);
	int (*read)(struct asc_counter *counter, u64 elapsed, struct asc_value *value);
	void (*release)(struct asc_source *source);
};

/**
 * struct asc_source - one source
 * @ops: what it does
 * @list: all sources
 * @refs: the list, and every counter; see asc_source_ops.release
 * @gone: it takes no more counters, and has no more values
 * @kind: enum ascprof_source_kind
 * @flags: ASCPROF_SOURCE_F_*
 * @id: given at registration
 * @device: NPU number, or -1
 * @numa_node: or -1
 * @pci_addr: domain << 16 | bus << 8 | devfn, or 0
 * @nr_events: events that it lists
 * @name: unique
 * @folder: in sysfs
 */
struct asc_source {
	const struct asc_source_ops *ops;
	struct list_head list;
	struct kref refs;
	bool gone;
	u32 kind;
	u32 flags;
	u32 id;
	int device;
	int numa_node;
	u32 pci_addr;
	u32 nr_events;
	char name[ASCPROF_NAME_LEN];
	struct asc_folder folder;
};

void asc_source_register(struct asc_source *source);
void asc_source_unregister(struct asc_source *source);
int asc_source_appear(struct asc_source *source);
void asc_source_retire(struct asc_source *source);
void asc_source_put(struct asc_source *source);
u32 asc_source_count(void);
struct asc_source *asc_source_find(u32 id);
int asc_source_get(struct ascprof_source *arg);
int asc_event_get(struct ascprof_event *arg);

/* source_*.c */
void asc_perf_init(void);
void asc_perf_exit(void);
void asc_sim_init(void);
void asc_sim_exit(void);
int asc_mmio_init(void);
void asc_mmio_exit(void);
int asc_pci_init(void);
void asc_pci_exit(void);
long asc_user_create(const struct ascprof_user_create *req);

#endif /* ASC_SOURCE_H */
