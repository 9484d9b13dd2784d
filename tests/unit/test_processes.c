// SPDX-License-Identifier: Apache-2.0
/* The machine's other processes, of a planted /proc: who has files, and what is in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/processes.h"
#include "tests/unit/planted.h"

static struct io io;
static struct slice_store store;
static struct processes *processes;
static int data_fd;
static uint64_t now;

/* A process, that has used so many ticks and holds so many pages. */
static void plant_process(unsigned int pid, const char *name, unsigned int born, unsigned int ticks,
			  unsigned long pages)
{
	char file[64], text[512];
	int n = snprintf(text, sizeof(text), "%u (%s) S 1 1 1 0 -1 4194560 9 0 0 0 %u 2 0 0 20 0 1 0 %u 12345 %lu "
			 "1 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n", pid, name, ticks - 2, born, pages);

	snprintf(file, sizeof(file), "proc/%u/stat", pid);
	plant_bytes(file, text, (size_t)n);
	n = snprintf(text, sizeof(text), "99 %lu 3 1 0 2 0\n", pages);
	snprintf(file, sizeof(file), "proc/%u/statm", pid);
	plant_bytes(file, text, (size_t)n);
}

static void end_process(unsigned int pid)
{
	char path[128];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/proc/%u/%s", root, pid, i == 2 ? "" : i ? "statm" : "stat");
		assert_int_equal(remove(path), 0);
	}
}

static void begin(bool cpu, bool mem)
{
	const bool wanted[PROCESS_PARTS] = { cpu, mem };
	char path[128];

	snprintf(path, sizeof(path), "%s/proc", root);
	processes = processes_open(path, wanted);
	assert_non_null(processes);
	processes_attach(processes, &store, data_fd);
}

static int set_up(void **state)
{
	static const char stat[] = "cpu  10 20 30 40 5 6 7 0 0 0\ncpu0 10 20 30 40 5 6 7 0 0 0\nintr 1\n";

	(void)state;
	if (plant_root())
		return -1;
	plant_bytes("data/x", "", 0);
	plant_bytes("proc/stat", stat, sizeof(stat) - 1);
	plant_bytes("proc/uptime", "1 1\n", 4);
	now = 1000;
	store = (struct slice_store){ .io = &io, .reserve_fd = -1 };
	data_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return io_open(&io, IO_PWRITEV);
}

static int tear_down(void **state)
{
	(void)state;
	io_close(&io);
	close(data_fd);
	return uproot();
}

static void a_round(void)
{
	processes_sample(processes, now += 1000, true);
}

static void end(void)
{
	processes_settle(processes);
	processes_finish(processes);
}

/* What is in all files that @pattern names, one after the other. */
static const char *files(const char *pattern)
{
	static char text[65536];
	char path[128];
	size_t len = 0;
	glob_t found;

	snprintf(path, sizeof(path), "%s/%s", root, pattern);
	if (!glob(path, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			FILE *f = fopen(found.gl_pathv[i], "re");

			assert_non_null(f);
			len += fread(text + len, 1, sizeof(text) - 1 - len, f);
			fclose(f);
		}
		globfree(&found);
	}
	text[len] = '\0';
	return text;
}

static unsigned int count(const char *text, const char *word)
{
	unsigned int n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* Who did something since, was born since, or is large; not who sleeps, nor this one. */
static void test_who(void **state)
{
	unsigned long large = (unsigned long)sysconf(_SC_PHYS_PAGES) / 50;
	struct processes_sum sum;

	(void)state;
	plant_process(7, "sleeps", 5, 100, 10);
	plant_process(8, "a (b) c:d", 5, 100, 20);
	plant_process(9, "large", 5, 100, large);
	plant_process((unsigned int)getpid(), "self", 5, 100, 10);
	begin(true, true);
	a_round();
	plant_process(8, "a (b) c:d", 5, 101, 21);
	plant_process((unsigned int)getpid(), "self", 5, 200, 10);
	plant_process(10, "born", 9, 3, 30);
	plant_process(11, "kworker/0:1", 9, 4, 0);
	plant_bytes("proc/12/stat", "12 (odd", 7);
	plant_bytes("proc/not/stat", "1 (x) S", 7);
	a_round();
	a_round();
	end();
	assert_string_equal(files("7-*"), "");
#define STAT_8 "8 (a_(b)_c_d) S 1 1 1 0 -1 4194560 9 0 0 0 99 2 0 0 20 0 1 0 5 12345 21 1 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 " \
	       "0 0 0 0\nProcessName:a (b) c_d\ncpu  10 20 30 40 5 6 7 0 0 0\n\n"
	assert_string_equal(files("8-CpuUsage.data.slice_0"), "TimeStamp:3000\nIndex:0\nDataLen:164\n" STAT_8
			    "TimeStamp:4000\nIndex:1\nDataLen:164\n" STAT_8);
	assert_string_equal(files("10-Memory.data.slice_0"),
		"TimeStamp:3000\nIndex:0\nDataLen:33\n99 30 3 1 0 2 0\nProcessName:born\n\n"
		"TimeStamp:4000\nIndex:1\nDataLen:33\n99 30 3 1 0 2 0\nProcessName:born\n\n");
	assert_int_equal(count(files("9-Memory.data.slice_0"), "TimeStamp"), 3);
	assert_int_equal(count(files("11-CpuUsage.data.slice_0"), "TimeStamp"), 2);
	assert_string_equal(files("11-Memory*"), "");
	assert_string_equal(files("12-*"), "");
	sum = processes_sum(processes, PROCESS_CPU);
	assert_int_equal(sum.slices.taken, 2 + 3 + 2 + 2);
	assert_int_equal(sum.slices.written, 9);
	assert_int_equal(sum.no_place, 0);
	assert_int_equal(sum.first_ns, 2000);
	assert_int_equal(sum.last_ns, 4000);
	sum = processes_sum(processes, PROCESS_MEM);
	assert_int_equal(sum.slices.written, 2 + 3 + 2);
	processes_free(processes);
}

/* One that ended has its file closed; its number, used again, goes on in the next one. */
static void test_again(void **state)
{
	(void)state;
	begin(true, false);
	a_round();
	plant_process(20, "first", 10, 5, 10);
	a_round();
	end_process(20);
	a_round();
	a_round();
	plant_process(20, "second", 30, 5, 10);
	a_round();
	end();
	assert_int_equal(count(files("20-CpuUsage.data.slice_0"), "ProcessName:first"), 1);
	assert_int_equal(count(files("20-CpuUsage.data.slice_1"), "ProcessName:second"), 1);
	assert_string_equal(files("*-Memory*"), "");
	assert_int_equal(processes_sum(processes, PROCESS_MEM).slices.taken, 0);
	processes_free(processes);
}

/* More than may have files are counted; who comes when others have gone finds a place. */
static void test_no_place(void **state)
{
	struct rlimit before, few = { 0 };

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 48; /* three processes */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	begin(true, true);
	a_round();
	for (unsigned int i = 0; i < 5; i++)
		plant_process(30 + i, "many", 10, 5, 10);
	a_round();
	assert_int_equal(processes_sum(processes, PROCESS_CPU).no_place, 2);
	for (unsigned int i = 0; i < 5; i++) {
		char pattern[32];

		snprintf(pattern, sizeof(pattern), "%u-Cpu*", 30 + i);
		processes_flush(processes);
		if (*files(pattern)) {
			end_process(30 + i);
			break;
		}
	}
	a_round(); /* that one is seen to have gone */
	a_round();
	end();
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(count(files("3?-CpuUsage.data.slice_0"), "TimeStamp"), 3 + 2 + 3);
	/* of two, then of four with two and with three places: at the end of a round places are given up */
	assert_int_equal(processes_sum(processes, PROCESS_CPU).no_place, 2 + 2 + 1);
	assert_int_equal(processes_sum(processes, PROCESS_MEM).slices.written, 8);
	processes_free(processes);
}

/* Rounds are not more often than their cost allows, but at the end. */
static void test_rounds(void **state)
{
	(void)state;
	begin(true, true);
	processes_sample(processes, 1000, false);
	plant_process(40, "busy", 10, 5, 10);
	processes_sample(processes, 1001, false); /* a round takes more than a fiftieth of a nanosecond */
	assert_int_equal(processes_sum(processes, PROCESS_CPU).slices.taken, 0);
	processes_sample(processes, 1002, true);
	processes_sample(processes, UINT64_MAX / 2, false);
	assert_int_equal(processes_sum(processes, PROCESS_CPU).slices.taken, 2);
	end();
	processes_free(processes);
	processes_sample(NULL, 1, true); /* nothing was asked for */
	processes_flush(NULL);
	processes_settle(NULL);
	processes_finish(NULL);
	processes_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_who, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_place, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_rounds, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
