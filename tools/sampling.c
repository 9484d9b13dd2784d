/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/sampling.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock.h"
#include "collect/drm.h"
#include "collect/hub.h"

#define RING_BYTES (1u << 22)
#define SAMPLES (SAMPLING_TICKS + 8)

const char *const sampling_names[SAMPLING_WAYS] = { "module", "program", "program, SCHED_FIFO" };

struct outcome {
	uint64_t span[SAMPLES];
	unsigned int samples;
	uint64_t cpu_ns;
	uint64_t due;
	uint64_t missed;
	uint64_t throttled;
	const char *what; /* is being done */
};

int sampling_cpus(void)
{
	long nr = sysconf(_SC_NPROCESSORS_ONLN);

	return nr < SAMPLING_CPUS ? (int)nr : SAMPLING_CPUS;
}

/* Number of the stream that a thread keeps time for, or -1. */
static long stream_of(const char *pid)
{
	char path[300], name[32] = "";
	unsigned long number;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (!fgets(name, sizeof(name), f))
		name[0] = '\0';
	fclose(f);
	return sscanf(name, "ascprof/%lu", &number) == 1 ? (long)number : -1;
}

/* CPU time so far of the thread of the youngest stream, which is ours. */
static int thread_time(uint64_t *ns)
{
	char path[300], newest[260] = "";
	const struct dirent *entry;
	DIR *proc = opendir("/proc");
	long most = -1, number;
	FILE *f;
	int got;

	if (!proc)
		return errno;
	while ((entry = readdir(proc))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		number = stream_of(entry->d_name);
		if (number > most) {
			most = number;
			snprintf(newest, sizeof(newest), "%s", entry->d_name);
		}
	}
	closedir(proc);
	snprintf(path, sizeof(path), "/proc/%s/schedstat", newest);
	f = most >= 0 ? fopen(path, "re") : NULL;
	if (!f)
		return ESRCH;
	got = fscanf(f, "%" SCNu64, ns);
	fclose(f);
	return got == 1 ? 0 : ESRCH;
}

static int add_counters(const struct sampling_plan *plan, int fd, uint32_t source)
{
	struct ascprof_counter_add add = {
		.source_id = source,
		.perf_type = plan->type,
		.scale_num = 1,
		.scale_den = 1,
		.unit = "events",
	};

	for (add.cpu = 0; add.cpu < plan->nr_cpus; add.cpu++)
		for (unsigned int i = 0; i < plan->nr_configs; i++) {
			add.config = plan->configs[i];
			if (drm_ioctl(fd, ASCPROF_IOC_COUNTER_ADD, &add))
				return errno;
		}
	return 0;
}

static int run_stream(struct hub_stream *s, struct outcome *o)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	const struct ascprof_rec *rec;
	struct ascprof_stats stats;
	int err;

	o->what = "starting the stream";
	err = hub_stream_start(s);
	if (err)
		return err;
	usleep(SAMPLING_TICKS * (SAMPLING_PERIOD_NS / 1000));
	o->what = "finding the stream's thread";
	err = thread_time(&o->cpu_ns);
	if (err)
		return err;
	o->what = "stopping the stream";
	err = hub_stream_stop(s);
	if (!err)
		err = hub_stream_stats(s, &stats);
	if (err)
		return err;
	o->due = (clock_ns(CLOCK_MONOTONIC) - start) / SAMPLING_PERIOD_NS;
	o->missed = stats.missed_ticks;
	o->throttled = stats.throttled_ticks;
	while ((rec = hub_stream_next(s)))
		if (rec->type == ASCPROF_REC_SAMPLE && o->samples < SAMPLES)
			o->span[o->samples++] = ((const struct ascprof_rec_sample *)rec)->span_ns;
	return 0;
}

static int by_module(const struct sampling_plan *plan, struct outcome *o)
{
	struct hub_stream s;
	uint32_t source = 0;
	int err;

	o->what = "finding the source of perf counters";
	err = hub_perf_source(&source);
	if (err)
		return err;
	err = hub_stream_open(&s, SAMPLING_PERIOD_NS, RING_BYTES, &o->what);
	if (err)
		return err;
	o->what = "adding a counter to the stream";
	err = add_counters(plan, s.fd, source);
	if (!err)
		err = run_stream(&s, o);
	hub_stream_close(&s);
	return err;
}

struct events {
	int fd[SAMPLING_CONFIGS * SAMPLING_CPUS];
	int nr;
};

static void close_events(struct events *e)
{
	while (e->nr > 0)
		close(e->fd[--e->nr]);
}

static int open_events(const struct sampling_plan *plan, struct events *e)
{
	struct perf_event_attr attr = { .type = plan->type, .size = sizeof(attr), .pinned = 1 };
	int err;

	e->nr = 0;
	for (int cpu = 0; cpu < plan->nr_cpus; cpu++)
		for (unsigned int i = 0; i < plan->nr_configs; i++) {
			attr.config = plan->configs[i];
			e->fd[e->nr] = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
			if (e->fd[e->nr] < 0) {
				err = errno;
				close_events(e);
				return err;
			}
			e->nr++;
		}
	return 0;
}

static int read_all(const struct events *e)
{
	uint64_t value;
	ssize_t got;

	for (int k = 0; k < e->nr; k++) {
		got = read(e->fd[k], &value, sizeof(value));
		/* 0: a pinned event found no counter */
		if (got != sizeof(value))
			return got < 0 ? errno : EBUSY;
	}
	return 0;
}

int sampling_possible(const struct sampling_plan *plan)
{
	struct events e;
	int err = open_events(plan, &e);

	if (err)
		return err;
	err = read_all(&e);
	close_events(&e);
	return err;
}

static int sample_events(const struct events *e, struct outcome *o)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC), used = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t end = start + (uint64_t)SAMPLING_TICKS * SAMPLING_PERIOD_NS, deadline = start, t;
	int err;

	while (deadline < end && o->samples < SAMPLES) {
		struct timespec ts = { (time_t)(deadline / 1000000000), (long)(deadline % 1000000000) };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		t = clock_ns(CLOCK_MONOTONIC_RAW);
		err = read_all(e);
		if (err)
			return err;
		o->span[o->samples++] = clock_ns(CLOCK_MONOTONIC_RAW) - t;
		/* as the module does: what is late is skipped */
		for (deadline += SAMPLING_PERIOD_NS; deadline <= clock_ns(CLOCK_MONOTONIC);
		     deadline += SAMPLING_PERIOD_NS)
			o->missed++;
	}
	o->due = (clock_ns(CLOCK_MONOTONIC) - start) / SAMPLING_PERIOD_NS;
	o->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - used;
	return 0;
}

static int by_program(const struct sampling_plan *plan, struct outcome *o)
{
	struct events e;
	int err;

	o->what = "perf_event_open";
	err = open_events(plan, &e);
	if (err)
		return err;
	o->what = "reading a counter";
	err = sample_events(&e, o);
	close_events(&e);
	return err;
}

static int by_fifo_program(const struct sampling_plan *plan, struct outcome *o)
{
	struct sched_param param = { .sched_priority = 1 };
	int err;

	o->what = "SCHED_FIFO";
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		return errno;
	err = by_program(plan, o);
	param.sched_priority = 0;
	sched_setscheduler(0, SCHED_OTHER, &param);
	return err;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int sampling_measure(const struct sampling_plan *plan, enum sampling_way way, struct sampling_result *result,
		     const char **what)
{
	static int (*const ways[SAMPLING_WAYS])(const struct sampling_plan *plan, struct outcome *o) = {
		by_module, by_program, by_fifo_program,
	};
	struct outcome o = { .samples = 0 };
	int err = ways[way](plan, &o);

	*what = o.what;
	if (!err && !o.samples) {
		*what = "samples";
		err = ENODATA;
	}
	if (err)
		return err;
	qsort(o.span, o.samples, sizeof(o.span[0]), ascending);
	*result = (struct sampling_result){
		.span_ns = o.span[o.samples / 2],
		.span_99_ns = o.span[o.samples * 99 / 100],
		.cost_ns = o.cpu_ns / o.samples,
		.due = o.due,
		.missed = o.missed,
		.throttled = o.throttled,
	};
	return 0;
}

double sampling_ratio(uint64_t first, uint64_t second)
{
	return first ? (double)second / (double)first : 0;
}

int sampling_busy(struct sampling_load *load, int nr_cpus)
{
	int err;

	for (load->nr = 0; load->nr < SAMPLING_BUSY_PER_CPU * nr_cpus; load->nr++) {
		pid_t pid = fork();

		if (pid < 0) {
			err = errno;
			sampling_idle(load);
			return err;
		}
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				;
		}
		load->pid[load->nr] = pid;
	}
	return 0;
}

void sampling_idle(struct sampling_load *load)
{
	while (load->nr > 0) {
		kill(load->pid[--load->nr], SIGKILL);
		waitpid(load->pid[load->nr], NULL, 0);
	}
}
