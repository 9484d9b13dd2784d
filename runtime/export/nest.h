/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self times: of each range its duration less the ranges that lie directly in
 * it, of the same thread. Memory is bounded: ranges may come in any order among
 * NEST_WINDOW that follow each other, and of NEST_SIBLINGS that follow each
 * other in a thread the oldest are joined, two by two. Of ranges that overlap
 * and do not nest, none is part of the other. Not thread-safe.
 */
#ifndef ASCPROF_NEST_H
#define ASCPROF_NEST_H

#include <stddef.h>
#include <stdint.h>

#define NEST_WINDOW (1u << 18)
#define NEST_SIBLINGS (1u << 16)
#define NEST_THREADS (1u << 16) /* ranges of threads beyond count wholly as their own */

struct nest_range {
	int64_t start, end; /* ns; end >= start */
	uint64_t thread; /* pid << 32 | tid */
	uint64_t order; /* of appearance */
	uint32_t name; /* the caller's */
};

struct nest_thread;

struct nest {
	struct nest_range *window;
	size_t nr;
	uint64_t order;
	struct nest_thread *thread; /* open addressing */
	size_t nr_threads, room;
	void (*each)(void *arg, uint32_t name, uint64_t self);
	void *arg;
};

/* @each is called once for every range, until nest_end() returns. Return: -1 without memory. */
int nest_begin(struct nest *n, void (*each)(void *arg, uint32_t name, uint64_t self), void *arg);
int nest_add(struct nest *n, int64_t start, int64_t end, uint64_t thread, uint32_t name);
int nest_end(struct nest *n);
void nest_free(struct nest *n);

#endif /* ASCPROF_NEST_H */
