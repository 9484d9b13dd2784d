// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's ring in user space: long random runs against a model, with
 * readers that are honest and readers that are not. The random numbers are the
 * same in every run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kmod/core/record.h"
#include "kmod/core/ring.h"

#include <cmocka.h>

#define SIZE	4096ULL
#define STEPS	200000

static u32 seed;

static u32 next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* The data twice, as the kernel maps it, between pages that must not be touched. */
struct fixture {
	struct asc_ring ring;
	struct ascprof_producer_page producer;
	struct ascprof_consumer_page consumer;
	u8 *area;
	u8 *data;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fd = memfd_create("ring", MFD_CLOEXEC);
	void *first, *second;

	assert_non_null(f);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, SIZE), 0);
	f->area = mmap(NULL, 4 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(f->area != MAP_FAILED);
	f->data = f->area + SIZE;
	first = mmap(f->data, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	second = mmap(f->data + SIZE, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		      fd, 0);
	assert_true(first == f->data && second == f->data + SIZE);
	close(fd);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	munmap(f->area, 4 * SIZE);
	free(f);
	return 0;
}

static struct asc_ring *ring_at(struct fixture *f, u64 position)
{
	memset(&f->producer, 0, sizeof(f->producer));
	asc_ring_init(&f->ring, f->data, SIZE, &f->producer, &f->consumer);
	f->ring.head = position;
	f->ring.tail = position;
	f->ring.tail_in_page = true;
	f->producer.head = position;
	f->consumer.tail = position;
	return &f->ring;
}

/* A sample whose every byte follows from its number. */
static struct ascprof_rec *numbered(u64 number, u32 len)
{
	static union {
		struct ascprof_rec rec;
		u64 word[SIZE / 8 + 64];
	} r;
	u32 i;

	r.rec.len = len;
	r.rec.type = ASCPROF_REC_SAMPLE;
	r.rec.flags = 0;
	for (i = 1; i < len / 8; i++)
		r.word[i] = number * 0x9e3779b97f4a7c15ULL + i - 1;
	return &r.rec;
}

struct seen {
	u64 next;		/* number of the next sample */
	u64 samples;
	u64 lost_records;
	u64 lost_samples;
	u64 lost_bytes;
};

/* What a reader does with one record: checks it, returns its length. */
static u32 look(struct seen *seen, const struct ascprof_rec *rec)
{
	const struct ascprof_rec_lost *lost = (const void *)rec;

	if (rec->type == ASCPROF_REC_LOST) {
		assert_int_equal(rec->len, sizeof(*lost));
		assert_true(lost->records > 0 && lost->t_last >= lost->t_first);
		seen->next += lost->samples;
		seen->lost_records += lost->records;
		seen->lost_samples += lost->samples;
		seen->lost_bytes += lost->bytes;
		return rec->len;
	}
	assert_int_equal(rec->type, ASCPROF_REC_SAMPLE);
	assert_memory_equal(rec, numbered(seen->next, rec->len), rec->len);
	seen->next++;
	seen->samples++;
	return rec->len;
}

static u32 random_length(void)
{
	/* now and then one that fills most of the ring, or cannot fit at all */
	return next_random() % 50 ? 40 + next_random() % 40 * 8 : 8 * (next_random() % 512 + 5);
}

static void honest_reader(void **state)
{
	static const u64 starts[] = { 0, 8, SIZE - 8, -8ULL, -4096ULL, -100000ULL };
	struct fixture *f = *state;
	size_t start;

	for (start = 0; start < ARRAY_SIZE(starts); start++) {
		struct asc_ring *ring = ring_at(f, starts[start]);
		struct seen seen = { 0 };
		u64 number = 0, pos = starts[start];
		int step;

		seed = 1234567 + (u32)start;
		for (step = 0; step < STEPS; step++) {
			if (next_random() & 1) {
				asc_ring_push(ring, numbered(number, random_length()),
					      ASC_RING_RESERVE, (u64)step);
				number++;
				assert_true(asc_ring_unread(ring) <= SIZE);
				assert_true(f->producer.head == ring->head);
				continue;
			}
			if (pos != f->producer.head) {
				pos += look(&seen, (const void *)(f->data + pos % SIZE));
				f->consumer.tail = pos;
			}
		}
		/* read it dry; what is lost and not told yet is told now */
		while (pos != f->producer.head || asc_ring_settle(ring, STEPS) ||
		       pos != f->producer.head) {
			pos += look(&seen, (const void *)(f->data + pos % SIZE));
			f->consumer.tail = pos;
		}
		assert_true(seen.samples + seen.lost_samples == number);
		assert_true(seen.lost_records == ring->lost.records);
		assert_true(seen.lost_samples == ring->lost.samples);
		assert_true(seen.lost_bytes == ring->lost.bytes);
		assert_true(seen.samples > 0 && seen.lost_samples > 0);
	}
}

/* A tail near something interesting: head, tail, ring size, ends of the number line. */
static u64 nasty_tail(const struct asc_ring *ring)
{
	const u64 anchors[] = { ring->head, ring->tail, ring->head - SIZE, ring->tail - SIZE,
				ring->head + SIZE, 0, -1ULL, 1ULL << 63, 1ULL << 32 };
	u64 anchor = anchors[next_random() % ARRAY_SIZE(anchors)];

	switch (next_random() % 4) {
	case 0:
		return anchor;
	case 1:
		return anchor + next_random() % 64;
	case 2:
		return anchor - next_random() % 64;
	default:
		return anchor + (u64)next_random() * next_random();
	}
}

static void hostile_tail(void **state)
{
	struct fixture *f = *state;
	unsigned int believed = 0, refused = 0;
	int step;

	seed = 987654321;
	for (step = 0; step < STEPS; step++) {
		/* on a number line that does not wrap: where the model judges */
		__int128 tail = (__int128)(next_random() % 2 ? ~0ULL : 0) + next_random() % 8192;
		__int128 head, claim;
		struct asc_ring *ring;
		u64 nasty;
		bool good;

		tail -= tail % 8;
		ring = ring_at(f, (u64)tail);
		while (next_random() % 4)
			asc_ring_push(ring, numbered(0, 40 + next_random() % 100 * 8), 0, 1);
		head = tail + (__int128)asc_ring_unread(ring);
		nasty = nasty_tail(ring);
		/* the only candidate of that value near the head */
		claim = tail + (__int128)(s64)(nasty - (u64)tail);
		good = claim >= tail && claim <= head && nasty % 8 == 0;

		f->consumer.tail = nasty;
		assert_int_equal(asc_ring_sync(ring, 2), good ? 0 : -EIO);
		assert_true(ring->tail == (good ? nasty : (u64)tail));
		assert_int_equal(ring->fault, !good);
		if (!good) {
			u64 before = ring->head;

			f->consumer.tail = (u64)tail;
			assert_int_equal(asc_ring_push(ring, numbered(0, 48), 0, 3), -EIO);
			assert_true(ring->head == before && f->producer.head == before);
			assert_int_equal(f->producer.state, ASCPROF_STATE_FAULT);
		}
		believed += good;
		refused += !good;
	}
	assert_true(believed > STEPS / 100 && refused > STEPS / 4);
}

/* The kernel's own reader: peek and consume, whole records only. */
static void kernel_reader(void **state)
{
	struct fixture *f = *state;
	struct asc_ring *ring = ring_at(f, -4096ULL);
	const struct ascprof_rec *rec;
	struct seen seen = { 0 };
	u64 number = 0;
	int step;

	seed = 5;
	ring->tail_in_page = false;
	for (step = 0; step < STEPS; step++) {
		if (next_random() & 1) {
			asc_ring_push(ring, numbered(number++, random_length()),
				      ASC_RING_RESERVE, (u64)step);
		} else {
			rec = asc_ring_peek(ring, ring->tail, ring->head);
			if (rec)
				asc_ring_consume(ring, look(&seen, rec), (u64)step);
		}
	}
	do {
		while ((rec = asc_ring_peek(ring, ring->tail, ring->head)))
			asc_ring_consume(ring, look(&seen, rec), STEPS);
	} while (asc_ring_settle(ring, STEPS) || asc_ring_unread(ring));
	assert_true(seen.samples + seen.lost_samples == number);
	assert_true(seen.lost_bytes == ring->lost.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(honest_reader, setup, teardown),
		cmocka_unit_test_setup_teardown(hostile_tail, setup, teardown),
		cmocka_unit_test_setup_teardown(kernel_reader, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
