/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an annotation costs: annotate [DIRECTORY]
 *
 * Each kind of loop is timed in batches of 256 calls, all kinds in turn, round
 * after round, and the median batch counts, so that what else the machine does
 * spoils single batches only. Times are given in nanoseconds and as a multiple
 * of one clock read in the same run; compare the multiples, not nanoseconds of
 * different days. The last line is the whole way to disk: processor time of
 * this process, flusher included, for each annotation.
 */
#include <acl/acl_prof.h>
#include <mstx/ms_tools_ext.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define BATCH 256
#define ROUNDS 400

static const char message[] = "forward/layer_04/abc";
static void *kept;
static volatile uint64_t sink;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void clock_read(void)
{
	sink = now();
}

static void *stamp(void)
{
	void *s = aclprofCreateStamp();

	aclprofSetStampTraceMessage(s, message, sizeof(message) - 1);
	return s;
}

static void mark(void)
{
	void *s = stamp();

	aclprofMark(s);
	aclprofDestroyStamp(s);
}

static void push_pop(void)
{
	void *s = stamp();

	aclprofPush(s);
	aclprofPop();
	aclprofDestroyStamp(s);
}

static void range(void)
{
	void *s = stamp();
	uint32_t id;

	aclprofRangeStart(s, &id);
	aclprofRangeStop(id);
	aclprofDestroyStamp(s);
}

static void mark_kept(void)
{
	aclprofMark(kept);
}

static void mstx_mark(void)
{
	mstxMarkA(message, NULL);
}

static void mstx_range(void)
{
	mstxRangeEnd(mstxRangeStartA(message, NULL));
}

static const struct loop {
	const char *name;
	void (*call)(void);
} loops[] = {
	{ "clock read", clock_read },
	{ "mark: create, message, mark, destroy", mark },
	{ "push/pop: create, message, push, pop, destroy", push_pop },
	{ "range: create, message, start, stop, destroy", range },
	{ "mark alone", mark_kept },
	{ "mstx mark", mstx_mark },
	{ "mstx range: start, end", mstx_range },
};

#define LOOPS (sizeof(loops) / sizeof(loops[0]))

static uint64_t batch_ns[LOOPS][ROUNDS];

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void measure(const char *title)
{
	double clock_ns;

	for (int r = 0; r < ROUNDS; r++) {
		for (size_t l = 0; l < LOOPS; l++) {
			uint64_t begin = now();

			for (int i = 0; i < BATCH; i++)
				loops[l].call();
			batch_ns[l][r] = now() - begin;
		}
	}
	printf("%s\n", title);
	for (size_t l = 0; l < LOOPS; l++)
		qsort(batch_ns[l], ROUNDS, sizeof(batch_ns[l][0]), by_value);
	clock_ns = (double)batch_ns[0][ROUNDS / 2] / BATCH;
	for (size_t l = 0; l < LOOPS; l++) {
		double ns = (double)batch_ns[l][ROUNDS / 2] / BATCH;

		printf("  %-46s %7.1f ns  %6.2f clock reads\n", loops[l].name, ns, ns / clock_ns);
	}
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "./bench-result";
	const double annotations = 6.0 * ROUNDS * BATCH;
	aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
	double cpu;
	int bad;

	if (!config || aclprofInit(path, strlen(path)))
		return 1;
	measure("no session");
	cpu = cpu_seconds();
	if (aclprofStart(config))
		return 1;
	kept = stamp();
	measure("recording");
	aclprofDestroyStamp(kept);
	bad = aclprofStop(config);
	cpu = cpu_seconds() - cpu;
	printf("to disk: %.0f ns of processor time for each of %.0f annotations, clock reads included\n",
	       cpu * 1e9 / annotations, annotations);
	aclprofDestroyConfig(config);
	return aclprofFinalize() || bad;
}
