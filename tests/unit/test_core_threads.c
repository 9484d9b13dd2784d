// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's ring between two threads: what the reader takes is what the
 * writer put in, whatever the timing; and a reader that scribbles over the tail
 * at any moment breaks nothing but its own stream. The clock page, to who looks
 * at any moment.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmod/core/clock.h"
#include "kmod/core/record.h"
#include "kmod/core/ring.h"

#include <cmocka.h>

#define SIZE	4096ULL
#define SAMPLES	200000ULL
#define LIES	2000

/*
 * A power of two, so that without loss no record crosses the end: a thread
 * sanitizer knows addresses, not pages, and would not see that a second mapping
 * is the first. Here the second half is memory of its own.
 */
#define LENGTH	64

static struct {
	struct asc_ring ring;
	struct ascprof_producer_page producer;
	struct ascprof_consumer_page consumer;
	u8 data[2 * SIZE] __attribute__((aligned(64)));
} shared;

struct result {
	u64 samples;
	u64 lost;
	u64 wrong;
};

static void prepare(void)
{
	memset(&shared.consumer, 0, sizeof(shared.consumer));
	memset(&shared.producer, 0, sizeof(shared.producer));
	asc_ring_init(&shared.ring, shared.data, SIZE, &shared.producer, &shared.consumer);
	shared.ring.tail_in_page = true;
}

static struct ascprof_rec *numbered(u64 number)
{
	static union {
		struct ascprof_rec rec;
		u64 word[LENGTH / 8];
	} r;
	int i;

	r.rec.len = LENGTH;
	r.rec.type = ASCPROF_REC_SAMPLE;
	r.rec.flags = 0;
	for (i = 1; i < LENGTH / 8; i++)
		r.word[i] = number + (u64)i;
	return &r.rec;
}

/* What user space does: acquire the head, read, release the tail. */
static void *honest_reader(void *arg)
{
	struct result *result = arg;
	u64 tail = 0, next = 0;
	int i;

	while (next < SAMPLES) {
		u64 head = __atomic_load_n(&shared.producer.head, __ATOMIC_ACQUIRE);

		while (tail != head) {
			const u64 *word = (const void *)(shared.data + tail % SIZE);
			const struct ascprof_rec *rec = (const void *)word;

			if (rec->type == ASCPROF_REC_SAMPLE) {
				if (word[1] - 1 != next)
					result->wrong++;
				next = word[1];
				for (i = 2; i < LENGTH / 8; i++)
					result->wrong += word[i] != word[1] + (u64)i - 1;
				result->samples++;
			} else {
				result->wrong++;
			}
			tail += rec->len;
		}
		__atomic_store_n(&shared.consumer.tail, tail, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void writer_and_reader(void **state)
{
	struct result result = { 0 };
	pthread_t reader;
	u64 i;

	(void)state;
	prepare();
	assert_int_equal(pthread_create(&reader, NULL, honest_reader, &result), 0);
	for (i = 0; i < SAMPLES; i++) {
		/* a full ring is waited for here; losing is the other test's business */
		for (;;) {
			assert_int_equal(asc_ring_sync(&shared.ring, i), 0);
			if (asc_ring_free(&shared.ring) >= LENGTH)
				break;
		}
		assert_int_equal(asc_ring_push(&shared.ring, numbered(i), 0, i), 0);
	}
	assert_int_equal(pthread_join(reader, NULL), 0);
	assert_true(result.samples == SAMPLES);
	assert_true(result.wrong == 0);
	assert_true(shared.ring.lost.records == 0);
}

static int enough;

static void *liar(void *arg)
{
	u32 *random = arg;

	while (!__atomic_load_n(&enough, __ATOMIC_RELAXED)) {
		*random = *random * 1664525 + 1013904223;
		__atomic_store_n(&shared.consumer.tail,
				 *random & 1 ? (u64)*random << (*random >> 27) : *random % SIZE,
				 __ATOMIC_RELEASE);
	}
	return NULL;
}

static void writer_and_liar(void **state)
{
	u32 random = 42;
	pthread_t reader;
	int round;

	(void)state;
	prepare();
	enough = 0;
	assert_int_equal(pthread_create(&reader, NULL, liar, &random), 0);
	for (round = 0; round < LIES; round++) {
		u64 pushed = 0, head;

		/* a new stream each time; the liar keeps its page */
		asc_ring_init(&shared.ring, shared.data, SIZE, &shared.producer,
			      &shared.consumer);
		shared.ring.tail_in_page = true;
		while (asc_ring_push(&shared.ring, numbered(pushed), ASC_RING_RESERVE, 1) != -EIO) {
			pushed++;
			assert_true(asc_ring_unread(&shared.ring) <= SIZE);
		}
		head = shared.ring.head;
		assert_true(shared.ring.fault);
		assert_int_equal(asc_ring_push(&shared.ring, numbered(0), 0, 1), -EIO);
		assert_true(shared.ring.head == head);
	}
	__atomic_store_n(&enough, 1, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(reader, NULL), 0);
}

/* A reader of the clock page gets four words of one moment, or knows that not. */
static void *clock_reader(void *arg)
{
	struct result *result = arg;
	struct ascprof_producer_page *page = &shared.producer;

	while (!__atomic_load_n(&enough, __ATOMIC_RELAXED)) {
		u32 seq = __atomic_load_n(&page->clock_seq, __ATOMIC_ACQUIRE);
		u64 mono = __atomic_load_n(&page->clk_mono, __ATOMIC_ACQUIRE);
		u64 raw = __atomic_load_n(&page->clk_raw, __ATOMIC_ACQUIRE);
		u64 real = __atomic_load_n(&page->clk_real, __ATOMIC_ACQUIRE);
		u64 cycles = __atomic_load_n(&page->clk_cycles, __ATOMIC_ACQUIRE);

		if (seq & 1 || seq != __atomic_load_n(&page->clock_seq, __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_add(&result->samples, 1, __ATOMIC_RELAXED);
		result->wrong += raw != mono + 1 || real != mono + 2 || cycles != mono + 3;
	}
	return NULL;
}

static void clock_page(void **state)
{
	struct result result = { 0 };
	struct asc_clock clock;
	pthread_t reader;
	u64 i;

	(void)state;
	prepare();
	memset(&clock, 0, sizeof(clock));
	clock.raw = 1;
	clock.real = 2;
	clock.cycles = 3;
	asc_clock_publish(&shared.producer, &clock);
	enough = 0;
	assert_int_equal(pthread_create(&reader, NULL, clock_reader, &result), 0);
	for (i = 1; i < SAMPLES || __atomic_load_n(&result.samples, __ATOMIC_RELAXED) == 0; i++) {
		clock.mono = i;
		clock.raw = i + 1;
		clock.real = i + 2;
		clock.cycles = i + 3;
		asc_clock_publish(&shared.producer, &clock);
	}
	__atomic_store_n(&enough, 1, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(reader, NULL), 0);
	assert_true(result.samples > 0);
	assert_true(result.wrong == 0);
}

static const struct asc_clock before = { .mono = 1, .raw = 2, .real = 3, .cycles = 4 };
static const struct asc_clock after = { .mono = 11, .raw = 12, .real = 13, .cycles = 14 };

static bool shows(const struct ascprof_producer_page *page, const struct asc_clock *clock)
{
	return page->clk_mono == clock->mono && page->clk_raw == clock->raw && page->clk_real == clock->real &&
	       page->clk_cycles == clock->cycles;
}

static pid_t publisher(struct ascprof_producer_page *page)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		raise(SIGSTOP);
		asc_clock_publish(page, &after);
		_exit(0);
	}
	return pid;
}

/* A reader may come between any two instructions; a thread that looks need not hit the one that matters. */
static void clock_page_after_each_instruction(void **state)
{
	struct ascprof_producer_page *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
						  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int odd = 0, wrong = 0;
	int status;
	pid_t pid;

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	asc_clock_publish(page, &before);
	pid = publisher(page);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		munmap(page, sizeof(*page));
		skip();
	}
	while (WIFSTOPPED(status)) {
		u32 seq = page->clock_seq;

		if (seq & 1)
			odd++;
		else if (seq == 2)
			wrong += !shows(page, &before);
		else
			wrong += seq != 4 || !shows(page, &after);
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(shows(page, &after));
	assert_int_equal(wrong, 0);
	/* the four words, and the even number */
	assert_true(odd >= 5);
	munmap(page, sizeof(*page));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writer_and_reader),
		cmocka_unit_test(writer_and_liar),
		cmocka_unit_test(clock_page),
		cmocka_unit_test(clock_page_after_each_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
