// SPDX-License-Identifier: Apache-2.0
/*
 * Three layers, each a library in the conventional design: what programs call,
 * what finds the implementation, and the implementation. Here they are one
 * library whose functions are all exported, so that a call from one layer to the
 * next goes through the linkage table, as it does between libraries.
 */
#include "tests/bench/replica.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/replica_parts.h"

#define POOL 100
#define SLOTS 262144u
#define TRIES 2048
#define ERRORS_ONLY 3

/* ---- services that every layer asks ---- */

static atomic_int log_level = ERRORS_ONLY;
static bool cached;

/* A message that will not be logged: the level is asked all the same. */
bool replica_logs(int level)
{
	return level >= atomic_load_explicit(&log_level, memory_order_relaxed);
}

/*
 * An object that is made when it is first asked for: whether it is there is looked at each time. Libraries
 * share it, so it is found by the table of addresses.
 */
static inline void *single(struct replica_single *s)
{
	if (!atomic_load_explicit(&s->made, memory_order_acquire)) {
		pthread_mutex_lock(&s->lock);
		atomic_store_explicit(&s->made, true, memory_order_release);
		pthread_mutex_unlock(&s->lock);
	}
	return s;
}

struct replica_single replica_platform = REPLICA_SINGLE, replica_driver = REPLICA_SINGLE,
		      replica_plugin = REPLICA_SINGLE, replica_manager = REPLICA_SINGLE,
		      replica_reports = REPLICA_SINGLE;

/* The driver's number of devices, by the pointer with which its library was found. */
int replica_devices(uint32_t *number)
{
	*number = 1;
	return 0;
}

static int (*volatile driver_devices)(uint32_t *number) = replica_devices;

int replica_driver_devices(void *self, uint32_t *number)
{
	(void)self;
	return driver_devices ? driver_devices(number) : -1;
}

/* Every function asks the driver first whether it runs where annotations are none. */
bool replica_driver_helper(void)
{
	uint32_t number = 0;

	return replica_driver_devices(single(&replica_driver), &number) != 0 && replica_logs(1);
}

bool replica_is_helper(void *self)
{
	(void)self;
	return replica_driver_helper();
}

static inline bool helper(void)
{
	return replica_is_helper(single(&replica_platform));
}

/* The clock is chosen once, and the choice looked at each time. */
static volatile bool by_counter = true;

uint64_t replica_ticks(void)
{
	return bench_ticks();
}

uint64_t replica_clock(void *self)
{
	(void)self;
	return by_counter ? replica_ticks() : bench_ns();
}

/* System calls have a portable name, in a layer of its own. */
int32_t replica_system_tid(void)
{
	static _Thread_local int32_t tid;

	if (!cached)
		return (int32_t)syscall(SYS_gettid);
	if (!tid)
		tid = (int32_t)syscall(SYS_gettid);
	return tid;
}

int32_t replica_tid(void)
{
	return replica_system_tid();
}

static bool apart(const void *a, size_t a_len, const void *b, size_t b_len)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return x < y ? x + a_len <= y : y + b_len <= x;
}

/* Copies by functions that check sizes, pointers and overlap first. */
int replica_copy(void *to, size_t room, const void *from, size_t len)
{
	if (!to || !from || len > room || !apart(to, len, from, len))
		return -1;
	memcpy(to, from, len);
	return 0;
}

/* The same of text, whose end is looked for first. */
int replica_copy_text(char *to, size_t room, const char *from, size_t count)
{
	size_t len;

	if (!to || !from || !room)
		return -1;
	len = strnlen(from, count);
	if (len >= room || !apart(to, len + 1, from, len + 1))
		return -1;
	memcpy(to, from, len);
	to[len] = 0;
	return 0;
}

/* ---- the ring for all threads ---- */

static struct replica_slot *ring;
static bool ring_ready;
static volatile bool ring_ends;
static _Atomic uint64_t ring_next, ring_written;

int replica_into_ring(uint32_t aging, const struct replica_record *r)
{
	uint64_t at;
	int tries = 0;

	if (!ring_ready || ring_ends)
		return -1;
	do {
		if (++tries >= TRIES)
			return 0;
		at = atomic_load_explicit(&ring_next, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak(&ring_next, &at, at + 1));
	ring[at % SLOTS].record = *r;
	ring[at % SLOTS].aging = (uint8_t)aging;
	atomic_fetch_add(&ring_written, 1);
	ring[at % SLOTS].there = 1;
	return 0;
}

/* What kind of record it is decides about the ring; it is cleared and copied before. */
int replica_pass_on(void *self, uint32_t aging, const void *data, uint32_t len)
{
	struct replica_record r = { 0 };

	(void)self;
	if (len > sizeof(r) || ((const struct replica_record *)data)->level == 6000)
		return -1;
	if (replica_copy(&r, len, data, len))
		return -1;
	return replica_into_ring(aging, &r);
}

int replica_callback(uint32_t aging, const void *data, uint32_t len)
{
	return data ? replica_pass_on(single(&replica_reports), aging, data, len) : -1;
}

static int (*volatile registered)(uint32_t aging, const void *data, uint32_t len) = replica_callback;

int replica_report(const struct replica_body *body)
{
	struct replica_record r;

	if (!registered)
		return -1;
	r.magic = 0x5A5A;
	r.level = 20500;
	r.type = 0;
	r.len = sizeof(*body);
	if (replica_copy(r.data, sizeof(r.data), body, sizeof(*body)))
		return -1;
	return registered(1, &r, sizeof(r));
}

/* ---- the pool of stamps and the stack, one lock each ---- */

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER, stack_lock = PTHREAD_MUTEX_INITIALIZER;
static struct replica_stamp pool[POOL], *idle, *used, *pushed[1024];
static unsigned int idle_count, used_count, depth;

struct replica_stamp *replica_pool_get(void)
{
	struct replica_stamp *s = NULL;

	pthread_mutex_lock(&pool_lock);
	if (used_count < POOL) {
		s = idle;
		idle = s->next;
		s->next = used;
		if (used)
			used->before = s;
		used = s;
		used_count++;
		idle_count--;
	}
	pthread_mutex_unlock(&pool_lock);
	return s;
}

void replica_pool_put(struct replica_stamp *s)
{
	pthread_mutex_lock(&pool_lock);
	if (used_count && s) {
		if (used == s) {
			used = s->next;
		} else {
			s->before->next = s->next;
			if (s->next)
				s->next->before = s->before;
		}
		s->next = idle;
		idle = s;
		used_count--;
		idle_count++;
	}
	pthread_mutex_unlock(&pool_lock);
}

int replica_stack_push(struct replica_stamp *s)
{
	if (!s)
		return -1;
	pthread_mutex_lock(&stack_lock);
	pushed[depth++] = s;
	pthread_mutex_unlock(&stack_lock);
	return 0;
}

struct replica_stamp *replica_stack_pop(void)
{
	struct replica_stamp *s = NULL;

	pthread_mutex_lock(&stack_lock);
	if (depth)
		s = pushed[--depth];
	pthread_mutex_unlock(&stack_lock);
	return s;
}

struct replica_stamp *replica_of_id(uint32_t id)
{
	return id < POOL && pool[id].in_range ? &pool[id] : NULL;
}

/* ---- the implementation: one object, which looks whether it is ready ---- */

static volatile bool ready;

void *replica_manager_create(void *self)
{
	(void)self;
	return ready ? replica_pool_get() : NULL;
}

void replica_manager_destroy(void *self, struct replica_stamp *s)
{
	(void)self;
	if (s && ready)
		replica_pool_put(s);
}

int replica_manager_message(void *self, struct replica_stamp *s, const char *text, uint32_t len)
{
	(void)self;
	if (!s || len > 127 || replica_copy_text(s->body.message, 127, text, len))
		return -1;
	s->body.message[len] = 0;
	return replica_logs(0) ? -1 : 0;
}

int replica_manager_report(struct replica_stamp *s)
{
	s->body.tid = (uint32_t)replica_tid();
	return replica_report(&s->body);
}

int replica_manager_mark(void *self, struct replica_stamp *s)
{
	(void)self;
	if (!ready || !s)
		return -1;
	s->body.start = replica_clock(single(&replica_platform));
	s->body.end = s->body.start;
	s->body.event = 0;
	return replica_manager_report(s);
}

int replica_manager_push(void *self, struct replica_stamp *s)
{
	(void)self;
	if (!ready || !s)
		return -1;
	s->body.start = replica_clock(single(&replica_platform));
	return replica_stack_push(s);
}

int replica_manager_pop(void *self)
{
	struct replica_stamp *s = ready ? replica_stack_pop() : NULL;

	(void)self;
	if (!s)
		return -1;
	s->body.end = replica_clock(single(&replica_platform));
	s->body.event = 1;
	return replica_manager_report(s);
}

int replica_manager_range_start(void *self, struct replica_stamp *s, uint32_t *id)
{
	(void)self;
	if (!ready || !s || !id)
		return -1;
	s->body.start = replica_clock(single(&replica_platform));
	s->in_range = true;
	*id = s->index;
	return replica_logs(0) ? -1 : 0;
}

int replica_manager_range_stop(void *self, uint32_t id)
{
	struct replica_stamp *s = ready ? replica_of_id(id) : NULL;

	(void)self;
	if (!s)
		return -1;
	s->body.end = replica_clock(single(&replica_platform));
	s->body.event = 2;
	return replica_manager_report(s);
}

/* ---- what the implementation's library exports ---- */

void *replica_impl_create(void)
{
	return helper() ? NULL : replica_manager_create(single(&replica_manager));
}

void replica_impl_destroy(void *s)
{
	if (!helper() && s)
		replica_manager_destroy(single(&replica_manager), s);
}

int replica_impl_message(void *s, const char *text, uint32_t len)
{
	return helper() ? -1 : replica_manager_message(single(&replica_manager), s, text, len);
}

int replica_impl_mark(void *s)
{
	return helper() ? -1 : replica_manager_mark(single(&replica_manager), s);
}

int replica_impl_push(void *s)
{
	return helper() || !s ? -1 : replica_manager_push(single(&replica_manager), s);
}

int replica_impl_pop(void)
{
	return helper() ? -1 : replica_manager_pop(single(&replica_manager));
}

int replica_impl_range_start(void *s, uint32_t *id)
{
	return helper() || !s || !id ? -1 : replica_manager_range_start(single(&replica_manager), s, id);
}

int replica_impl_range_stop(uint32_t id)
{
	return helper() ? -1 : replica_manager_range_stop(single(&replica_manager), id);
}

/*
 * ---- what finds the implementation: functions looked up when they are first
 * called, by pointers of one object; and what programs call ----
 */

#define LAYER(result, name, parameters, arguments)                       \
	static result(*volatile found_##name) parameters;                \
	result replica_found_##name parameters                           \
	{                                                                \
		if (!found_##name)                                       \
			found_##name = replica_impl_##name;              \
		return found_##name arguments;                           \
	}                                                                \
	result replica_plugin_##name parameters                          \
	{                                                                \
		single(&replica_plugin);                                         \
		return replica_found_##name arguments;                   \
	}                                                                \
	result replica_##name parameters                                 \
	{                                                                \
		return replica_plugin_##name arguments;                  \
	}

LAYER(void *, create, (void), ())
LAYER(void, destroy, (void *s), (s))
LAYER(int, message, (void *s, const char *text, uint32_t len), (s, text, len))
LAYER(int, mark, (void *s), (s))
LAYER(int, push, (void *s), (s))
LAYER(int, pop, (void), ())
LAYER(int, range_start, (void *s, uint32_t *id), (s, id))
LAYER(int, range_stop, (uint32_t id), (id))

void replica_start(bool cached_tid)
{
	cached = cached_tid;
	if (ready)
		return;
	ring = malloc(SLOTS * sizeof(*ring));
	if (!ring)
		abort();
	memset(ring, 1, SLOTS * sizeof(*ring)); /* its pages are there from now on; zeros would be calloc(3)'s */
	for (uint32_t i = POOL; i--;) {
		pool[i].index = i;
		pool[i].body.magic = 0x5A5A;
		pool[i].body.pid = (uint32_t)getpid();
		pool[i].next = idle;
		idle = &pool[i];
	}
	idle_count = POOL;
	ring_ready = true;
	ready = true;
}
