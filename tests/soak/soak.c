// SPDX-License-Identifier: Apache-2.0
/*
 * soak [MINUTES]		default 60
 *
 * For so long, in rounds of some seconds: sessions begin and end at random, threads come and
 * go, children are forked that record or do not, signal handlers annotate, and the disk is full
 * now and then. The accounts of each directory hold; descriptors, threads, mappings, address
 * space and the heap stay what they were after the first rounds, and so does resident
 * memory but for rings that fill for the first time.
 */
#include "tests/process/prof.h"
#include "tests/process/t.h"

#include "mstx/ms_tools_ext.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/time.h>

#define THREADS 12
#define WARM 8 /* rounds */
#define ROUND_MS 3000
#define DISK_MB 96
#define RING_KB (32 << 10)

static struct totals {
	unsigned int rounds, sessions, forks, checked;
	unsigned long produced, dropped;
} totals;

static atomic_bool ended;
static atomic_uint signals;
static void *_Atomic handler_stamp, *last_stamp;
static unsigned int seed;
static bool small_disk;

struct resources {
	unsigned int fds, threads;
	long address_kb, resident_kb;
	size_t heap;
};

static struct resources measure(void)
{
	struct mallinfo2 m = mallinfo2();

	return (struct resources){ t_count_fds(), t_count_threads(1), t_status_kb("VmSize"), t_status_kb("VmRSS"),
				   m.uordblks + m.hblkhd };
}

static void annotate(void *stamp, unsigned int i)
{
	uint32_t id;

	aclprofMark(stamp);
	if (!aclprofPush(stamp) && i % 7)
		aclprofPop();
	if (!aclprofRangeStart(stamp, &id) && i % 11)
		aclprofRangeStop(id);
	mstxMarkA("soak", NULL);
	mstxRangeEnd(mstxRangeStartA("a range of soak", NULL));
}

static void *one_thread(void *arg)
{
	unsigned int state = (unsigned int)(uintptr_t)arg, left = 1 + t_random(&state, 400);

	for (unsigned int i = 0; left && !atomic_load(&ended); i++) {
		void *stamp = aclprofCreateStamp();

		if (stamp) {
			aclprofSetStampTraceMessage(stamp, "soak", 4);
			annotate(stamp, i);
			aclprofDestroyStamp(stamp);
			left--;
		}
		t_sleep_us(t_random(&state, 300));
	}
	return NULL;
}

/* Threads that end are followed by others. */
static void *churn(void *arg)
{
	unsigned int state = (unsigned int)(uintptr_t)arg;
	pthread_t thread;

	while (!atomic_load(&ended)) {
		if (pthread_create(&thread, NULL, one_thread, (void *)(uintptr_t)t_random(&state, 1u << 30)))
			continue;
		pthread_join(thread, NULL);
	}
	return NULL;
}

static void mark_in_handler(int number)
{
	void *stamp = atomic_load(&handler_stamp);

	(void)number;
	atomic_fetch_add(&signals, 1);
	if (stamp)
		aclprofMark(stamp);
}

/* A child that records, or calls without a session, and goes by one of its ways. */
static void fork_one(const char *dir)
{
	unsigned int way = t_random(&seed, 3);
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid) {
		t_equal(t_wait(pid), 0, "a child");
		totals.forks++;
		return;
	}
	t_forked(60);
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
	aclprofMark(NULL);
	if (way == 0) {
		aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 0);
		aclError code = t_init(dir);

		if (!code && !aclprofStart(config)) {
			annotate(t_stamp("child"), 1);
			aclprofStop(config);
		}
	}
	_exit(t_end());
}

static void fill_disk(const char *dir, unsigned int left_mb)
{
	static char zeros[1 << 16];
	int fd = open(t_path("%s/ballast", dir), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct statvfs v;

	while (!fstatvfs(fd, &v) && v.f_bavail * v.f_frsize > (unsigned long)left_mb << 20)
		if (write(fd, zeros, sizeof(zeros)) != (ssize_t)sizeof(zeros))
			break;
	close(fd);
}

static void check(const char *dir)
{
	struct prof_list list;

	prof_find(&list, dir);
	for (size_t i = 0; i < list.count; i++) {
		static const char *const kinds[] = { "mark", "push_pop", "range", "mstx_mark", "mstx_range" };

		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			struct prof_account a;

			prof_account(&a, list.path[i], kinds[k]);
			t_check(!a.running && a.produced == a.written + a.dropped,
				"%s in %s: %lu produced, %lu written, %lu dropped", kinds[k], list.path[i], a.produced,
				a.written, a.dropped);
			totals.produced += a.produced;
			totals.dropped += a.dropped;
		}
		totals.checked++;
		if (t_random(&seed, 8) == 0)
			t_equal(prof_export(list.path[i]), 0, "status of ascprof export %s", list.path[i]);
		t_remove(list.path[i]);
	}
	prof_free(&list);
}

static void run_round(const char *dir)
{
	struct itimerval timer = { { 0, 3000 }, { 0, 3000 } }, off = { { 0, 0 }, { 0, 0 } };
	aclprofConfig *config = t_config(ACL_PROF_MSPROFTX, 1, 0);
	/* all of them at first: each has a ring, and the C library's allocator a piece of address space */
	unsigned int threads = totals.rounds < WARM ? THREADS : 1 + t_random(&seed, THREADS);
	uint64_t until = t_raw_ns() + ROUND_MS * 1000000ull;
	pthread_t thread[THREADS];

	atomic_store(&ended, false);
	for (unsigned int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, churn, (void *)(uintptr_t)t_random(&seed, 1u << 30));
	setitimer(ITIMER_REAL, &timer, NULL);
	t_stderr_begin(); /* a full disk is told */
	while (t_raw_ns() < until && !t_init(dir)) {
		if (small_disk && t_random(&seed, 4) == 0)
			fill_disk(dir, 20 + t_random(&seed, 4));
		for (unsigned int n = t_random(&seed, 6); n; n--) {
			if (aclprofStart(config))
				break;
			totals.sessions++;
			if (small_disk && t_random(&seed, 8) == 0)
				fill_disk(dir, 1); /* while it records */
			atomic_store(&handler_stamp, t_stamp("in a handler"));
			/* no handler has it any more; a stamp that nobody destroys would be memory that grows */
			aclprofDestroyStamp(last_stamp);
			last_stamp = atomic_load(&handler_stamp);
			t_sleep_us(t_random(&seed, 60000));
			if (t_random(&seed, 3) == 0)
				fork_one(dir);
			atomic_store(&handler_stamp, NULL);
			if (t_random(&seed, 5))
				aclprofStop(config);
		}
		aclprofFinalize();
		unlink(t_path("%s/ballast", dir));
	}
	t_stderr_end();
	setitimer(ITIMER_REAL, &off, NULL);
	atomic_store(&ended, true);
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	aclprofDestroyConfig(config);
	check(dir);
	totals.rounds++;
}

static void greatest(struct resources *of, const struct resources *r)
{
	of->fds = r->fds > of->fds ? r->fds : of->fds;
	of->threads = r->threads > of->threads ? r->threads : of->threads;
	of->address_kb = r->address_kb > of->address_kb ? r->address_kb : of->address_kb;
	of->resident_kb = r->resident_kb > of->resident_kb ? r->resident_kb : of->resident_kb;
	of->heap = r->heap > of->heap ? r->heap : of->heap;
}

static void print(const char *when, const struct resources *r)
{
	printf("%s: %u descriptors, %u threads, %ld MB of addresses, %ld MB resident, %zu kB of heap\n", when, r->fds,
	       r->threads, r->address_kb >> 10, r->resident_kb >> 10, r->heap >> 10);
	fflush(stdout);
}

/* A small file system where one can be mounted, so that disks are full. */
static void mount_small(const char *dir)
{
	small_disk = !geteuid() && !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		     !mount("tmpfs", dir, "tmpfs", 0, t_path("size=%um,mode=0755", DISK_MB));
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = mark_in_handler, .sa_flags = SA_RESTART };
	double minutes = argc > 1 ? strtod(argv[1], NULL) : 60;
	uint64_t until = t_raw_ns() + (uint64_t)(minutes * 60e9);
	struct resources warm = { 0 }, last = { 0 };
	const char *dir = t_dir();

	seed = (unsigned int)getpid();
	printf("seed %u\n", seed);
	mount_small(dir);
	sigaction(SIGALRM, &action, NULL);
	while (t_raw_ns() < until || totals.rounds < 2 * WARM) {
		struct resources r;

		run_round(dir);
		r = measure();
		if (totals.rounds <= WARM)
			greatest(&warm, &r);
		last = r;
		if (totals.rounds % 20 == WARM)
			print(t_path("round %u", totals.rounds), &r);
		if (totals.rounds <= WARM)
			continue;
		t_check(r.fds <= warm.fds, "%u descriptors, %u before", r.fds, warm.fds);
		t_check(r.threads <= warm.threads, "%u threads, %u before", r.threads, warm.threads);
		t_check(r.heap <= warm.heap + (1 << 20), "%zu bytes of heap, %zu before", r.heap, warm.heap);
		/* of threads that ended after the last session, each has a ring until the next: now none, later all */
		t_check(r.address_kb <= warm.address_kb + (THREADS + 2) * RING_KB, "%ld kB of addresses, %ld before",
			r.address_kb, warm.address_kb);
		t_check(r.resident_kb <= warm.resident_kb + (long)(THREADS + 2) * RING_KB, "%ld kB resident, %ld before",
			r.resident_kb, warm.resident_kb);
	}
	print("at first", &warm);
	print("at last", &last);
	printf("soak: %.0f minutes, %u rounds, %u sessions, %u forks, %u signals, %u directories, %lu events, %lu dropped%s; "
	       "%u failures\n", minutes, totals.rounds, totals.sessions, totals.forks, atomic_load(&signals), totals.checked,
	       totals.produced, totals.dropped, small_disk ? "" : ", no small disk", t_failures());
	return t_end();
}
