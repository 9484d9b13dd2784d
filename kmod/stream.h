/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_STREAM_H
#define ASC_STREAM_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include "kmod/core/pacing.h"
#include "kmod/core/ring.h"
#include "kmod/pinned.h"
#include "kmod/ringmem.h"
#include "kmod/source.h"
#include "kmod/sysfs.h"
#include "uapi/ascprof.h"

/**
 * enum asc_reader - who owns the tail
 * @ASC_READER_NONE: not decided
 * @ASC_READER_MAPPED: the consumer page was mapped
 * @ASC_READER_READ: read() was called
 */
enum asc_reader {
	ASC_READER_NONE,
	ASC_READER_MAPPED,
	ASC_READER_READ,
};

/**
 * struct asc_stream - a ring, a pacing thread, and counters
 * @list: all streams
 * @uid: who made it
 * @number: for the thread's name
 * @req: how it was asked for
 * @capable: made with CAP_PERFMON: may be fast
 * @lock: guards configuration and life cycle
 * @counters: in slot order
 * @nr_counters: how many
 * @task: pacing thread, between START and STOP; changed under lock and ring_lock
 * @sample_lock: guards everything that taking a sample needs
 * @sample: the record being built
 * @sample_len: bytes of it
 * @pace: when to sample
 * @elapsed: stream's own time at the last START, ns; only running time counts
 * @last_sample: CLOCK_MONOTONIC_RAW of the newest sample
 * @last_clock: CLOCK_MONOTONIC when the clock page was written
 * @last_ticks: CLOCK_MONOTONIC when a TICKS record was written
 * @cost_max: most that a tick cost since then, ns
 * @changed: counters failed, came back or moved
 * @ring_lock: guards ring, state and totals
 * @ring: the ring
 * @state: enum ascprof_stream_state, unless the ring is dead: asc_stream_state()
 * @reader: who owns the tail
 * @samples: produced, lost ones included
 * @missed: ticks, as last published
 * @throttled: likewise
 * @period: effective, ns, likewise
 * @cost: of a tick, ns, likewise
 * @latency_told: waiting_since of the data the reader was woken for
 * @poked: a source asked for a sample
 * @wait: readers
 * @read_lock: one read() at a time
 * @mem: the ring's pages
 * @pinned: on whose account they are
 * @folder: in sysfs
 *
 * Lock order: lock, then sample_lock, then ring_lock (a spinlock). read_lock is
 * taken alone, with ring_lock inside. STOP waits for the thread under lock, so
 * the thread never takes lock. User memory may be touched under read_lock only,
 * and mmap(), which runs under the mm's lock, takes nothing but ring_lock.
 */
struct asc_stream {
	struct list_head list;
	kuid_t uid;
	u32 number;
	struct ascprof_stream_create req;
	bool capable;

	struct mutex lock;		/* counters, life cycle */
	struct asc_counter **counters;
	u32 nr_counters;
	struct task_struct *task;

	struct mutex sample_lock;	/* sample, pace */
	struct ascprof_rec_sample *sample;
	u32 sample_len;
	struct asc_pace pace;
	u64 elapsed;
	u64 last_sample;
	u64 last_clock;
	u64 last_ticks;
	u32 cost_max;
	bool changed;

	spinlock_t ring_lock;		/* ring, state, totals */
	struct asc_ring ring;
	u32 state;
	enum asc_reader reader;
	u64 samples;
	u64 missed;
	u64 throttled;
	u64 period;
	u32 cost;
	u64 latency_told;
	bool poked;
	wait_queue_head_t wait;

	struct mutex read_lock;		/* readers among themselves */
	struct asc_ringmem mem;
	struct asc_pinned pinned;
	struct asc_folder folder;
};

/* stream.c */
struct asc_stream *asc_stream_new(const struct ascprof_stream_create *req);
void asc_stream_free(struct asc_stream *stream);
int asc_stream_add(struct asc_stream *stream, struct ascprof_counter_add *add);
void asc_stream_undo_add(struct asc_stream *stream, u32 slot);
int asc_stream_start(struct asc_stream *stream);
int asc_stream_stop(struct asc_stream *stream);
int asc_stream_kick(struct asc_stream *stream);
int asc_stream_home(const struct asc_stream *stream);
void asc_stream_stats(struct asc_stream *stream, struct ascprof_stats *stats);
u32 asc_stream_state(const struct asc_stream *stream);
void asc_streams_gone(const struct asc_source *source);
void asc_streams_new(const struct asc_source *source);
void asc_streams_poke(const struct asc_source *source);
unsigned int asc_stream_mask(struct asc_stream *stream);

/* sampling.c */
int asc_sampling_begin(struct asc_stream *stream);
void asc_sampling_end(struct asc_stream *stream);
void asc_sampling_kick(struct asc_stream *stream);
void asc_stream_publish(struct asc_stream *stream);
void asc_stream_wake(struct asc_stream *stream);
void asc_stream_gone(struct asc_stream *stream, const struct asc_source *source);
void asc_stream_notice(struct asc_stream *stream, u32 what, u32 id);
void asc_stream_poke(struct asc_stream *stream, const struct asc_source *source);
void asc_stream_user(struct asc_stream *stream, const struct ascprof_rec_user *rec);
int asc_pacing_thread(void *data);

/* stream_file.c */
int asc_stream_install(struct asc_stream *stream);

#endif /* ASC_STREAM_H */
