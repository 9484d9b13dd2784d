// SPDX-License-Identifier: Apache-2.0
/*
 * What an annotation costs, in one run with what it is compared to:
 * annotate DIRECTORY
 *
 * All kinds of loop are timed in turn, batch after batch, and the median batch
 * counts; so it is with rounds of whole sessions, which go to disk. Compare ratios
 * of one run, not nanoseconds of different days.
 */
#include <acl/acl_prof.h>

#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "tests/bench/bench.h"
#include "tests/bench/empty.h"
#include "tests/bench/quiet.h"
#include "tests/bench/replica.h"

#define BATCH 256
#define OFF_BATCH 4096 /* reading the clock must not be seen in calls of two nanoseconds */
#define ROUNDS 600
#define IN_A_ROW 4
#define WARM 3000 /* batches: 37 MB of records */
#define SHORT 32 /* calls of a batch whose p99 is looked at */
#define SHORTS 20000
#define MARKS 400000 /* at full speed, into an empty ring */
#define BURSTS 4
#define DRAIN_US 160000 /* until a burst is on disk: the flusher waits 100 ms for more */
#define DISK_ROUNDS 18

static const char message[] = "forward/layer_04/abc";
static volatile uint64_t sink;

/* ---- the loops ---- */

static void *stamp(void)
{
	void *s = aclprofCreateStamp();

	aclprofSetStampTraceMessage(s, message, sizeof(message) - 1);
	return s;
}

static void *replica_stamp(void)
{
	void *s = replica_create();

	replica_message(s, message, sizeof(message) - 1);
	return s;
}

/* Nanoseconds of one turn of a loop, which has the calls in it as programs have. */
#define LOOP_OF(name, turns, turn)                             \
	static double name(void)                               \
	{                                                      \
		uint64_t begin = bench_ns();                   \
							       \
		for (int i = 0; i < (turns); i++) {            \
			turn                                   \
		}                                              \
		return (double)(bench_ns() - begin) / (turns); \
	}
#define LOOP(name, turn) LOOP_OF(name, BATCH, turn)

LOOP(clock_loop, sink = bench_ticks();)
LOOP_OF(bare_loop, OFF_BATCH, __asm__ volatile("");)
LOOP_OF(empty_loop, OFF_BATCH, void *s = bench_empty_create(); bench_empty_message(s, message, sizeof(message) - 1);
	bench_empty_call(s); bench_empty_call(s);)
LOOP_OF(off_loop, OFF_BATCH, void *s = stamp(); aclprofMark(s); aclprofDestroyStamp(s);)
LOOP(mark_loop, void *s = stamp(); aclprofMark(s); aclprofDestroyStamp(s);)
LOOP(push_pop_loop, void *s = stamp(); aclprofPush(s); aclprofPop(); aclprofDestroyStamp(s);)
LOOP(range_loop, void *s = stamp(); uint32_t id; aclprofRangeStart(s, &id); aclprofRangeStop(id); aclprofDestroyStamp(s);)
LOOP(replica_mark_loop, void *s = replica_stamp(); replica_mark(s); replica_destroy(s);)
LOOP(replica_push_pop_loop, void *s = replica_stamp(); replica_push(s); replica_pop(); replica_destroy(s);)
LOOP(replica_range_loop, void *s = replica_stamp(); uint32_t id; replica_range_start(s, &id); replica_range_stop(id);
     replica_destroy(s);)

static double replica_cached_loop(void)
{
	double ns;

	replica_start(true);
	ns = replica_mark_loop();
	replica_start(false);
	return ns;
}

#if HAVE_LTTNG
void bench_lttng(const char *message);

LOOP(lttng_loop, bench_lttng(message);)
#endif

enum { CLOCK, MARK, PUSH_POP, RANGE, R_MARK, R_PUSH_POP, R_RANGE, R_CACHED, LTTNG, LOOPS };

static double (*const loops[LOOPS])(void) = {
	[CLOCK] = clock_loop,
	[MARK] = mark_loop,
	[PUSH_POP] = push_pop_loop,
	[RANGE] = range_loop,
	[R_MARK] = replica_mark_loop,
	[R_PUSH_POP] = replica_push_pop_loop,
	[R_RANGE] = replica_range_loop,
	[R_CACHED] = replica_cached_loop,
#if HAVE_LTTNG
	[LTTNG] = lttng_loop,
#endif
};

static double batch_ns[LOOPS][ROUNDS];
static double ns[LOOPS]; /* of one turn */

static void measure(void)
{
	for (int r = 0; r < ROUNDS; r += IN_A_ROW)
		for (int l = 0; l < LOOPS && loops[l]; l++) {
			loops[l](); /* what the other kinds threw out of the caches comes back */
			for (int i = 0; i < IN_A_ROW; i++)
				batch_ns[l][r + i] = loops[l]();
		}
	for (int l = 0; l < LOOPS; l++)
		ns[l] = bench_quantile(batch_ns[l], ROUNDS, 0.5);
}

/* Once through the ring: its memory is there from then on. */
static void warm_up(void)
{
	for (int i = 0; i < WARM; i++) {
		mark_loop();
		if (i % 1000 == 999)
			usleep(50000); /* the flusher catches up */
	}
}

/* ---- two threads ---- */

static double short_ns[2][SHORTS];

static void *short_batches(void *arg)
{
	double *out = arg;

	for (int r = 0; r < SHORTS; r++) {
		uint64_t begin = bench_ns();

		for (int i = 0; i < SHORT; i++) {
			void *s = stamp();

			aclprofMark(s);
			aclprofDestroyStamp(s);
		}
		out[r] = (double)(bench_ns() - begin) / SHORT;
		if (r % 2000 == 0)
			usleep(2000); /* the flusher catches up */
	}
	return NULL;
}

static double p99_of(int threads)
{
	pthread_t other;
	double worst = 0;

	if (threads > 1 && pthread_create(&other, NULL, short_batches, short_ns[1]))
		exit(1);
	short_batches(short_ns[0]);
	if (threads > 1)
		pthread_join(other, NULL);
	for (int t = 0; t < threads; t++) {
		double p99 = bench_quantile(short_ns[t], SHORTS, 0.99);

		worst = p99 > worst ? p99 : worst;
	}
	return worst;
}

/* ---- the whole way ---- */

static aclprofConfig *config;

static uint64_t bytes_below(const char *path)
{
	char name[4096];
	uint64_t sum = 0;
	DIR *d = opendir(path);
	struct stat st;

	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		if (e->d_name[0] == '.' || lstat(name, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			sum += bytes_below(name);
		else if (strstr(e->d_name, "msproftx.slice_") && !strstr(e->d_name, ".done"))
			sum += (uint64_t)st.st_size;
	}
	if (d)
		closedir(d);
	return sum;
}

static const char *directory;

/*
 * Room for the next round. Names stay: some file systems search long for a new
 * one's inode where many went a moment ago.
 */
static int empty_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	return type == FTW_F ? truncate(path, 0) : 0;
}

static void empty_all(void)
{
	if (nftw(directory, empty_one, 16, FTW_PHYS))
		exit(1);
}

/*
 * What is taken to disk, and what a mark of it takes: bytes, and processor time of the whole
 * process, of bursts that the quietest third counts of, and of beginning and ending a session.
 */
static struct way {
	const char *layout;
	bool different;
	struct quiet_value burst_ns[DISK_ROUNDS * BURSTS], session_ns[DISK_ROUNDS]; /* of a mark */
	double bytes[DISK_ROUNDS];
} ways[] = { { .layout = "native" }, { .layout = "prof" }, { .layout = "native", .different = true } };

enum { NATIVE, ROWS, DIFFERENT, WAYS };

static void mark_all(const struct way *way, int first)
{
	char text[64] = "forward/layer_04/abc";

	for (int i = 0; i < MARKS; i++) {
		void *s = aclprofCreateStamp();
		uint32_t len = sizeof(message) - 1;

		if (way->different)
			len = (uint32_t)snprintf(text, sizeof(text), "iteration %011d", first + i);
		aclprofSetStampTraceMessage(s, text, len);
		if (aclprofMark(s))
			exit(1);
		aclprofDestroyStamp(s);
	}
}

/* How slow the machine was from the last look to this one */
static double slowness(double *last)
{
	double before = *last;

	*last = quiet_slowness();
	return before > *last ? before : *last;
}

static double end_session(void)
{
	double cpu = bench_cpu();

	if (aclprofStop(config))
		exit(1);
	return bench_cpu() - cpu;
}

static void to_disk(struct way *way, int round)
{
	double last = quiet_slowness(), cpu, session;

	setenv("ASCPROF_LAYOUT", way->layout, 1);
	cpu = bench_cpu();
	if (aclprofStart(config))
		exit(1);
	session = bench_cpu() - cpu;
	for (int b = 0; b < BURSTS; b++) {
		struct quiet_value *v = &way->burst_ns[round * BURSTS + b];

		cpu = bench_cpu();
		mark_all(way, b * MARKS);
		usleep(DRAIN_US);
		v->value = (bench_cpu() - cpu) * 1e9 / MARKS;
		v->slowness = slowness(&last);
	}
	session += end_session();
	way->session_ns[round] = (struct quiet_value){ session * 1e9 / (BURSTS * MARKS), slowness(&last) };
	way->bytes[round] = (double)bytes_below(directory) / (BURSTS * MARKS);
	empty_all();
}

/* All ways in turn, round after round; what the first round finds missing is there in those that count. */
static void all_to_disk(void)
{
	setenv("ASCPROF_ON_FULL", "wait", 1); /* a disk that is slow is no reason to measure less */
	empty_all();
	for (int r = -1; r < DISK_ROUNDS; r++)
		for (int w = 0; w < WAYS; w++)
			to_disk(&ways[w], r < 0 ? 0 : r);
}

static void cpu_row(const char *what, struct way *way, double must, double aim)
{
	double burst, session, slow, session_slow;
	char how[128];

	burst = quiet_median(way->burst_ns, DISK_ROUNDS * BURSTS, &slow);
	session = quiet_median(way->session_ns, DISK_ROUNDS, &session_slow);
	snprintf(how, sizeof(how), "less is better (%.1f of it start and stop; the machine up to %.2f times slower)",
		 session, slow > session_slow ? slow : session_slow);
	bench_row(what, burst + session, "ns", must, aim, how);
}

static void bytes_row(const char *what, struct way *way, double must, double aim)
{
	double median = bench_quantile(way->bytes, DISK_ROUNDS, 0.5);
	char how[64];

	snprintf(how, sizeof(how), "less is better (%.1f to %.1f)", way->bytes[0], way->bytes[DISK_ROUNDS - 1]);
	bench_row(what, median, "bytes", must, aim, how);
}

/* One of four calls in a loop, without what the loop itself takes. */
static double of_four(double with[ROUNDS], double bare[ROUNDS])
{
	return (bench_quantile(with, ROUNDS, 0.5) - bench_quantile(bare, ROUNDS, 0.5)) / 4;
}

int main(int argc, char **argv)
{
	double bare[ROUNDS], off[ROUNDS], empty[ROUNDS], p99[2];

	if (argc != 2) {
		fputs("usage: annotate DIRECTORY\n", stderr);
		return 2;
	}
	directory = argv[1];
	config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
	if (!config || aclprofInit(directory, strlen(directory)))
		return 1;
	for (int r = 0; r < ROUNDS; r++) {
		bare[r] = bare_loop();
		off[r] = off_loop();
		empty[r] = empty_loop();
	}
	replica_start(false);
	if (aclprofStart(config))
		return 1;
	usleep(400000); /* an LTTng session finds this program */
	warm_up();
	measure();
	p99_of(2); /* for the other thread's ring, which is in use for the first time */
	p99[0] = p99_of(1);
	p99[1] = p99_of(2);
	if (aclprofStop(config))
		return 1;

	puts("annotations, text of 20 bytes:");
	bench_row("create, message, mark, destroy above a clock read", ns[MARK] - ns[CLOCK], "ns", 5, 2, "less is better");
	bench_row("mark cycle: the conventional design takes", ns[R_MARK] / ns[MARK], "times", 14, 18, "");
	bench_row("the same, its thread number cached", ns[R_CACHED] / ns[MARK], "times", 7, 9, "");
	printf("  (no library that reads this clock once could show more than %.2f times: a mark takes at least as long)\n",
	       ns[R_CACHED] / ns[CLOCK]);
	bench_row("push/pop cycle: the conventional design takes", ns[R_PUSH_POP] / ns[PUSH_POP], "times", 8, 11, "");
	bench_row("range cycle: the conventional design takes", ns[R_RANGE] / ns[RANGE], "times", 8, 11, "");
	if (loops[LTTNG] && getenv("BENCH_LTTNG"))
		bench_row("mark cycle: an LTTng-UST event (text, int, vtid) takes", ns[LTTNG] / ns[MARK], "times", 5, 7, "");
	bench_row("p99 of two threads against one", p99[1] / p99[0], "times", 2, 1.3, "less is better");
	bench_row("profiling off, a call", of_four(off, bare), "ns", 2, 1, "less is better");
	printf("  (the same calls of a library whose functions are empty: %.2f ns; the loop around them is taken off)\n",
	       of_four(empty, bare));
	printf("  (clock %.1f, mark %.1f, push/pop %.1f, range %.1f, conventional %.1f, %.1f, %.1f, cached %.1f ns)\n",
	       ns[CLOCK], ns[MARK], ns[PUSH_POP], ns[RANGE], ns[R_MARK], ns[R_PUSH_POP], ns[R_RANGE], ns[R_CACHED]);

	all_to_disk();
	cpu_row("processor time of a mark, native layout", &ways[NATIVE], 25, 16);
	cpu_row("processor time of a mark, vendor's rows", &ways[ROWS], 90, 60);
	puts("  (medians of the third of bursts before and after which a fixed loop was least slowed by others)");
	bytes_row("bytes of a mark, native layout, one text", &ways[NATIVE], 10, 6);
	bytes_row("bytes of a mark, native layout, all texts different", &ways[DIFFERENT], 20, 13);
	aclprofDestroyConfig(config);
	return aclprofFinalize() != 0;
}
