// SPDX-License-Identifier: Apache-2.0
/*
 * kmod_sampling TYPE CONFIG... : the same perf counters, on every CPU, sampled by the module
 * and by a program with perf_event_open(2): how far apart the reads of one sample are, what
 * a sample costs in CPU time, how many ticks are missed when the CPUs are busy. For reading,
 * nothing is asserted; a virtual machine gives ratios at best.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>

#include "tests/qemu/guest/guest.h"

#define PERIOD		(10 * MS)
#define TICKS		300
#define MAX_COUNTERS	64
#define BUSY_PER_CPU	2

struct outcome {
	uint64_t span[TICKS + 8];	/* first to last read, ns */
	unsigned int samples;
	uint64_t cpu_ns;
	uint64_t due;
	uint64_t missed;
	uint64_t throttled;
};

static uint32_t type;
static uint64_t configs[MAX_COUNTERS];
static unsigned int nr_configs;
static int nr_cpus;

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* CPU time of the stream's thread so far. */
static uint64_t thread_time(void)
{
	FILE *list = popen("grep -l '^ascprof/' /proc/[0-9]*/comm 2>/dev/null", "re");
	char path[64];
	unsigned long pid = 0;
	uint64_t ns = 0;
	FILE *stat;

	if (!list || fscanf(list, "/proc/%lu/comm", &pid) != 1)
		bail("the stream's thread");
	pclose(list);
	snprintf(path, sizeof(path), "/proc/%lu/schedstat", pid);
	stat = fopen(path, "re");
	if (!stat || fscanf(stat, "%" SCNu64, &ns) != 1)
		bail(path);
	fclose(stat);
	return ns;
}

static void by_module(struct outcome *o)
{
	struct ascprof_stream_create req = good_stream();
	int control = open_control(), stream, cpu;
	struct ascprof_counter_add add = { .scale_num = 1, .scale_den = 1, .unit = "events" };
	const struct ascprof_rec *rec;
	struct ascprof_stats stats;
	struct ring_map map;
	unsigned int i;
	uint64_t start;

	req.period_ns = PERIOD;
	req.ring_bytes = 1 << 22;
	stream = make_stream(control, &req);
	add.source_id = source_id(control, "perf");
	add.perf_type = type;
	for (cpu = 0; cpu < nr_cpus; cpu++)
		for (i = 0; i < nr_configs; i++) {
			add.config = configs[i];
			add.cpu = cpu;
			if (ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add))
				bail("COUNTER_ADD");
		}
	map_ring(&map, stream, req.ring_bytes);
	start = now(CLOCK_MONOTONIC);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	usleep(TICKS * PERIOD / 1000);
	o->cpu_ns = thread_time();
	if (ioctl(stream, ASCPROF_IOC_STOP))
		bail("STOP");
	o->due = (now(CLOCK_MONOTONIC) - start) / PERIOD;
	stats = stats_of(stream);
	o->missed = stats.missed_ticks;
	o->throttled = stats.throttled_ticks;
	for (; (rec = next_record(&map)); done_with(&map, rec))
		if (rec->type == ASCPROF_REC_SAMPLE && o->samples < TICKS + 8)
			o->span[o->samples++] = ((const struct ascprof_rec_sample *)rec)->span_ns;
	unmap_ring(&map);
	close(stream);
	close(control);
}

static int perf_open(uint64_t config, int cpu)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .config = config, .pinned = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		bail("perf_event_open");
	return fd;
}

static void by_program(struct outcome *o)
{
	int fds[MAX_COUNTERS * 8], nr = 0, cpu, k;
	uint64_t start, deadline, t, value, used;
	unsigned int i;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		for (i = 0; i < nr_configs; i++)
			fds[nr++] = perf_open(configs[i], cpu);
	start = now(CLOCK_MONOTONIC);
	used = now(CLOCK_THREAD_CPUTIME_ID);
	for (deadline = start; deadline < start + TICKS * PERIOD; ) {
		struct timespec ts = { (time_t)(deadline / 1000000000), (long)(deadline % 1000000000) };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		t = now(CLOCK_MONOTONIC_RAW);
		for (k = 0; k < nr; k++)
			if (read(fds[k], &value, sizeof(value)) != sizeof(value))
				bail("read");
		o->span[o->samples++] = now(CLOCK_MONOTONIC_RAW) - t;
		/* as the module does: what is late is skipped */
		for (deadline += PERIOD; deadline <= now(CLOCK_MONOTONIC); deadline += PERIOD)
			o->missed++;
	}
	o->due = (now(CLOCK_MONOTONIC) - start) / PERIOD;
	o->cpu_ns = now(CLOCK_THREAD_CPUTIME_ID) - used;
	for (k = 0; k < nr; k++)
		close(fds[k]);
}

static void by_rt_program(struct outcome *o)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		bail("SCHED_FIFO");
	by_program(o);
	param.sched_priority = 0;
	sched_setscheduler(0, SCHED_OTHER, &param);
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void measure(const char *how, const char *load, void (*run)(struct outcome *), struct outcome *base)
{
	struct outcome o = { .samples = 0 };
	uint64_t median, high, cost;

	run(&o);
	if (!o.samples)
		bail("no sample");
	qsort(o.span, o.samples, sizeof(o.span[0]), ascending);
	median = o.span[o.samples / 2];
	high = o.span[o.samples * 99 / 100];
	cost = o.cpu_ns / o.samples;
	printf("# %-5s %-20s span %8" PRIu64 " ns (99 %%: %9" PRIu64 "), cost %8" PRIu64
	       " ns, missed %3" PRIu64 " and throttled %3" PRIu64 " of %3" PRIu64, load, how, median,
	       high, cost, o.missed, o.throttled, o.due);
	if (base->samples)
		printf("; span x%.2f (99 %%: x%.2f), cost x%.2f of the module's",
		       (double)median / (double)base->span[base->samples / 2],
		       (double)high / (double)base->span[base->samples * 99 / 100],
		       (double)cost / (double)(base->cpu_ns / base->samples));
	else
		*base = o;
	printf("\n");
	fflush(stdout);
}

static void compare(const char *load)
{
	struct outcome base = { .samples = 0 };

	measure("module", load, by_module, &base);
	measure("program", load, by_program, &base);
	measure("program, SCHED_FIFO", load, by_rt_program, &base);
}

int main(int argc, char **argv)
{
	pid_t busy[64];
	int i, nr;

	if (argc < 3) {
		fprintf(stderr, "usage: kmod_sampling TYPE CONFIG...\n");
		return 2;
	}
	type = (uint32_t)atoi(argv[1]);
	for (i = 2; i < argc && nr_configs < MAX_COUNTERS; i++)
		configs[nr_configs++] = strtoull(argv[i], NULL, 0);
	nr_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_cpus > 8)
		nr_cpus = 8;
	printf("# %u counters of type %u on each of %d CPUs, every %d ms; emulated: only the ratios mean something\n",
	       nr_configs, type, nr_cpus, (int)(PERIOD / MS));
	compare("idle");
	nr = BUSY_PER_CPU * nr_cpus;
	for (i = 0; i < nr; i++) {
		busy[i] = fork();
		if (busy[i] == 0)
			for (;;)
				;
	}
	compare("busy");
	for (i = 0; i < nr; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	return 0;
}
