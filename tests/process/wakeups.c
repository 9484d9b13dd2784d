// SPDX-License-Identifier: Apache-2.0
/*
 * When the flusher wakes: never while nothing is annotated, a few times for each
 * tenth of a second in which little is, and at every quarter of a ring that a
 * fast thread fills.
 */
#include "prof.h"
#include "t.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#define RING (32u << 20)
#define RECORD (24 + 128) /* bytes of a mark with a message of 127 */

static atomic_uint wakes;

#pragma GCC visibility push(default)

/* Annotations write to the flusher's eventfd alone, and not by write(), which threads can be cancelled in. */
long syscall(long number, ...)
{
	static _Thread_local char link[64];
	static long (*real)(long, ...);
	long a[6];
	va_list ap;
	ssize_t n;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_write) {
		n = readlink(t_path("/proc/self/fd/%ld", a[0]), link, sizeof(link) - 1);
		if (n > 0 && !strncmp(link, "anon_inode:[eventfd]", 20))
			atomic_fetch_add(&wakes, 1);
	}
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#pragma GCC visibility pop

/* How often a thread slept so far. */
static long sleeps(pid_t thread)
{
	FILE *file = fopen(t_path("/proc/self/task/%d/status", thread), "r");
	long count = -1;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "voluntary_ctxt_switches: %ld", &count);
	if (file)
		fclose(file);
	return count;
}

static void quiet(pid_t thread, const char *when)
{
	long before, after = sleeps(thread);
	int tries = 0;

	t_check(after >= 0, "no count of wake-ups");
	/* What was recorded is written and, within a second, accounted for; on a slow disk later. */
	do {
		before = after;
		t_sleep_us(1500000);
		after = sleeps(thread);
	} while (after != before && ++tries < 10);
	t_equal(after, before, "wake-ups %s", when);
}

static void slow(pid_t thread, void *stamp)
{
	long before = sleeps(thread);

	for (int i = 0; i < 100; i++) {
		t_code(aclprofMark(stamp), 0);
		t_sleep_us(10000);
	}
	/* woken, writing begins, and has ended; once a second the account */
	t_check(sleeps(thread) - before < 80, "%ld wake-ups for 100 marks in a second", sleeps(thread) - before);
}

static void fast(void)
{
	const unsigned int marks = 3 * (RING / RECORD);
	unsigned int quarters = (unsigned int)((uint64_t)marks * RECORD / (RING / 4));
	char text[128];
	void *stamp;

	memset(text, 'f', 127);
	text[127] = 0;
	stamp = t_stamp(text);
	atomic_store(&wakes, 0);
	for (unsigned int i = 0; i < marks; i++)
		t_code(aclprofMark(stamp), 0);
	aclprofDestroyStamp(stamp);
	t_check(atomic_load(&wakes) >= quarters, "woken %u times for %u quarters of a ring", atomic_load(&wakes),
		quarters);
}

int main(void)
{
	const char *dir = t_dir();
	aclprofConfig *config;
	pid_t thread;
	void *stamp;

	setenv("ASCPROF_ON_FULL", "wait", 1);
	config = t_start(dir);
	thread = t_flusher();
	quiet(thread, "after Start");
	stamp = t_stamp("a mark");
	t_code(aclprofMark(stamp), 0);
	quiet(thread, "after a mark");
	slow(thread, stamp);
	quiet(thread, "after some marks");
	fast();
	quiet(thread, "after many marks");
	aclprofDestroyStamp(stamp);
	t_stop(config);
	prof_check(dir, "", NULL);
	return t_end();
}
