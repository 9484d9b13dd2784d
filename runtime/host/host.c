/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock/clock.h"
#include "host/processes.h"
#include "host/pthread_calls.h"
#include "log/log.h"
#include "session/control.h"
#include "session/fds.h"

struct host {
	struct host_collector collector[HOST_KINDS];
	struct host_text text; /* a sample, while it is made */
	struct processes *processes; /* the machine's others; NULL: they are not asked for */
	int timer[HOST_PACES]; /* -1: nothing of that pace */
	uint32_t hz[HOST_PACES];
	bool settled;
};

/* ---- what is recorded ---- */

static uint32_t asked(const struct settings *s, enum host_pace pace)
{
	if (pace == HOST_PACE_HARDWARE)
		return s->hardware_mem_hz ? HOST_MEM : 0;
	return pace == HOST_PACE_SYS ? s->host_sys : s->host_usage;
}

static const char *item_name(enum host_item item)
{
	switch (item) {
	case HOST_CPU:
		return "cpu";
	case HOST_MEM:
		return "mem";
	case HOST_DISK:
		return "disk";
	case HOST_NUMA:
		return "numa";
	default:
		return "network";
	}
}

static bool is_counters(enum host_kind kind)
{
	return kind == HOST_KIND_COUNTERS || kind == HOST_KIND_SYS_COUNTERS;
}

static void open_counters(struct host_collector *c, bool machine, host_tell_fn *tell, void *arg)
{
	static const char *const what[2] = { "this process", "the machine" };
	char have[160], lack[160], note[192];

	c->on = counters_open(&c->counters, machine, have, lack, sizeof(have));
	if (*have) {
		snprintf(note, sizeof(note), "of %s: %s", what[machine], have);
		tell(arg, "perf_event_open", note);
	}
	if (*lack) {
		snprintf(note, sizeof(note), "counters of %s: %s", what[machine], lack);
		tell(arg, "none", note);
	}
}

static void open_osrt(struct host_collector *c, host_tell_fn *tell, void *arg)
{
	char why[128], note[192];

	c->osrt = osrt_open(why, sizeof(why));
	c->on = c->osrt;
	if (!c->on) {
		snprintf(note, sizeof(note), "ACL_PROF_HOST_SYS: osrt: %s", why);
		tell(arg, "none", note);
	}
}

static void open_pthread(struct host_collector *c, host_tell_fn *tell, void *arg)
{
	c->on = pthread_calls_watched();
	if (!c->on)
		tell(arg, "none", "ACL_PROF_HOST_SYS: osrt: pthread calls: libascprof_pthread.so is not preloaded, "
		     "as it is by ascprof record");
}

static void open_pmus(struct host_collector *c, uint32_t hz, host_tell_fn *tell, void *arg)
{
	char what[160], note[224];

	c->pmus = pmu_counters_open(NULL, hz, what, sizeof(what));
	c->on = c->pmus;
	snprintf(note, sizeof(note), "%s%s", c->on ? "" : "ACL_PROF_SYS_HARDWARE_MEM_FREQ: ", what);
	tell(arg, !c->on ? "none" : pmu_counters_by_module(c->pmus) ? "perf" : "perf_event_open", note);
}

/* A sample that nobody keeps shows whether there will be others. */
static void try(struct host *h, struct host_collector *c, host_tell_fn *tell, void *arg)
{
	char note[192];
	int err;

	h->text.len = 0;
	err = c->def->make(c, &h->text, clock_ns(CLOCK_MONOTONIC_RAW));
	c->on = !err;
	if (!err)
		return;
	snprintf(note, sizeof(note), "%s: %s: %s: %s",
		 c->def->pace == HOST_PACE_SYS ? "ACL_PROF_HOST_SYS" : "ACL_PROF_HOST_SYS_USAGE",
		 item_name(c->def->item), c->what, strerror(err));
	tell(arg, "none", note);
}

static void open_processes(struct host *h, host_tell_fn *tell, void *arg)
{
	const bool wanted[PROCESS_PARTS] = {
		[PROCESS_CPU] = h->collector[HOST_KIND_PROCESS_CPU].on,
		[PROCESS_MEM] = h->collector[HOST_KIND_PROCESS_MEM].on,
	};

	if (!wanted[PROCESS_CPU] && !wanted[PROCESS_MEM])
		return;
	h->processes = processes_open(NULL, wanted);
	if (!h->processes)
		tell(arg, "none", "ACL_PROF_HOST_SYS_USAGE: other processes: no memory");
}

static void open_numa(struct host *h, struct host_collector *c, host_tell_fn *tell, void *arg)
{
	char note[128];

	try(h, c, tell, arg);
	if (!c->on || !c->own_error)
		return;
	snprintf(note, sizeof(note), "ACL_PROF_HOST_SYS: numa: of this process: /proc/self/numa_maps: %s",
		 strerror(c->own_error));
	tell(arg, "none", note);
}

static void open_timer(struct host *h, enum host_pace pace, host_tell_fn *tell, void *arg)
{
	bool any = false;
	char note[96];

	for (int k = 0; k < HOST_KINDS; k++)
		any |= h->collector[k].on && h->collector[k].def->pace == pace;
	if (!any)
		return;
	h->timer[pace] = fds_add(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
	if (h->timer[pace] >= 0)
		return;
	snprintf(note, sizeof(note), "host data: timerfd_create: %s", strerror(errno));
	tell(arg, "none", note);
	for (int k = 0; k < HOST_KINDS; k++)
		if (h->collector[k].def->pace == pace)
			h->collector[k].on = false;
}

struct host *host_open(const struct settings *settings, host_tell_fn *tell, void *arg)
{
	struct host *h;
	bool any = false;

	if (!settings->host_sys && !settings->host_usage && !settings->hardware_mem_hz)
		return NULL;
	h = calloc(1, sizeof(*h));
	if (h)
		h->text = (struct host_text){ malloc(HOST_TEXT_MAX), HOST_TEXT_MAX, 0 };
	if (!h || !h->text.buf) {
		free(h);
		tell(arg, "none", "host data: no memory");
		return NULL;
	}
	h->hz[HOST_PACE_SYS] = HOST_SYS_HZ;
	h->hz[HOST_PACE_USAGE] = settings->host_usage_hz ? settings->host_usage_hz : HOST_USAGE_HZ;
	h->hz[HOST_PACE_HARDWARE] = settings->hardware_mem_hz ? settings->hardware_mem_hz : 1;
	for (int k = 0; k < HOST_KINDS; k++) {
		struct host_collector *c = &h->collector[k];

		c->def = &host_kind_defs[k];
		if (!(asked(settings, c->def->pace) & c->def->item))
			continue;
		if (k == HOST_KIND_OSRT)
			open_osrt(c, tell, arg);
		else if (k == HOST_KIND_PTHREAD)
			open_pthread(c, tell, arg);
		else if (k == HOST_KIND_PMUS)
			open_pmus(c, settings->hardware_mem_hz, tell, arg);
		else if (is_counters((enum host_kind)k))
			open_counters(c, k == HOST_KIND_SYS_COUNTERS, tell, arg);
		else if (k == HOST_KIND_NUMA)
			open_numa(h, c, tell, arg);
		else
			try(h, c, tell, arg);
	}
	open_processes(h, tell, arg);
	for (int p = 0; p < HOST_PACES; p++) {
		h->timer[p] = -1;
		open_timer(h, (enum host_pace)p, tell, arg);
	}
	for (int k = 0; k < HOST_KINDS; k++)
		any |= h->collector[k].on;
	if (any)
		return h;
	host_free(h);
	return NULL;
}

bool host_attach(struct host *h, struct slice_store *store, int data_fd, uint64_t begin_ns)
{
	for (int k = 0; h && k < HOST_KINDS; k++) {
		struct host_collector *c = &h->collector[k];
		char tag[64];

		if (!c->on)
			continue;
		if (c->def->tag[0] == '-')
			snprintf(tag, sizeof(tag), "%d%s", getpid(), c->def->tag);
		else
			snprintf(tag, sizeof(tag), "%s", c->def->tag);
		c->begin_ns = begin_ns;
		if (!slice_sink_init(&c->sink, store, data_fd, tag, 1, c->def->buf_bytes) ||
		    !slice_sink_pack(&c->sink, NULL))
			return false;
		c->sink.begins = c->def->begins;
		c->sink.overlaps = c->def->overlaps;
	}
	if (h && h->processes)
		processes_attach(h->processes, store, data_fd);
	return true;
}

/* ---- samples ---- */

/* What a slice begins with before its first own sample. */
static size_t slice_head(const struct host_collector *c, uint64_t ns, char line[96])
{
	if (c->def->overlaps)
		return c->last_len;
	if (c->def->anchor)
		return c->def->anchor(line, 96, c->begin_ns);
	return c->def->each_interval ? (size_t)snprintf(line, 96, "start_time %" PRIu64 "\n", ns) : 0;
}

static void keep_last(struct host_collector *c, const struct host_text *t)
{
	char *copy = realloc(c->last, t->len);

	if (!copy) {
		c->last_len = 0;
		return;
	}
	c->last = copy;
	c->last_len = t->len;
	memcpy(copy, t->buf, t->len);
}

/* @begin_ns: of the interval that the sample tells of */
static void put(struct host_collector *c, const char *text, size_t len, uint64_t begin_ns, uint64_t ns)
{
	bool fits = slice_has_room(&c->sink, (uint32_t)len);
	char line[96], *to;
	size_t head = fits ? 0 : slice_head(c, begin_ns, line);

	if (!fits && c->sink.file)
		slice_end(&c->sink);
	if (!c->first_ns || ns < c->first_ns)
		c->first_ns = ns;
	if (ns > c->last_ns)
		c->last_ns = ns;
	to = slice_reserve_event(&c->sink, (uint32_t)(head + len));
	if (!to) {
		slice_lose(&c->sink, 1, 0);
		return;
	}
	if (head)
		memcpy(to, c->def->overlaps ? c->last : line, head);
	memcpy(to + head, text, len);
	slice_commit_event(&c->sink, (uint32_t)(head + len), 0);
}

/* All that has happened since; as much at a time as there is room for. */
static void take_events(struct host *h, struct host_collector *c)
{
	do {
		const char *line, *end;

		h->text.len = 0;
		c->def->make(c, &h->text, 0);
		for (line = h->text.buf; line < h->text.buf + h->text.len; line = end) {
			end = memchr(line, '\n', h->text.len - (size_t)(line - h->text.buf));
			end++;
			put(c, line, (size_t)(end - line), 0, c->def->stamp(line));
		}
	} while (c->more);
}

/* Samples that somebody else took, or one now. */
static void take_samples(struct host *h, struct host_collector *c, uint64_t intervals)
{
	uint64_t ns;

	if (!pmu_counters_by_module(c->pmus))
		c->late += intervals - 1;
	for (h->text.len = 0; pmu_counters_next(c->pmus, &h->text, &ns); h->text.len = 0) {
		put(c, h->text.buf, h->text.len, 0, ns);
		keep_last(c, &h->text);
	}
}

static void sample(struct host *h, struct host_collector *c, uint64_t intervals)
{
	uint64_t ns = clock_ns(CLOCK_MONOTONIC_RAW), before = c->io_ns;

	if (c->def->anchor) {
		take_events(h, c);
		return;
	}
	if (c->pmus) {
		take_samples(h, c, intervals);
		return;
	}
	h->text.len = 0;
	if (c->def->make(c, &h->text, ns)) {
		c->unread += intervals;
		return;
	}
	if (!h->text.len)
		return;
	if (!c->def->each_interval) {
		c->late += intervals - 1;
		put(c, h->text.buf, h->text.len, before, ns);
		if (c->def->overlaps)
			keep_last(c, &h->text);
		return;
	}
	/* Readers take line k for interval k: one that was missed has what was on average.
	 * After a long time without samples a new slice tells its begin anew. */
	if (intervals > h->hz[c->def->pace]) {
		c->late += intervals - 1;
		intervals = 1;
		before = ns - 1000000000u / h->hz[c->def->pace];
		if (c->sink.file)
			slice_end(&c->sink);
	}
	for (uint64_t i = 0; i < intervals; i++)
		put(c, h->text.buf, h->text.len, before + (ns - before) / intervals * i, ns);
}

static void sample_all(struct host *h, enum host_pace pace, uint64_t intervals, bool last)
{
	for (int k = 0; k < HOST_KINDS; k++) {
		struct host_collector *c = &h->collector[k];

		/* The last interval is shorter than those that readers count. */
		if (c->on && c->def->pace == pace && !(last && c->def->each_interval))
			sample(h, c, intervals);
	}
	if (pace == HOST_PACE_USAGE)
		processes_sample(h->processes, clock_ns(CLOCK_MONOTONIC_RAW), last);
}

int host_fd(const struct host *h, enum host_pace pace)
{
	return h ? h->timer[pace] : -1;
}

void host_start(struct host *h)
{
	for (int k = 0; h && k < HOST_KINDS; k++)
		h->collector[k].io_ns = h->collector[k].index = 0; /* of the sample that nobody kept */
	if (h && !h->collector[HOST_KIND_NUMA].own_error)
		h->collector[HOST_KIND_NUMA].due_ns = 0;
	if (h && h->collector[HOST_KIND_PTHREAD].on)
		pthread_calls_begin(clock_ns(CLOCK_MONOTONIC_RAW), control_program());
	for (int p = 0; h && p < HOST_PACES; p++) {
		long ns = 1000000000l / h->hz[p];
		struct timespec interval = { ns / 1000000000, ns % 1000000000 };
		struct itimerspec every = { interval, interval };

		if (h->timer[p] < 0)
			continue;
		timerfd_settime(h->timer[p], 0, &every, NULL);
		sample_all(h, (enum host_pace)p, 1, false);
	}
}

void host_read(struct host *h)
{
	uint64_t intervals;

	if (!h || h->settled)
		return;
	for (int p = 0; p < HOST_PACES; p++)
		if (h->timer[p] >= 0 && read(h->timer[p], &intervals, sizeof(intervals)) == (ssize_t)sizeof(intervals))
			sample_all(h, (enum host_pace)p, intervals, false);
}

void host_flush(struct host *h)
{
	for (int k = 0; h && !h->settled && k < HOST_KINDS; k++)
		if (h->collector[k].on)
			slice_flush(&h->collector[k].sink);
	if (h && !h->settled)
		processes_flush(h->processes);
}

void host_settle(struct host *h)
{
	if (!h)
		return;
	host_read(h);
	if (h->collector[HOST_KIND_PTHREAD].on)
		pthread_calls_end();
	if (h->collector[HOST_KIND_PMUS].on)
		pmu_counters_stop(h->collector[HOST_KIND_PMUS].pmus);
	for (int p = 0; p < HOST_PACES; p++) {
		if (h->timer[p] >= 0)
			sample_all(h, (enum host_pace)p, 1, true);
		fds_close(h->timer[p]);
		h->timer[p] = -1;
	}
	h->settled = true;
	for (int k = 0; k < HOST_KINDS; k++) {
		struct host_collector *c = &h->collector[k];

		if (c->left_out)
			log_line(LOG_WARN, "%s: samples had no room for %u threads", c->def->name, c->left_out);
		if (c->on)
			slice_settle(&c->sink);
	}
	processes_settle(h->processes);
}

void host_finish(struct host *h)
{
	for (int k = 0; h && k < HOST_KINDS; k++)
		if (h->collector[k].on)
			slice_finish(&h->collector[k].sink);
	if (h)
		processes_finish(h->processes);
}

void host_free(struct host *h)
{
	if (!h)
		return;
	for (int p = 0; p < HOST_PACES; p++)
		fds_close(h->timer[p]);
	if (h->collector[HOST_KIND_PTHREAD].on && !h->settled)
		pthread_calls_end();
	for (int k = 0; k < HOST_KINDS; k++) {
		counters_close(&h->collector[k].counters);
		osrt_close(h->collector[k].osrt);
		pmu_counters_close(h->collector[k].pmus);
		free(h->collector[k].last);
		slice_sink_free(&h->collector[k].sink);
	}
	processes_free(h->processes);
	free(h->text.buf);
	free(h);
}

const struct host_collector *host_collector(const struct host *h, enum host_kind kind)
{
	return h && h->collector[kind].on ? &h->collector[kind] : NULL;
}

static void add(struct host_sum *sum, const struct processes_sum *others)
{
	sum->slices.taken += others->slices.taken;
	sum->slices.written += others->slices.written;
	sum->slices.aged += others->slices.aged;
	sum->no_room += others->no_place;
	if (others->first_ns && (!sum->first_ns || others->first_ns < sum->first_ns))
		sum->first_ns = others->first_ns;
	if (others->last_ns > sum->last_ns)
		sum->last_ns = others->last_ns;
}

struct host_sum host_sum(const struct host *h, enum host_kind kind)
{
	const struct host_collector *c = &h->collector[kind];
	struct processes_sum others = { 0 };
	struct host_sum sum = {
		.slices = { c->sink.taken[0], slice_written(&c->sink, 0), c->sink.aged[0] },
		.no_room = c->def->lost ? c->def->lost(c) : 0,
		.first_ns = c->first_ns,
		.last_ns = c->last_ns,
	};

	if (kind == HOST_KIND_PROCESS_CPU || kind == HOST_KIND_PROCESS_MEM)
		others = processes_sum(h->processes, kind == HOST_KIND_PROCESS_CPU ? PROCESS_CPU : PROCESS_MEM);
	add(&sum, &others);
	return sum;
}
