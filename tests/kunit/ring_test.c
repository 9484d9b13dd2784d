// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring: positions, seams, room, loss, and readers that lie.
 */
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "kmod/core/record.h"
#include "kmod/core/ring.h"
#include "suites.h"

#define SIZE	((u64)PAGE_SIZE)
#define KEEP	ASC_RING_RESERVE_STOP
#define LOST	sizeof(struct ascprof_rec_lost)

/**
 * struct fixture - a ring of one page
 * @ring: the ring
 * @page: its page
 * @data: the page, mapped twice
 * @producer: page for the reader
 * @consumer: page of the reader
 * @rec: room to build a record in
 */
struct fixture {
	struct asc_ring ring;
	struct page *page;
	void *data;
	struct ascprof_producer_page producer;
	struct ascprof_consumer_page consumer;
	struct ascprof_rec *rec;
};

static int ring_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct page *twice[2];

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f);
	f->rec = kunit_kzalloc(test, 2 * SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f->rec);
	f->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f->page);
	twice[0] = f->page;
	twice[1] = f->page;
	f->data = vmap(twice, 2, VM_MAP, PAGE_KERNEL);
	if (!f->data)
		__free_page(f->page);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f->data);
	asc_ring_init(&f->ring, f->data, SIZE, &f->producer, &f->consumer);
	test->priv = f;
	return 0;
}

static void ring_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (!f)
		return;
	vunmap(f->data);
	__free_page(f->page);
}

/* An empty ring whose positions begin anywhere; the reader owns the tail. */
static struct asc_ring *ring_at(struct fixture *f, u64 position)
{
	asc_ring_init(&f->ring, f->data, SIZE, &f->producer, &f->consumer);
	f->ring.head = position;
	f->ring.tail = position;
	f->ring.tail_in_page = true;
	f->consumer.tail = position;
	f->producer.head = position;
	return &f->ring;
}

/* A record of a length, filled with a pattern. */
static struct ascprof_rec *record(struct fixture *f, u32 len, u16 type, u8 fill)
{
	memset(f->rec, fill, len);
	f->rec->len = len;
	f->rec->type = type;
	f->rec->flags = 0;
	return f->rec;
}

static struct ascprof_rec *sample(struct fixture *f, u32 len)
{
	return record(f, len, ASCPROF_REC_SAMPLE, 0x5a);
}

static void ring_starts_empty(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, asc_ring_unread(&f->ring), 0ULL);
	KUNIT_EXPECT_EQ(test, asc_ring_free(&f->ring), SIZE);
	KUNIT_EXPECT_EQ(test, f->producer.ring_bytes, SIZE);
	KUNIT_EXPECT_EQ(test, asc_ring_sync(&f->ring, 1), 0);
	KUNIT_EXPECT_TRUE(test, !asc_ring_peek(&f->ring, 0, 0));
}

static void ring_push_publishes(struct kunit *test)
{
	struct fixture *f = test->priv;
	const struct ascprof_rec *rec;

	KUNIT_EXPECT_EQ(test, asc_ring_push(&f->ring, sample(f, 48), KEEP, 1), 0);
	KUNIT_EXPECT_EQ(test, f->ring.head, 48ULL);
	KUNIT_EXPECT_EQ(test, f->producer.head, 48ULL);
	rec = asc_ring_peek(&f->ring, 0, 48);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, memcmp(rec, f->rec, 48), 0);
	KUNIT_EXPECT_TRUE(test, !asc_ring_peek(&f->ring, 48, 48));
}

static void ring_reserve_does_not_publish(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_PTR_EQ(test, asc_ring_reserve(&f->ring, 64, 0), f->data);
	KUNIT_EXPECT_EQ(test, f->producer.head, 0ULL);
	asc_ring_commit(&f->ring, 64, 1);
	KUNIT_EXPECT_EQ(test, f->producer.head, 64ULL);
	KUNIT_EXPECT_PTR_EQ(test, asc_ring_reserve(&f->ring, 64, 0), f->data + 64);
}

static void ring_exact_fit(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, asc_ring_push(&f->ring, sample(f, SIZE - KEEP), KEEP, 1), 0);
	KUNIT_EXPECT_EQ(test, asc_ring_free(&f->ring), (u64)KEEP);
	KUNIT_EXPECT_EQ(test, asc_ring_push(&f->ring, sample(f, KEEP), 0, 1), 0);
	KUNIT_EXPECT_EQ(test, asc_ring_free(&f->ring), 0ULL);
	KUNIT_EXPECT_EQ(test, asc_ring_unread(&f->ring), SIZE);
}

static void ring_eight_bytes_too_many(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, asc_ring_push(&f->ring, sample(f, SIZE - KEEP + 8), KEEP, 1),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, f->ring.head, 0ULL);
	KUNIT_EXPECT_EQ(test, f->producer.head, 0ULL);
}

static void ring_full_refuses(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, asc_ring_push(&f->ring, sample(f, SIZE), 0, 1), 0);
	KUNIT_EXPECT_TRUE(test, !asc_ring_reserve(&f->ring, 8, 0));
	KUNIT_EXPECT_EQ(test, asc_ring_push(&f->ring, sample(f, 8), 0, 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, f->ring.head, SIZE);
}

static void ring_record_larger_than_ring(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_TRUE(test, !asc_ring_reserve(&f->ring, SIZE + 8, 0));
	KUNIT_EXPECT_TRUE(test, !asc_ring_reserve(&f->ring, U64_MAX - 7, 0));
	KUNIT_EXPECT_TRUE(test, !asc_ring_reserve(&f->ring, 8, U64_MAX - 7));
	KUNIT_EXPECT_EQ(test, asc_ring_push(&f->ring, sample(f, SIZE + 8), 0, 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, f->ring.lost.bytes, SIZE + 8);
}

/* At every offset a record is whole, and in the right bytes of the one page. */
static void ring_wrap_at_every_offset(struct kunit *test)
{
	struct fixture *f = test->priv;
	u8 *once = page_address(f->page);
	u64 at, i, wrong = 0;

	for (at = 0; at < SIZE; at += 8) {
		struct asc_ring *ring = ring_at(f, at);
		const struct ascprof_rec *rec = record(f, 200, ASCPROF_REC_USER, at / 8);

		wrong += asc_ring_push(ring, rec, KEEP, 1) != 0;
		wrong += memcmp(asc_ring_peek(ring, at, at + 200), rec, 200) != 0;
		for (i = 0; i < 200; i++)
			wrong += once[(at + i) % SIZE] != ((u8 *)rec)[i];
		wrong += f->producer.head != at + 200;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0ULL);
}

/* The count of bytes itself wraps: at every offset around 2^64. */
static void ring_position_wraps(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 before, wrong = 0;

	for (before = 8; before <= 400; before += 8) {
		struct asc_ring *ring = ring_at(f, -before);

		wrong += asc_ring_push(ring, sample(f, 200), KEEP, 1) != 0;
		wrong += asc_ring_unread(ring) != 200;
		wrong += ring->head != 200 - before;
		f->consumer.tail = ring->head;
		wrong += asc_ring_sync(ring, 2) != 0;
		wrong += asc_ring_free(ring) != SIZE;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0ULL);
}

static void ring_tail_moves_on(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, 0);

	asc_ring_push(ring, sample(f, 80), KEEP, 1);
	f->consumer.tail = 40;
	KUNIT_EXPECT_EQ(test, asc_ring_sync(ring, 1), 0);
	KUNIT_EXPECT_EQ(test, asc_ring_unread(ring), 40ULL);
	f->consumer.tail = 80;
	KUNIT_EXPECT_EQ(test, asc_ring_sync(ring, 1), 0);
	KUNIT_EXPECT_EQ(test, asc_ring_unread(ring), 0ULL);
}

/* A tail that must not be believed, in a ring with @unread of bytes at @at. */
static void expect_fault(struct kunit *test, u64 at, u32 unread, u64 tail)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, at);

	asc_ring_push(ring, sample(f, unread), 0, 1);
	f->consumer.tail = tail;
	KUNIT_EXPECT_EQ(test, asc_ring_sync(ring, 1), -EIO);
	KUNIT_EXPECT_TRUE(test, ring->fault);
	KUNIT_EXPECT_EQ(test, f->producer.state, (u32)ASCPROF_STATE_FAULT);
	KUNIT_EXPECT_EQ(test, ring->tail, at);
}

static void ring_tail_beyond_head(struct kunit *test)
{
	expect_fault(test, 4096, 80, 4096 + 88);
	expect_fault(test, 4096, 80, 4096 + SIZE);
	expect_fault(test, 4096, 80, U64_MAX - 7);
}

static void ring_tail_moves_back(struct kunit *test)
{
	expect_fault(test, 4096, 80, 4088);
	expect_fault(test, 4096, 80, 0);
}

static void ring_tail_further_than_ring(struct kunit *test)
{
	expect_fault(test, 4 * SIZE, SIZE, 3 * SIZE);
	expect_fault(test, 4 * SIZE, SIZE, 4 * SIZE - 8);
}

static void ring_tail_misaligned(struct kunit *test)
{
	u32 off;

	for (off = 1; off < 8; off++)
		expect_fault(test, 4096, 80, 4096 + off);
}

static void ring_tail_lies_around_zero(struct kunit *test)
{
	expect_fault(test, -40ULL, 80, 48);
	expect_fault(test, -40ULL, 80, -48ULL);
	expect_fault(test, 0, 80, -8ULL);
	expect_fault(test, 0, 80, 1ULL << 63);
}

static void ring_fault_is_final(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, 0);

	f->consumer.tail = 8;
	KUNIT_EXPECT_EQ(test, asc_ring_sync(ring, 1), -EIO);
	f->consumer.tail = 0;
	KUNIT_EXPECT_EQ(test, asc_ring_sync(ring, 1), -EIO);
	KUNIT_EXPECT_EQ(test, asc_ring_settle(ring, 1), -EIO);
}

static void ring_fault_counts_what_follows(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, 0);

	f->consumer.tail = 8;
	KUNIT_EXPECT_EQ(test, asc_ring_push(ring, sample(f, 48), KEEP, 1), -EIO);
	KUNIT_EXPECT_EQ(test, asc_ring_push(ring, sample(f, 48), KEEP, 1), -EIO);
	KUNIT_EXPECT_EQ(test, ring->head, 0ULL);
	KUNIT_EXPECT_EQ(test, ring->lost.samples, 2ULL);
	KUNIT_EXPECT_EQ(test, ring->lost.bytes, 96ULL);
}

static void ring_tail_ignored_unless_mapped(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->consumer.tail = 12345;
	KUNIT_EXPECT_EQ(test, asc_ring_sync(&f->ring, 1), 0);
	KUNIT_EXPECT_EQ(test, f->ring.tail, 0ULL);
	KUNIT_EXPECT_FALSE(test, f->ring.fault);
}

/* Fills the ring up to the reserve, leaving less than one small record. */
static void fill(struct fixture *f, struct asc_ring *ring)
{
	while (!asc_ring_push(ring, record(f, 64, ASCPROF_REC_USER, 1), KEEP, 1))
		;
	memset(&ring->pending, 0, sizeof(ring->pending));
	memset(&ring->lost, 0, sizeof(ring->lost));
}

static void ring_burst_loss(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, 0);
	u64 head;
	int i;

	fill(f, ring);
	head = ring->head;
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, asc_ring_push(ring, sample(f, 64), KEEP, 1000 + i), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ring->head, head);
	KUNIT_EXPECT_EQ(test, ring->lost.records, 100ULL);
	KUNIT_EXPECT_EQ(test, ring->lost.samples, 100ULL);
	KUNIT_EXPECT_EQ(test, ring->lost.bytes, 6400ULL);
	KUNIT_EXPECT_EQ(test, f->producer.lost_records, 100ULL);
	KUNIT_EXPECT_EQ(test, f->producer.lost_bytes, 6400ULL);
	KUNIT_EXPECT_EQ(test, ring->pending.t_first, 1000ULL);
	KUNIT_EXPECT_EQ(test, ring->pending.t_last, 1099ULL);
}

static void ring_loss_by_type(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, 0);

	fill(f, ring);
	asc_ring_push(ring, sample(f, 64), KEEP, 1);
	asc_ring_push(ring, record(f, 64, ASCPROF_REC_CONFIG, 1), KEEP, 1);
	asc_ring_push(ring, record(f, 64, ASCPROF_REC_STATE, 1), KEEP, 1);
	KUNIT_EXPECT_EQ(test, ring->lost.records, 3ULL);
	KUNIT_EXPECT_EQ(test, ring->lost.samples, 1ULL);
}

static void ring_lost_stands_in_the_gap(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, 0);
	const struct ascprof_rec_lost *lost;
	const struct ascprof_rec *rec;
	u64 gap;

	fill(f, ring);
	gap = ring->head;
	asc_ring_push(ring, sample(f, 64), KEEP, 7);
	asc_ring_push(ring, sample(f, 72), KEEP, 9);
	f->consumer.tail = 640;
	KUNIT_EXPECT_EQ(test, asc_ring_push(ring, sample(f, 80), KEEP, 11), 0);

	lost = (const void *)asc_ring_peek(ring, gap, ring->head);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, lost);
	KUNIT_EXPECT_EQ(test, lost->h.type, (u16)ASCPROF_REC_LOST);
	KUNIT_EXPECT_EQ(test, lost->records, 2ULL);
	KUNIT_EXPECT_EQ(test, lost->samples, 2ULL);
	KUNIT_EXPECT_EQ(test, lost->bytes, 136ULL);
	KUNIT_EXPECT_EQ(test, lost->t_first, 7ULL);
	KUNIT_EXPECT_EQ(test, lost->t_last, 9ULL);
	rec = asc_ring_peek(ring, gap + LOST, ring->head);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, rec->len, 80U);
	KUNIT_EXPECT_EQ(test, ring->pending.records, 0ULL);
	KUNIT_EXPECT_EQ(test, ring->lost.records, 2ULL);
}

/* Room for the record alone is not enough while a loss has to be told. */
static void ring_lost_needs_room_itself(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, 0);
	u64 free;

	fill(f, ring);
	asc_ring_push(ring, sample(f, 64), KEEP, 1);
	free = asc_ring_free(ring) - KEEP;
	f->consumer.tail = 64;
	KUNIT_EXPECT_LT(test, free + 64, 64 + LOST);
	KUNIT_EXPECT_EQ(test, asc_ring_push(ring, sample(f, 64), KEEP, 2), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ring->pending.records, 2ULL);
	f->consumer.tail = 128;
	KUNIT_EXPECT_EQ(test, asc_ring_push(ring, sample(f, 64), KEEP, 3), 0);
	KUNIT_EXPECT_EQ(test, ring->pending.records, 0ULL);
}

/* Nobody reads: the last source's end is told all the same, and STOP after that. */
static void ring_room_for_both_ends(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring;
	struct ascprof_rec_state state = { .h = { sizeof(state), ASCPROF_REC_STATE, 0 } };
	struct ascprof_rec_clock clock = { .h = { sizeof(clock), ASCPROF_REC_CLOCK, 0 } };
	u64 len;

	/* whatever is left over behind the last sample that fits */
	for (len = 40; len <= 136; len += 8) {
		ring = ring_at(f, 0);
		while (!asc_ring_push(ring, sample(f, len), ASC_RING_RESERVE, 1))
			;
		KUNIT_EXPECT_EQ(test, asc_ring_push(ring, &state.h, ASC_RING_RESERVE_STOP, 2), 0);
		KUNIT_EXPECT_EQ(test, ring->pending.records, 0ULL);
		KUNIT_EXPECT_EQ(test, asc_ring_push(ring, sample(f, 136), ASC_RING_RESERVE, 3),
				-ENOSPC);
		KUNIT_EXPECT_EQ(test, asc_ring_settle(ring, 4), 0);
		KUNIT_EXPECT_EQ(test, asc_ring_push(ring, &clock.h, sizeof(state), 5), 0);
		KUNIT_EXPECT_EQ(test, asc_ring_push(ring, &state.h, 0, 6), 0);
		KUNIT_EXPECT_EQ(test, ring->pending.records, 0ULL);
	}
}

static void ring_settle_tells_the_rest(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, 0);
	u64 gap;

	KUNIT_EXPECT_EQ(test, asc_ring_settle(ring, 1), 0);
	KUNIT_EXPECT_EQ(test, ring->head, 0ULL);
	fill(f, ring);
	asc_ring_push(ring, sample(f, 64), KEEP, 1);
	gap = ring->head;
	KUNIT_EXPECT_EQ(test, asc_ring_settle(ring, 1), 0);
	KUNIT_EXPECT_EQ(test, ring->head, gap + LOST);
	KUNIT_EXPECT_EQ(test, asc_ring_settle(ring, 1), 0);
	KUNIT_EXPECT_EQ(test, ring->head, gap + LOST);
}

static void ring_settle_without_room(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, 0);

	asc_ring_push(ring, sample(f, SIZE), 0, 1);
	asc_ring_push(ring, sample(f, 64), KEEP, 1);
	KUNIT_EXPECT_EQ(test, asc_ring_settle(ring, 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ring->pending.records, 1ULL);
	f->consumer.tail = 48;
	KUNIT_EXPECT_EQ(test, asc_ring_settle(ring, 1), 0);
}

/* However full: what was lost, the clocks and the reason find their place. */
static void ring_end_always_fits(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 len, wrong = 0;

	for (len = 48; len <= 600; len += 8) {
		struct asc_ring *ring = ring_at(f, len);

		while (!asc_ring_push(ring, sample(f, len), KEEP, 1))
			;
		wrong += asc_ring_settle(ring, 1) != 0;
		wrong += asc_ring_push(ring,
				       record(f, sizeof(struct ascprof_rec_clock),
					      ASCPROF_REC_CLOCK, 0),
				       sizeof(struct ascprof_rec_state), 1) != 0;
		wrong += asc_ring_push(ring,
				       record(f, sizeof(struct ascprof_rec_state),
					      ASCPROF_REC_STATE, 0), 0, 1) != 0;
		wrong += asc_ring_unread(ring) > SIZE;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

static void ring_peek_walks(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = &f->ring;
	const struct ascprof_rec *rec;
	u64 pos = 0;
	u32 len = 48;

	for (; len <= 96; len += 8)
		asc_ring_push(ring, sample(f, len), KEEP, 1);
	for (len = 48; (rec = asc_ring_peek(ring, pos, ring->head)); len += 8) {
		KUNIT_EXPECT_EQ(test, rec->len, len);
		pos += rec->len;
	}
	KUNIT_EXPECT_EQ(test, pos, ring->head);
	KUNIT_EXPECT_EQ(test, len, 104U);
}

static void ring_peek_rejects_bad_length(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ascprof_rec *rec = f->data;

	asc_ring_push(&f->ring, sample(f, 48), KEEP, 1);
	rec->len = 4;
	KUNIT_EXPECT_TRUE(test, !asc_ring_peek(&f->ring, 0, 48));
	rec->len = 56;
	KUNIT_EXPECT_TRUE(test, !asc_ring_peek(&f->ring, 0, 48));
}

static void ring_consume(struct kunit *test)
{
	struct fixture *f = test->priv;

	asc_ring_push(&f->ring, sample(f, 48), KEEP, 1);
	asc_ring_push(&f->ring, sample(f, 48), KEEP, 1);
	asc_ring_consume(&f->ring, 48, 2);
	KUNIT_EXPECT_EQ(test, asc_ring_unread(&f->ring), 48ULL);
	asc_ring_consume(&f->ring, 4800, 3);
	KUNIT_EXPECT_EQ(test, asc_ring_unread(&f->ring), 0ULL);
}

static void ring_knows_how_long_data_waits(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct asc_ring *ring = ring_at(f, 0);

	asc_ring_push(ring, sample(f, 48), KEEP, 100);
	asc_ring_push(ring, sample(f, 48), KEEP, 200);
	KUNIT_EXPECT_EQ(test, ring->waiting_since, 100ULL);
	f->consumer.tail = 48;
	asc_ring_sync(ring, 300);
	KUNIT_EXPECT_EQ(test, ring->waiting_since, 300ULL);
	asc_ring_sync(ring, 400);
	KUNIT_EXPECT_EQ(test, ring->waiting_since, 300ULL);
	f->consumer.tail = 96;
	asc_ring_sync(ring, 500);
	asc_ring_push(ring, sample(f, 48), KEEP, 600);
	KUNIT_EXPECT_EQ(test, ring->waiting_since, 600ULL);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_starts_empty),
	KUNIT_CASE(ring_push_publishes),
	KUNIT_CASE(ring_reserve_does_not_publish),
	KUNIT_CASE(ring_exact_fit),
	KUNIT_CASE(ring_eight_bytes_too_many),
	KUNIT_CASE(ring_full_refuses),
	KUNIT_CASE(ring_record_larger_than_ring),
	KUNIT_CASE(ring_wrap_at_every_offset),
	KUNIT_CASE(ring_position_wraps),
	KUNIT_CASE(ring_tail_moves_on),
	KUNIT_CASE(ring_tail_beyond_head),
	KUNIT_CASE(ring_tail_moves_back),
	KUNIT_CASE(ring_tail_further_than_ring),
	KUNIT_CASE(ring_tail_misaligned),
	KUNIT_CASE(ring_tail_lies_around_zero),
	KUNIT_CASE(ring_fault_is_final),
	KUNIT_CASE(ring_fault_counts_what_follows),
	KUNIT_CASE(ring_tail_ignored_unless_mapped),
	KUNIT_CASE(ring_burst_loss),
	KUNIT_CASE(ring_loss_by_type),
	KUNIT_CASE(ring_lost_stands_in_the_gap),
	KUNIT_CASE(ring_lost_needs_room_itself),
	KUNIT_CASE(ring_room_for_both_ends),
	KUNIT_CASE(ring_settle_tells_the_rest),
	KUNIT_CASE(ring_settle_without_room),
	KUNIT_CASE(ring_end_always_fits),
	KUNIT_CASE(ring_peek_walks),
	KUNIT_CASE(ring_peek_rejects_bad_length),
	KUNIT_CASE(ring_consume),
	KUNIT_CASE(ring_knows_how_long_data_waits),
	{}
};

struct kunit_suite asc_ring_suite = {
	.name = "ascprof_ring",
	.init = ring_init,
	.exit = ring_exit,
	.test_cases = ring_cases,
};
