/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_RING_H
#define ASC_CORE_RING_H

#include "platform.h"
#include "uapi/ascprof.h"

/*
 * Room that ordinary records leave free, so that the end of a stream always
 * finds its place: what was lost and that the last source is gone; and what was
 * lost, the ticks, the clocks, and the reason, at STOP.
 */
#define ASC_RING_RESERVE_STOP	(sizeof(struct ascprof_rec_lost) + \
				 sizeof(struct ascprof_rec_ticks) + \
				 sizeof(struct ascprof_rec_clock) + \
				 sizeof(struct ascprof_rec_state))
#define ASC_RING_RESERVE	(ASC_RING_RESERVE_STOP + \
				 sizeof(struct ascprof_rec_lost) + \
				 sizeof(struct ascprof_rec_state))

/**
 * struct asc_loss - records that found no room since the last LOST record
 * @records: how many
 * @samples: the samples among them
 * @bytes: their size
 * @t_first: CLOCK_MONOTONIC_RAW of the first
 * @t_last: and of the last
 */
struct asc_loss {
	u64 records;
	u64 samples;
	u64 bytes;
	u64 t_first;
	u64 t_last;
};

/**
 * struct asc_ring - one single-reader ring of variable-size records
 * @data: the ring, mapped twice back to back: 2 * @size bytes are valid
 * @size: bytes, a power of two
 * @head: bytes ever written; the truth, the producer page only shows it
 * @tail: bytes ever taken, as last accepted
 * @waiting_since: when unread data began to wait for the reader, raw ns
 * @pending: loss not yet told by a LOST record
 * @lost: loss since the ring was made; its times are not used
 * @producer: page that the reader sees
 * @consumer: page that the reader writes
 * @tail_in_page: the reader owns the tail; else asc_ring_consume() moves it
 * @fault: the reader moved the tail to nonsense; the ring is dead
 *
 * The ring has no lock. Writer and the functions that move the tail are
 * serialised by the caller; the reader behind the mapped pages is not, and
 * nothing it can write is believed.
 */
struct asc_ring {
	u8 *data;
	u64 size;
	u64 head;
	u64 tail;
	u64 waiting_since;
	struct asc_loss pending;
	struct asc_loss lost;
	struct ascprof_producer_page *producer;
	const struct ascprof_consumer_page *consumer;
	bool tail_in_page;
	bool fault;
};

void asc_ring_init(struct asc_ring *ring, void *data, u64 size,
		   struct ascprof_producer_page *producer,
		   const struct ascprof_consumer_page *consumer);
int asc_ring_sync(struct asc_ring *ring, u64 now);
void *asc_ring_reserve(struct asc_ring *ring, u64 len, u64 keep);
void asc_ring_commit(struct asc_ring *ring, u64 len, u64 now);
int asc_ring_push(struct asc_ring *ring, const struct ascprof_rec *rec, u64 keep, u64 now);
int asc_ring_settle(struct asc_ring *ring, u64 now);
const struct ascprof_rec *asc_ring_peek(struct asc_ring *ring, u64 pos, u64 head);
void asc_ring_consume(struct asc_ring *ring, u64 len, u64 now);

/**
 * asc_ring_unread() - bytes that wait for the reader
 * @ring: the ring
 */
static inline u64 asc_ring_unread(const struct asc_ring *ring)
{
	return ring->head - ring->tail;
}

/**
 * asc_ring_free() - bytes that can be written now
 * @ring: the ring
 */
static inline u64 asc_ring_free(const struct asc_ring *ring)
{
	return ring->size - asc_ring_unread(ring);
}

#endif /* ASC_CORE_RING_H */
