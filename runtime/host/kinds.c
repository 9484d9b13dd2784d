/* SPDX-License-Identifier: Apache-2.0 */
#include "host/kinds.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock/clock.h"
#include "host/blocks.h"
#include "host/numa.h"
#include "host/pthread_calls.h"
#include "session/control.h"

#define FILE_MAX (16u << 10)
#define STAT_WORDS 39 /* the last is the CPU */
#define SECTOR 512 /* of diskstats, whatever the disk's is */
#define READER_PAGE 4096u /* what readers take a page of host_mem for */

static int unread(struct host_collector *c, const char *path)
{
	c->what = path;
	return errno ? errno : EIO;
}

/* ---- what begins a sample, or a line of its own ---- */

static bool begins_time(const char *line)
{
	return !strncmp(line, "time ", 5);
}

static bool begins_digit(const char *line)
{
	return isdigit((unsigned char)*line);
}

/* All but the line that readers relate the others to. */
static bool begins_call(const char *line)
{
	const char *end = strchr(line, '\n');

	return end && begins_digit(line) && !memmem(line, (size_t)(end - line), " anchor()", 9);
}

static bool begins_pthread_call(const char *line)
{
	return pthread_calls_stamp(line);
}

/* ---- of this process ---- */

static int put_threads(struct host_collector *c, struct host_text *t)
{
	DIR *tasks = opendir("/proc/self/task");
	char path[64], stat[1024];
	uint32_t left_out = 0, threads = 0;
	struct dirent *e;

	if (!tasks)
		return unread(c, "/proc/self/task");
	while ((e = readdir(tasks))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%.16s/stat", e->d_name);
		if (host_read_file(path, stat, sizeof(stat)) <= 0)
			continue; /* it has ended meanwhile */
		threads++;
		left_out += !host_put_stat(t, stat, STAT_WORDS);
	}
	closedir(tasks);
	if (!threads)
		return unread(c, "/proc/self/task");
	if (left_out > c->left_out)
		c->left_out = left_out;
	return 0;
}

static int make_cpu(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	char uptime[64];

	if (host_read_file("/proc/uptime", uptime, sizeof(uptime)) <= 0)
		return unread(c, "/proc/uptime");
	host_put(t, "time %" PRIu64 "\n%s", ns, uptime);
	return put_threads(c, t);
}

static int make_mem(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	uint64_t scale = (uint64_t)sysconf(_SC_PAGESIZE) / READER_PAGE;
	char statm[256], *s = statm;

	if (host_read_file("/proc/self/statm", statm, sizeof(statm)) <= 0)
		return unread(c, "/proc/self/statm");
	host_put(t, "%" PRIu64, ns);
	for (int i = 0; i < 7; i++)
		host_put(t, " %" PRIu64, (uint64_t)strtoull(s, &s, 10) * scale);
	host_put(t, "\n");
	return 0;
}

static const char *class_of(int priority, int *level)
{
	static const char *const names[] = { "be", "rt", "be", "id" };

	*level = priority > 0 && priority >> 13 ? priority & 7 : 4;
	return names[priority > 0 ? (priority >> 13) & 3 : 0];
}

/* What iotop prints in its batch mode; the share of time spent waiting is not known to us. */
static int make_disk(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	uint64_t seconds = clock_ns(CLOCK_REALTIME) / 1000000000u % 86400, bytes[2], before[2], since = c->io_ns;
	const char *class;
	char io[512];
	int level;

	if (host_read_file("/proc/self/io", io, sizeof(io)) <= 0)
		return unread(c, "/proc/self/io");
	bytes[0] = host_value(io, "read_bytes:");
	bytes[1] = host_value(io, "write_bytes:");
	memcpy(before, c->io, sizeof(before));
	memcpy(c->io, bytes, sizeof(bytes));
	c->io_ns = ns;
	if (!since || ns <= since)
		return 0; /* a rate needs two */
	class = class_of((int)syscall(SYS_ioprio_get, 1, getpid()), &level);
	host_put(t, "%02u:%02u:%02u %d %s/%d %u", (unsigned int)(seconds / 3600), (unsigned int)(seconds / 60 % 60),
		 (unsigned int)(seconds % 60), getpid(), class, level, getuid());
	for (int i = 0; i < 2; i++)
		host_put(t, " %.2f K/s", (double)(bytes[i] - before[i]) / 1024 / ((double)(ns - since) / 1e9));
	host_put(t, " ?unavailable? %s\n", control_program());
	return 0;
}

/* Of the machine: those that have done anything, partitions too. */
static int make_disks(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	char text[FILE_MAX], name[33], *line, *end;

	if (host_read_file("/proc/diskstats", text, sizeof(text)) <= 0)
		return unread(c, "/proc/diskstats");
	host_put(t, "time %" PRIu64 "\n", ns);
	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		unsigned long long reads, read, writes, written, busy;

		*end = '\0';
		if (sscanf(line, "%*u %*u %32s %llu %*u %llu %*u %llu %*u %llu %*u %*u %llu", name, &reads, &read,
			   &writes, &written, &busy) == 6 && reads + writes)
			host_put(t, "%s %llu %llu %llu\n", name, read * SECTOR, written * SECTOR, busy);
	}
	return 0;
}

static int make_network(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	char text[FILE_MAX], *line, *end;

	if (host_read_file("/proc/net/dev", text, sizeof(text)) <= 0)
		return unread(c, "/proc/net/dev");
	host_put(t, "time %" PRIu64 "\n", ns);
	for (line = text; (end = strchr(line, '\n')); line = end + 1)
		if (memchr(line, ':', (size_t)(end - line)))
			host_put_bytes(t, line, (size_t)(end + 1 - line));
	return 0;
}

/* ---- blocks: of the machine, and of this process beside it ---- */

static int make_sys_cpu(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	static const char *const keys[] = { "cpu", NULL };
	struct block b = block_begin(t);
	char *text = malloc(HOST_TEXT_MAX / 2);

	if (!text || host_read_file("/proc/stat", text, HOST_TEXT_MAX / 2) <= 0) {
		free(text);
		return unread(c, "/proc/stat");
	}
	block_lines(&b, text, keys, false);
	free(text);
	block_end(&b, &c->index, ns);
	return 0;
}

static int make_sys_mem(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	static const char *const keys[] = { "MemTotal:", "MemFree:", "MemAvailable:", "Buffers:", "Cached:", "Shmem:",
					    "CommitLimit:", "Committed_AS:", "HugePages_Total:", "HugePages_Free:",
					    NULL };
	struct block b = block_begin(t);
	char text[FILE_MAX];

	if (host_read_file("/proc/meminfo", text, sizeof(text)) <= 0)
		return unread(c, "/proc/meminfo");
	block_lines(&b, text, keys, false);
	block_end(&b, &c->index, ns);
	return 0;
}

static int make_process_cpu(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	static const char *const keys[] = { "cpu ", NULL };
	struct block b = block_begin(t);
	char stat[1024], all[4096];

	if (host_read_file("/proc/self/stat", stat, sizeof(stat)) <= 0 || !host_put_stat(t, stat, UINT32_MAX))
		return unread(c, "/proc/self/stat");
	if (host_read_file("/proc/stat", all, sizeof(all)) <= 0)
		return unread(c, "/proc/stat");
	block_name(&b, control_program());
	block_lines(&b, all, keys, true);
	block_end(&b, &c->index, ns);
	return 0;
}

static int make_process_mem(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	struct block b = block_begin(t);
	char statm[256];
	long n = host_read_file("/proc/self/statm", statm, sizeof(statm));

	if (n <= 0)
		return unread(c, "/proc/self/statm");
	host_put_bytes(t, statm, (size_t)n);
	block_name(&b, control_program());
	block_end(&b, &c->index, ns);
	return 0;
}

static int make_counters(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	host_put(t, "time %" PRIu64 "\n", ns);
	counters_put(&c->counters, t);
	return 0;
}

static int make_osrt(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	(void)ns;
	if (!c->more) /* else it is the same moment still */
		osrt_threads(c->osrt);
	c->more = osrt_read(c->osrt, t);
	return 0;
}

static uint64_t lost_osrt(const struct host_collector *c)
{
	return osrt_lost(c->osrt);
}

static int make_pthread(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	(void)ns;
	c->more = pthread_calls_read(t);
	return 0;
}

static uint64_t lost_pthread(const struct host_collector *c)
{
	(void)c;
	return pthread_calls_lost();
}

static int make_numa(struct host_collector *c, struct host_text *t, uint64_t ns)
{
	uint64_t took = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	host_put(t, "time %" PRIu64 "\n", ns);
	if (!numa_put(NULL, t))
		return unread(c, "/sys/devices/system/node");
	if (ns < c->due_ns)
		return 0;
	c->own_error = numa_put_own(NULL, &c->own_nodes, t);
	c->due_ns = c->own_error ? UINT64_MAX : ns + HOST_COSTLY * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - took);
	return 0;
}

static uint64_t lost_pmus(const struct host_collector *c)
{
	return pmu_counters_lost(c->pmus);
}

#define SMALL (32u << 10)

#define SYS .pace = HOST_PACE_SYS
#define USAGE .pace = HOST_PACE_USAGE

const struct host_kind_def host_kind_defs[HOST_KINDS] = {
	[HOST_KIND_CPU] = { "host_cpu", "host_cpu.data", SYS, .item = HOST_CPU, .buf_bytes = 2 * HOST_TEXT_MAX + 4096,
			    .overlaps = true, .begins = begins_time, .make = make_cpu },
	[HOST_KIND_MEM] = { "host_mem", "host_mem.data", SYS, .item = HOST_MEM, .buf_bytes = SMALL, .overlaps = true,
			    .begins = begins_digit, .make = make_mem },
	[HOST_KIND_DISK] = { "host_disk", "host_disk.data", SYS, .item = HOST_DISK, .buf_bytes = SMALL,
			     .each_interval = true, .begins = begins_digit, .make = make_disk },
	[HOST_KIND_DISKS] = { "disks", "ascprof.disks", SYS, .item = HOST_DISK, .buf_bytes = 2 * SMALL,
			      .overlaps = true, .begins = begins_time, .make = make_disks },
	[HOST_KIND_NETWORK] = { "host_network", "host_network.data", SYS, .item = HOST_NETWORK,
				.buf_bytes = 2 * SMALL, .overlaps = true, .begins = begins_time,
				.make = make_network },
	[HOST_KIND_COUNTERS] = { "counters", "ascprof.counters", SYS, .item = HOST_CPU, .buf_bytes = SMALL,
				 .overlaps = true, .begins = begins_time, .make = make_counters },
	[HOST_KIND_OSRT] = { "syscall", "host_syscall.data", SYS, .item = HOST_OSRT, .buf_bytes = 4 * SMALL,
			     .anchor = osrt_anchor, .stamp = osrt_stamp, .lost = lost_osrt,
			     .begins = begins_call, .make = make_osrt },
	[HOST_KIND_PTHREAD] = { "pthread", "host_pthreadcall.data", SYS, .item = HOST_OSRT, .buf_bytes = 4 * SMALL,
				.anchor = pthread_calls_anchor, .stamp = pthread_calls_stamp, .lost = lost_pthread,
				.begins = begins_pthread_call, .make = make_pthread },
	[HOST_KIND_NUMA] = { "numa", "ascprof.numa", SYS, .item = HOST_NUMA, .buf_bytes = 2 * SMALL, .overlaps = true,
			     .begins = begins_time, .make = make_numa },
	[HOST_KIND_SYS_CPU] = { "sys_cpu", "host_sys_cpu.data", USAGE, .item = HOST_CPU,
				.buf_bytes = HOST_TEXT_MAX + 4096, .begins = block_begins, .make = make_sys_cpu },
	[HOST_KIND_SYS_MEM] = { "sys_mem", "host_sys_mem.data", USAGE, .item = HOST_MEM, .buf_bytes = SMALL,
				.begins = block_begins, .make = make_sys_mem },
	[HOST_KIND_PROCESS_CPU] = { "process_cpu", "-CpuUsage.data", USAGE, .item = HOST_CPU, .buf_bytes = SMALL,
				    .begins = block_begins, .make = make_process_cpu },
	[HOST_KIND_PROCESS_MEM] = { "process_mem", "-Memory.data", USAGE, .item = HOST_MEM, .buf_bytes = SMALL,
				    .begins = block_begins, .make = make_process_mem },
	[HOST_KIND_SYS_COUNTERS] = { "sys_counters", "ascprof.sys_counters", USAGE, .item = HOST_CPU,
				     .buf_bytes = SMALL, .overlaps = true, .begins = begins_time,
				     .make = make_counters },
	[HOST_KIND_PMUS] = { "pmus", "ascprof.pmus", .pace = HOST_PACE_HARDWARE, .item = HOST_MEM,
			     .buf_bytes = 2 * HOST_TEXT_MAX + 4096, .overlaps = true, .begins = begins_time,
			     .lost = lost_pmus },
};
