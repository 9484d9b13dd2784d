#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls of pthread functions, where they are asked for: each one that a program makes is
# recorded, once, with its result, and does what it does without us. Who does not ask has none.
# TOP, BUILD: the source and build folders
set -eu

top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/lib/clients.sh
. "$top/tests/lib/clients.sh"
ascprof=$build/bin/ascprof
unset LD_LIBRARY_PATH LD_PRELOAD ASCPROF_LOG
cd "$work"

# calls OUT NAME RESULT: how many are in its files
calls()
{
	cat "$1"/PROF_*/host/data/host_pthreadcall.data.slice_* | grep -Ec -- "->$2\(\) = $3 <" || true
}
# expect OUT NAME RESULT N
expect()
{
	n=$(calls "$1" "$2" "$3")
	[ "$n" = "$4" ] || fail "$1: $n calls of $2 with the result $3, expected $4"
}
# whole OUT [--dropped]: the checkers of the tests take it
whole()
{
	python3 "$top/tests/process/profdir.py" ${2:-} "$1" >log || fail "$1: $(cat log)"
	for prof in "$1"/PROF_*; do
		python3 "$top/tests/process/hostcheck.py" "$prof" >log || fail "$prof: $(cat log)"
	done
}

cat >early.c <<'END'
#include <pthread.h>
/* before main(), and before whatever was loaded in front of us begins */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *nothing(void *arg) { return arg; }
__attribute__((constructor)) static void early(void)
{
	pthread_t thread;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	if (!pthread_create(&thread, NULL, nothing, NULL))
		pthread_join(thread, NULL);
}
END
$cc -shared -fPIC -o libearly.so early.c -pthread

cat >all.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TURNS 100
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, heap = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static int turn, waiting;

/* An allocator that locks, as others do: whoever is told of calls must not need it. */
extern void *__libc_malloc(size_t size);
void *malloc(size_t size)
{
	void *p;
	pthread_mutex_lock(&heap);
	p = __libc_malloc(size);
	pthread_mutex_unlock(&heap);
	return p;
}
static void unlock(void *arg) { pthread_mutex_unlock(arg); }
static void take(int own)
{
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&mutex);
		while (turn != own)
			pthread_cond_wait(&cond, &mutex);
		turn = !own;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&mutex);
	}
	pthread_barrier_wait(&barrier);
}
static void *second(void *arg) { take(1); return arg; }
static void *for_ever(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	waiting = 1;
	pthread_cond_signal(&cond);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return arg;
}
int main(void)
{
	struct timespec past = { 1, 0 };
	pthread_t thread;
	void *value;
	int status;

	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, second, NULL))
		return 1;
	take(0);
	if (pthread_join(thread, &value) || value)
		return 2;
	for (int i = 0; i < 1000; i++)
		if (pthread_rwlock_rdlock(&rwlock) || pthread_rwlock_unlock(&rwlock))
			return 3;
	if (pthread_rwlock_wrlock(&rwlock) || pthread_rwlock_tryrdlock(&rwlock) != EBUSY || pthread_rwlock_unlock(&rwlock))
		return 4;
	if (pthread_mutex_trylock(&mutex) || pthread_mutex_trylock(&mutex) != EBUSY ||
	    pthread_mutex_timedlock(&mutex, &past) != ETIMEDOUT)
		return 5;
	if (pthread_cond_timedwait(&cond, &mutex, &past) != ETIMEDOUT)
		return 6;
	pthread_mutex_unlock(&mutex);
	/* cancelled inside of one, whose mutex is then free again */
	pthread_mutex_lock(&mutex);
	if (pthread_create(&thread, NULL, for_ever, NULL))
		return 7;
	while (!waiting)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	pthread_cancel(thread);
	if (pthread_join(thread, &value) || value != PTHREAD_CANCELED || pthread_mutex_trylock(&mutex))
		return 8;
	pthread_mutex_unlock(&mutex);
	if (!fork()) {
		for (int i = 0; i < 500; i++)
			if (pthread_rwlock_wrlock(&rwlock) || pthread_rwlock_unlock(&rwlock))
				_exit(9);
		free(malloc(1)); /* has its locks */
		exit(0);
	}
	if (wait(&status) < 0 || status)
		return 10;
	errno = ENOTTY;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return errno == ENOTTY ? 42 : 11;
}
END
$cc -o all all.c -pthread -L. -Wl,--no-as-needed -learly -Wl,-rpath,.

code=0
"$ascprof" record -q -o asked --host-sys osrt ./all 2>asked.err || code=$?
[ $code = 42 ] || fail "all: exit $code: $(cat asked.err)"
whole asked
expect asked pthread_create 0 2
expect asked pthread_join 0 2
expect asked pthread_cond_broadcast 0 200
expect asked pthread_cond_signal 0 1
expect asked pthread_cond_timedwait 110 1
expect asked pthread_barrier_wait 0 1
expect asked pthread_barrier_wait -1 1
expect asked pthread_rwlock_rdlock 0 1000
expect asked pthread_rwlock_wrlock 0 1
expect asked pthread_rwlock_tryrdlock 16 1
expect asked pthread_rwlock_unlock 0 1001
expect asked pthread_mutex_trylock 0 2
expect asked pthread_mutex_trylock 16 1
expect asked pthread_mutex_timedlock 110 1
[ "$(calls asked pthread_cond_wait 0)" -gt 0 ] || fail "nobody waited"
"$ascprof" verify asked/PROF_* >log || fail "verify: $(cat log)"
"$ascprof" export -q -f csv -o csv asked/PROF_*
grep -Eq '^host,[0-9]+,[0-9]+,pthread_rwlock_rdlock,[^,]*,[^,]*,1000,' csv/os_runtime_statistic.csv ||
	fail "os_runtime_statistic.csv: $(cat csv/os_runtime_statistic.csv)"

# who does not ask has nothing in front of the C library's functions
# shellcheck disable=SC2016
preloaded=$("$ascprof" record -q -o not-asked --host-sys cpu,mem sh -c 'echo "$LD_PRELOAD"')
case $preloaded in
*pthread*) fail "preloaded without being asked for: $preloaded" ;;
esac
code=0
"$ascprof" record -q -o not-asked --host-sys cpu,mem ./all 2>log || code=$?
[ $code = 42 ] || fail "not asked: exit $code"
[ -z "$(find not-asked -name '*pthread*')" ] || fail "not asked for, and there"

# ---- a program with sessions of its own ----

cat >own.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <acl/acl_prof.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock(long n)
{
	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}
static void *other(void *arg) { lock(*(long *)arg); return NULL; }
/* own FOLDER CALLS */
int main(int argc, char **argv)
{
	long n = argc == 3 ? atol(argv[2]) : 0;
	aclprofConfig *config = aclprofCreateConfig(NULL, 0, 0, NULL, ACL_PROF_MSPROFTX);
	pthread_t thread;

	lock(10); /* before, between and after: not recorded */
	if (aclprofInit(argv[1], __builtin_strlen(argv[1])) || aclprofSetConfig(ACL_PROF_HOST_SYS, "osrt", 4))
		return 1;
	for (int i = 0; i < 2; i++) {
		if (aclprofStart(config))
			return 2;
		if (pthread_create(&thread, NULL, other, &n))
			return 3;
		lock(n);
		pthread_join(thread, NULL);
		if (aclprofStop(config))
			return 4;
		lock(10);
	}
	return aclprofFinalize();
}
END
$cc -I"$top/runtime/include" -o own own.c -L"$build" -lascprof -Wl,-rpath,"$build" -pthread

pthread=$build/ascprof/libascprof_pthread.so
LD_PRELOAD=$pthread ./own few 100
whole few
for prof in few/PROF_*; do
	n=$(grep -c 'pthread_mutex_lock' "$prof/host/data/host_pthreadcall.data.slice_0")
	[ "$n" = 200 ] || fail "$prof: $n calls, expected 200"
done
# as fast as it goes: what finds no room is counted
LD_PRELOAD=$pthread ./own many 300000 2>many.err
whole many --dropped
python3 - many/PROF_*/ascprof.json >log <<'END' || fail "many: $(cat log)"
import json, sys
for path in sys.argv[1:]:
    account = next(a for a in json.load(open(path))["accounting"] if a["kind"] == "pthread")
    lost = sum(account["dropped"].values())
    print(account)
    if account["produced"] != 1200002 or account["written"] + lost != account["produced"]:    # create and join, too
        sys.exit(1)
END
# without it they are missed, and that is told
./own none 10
[ -z "$(find none -name '*pthread*')" ] || fail "there are calls, and nobody to tell of them"
grep -q 'pthread calls: libascprof_pthread.so is not preloaded' none/PROF_*/ascprof.json ||
	fail "ascprof.json does not say why there are none"

exit $failed
