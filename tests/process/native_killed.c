// SPDX-License-Identifier: Apache-2.0
/*
 * ASCPROF_LAYOUT=native, compressed or not, and a program that is killed: repair
 * completes the directory, unpack makes rows of it, and all that was recorded
 * more than half a second before is there, in order.
 */
#include "prof.h"
#include "t.h"

#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define KILLS 6
#define GRACE_NS 500000000ull

struct victim {
	const char *dir;
	uint64_t begin;
	atomic_uint done;
	_Atomic uint64_t half_second_ago; /* marks done then */
};

static void mark_until_killed(const void *arg)
{
	struct victim *v = (void *)arg;
	uint64_t times[64] = { 0 };
	void *stamp;
	char text[32];

	t_start(v->dir);
	stamp = t_stamp("");
	for (unsigned int i = 0;; i++) {
		snprintf(text, sizeof(text), "mark %u", i);
		t_code(aclprofSetStampTraceMessage(stamp, text, (uint32_t)strlen(text)), 0);
		t_code(aclprofMark(stamp), 0);
		atomic_store(&v->done, i + 1);
		if (i % 500)
			continue;
		t_sleep_us(3000);
		/* the newest mark that is old enough to be on disk */
		times[i / 500 % 64] = t_raw_ns();
		for (unsigned int k = 0; k < 64 && k * 500 <= i; k++)
			if (t_raw_ns() - times[(i / 500 - k) % 64] > GRACE_NS) {
				atomic_store(&v->half_second_ago, i - k * 500 + 1);
				break;
			}
	}
}

static int command(const char *what, const char *dir)
{
	char self[PATH_MAX], line[3 * PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len < 0 ? 0 : len] = 0;
	snprintf(line, sizeof(line), "'%s/../../bin/ascprof' %s '%s'", dirname(self), what, dir);
	fflush(stdout);
	return system(line);
}

static void kill_one(unsigned int round)
{
	struct victim *v = mmap(NULL, sizeof(*v), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int random = round * 7919, least;
	struct prof_totals totals;
	struct prof_rows rows;
	siginfo_t info;
	char text[32];
	pid_t pid;

	if (v == MAP_FAILED)
		abort();
	v->dir = t_dir();
	setenv("ASCPROF_LAYOUT", "native", 1);
	setenv("ASCPROF_COMPRESS", round % 2 ? "zstd:3" : "none", 1);
	pid = t_spawn(mark_until_killed, v);
	t_sleep_us(700000 + t_random(&random, 600000));
	kill(pid, SIGKILL);
	t_code(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	least = (unsigned int)atomic_load(&v->half_second_ago);

	t_check(command("unpack --quiet 2>/dev/null", v->dir) != 0, "unpack took a directory without an end");
	t_equal(command("report >/dev/null", v->dir), 0, "report of what was left");
	t_equal(command("repair --quiet", v->dir), 0, "repair of what a program left that nobody has waited for");
	t_equal(t_wait(pid), 128 + SIGKILL, "the victim");
	t_equal(command("unpack --quiet", v->dir), 0, "unpack");
	t_equal(command("report >/dev/null", v->dir), 0, "report after repair and unpack");
	setenv("ASCPROF_LAYOUT", "prof", 1);
	prof_check(v->dir, "--state repaired", &totals);
	t_check(totals.mark.written >= least && totals.mark.written <= atomic_load(&v->done),
		"%lu marks are there, of %u, %u of them old enough", totals.mark.written, atomic_load(&v->done), least);
	prof_rows(&rows, prof_only(v->dir));
	t_equal(rows.count, totals.mark.written, "rows");
	for (size_t i = 0; i < rows.count; i++) {
		snprintf(text, sizeof(text), "mark %zu", i);
		if (strcmp(rows.row[i].message, text)) {
			t_check(false, "row %zu has message '%.60s'", i, rows.row[i].message);
			break;
		}
	}
	prof_rows_free(&rows);
	munmap(v, sizeof(*v));
}

static void wrong_settings(void)
{
	const char *dir = t_dir(), *text;
	aclprofConfig *config;

	setenv("ASCPROF_LAYOUT", "rows", 1);
	setenv("ASCPROF_COMPRESS", "zstd:20", 1);
	t_stderr_begin();
	config = t_start(dir);
	text = t_stderr_end();
	t_check(t_lines(text) == 2 && strstr(text, "ASCPROF_LAYOUT is \"rows\", expected prof or native") &&
			strstr(text, "ASCPROF_COMPRESS is \"zstd:20\", expected none, zstd or zstd:1 to zstd:19"),
		"printed:\n%s", text);
	t_stop(config);
	prof_check(dir, "", NULL);
}

int main(void)
{
	for (unsigned int i = 0; i < KILLS; i++)
		kill_one(i);
	wrong_settings();
	return t_end();
}
