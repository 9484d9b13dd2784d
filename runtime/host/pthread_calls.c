/* SPDX-License-Identifier: Apache-2.0 */
#include "host/pthread_calls.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock/clock.h"

#define RING_CALLS 16384u /* of one thread; a power of two */
#define RINGS_MAX 128u
#define LINE_MAX_BYTES 160u
#define ANCHOR "pthread_once"

struct call {
	uint64_t begin_ns, ns;
	const char *name;
	uint32_t tid;
	int32_t result;
};

/* Never unmapped: a thread that ends leaves its ring for another one. */
struct ring {
	_Atomic uint32_t owner; /* a thread; 0: nobody */
	_Alignas(64) _Atomic uint64_t head; /* the owner's */
	_Alignas(64) _Atomic uint64_t tail; /* the reader's */
	uint64_t round; /* as far as this round reads */
	struct call call[RING_CALLS];
};

static struct {
	_Atomic uint64_t since_ns; /* calls that began from here on are recorded; 0: none */
	_Atomic uint64_t lost;
	_Atomic(struct ring *) ring[RINGS_MAX];
	/* the reader's */
	uint64_t from_ns; /* of the recording whose calls are read */
	bool more; /* in this round */
	char program[32];
} calls;

static _Thread_local struct {
	struct ring *ring;
	volatile sig_atomic_t busy; /* a signal handler finds its thread here */
} self __attribute__((tls_model("initial-exec")));

/* It defines this where it is loaded. */
extern const char ascprof_pthread_here __attribute__((weak));

/* Of this library, made by the linker. */
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));

bool pthread_calls_watched(void)
{
	return &ascprof_pthread_here != NULL;
}

/* ---- the threads ---- */

static struct ring *claim(unsigned int i, uint32_t tid)
{
	struct ring *r = atomic_load_explicit(&calls.ring[i], memory_order_acquire), *none = NULL;
	uint32_t nobody = 0;
	void *map;

	if (r)
		return atomic_compare_exchange_strong(&r->owner, &nobody, tid) ? r : NULL;
	map = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	r = map;
	atomic_init(&r->owner, tid);
	if (atomic_compare_exchange_strong(&calls.ring[i], &none, r))
		return r;
	munmap(map, sizeof(*r));
	return NULL;
}

static struct ring *own_ring(void)
{
	int saved = errno;

	if (!self.ring) {
		uint32_t tid = (uint32_t)syscall(SYS_gettid);

		for (unsigned int i = 0; i < RINGS_MAX && !self.ring; i++)
			self.ring = claim(i, tid);
		errno = saved;
	}
	return self.ring;
}

uint64_t ascprof_pthread_begin(const void *caller)
{
	if (!atomic_load_explicit(&calls.since_ns, memory_order_relaxed) ||
	    ((uintptr_t)caller >= (uintptr_t)&__ehdr_start && (uintptr_t)caller < (uintptr_t)&_end))
		return 0;
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

static bool put(struct ring *r, const struct call *c)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	struct call *to = &r->call[head % RING_CALLS];

	if (head - atomic_load_explicit(&r->tail, memory_order_acquire) == RING_CALLS)
		return false;
	*to = *c;
	to->tid = atomic_load_explicit(&r->owner, memory_order_relaxed);
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
	return true;
}

void ascprof_pthread_end(uint64_t begin, const char *name, int result)
{
	uint64_t since = atomic_load_explicit(&calls.since_ns, memory_order_relaxed);
	bool kept = false;
	struct ring *r;

	if (!since || begin < since)
		return;
	if (!self.busy) {
		struct call c = { begin, clock_ns(CLOCK_MONOTONIC_RAW) - begin, name, 0, result };

		self.busy = 1;
		atomic_signal_fence(memory_order_seq_cst);
		r = own_ring();
		kept = r && put(r, &c);
		atomic_signal_fence(memory_order_seq_cst);
		self.busy = 0;
	}
	if (!kept)
		atomic_fetch_add_explicit(&calls.lost, 1, memory_order_relaxed);
}

/* ---- the reader ---- */

static bool is_gone(uint32_t tid)
{
	int saved = errno;
	bool gone = syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH;

	errno = saved;
	return gone;
}

/* What was there now is what this round reads. */
static void begin_round(void)
{
	for (unsigned int i = 0; i < RINGS_MAX; i++) {
		struct ring *r = atomic_load_explicit(&calls.ring[i], memory_order_acquire);
		uint32_t owner = r ? atomic_load_explicit(&r->owner, memory_order_relaxed) : 0;
		bool gone = owner && is_gone(owner);

		if (!r)
			continue;
		r->round = atomic_load_explicit(&r->head, memory_order_acquire);
		if (gone)
			atomic_store_explicit(&r->owner, 0, memory_order_release);
	}
}

void pthread_calls_begin(uint64_t raw_ns, const char *program)
{
	size_t n = 0;

	for (; program[n] && n + 1 < sizeof(calls.program); n++)
		calls.program[n] = (unsigned char)program[n] <= ' ' || program[n] == '>' ? '_' : program[n];
	calls.program[n] = '\0';
	begin_round();
	for (unsigned int i = 0; i < RINGS_MAX; i++) {
		struct ring *r = atomic_load_explicit(&calls.ring[i], memory_order_acquire);

		if (r)
			atomic_store_explicit(&r->tail, r->round, memory_order_release);
	}
	atomic_store_explicit(&calls.lost, 0, memory_order_relaxed);
	calls.from_ns = raw_ns;
	calls.more = false;
	atomic_store_explicit(&calls.since_ns, raw_ns, memory_order_relaxed);
}

void pthread_calls_end(void)
{
	atomic_store_explicit(&calls.since_ns, 0, memory_order_relaxed);
}

/* As ltrace prints it with times in seconds: readers take the name before the bracket. */
static void put_call(struct host_text *t, const struct call *c)
{
	host_put(t, "[pid %" PRIu32 "] %" PRIu64 ".%09" PRIu64 " %s->%s() = %" PRId32 " <%" PRIu64 ".%09" PRIu64 ">\n",
		 c->tid, c->begin_ns / 1000000000, c->begin_ns % 1000000000, calls.program, c->name, c->result,
		 c->ns / 1000000000, c->ns % 1000000000);
}

static bool read_ring(struct ring *r, struct host_text *t)
{
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	for (; tail != r->round && t->size - t->len > LINE_MAX_BYTES; tail++)
		if (r->call[tail % RING_CALLS].begin_ns >= calls.from_ns)
			put_call(t, &r->call[tail % RING_CALLS]);
	atomic_store_explicit(&r->tail, tail, memory_order_release);
	return tail != r->round;
}

bool pthread_calls_read(struct host_text *t)
{
	if (!calls.more)
		begin_round();
	calls.more = false;
	for (unsigned int i = 0; i < RINGS_MAX; i++) {
		struct ring *r = atomic_load_explicit(&calls.ring[i], memory_order_acquire);

		calls.more |= r && read_ring(r, t);
	}
	return calls.more;
}

uint64_t pthread_calls_lost(void)
{
	return atomic_load_explicit(&calls.lost, memory_order_relaxed);
}

void pthread_calls_child(void)
{
	pthread_calls_end();
	self.ring = NULL;
	for (unsigned int i = 0; i < RINGS_MAX; i++) {
		struct ring *r = atomic_load_explicit(&calls.ring[i], memory_order_relaxed);

		if (r)
			atomic_store_explicit(&r->owner, 0, memory_order_relaxed);
	}
}

size_t pthread_calls_anchor(char *line, size_t size, uint64_t raw_ns)
{
	return (size_t)snprintf(line, size, "[pid %d] %" PRIu64 ".%09" PRIu64 " ascprof->" ANCHOR "() = 0 <0.000000000>\n",
				getpid(), raw_ns / 1000000000, raw_ns % 1000000000);
}

uint64_t pthread_calls_stamp(const char *line)
{
	const char *name = strstr(line, "->");
	uint64_t seconds;
	char *at;

	if (strncmp(line, "[pid ", 5) || !(at = strchr(line, ']')) || !name || !strncmp(name + 2, ANCHOR, sizeof(ANCHOR) - 1))
		return 0;
	seconds = strtoull(at + 1, &at, 10);
	return *at == '.' ? seconds * 1000000000u + strtoull(at + 1, NULL, 10) : 0;
}
