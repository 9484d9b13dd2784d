// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/replica.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/bench/bench.h"

#define POOL 100
#define SLOTS 262144u

struct body {
	uint16_t magic, tag;
	uint32_t pid, tid, category, event, payload_type;
	uint64_t payload, start, end, mark_id, domain;
	uint32_t message_type;
	char message[156];
};

struct record {
	uint16_t magic, level;
	uint32_t type, tid, len;
	uint64_t stamp;
	char data[232];
};

struct stamp {
	struct stamp *next;
	int index;
	bool in_range;
	struct body body;
};

static struct {
	pthread_mutex_t pool_lock, stack_lock;
	struct stamp pool[POOL];
	struct stamp *idle;
	struct stamp *pushed[1024];
	unsigned int depth;
	struct record *ring;
	_Atomic uint64_t head;
	_Atomic uint64_t written;
	bool cached_tid;
	uint32_t pid;
} replica = { .pool_lock = PTHREAD_MUTEX_INITIALIZER, .stack_lock = PTHREAD_MUTEX_INITIALIZER };

void replica_start(bool cached_tid)
{
	replica.cached_tid = cached_tid;
	if (replica.ring)
		return;
	replica.pid = (uint32_t)getpid();
	replica.ring = calloc(SLOTS, sizeof(*replica.ring));
	if (!replica.ring)
		abort();
	for (int i = 0; i < POOL; i++) {
		replica.pool[i].index = i;
		replica.pool[i].next = replica.idle;
		replica.idle = &replica.pool[i];
	}
}

static uint32_t thread_number(void)
{
	static _Thread_local uint32_t tid;

	if (!replica.cached_tid)
		return (uint32_t)syscall(SYS_gettid);
	if (!tid)
		tid = (uint32_t)syscall(SYS_gettid);
	return tid;
}

void *replica_create(void)
{
	struct stamp *s;

	pthread_mutex_lock(&replica.pool_lock);
	s = replica.idle;
	if (s)
		replica.idle = s->next;
	pthread_mutex_unlock(&replica.pool_lock);
	return s;
}

void replica_destroy(void *stamp)
{
	struct stamp *s = stamp;

	pthread_mutex_lock(&replica.pool_lock);
	s->next = replica.idle;
	replica.idle = s;
	pthread_mutex_unlock(&replica.pool_lock);
}

int replica_message(void *stamp, const char *text, uint32_t len)
{
	struct stamp *s = stamp;

	if (len > 127)
		return -1;
	memcpy(s->body.message, text, len);
	s->body.message[len] = 0;
	return 0;
}

/*
 * Such records go through several layers: one fills in the body and copies it into
 * a record, the next clears one of its own and copies that, and calls by a pointer
 * what copies it into the ring, which has a lock-free place to write and a count of
 * what was written. None is inlined, as they are in different libraries.
 */
static __attribute__((noinline)) int push_record(const struct record *r)
{
	uint64_t at = atomic_fetch_add(&replica.head, 1);

	replica.ring[at % SLOTS] = *r;
	atomic_fetch_add(&replica.written, 1);
	return 0;
}

static int (*volatile registered)(const struct record *r) = push_record;

static __attribute__((noinline)) int pass_on(const struct record *from)
{
	struct record r;

	memset(&r, 0, sizeof(r));
	memcpy(&r, from, sizeof(r));
	return registered(&r);
}

static __attribute__((noinline)) int report(struct stamp *s, uint32_t event, uint64_t start, uint64_t end)
{
	struct record r;

	s->body.magic = 0x5A5A;
	s->body.pid = replica.pid;
	s->body.tid = thread_number();
	s->body.event = event;
	s->body.start = start;
	s->body.end = end;
	r.magic = 0x5A5A;
	r.level = 20500;
	r.type = 0;
	r.tid = s->body.tid;
	r.len = sizeof(r.data);
	r.stamp = end;
	memcpy(r.data, &s->body, sizeof(s->body));
	return pass_on(&r);
}

int replica_mark(void *stamp)
{
	uint64_t now = bench_ticks();

	return report(stamp, 0, now, now);
}

int replica_push(void *stamp)
{
	struct stamp *s = stamp;

	s->body.start = bench_ticks();
	pthread_mutex_lock(&replica.stack_lock);
	replica.pushed[replica.depth++] = s;
	pthread_mutex_unlock(&replica.stack_lock);
	return 0;
}

int replica_pop(void)
{
	struct stamp *s;

	pthread_mutex_lock(&replica.stack_lock);
	s = replica.pushed[--replica.depth];
	pthread_mutex_unlock(&replica.stack_lock);
	return report(s, 1, s->body.start, bench_ticks());
}

int replica_range_start(void *stamp, uint32_t *id)
{
	struct stamp *s = stamp;

	s->body.start = bench_ticks();
	s->in_range = true;
	*id = (uint32_t)s->index;
	return 0;
}

int replica_range_stop(uint32_t id)
{
	struct stamp *s = &replica.pool[id];

	return s->in_range ? report(s, 2, s->body.start, bench_ticks()) : -1;
}
