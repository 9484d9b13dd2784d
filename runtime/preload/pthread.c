/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded by ascprof record in front of the C library where calls of pthread functions are asked for:
 * each is passed on as it came, and libascprof is told of it (host/pthread_calls.h). A library of
 * its own, so that nobody else's calls go through it. pthread_exit does not return, and
 * pthread_once and spin locks are left out: calls so short would only measure us.
 *
 * A thread that is cancelled in one of them never comes back here: its call is not told.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "host/pthread_calls.h"

#define EXPORT __attribute__((visibility("default")))

/* libascprof looks for it. */
EXPORT extern const char ascprof_pthread_here;
const char ascprof_pthread_here = 1;

/* Looked up at the first call, since others call before our constructor would run. */
static void *find(_Atomic(void *) *place, const char *name, const char *version)
{
	void *f = atomic_load_explicit(place, memory_order_relaxed);

	if (f)
		return f;
	f = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
	if (!f)
		f = dlsym(RTLD_NEXT, name);
	atomic_store_explicit(place, f, memory_order_relaxed);
	return f;
}

/* Of condition variables x86 has an older kind, under the same names; the version script exports the newer. */
#if defined(__x86_64__) || defined(__i386__)
#define COND_VERSION "GLIBC_2.3.2"
#else
#define COND_VERSION NULL
#endif

/* ENOSYS: this C library has no such function, so that a program can only have looked for it. */
#define PASS(name, version, ...)                                                                \
	do {                                                                                    \
		static _Atomic(void *) place_;                                                  \
		__typeof__(&name) real_ = (__typeof__(&name))find(&place_, #name, version);     \
		uint64_t begin_ = ascprof_pthread_begin(__builtin_return_address(0));           \
		int ret_ = real_ ? real_(__VA_ARGS__) : ENOSYS;                                 \
		if (begin_)                                                                     \
			ascprof_pthread_end(begin_, #name, ret_);                               \
		return ret_;                                                                    \
	} while (0)

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	PASS(pthread_create, NULL, thread, attr, start, arg);
}

EXPORT int pthread_join(pthread_t thread, void **value)
{
	PASS(pthread_join, NULL, thread, value);
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	PASS(pthread_mutex_lock, NULL, m);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	PASS(pthread_mutex_trylock, NULL, m);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	PASS(pthread_mutex_timedlock, NULL, m, until);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	PASS(pthread_mutex_unlock, NULL, m);
}

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	PASS(pthread_cond_wait, COND_VERSION, c, m);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	PASS(pthread_cond_timedwait, COND_VERSION, c, m, until);
}

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	PASS(pthread_cond_signal, COND_VERSION, c);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	PASS(pthread_cond_broadcast, COND_VERSION, c);
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	PASS(pthread_rwlock_rdlock, NULL, l);
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	PASS(pthread_rwlock_tryrdlock, NULL, l);
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
	PASS(pthread_rwlock_timedrdlock, NULL, l, until);
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	PASS(pthread_rwlock_wrlock, NULL, l);
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	PASS(pthread_rwlock_trywrlock, NULL, l);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
	PASS(pthread_rwlock_timedwrlock, NULL, l, until);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	PASS(pthread_rwlock_unlock, NULL, l);
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	PASS(pthread_barrier_wait, NULL, b);
}

#if __GLIBC_PREREQ(2, 30) /* what std::condition_variable and std::timed_mutex wait with */
EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	PASS(pthread_cond_clockwait, NULL, c, m, clock, until);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	PASS(pthread_mutex_clocklock, NULL, m, clock, until);
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	PASS(pthread_rwlock_clockrdlock, NULL, l, clock, until);
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	PASS(pthread_rwlock_clockwrlock, NULL, l, clock, until);
}
#endif
