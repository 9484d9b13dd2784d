// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring between one stream and its reader.
 *
 * DOC: positions
 *
 * Head and tail are free-running 64-bit byte counts, so that full and empty
 * differ and a wrap of the count itself is harmless: only differences are
 * used. The data is mapped twice back to back, in the kernel and in user
 * space; a record that crosses the end is contiguous in the second copy, and
 * neither side ever splits one.
 *
 * DOC: ordering
 *
 * Writer: copy the record, then store head with release. Reader: load head
 * with acquire, read records, then store tail with release. Writer: load tail
 * with acquire before it writes over what was freed. These are the only two
 * words both sides touch, and each has one writer.
 *
 * DOC: distrust
 *
 * The head lives in kernel memory; the page shows a copy. The tail is loaded
 * once per operation and must lie between what was accepted before and the
 * head, on an 8-byte boundary. Anything else ends the stream: a reader that
 * lies about what it has read cannot be told what it missed.
 *
 * DOC: loss
 *
 * The newest record is dropped when the ring is full. What was dropped is
 * counted by type and told by a LOST record in front of the next record that
 * finds room for both, which is exactly where the gap is.
 */
#include "ring.h"
#include "record.h"

/**
 * asc_ring_init() - prepare an empty ring
 * @ring: what to fill in
 * @data: @size bytes, mapped twice back to back
 * @size: power of two
 * @producer: zeroed page for the reader
 * @consumer: zeroed page from the reader
 */
void asc_ring_init(struct asc_ring *ring, void *data, u64 size,
		   struct ascprof_producer_page *producer,
		   const struct ascprof_consumer_page *consumer)
{
	memset(ring, 0, sizeof(*ring));
	ring->data = data;
	ring->size = size;
	ring->producer = producer;
	ring->consumer = consumer;
	WRITE_ONCE(producer->ring_bytes, size);
}

static void move_tail(struct asc_ring *ring, u64 tail, u64 now)
{
	if (tail == ring->tail)
		return;
	ring->tail = tail;
	ring->waiting_since = now;
}

/**
 * asc_ring_sync() - take over the reader's tail
 * @ring: the ring
 * @now: CLOCK_MONOTONIC_RAW, ns
 *
 * Return: 0, or -EIO when the tail is nonsense, now or before.
 */
int asc_ring_sync(struct asc_ring *ring, u64 now)
{
	u64 tail;

	if (ring->fault)
		return -EIO;
	if (!ring->tail_in_page)
		return 0;

	/* pairs with the reader's release: it is done with what it frees */
	tail = smp_load_acquire(&ring->consumer->tail);
	if (ring->head - tail > ring->head - ring->tail || !IS_ALIGNED(tail, 8)) {
		ring->fault = true;
		WRITE_ONCE(ring->producer->state, ASCPROF_STATE_FAULT);
		return -EIO;
	}
	move_tail(ring, tail, now);
	return 0;
}

/**
 * asc_ring_reserve() - room for one record at the head
 * @ring: the ring
 * @len: bytes, a multiple of 8
 * @keep: bytes that have to stay free behind it
 *
 * Return: where to write, contiguous; NULL if there is no room.
 */
void *asc_ring_reserve(struct asc_ring *ring, u64 len, u64 keep)
{
	u64 room = asc_ring_free(ring);

	if (len > room || keep > room - len)
		return NULL;
	return ring->data + (ring->head & (ring->size - 1));
}

/**
 * asc_ring_commit() - publish what was written into reserved room
 * @ring: the ring
 * @len: bytes reserved
 * @now: CLOCK_MONOTONIC_RAW, ns
 */
void asc_ring_commit(struct asc_ring *ring, u64 len, u64 now)
{
	if (asc_ring_unread(ring) == 0)
		ring->waiting_since = now;
	ring->head += len;
	/* pairs with the reader's acquire: the record is complete */
	smp_store_release(&ring->producer->head, ring->head);
}

static void count_loss(struct asc_ring *ring, const struct ascprof_rec *rec, u64 now)
{
	struct asc_loss *pending = &ring->pending;
	u64 sample = rec->type == ASCPROF_REC_SAMPLE;

	if (pending->records == 0)
		pending->t_first = now;
	pending->t_last = now;
	pending->records++;
	pending->samples += sample;
	pending->bytes += rec->len;

	ring->lost.records++;
	ring->lost.samples += sample;
	ring->lost.bytes += rec->len;
	WRITE_ONCE(ring->producer->lost_records, ring->lost.records);
	WRITE_ONCE(ring->producer->lost_bytes, ring->lost.bytes);
}

/* One LOST record for all that is pending, if it fits with @keep behind it. */
static bool place_lost(struct asc_ring *ring, u64 keep, u64 now)
{
	struct ascprof_rec_lost *lost;

	lost = asc_ring_reserve(ring, sizeof(*lost), keep);
	if (!lost)
		return false;
	asc_rec_lost(lost, &ring->pending);
	memset(&ring->pending, 0, sizeof(ring->pending));
	asc_ring_commit(ring, sizeof(*lost), now);
	return true;
}

/**
 * asc_ring_push() - append a record, or count it as lost
 * @ring: the ring
 * @rec: complete record
 * @keep: bytes to leave free behind it; ASC_RING_RESERVE but for the records
 *	that end a stream
 * @now: CLOCK_MONOTONIC_RAW, ns
 *
 * Return: 0; -ENOSPC if it was dropped; -EIO if the ring is dead.
 */
int asc_ring_push(struct asc_ring *ring, const struct ascprof_rec *rec, u64 keep, u64 now)
{
	void *room;
	int ret;

	ret = asc_ring_sync(ring, now);
	if (ret) {
		count_loss(ring, rec, now);
		return ret;
	}

	if (ring->pending.records && !place_lost(ring, keep + rec->len, now)) {
		count_loss(ring, rec, now);
		return -ENOSPC;
	}
	room = asc_ring_reserve(ring, rec->len, keep);
	if (!room) {
		count_loss(ring, rec, now);
		return -ENOSPC;
	}
	memcpy(room, rec, rec->len);
	asc_ring_commit(ring, rec->len, now);
	return 0;
}

/**
 * asc_ring_settle() - tell pending loss now, with no record behind it
 * @ring: the ring
 * @now: CLOCK_MONOTONIC_RAW, ns
 *
 * For a stream that stopped: it has no next record that could carry it.
 *
 * Return: 0 if nothing is pending (any more), -ENOSPC, or -EIO.
 */
int asc_ring_settle(struct asc_ring *ring, u64 now)
{
	int ret;

	ret = asc_ring_sync(ring, now);
	if (ret)
		return ret;
	if (ring->pending.records && !place_lost(ring, 0, now))
		return -ENOSPC;
	return 0;
}

/**
 * asc_ring_peek() - the unread record at a position
 * @ring: the ring
 * @pos: position, from the tail on by whole records
 * @head: head as it was when the caller looked
 *
 * Safe beside the writer, which never touches unread bytes.
 *
 * Return: the record; NULL at the end.
 */
const struct ascprof_rec *asc_ring_peek(struct asc_ring *ring, u64 pos, u64 head)
{
	const struct ascprof_rec *rec;

	if (pos == head)
		return NULL;
	rec = (const void *)(ring->data + (pos & (ring->size - 1)));
	if (rec->len < sizeof(*rec) || rec->len > head - pos)
		return NULL;
	return rec;
}

/**
 * asc_ring_consume() - free the oldest bytes
 * @ring: the ring; its tail is not in the reader's page
 * @len: bytes of whole records, at most what is unread
 * @now: CLOCK_MONOTONIC_RAW, ns
 */
void asc_ring_consume(struct asc_ring *ring, u64 len, u64 now)
{
	move_tail(ring, ring->tail + min_t(u64, len, asc_ring_unread(ring)), now);
}
