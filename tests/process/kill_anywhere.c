// SPDX-License-Identifier: Apache-2.0
/*
 * SIGKILL at random moments: kill_anywhere [TIMES]
 *
 * The directory parses and exports, its rows are whole and in order, and all that
 * was recorded more than half a second before is there.
 */
#include "prof.h"
#include "t.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define KILLS 30u
#define TOGETHER 5
#define LATEST_US 1500000
#define GRACE_NS 500000000ull

/* What the victim has done, seen by the killer. */
struct victim {
	const char *dir;
	pid_t pid;
	unsigned int delay_us;
	const char *io;
	unsigned int marks, pause_us; /* so many, and then a pause */
	uint64_t begin;
	atomic_uint started, done;
};

static void mark_until_killed(const void *arg)
{
	struct victim *v = (void *)arg;
	void *stamp;
	char text[32];

	setenv("ASCPROF_IO", v->io, 1);
	t_start(v->dir);
	stamp = t_stamp("");
	v->begin = t_raw_ns();
	atomic_store(&v->started, 1);
	for (unsigned int i = 0;; i++) {
		snprintf(text, sizeof(text), "%u", i);
		t_code(aclprofSetStampTraceMessage(stamp, text, (uint32_t)strlen(text)), 0);
		while (aclprofMark(stamp) == ACL_ERROR_PROFILING_FAILURE)
			t_sleep_us(1000); /* no room: the victim, not the test, waits */
		atomic_store(&v->done, i + 1);
		if (i % v->marks == 0)
			t_sleep_us(v->pause_us);
	}
}

/* Marks are missing only near the end: at the end, or behind a row of that time. */
static void check(struct victim *v, uint64_t killed)
{
	unsigned int done = atomic_load(&v->done), next = 0;
	uint64_t last = v->begin;
	struct prof_rows rows;

	prof_check(v->dir, "--state running --dropped", NULL);
	prof_rows(&rows, prof_only(v->dir));
	for (size_t i = 0; i < rows.count; i++) {
		unsigned int number = (unsigned int)strtoul(rows.row[i].message, NULL, 10);

		t_check(number >= next && number <= done, "row %zu is mark %u, expected %u to %u",
			i, number, next, done);
		if (number != next)
			t_check(last + GRACE_NS > killed,
				"marks %u to %u are missing, %lu ms before the kill", next,
				number - 1, (killed - last) / 1000000);
		next = number + 1;
		last = rows.row[i].start;
	}
	if (next < done)
		t_check(last + GRACE_NS > killed,
			"marks %u to %u are missing, %lu ms before the kill", next, done - 1,
			(killed - last) / 1000000);
	prof_rows_free(&rows);
	t_equal(prof_export(prof_only(v->dir)), 0, "status of ascprof export");
	t_remove(v->dir);
}

/* Slowly, in bursts, or as fast as the disk; the last not for long: every row is checked. */
static void choose(struct victim *v, unsigned int number, unsigned int *random)
{
	v->dir = t_dir();
	v->io = number % 2 ? "io_uring" : "pwritev";
	v->delay_us = t_random(random, number % 3 == 2 ? LATEST_US / 30 : LATEST_US);
	v->marks = number % 3 == 0 ? 1 : number % 3 == 1 ? 400 : 4000;
	v->pause_us = number % 3 == 0 ? 100 : 2000;
}

int main(int argc, char **argv)
{
	unsigned int kills = argc > 1 ? (unsigned int)atoi(argv[1]) : KILLS;
	struct victim *v = mmap(NULL, (kills + TOGETHER) * sizeof(*v), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int random = (unsigned int)getpid(), bad = 0;

	printf("seed %u\n", random);
	for (unsigned int i = 0; i < kills; i += TOGETHER) {
		uint64_t killed[TOGETHER], start = 0;

		for (unsigned int j = i; j < i + TOGETHER; j++) {
			choose(&v[j], j, &random);
			v[j].pid = t_spawn(mark_until_killed, &v[j]);
		}
		for (unsigned int j = i; j < i + TOGETHER; j++)
			while (!atomic_load(&v[j].started))
				t_sleep_us(100);
		start = t_raw_ns();
		for (unsigned int left = TOGETHER; left;) {
			for (unsigned int j = i; j < i + TOGETHER; j++) {
				if (v[j].delay_us > (t_raw_ns() - start) / 1000 || !v[j].pid)
					continue;
				killed[j - i] = t_raw_ns();
				kill(v[j].pid, SIGKILL);
				t_equal(t_wait(v[j].pid), 128 + SIGKILL, "status");
				v[j].pid = 0;
				left--;
			}
			t_sleep_us(500);
		}
		for (unsigned int j = i; j < i + TOGETHER; j++) {
			unsigned int failed = t_failures();

			check(&v[j], killed[j - i]);
			bad += t_failures() != failed;
		}
	}
	printf("campaign-kill: %u cases, %u failures\n", (kills + TOGETHER - 1) / TOGETHER * TOGETHER, bad);
	return t_end();
}
