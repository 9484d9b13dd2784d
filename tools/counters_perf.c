/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the kernel: by the module, which may allow more, else by perf_event_open(2). */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/drm.h"
#include "collect/pmus.h"
#include "collect/sysfs.h"
#include "tools/counters.h"

struct generic {
	const char *name;
	uint32_t type;
	uint64_t config;
	const char *metric, *unit;
	double scale;
	bool divisor, miss;
};

/* Of the program. A rate of hits is made of two counters, which are also shown. */
static const struct generic generics[] = {
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock", "ms", 1e-6, false, false },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches", "", 1, false,
	  false },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations", "", 1, false, false },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults", "", 1, false, false },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles", "", 1, false, false },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions", "", 1, false, false },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "llc-hit", "%", 1, true, true },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "llc-hit", "%", 1, false, true },
};

static void explain(struct counter *c, int err)
{
	char text[SYSFS_TEXT] = "?";

	switch (err) {
	case EACCES:
	case EPERM:
		sysfs_text(AT_FDCWD, "/proc/sys/kernel/perf_event_paranoid", text);
		snprintf(c->why, sizeof(c->why), "no right to (kernel.perf_event_paranoid is %.8s; CAP_PERFMON)", text);
		break;
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		snprintf(c->why, sizeof(c->why), "this machine does not have it");
		break;
	default:
		snprintf(c->why, sizeof(c->why), "%s", strerror(err));
		break;
	}
}

static int open_event(struct perf_event_attr *attr, int pid, int cpu)
{
	attr->size = sizeof(*attr);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Off in this process, inherited by what it starts, and on there from exec. */
static void find_generic(struct counters *all, const struct generic *g)
{
	struct perf_event_attr attr = {
		.type = g->type, .config = g->config, .disabled = 1, .inherit = 1, .enable_on_exec = 1,
	};
	struct counter *c = counters_add(all);

	if (!c)
		return;
	snprintf(c->group, sizeof(c->group), "program");
	snprintf(c->name, sizeof(c->name), "%s", g->name);
	snprintf(c->metric, sizeof(c->metric), "%s", g->metric);
	snprintf(c->unit, sizeof(c->unit), "%s", g->unit);
	c->scale = g->scale;
	c->divisor = g->divisor;
	c->miss = g->miss;
	c->by = "perf_event_open";
	if (!counters_wanted(all, c))
		return;
	c->fd = open_event(&attr, 0, -1);
	if (c->fd < 0 && errno == EACCES) {
		/* What everybody may: user space alone, and it is called so. */
		attr.exclude_kernel = 1;
		c->fd = open_event(&attr, 0, -1);
		if (c->fd >= 0)
			snprintf(c->metric, sizeof(c->metric), "%s:u", g->metric);
	}
	if (c->fd < 0)
		explain(c, errno);
}

/* ---- of the machine ---- */

/* CPU's package; what has none is socket 0. */
static unsigned int socket_of(int cpu)
{
	char path[96], text[SYSFS_TEXT];
	uint64_t value;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
	if (sysfs_text(AT_FDCWD, path, text) || sysfs_number(text, INT32_MAX, &value))
		return 0;
	return (unsigned int)value;
}

static int add_to_stream(struct counters *all, uint32_t source, const struct pmus_counter *p, uint32_t *slot)
{
	struct ascprof_counter_add add = {
		.source_id = source, .perf_type = p->type, .config = p->config[0], .config1 = p->config[1],
		.config2 = p->config[2], .cpu = p->cpu, .scale_num = p->scale_num, .scale_den = p->scale_den,
	};

	memcpy(add.unit, p->unit, sizeof(add.unit));
	if (drm_ioctl(all->stream.fd, ASCPROF_IOC_COUNTER_ADD, &add))
		return errno;
	*slot = add.slot;
	return 0;
}

static void name_metric(struct counter *c, const struct pmus_counter *p)
{
	char *at;

	if (!strcmp(p->event, "l3c_ref") || !strcmp(p->event, "l3c_hit")) {
		snprintf(c->metric, sizeof(c->metric), "llc-hit");
	} else if (!strcmp(p->event, "l3_lookup_all") || !strcmp(p->event, "l3_lookup_miss")) {
		snprintf(c->metric, sizeof(c->metric), "llc-hit");
		c->miss = true;
	} else {
		snprintf(c->metric, sizeof(c->metric), "%s-%s", p->what, p->event);
		for (at = c->metric; *at; at++)
			if (*at == ' ' || *at == '_')
				*at = '-';
		return;
	}
	snprintf(c->unit, sizeof(c->unit), "%%");
	c->divisor = !strcmp(p->event, "l3c_ref") || !strcmp(p->event, "l3_lookup_all");
}

static void find_pmu(struct counters *all, const struct pmus_counter *p, bool module, uint32_t source)
{
	struct perf_event_attr attr = {
		.type = p->type, .config = p->config[0], .config1 = p->config[1], .config2 = p->config[2],
	};
	struct counter *c = counters_add(all);

	if (!c)
		return;
	snprintf(c->group, sizeof(c->group), "socket %u", socket_of(p->cpu));
	snprintf(c->name, sizeof(c->name), "%.*s/%.*s", PMUS_NAME / 2, p->pmu, PMUS_NAME - 1, p->event);
	snprintf(c->unit, sizeof(c->unit), "%s", p->unit);
	name_metric(c, p);
	c->scale = strcmp(c->unit, "%") ? (double)p->scale_num / (double)p->scale_den : 1;
	c->by = "module";
	if (!counters_wanted(all, c))
		return;
	if (module && !add_to_stream(all, source, p, &c->slot)) {
		c->source = source;
		all->streamed++;
		return;
	}
	c->by = "perf_event_open";
	c->fd = open_event(&attr, -1, p->cpu);
	if (c->fd < 0)
		explain(c, errno);
}

static void find_pmus(struct counters *c)
{
	struct pmus *found = malloc(sizeof(*found));
	const struct pmus_query query = { .root = NULL };
	uint32_t source = 0;
	bool module = c->stream.fd >= 0 && !hub_perf_source(&source);

	if (!found) {
		c->no_memory = true;
		return;
	}
	pmus_find(&query, found);
	for (unsigned int i = 0; i < found->nr; i++)
		find_pmu(c, &found->counters[i], module, source);
	free(found);
}

void counters_find_perf(struct counters *c, bool program)
{
	find_pmus(c);
	for (unsigned int i = 0; program && i < sizeof(generics) / sizeof(generics[0]); i++)
		find_generic(c, &generics[i]);
}

void counters_read_perf(struct counters *c)
{
	struct { uint64_t value, enabled, running; } now;

	for (unsigned int i = 0; i < c->nr; i++) {
		struct counter *one = &c->list[i];

		if (one->fd < 0)
			continue;
		counters_shift(one);
		if (read(one->fd, &now, sizeof(now)) != sizeof(now))
			continue;
		one->value = now.value;
		one->enabled_ns = now.enabled;
		one->running_ns = now.running;
		one->read = true;
	}
}
