/* SPDX-License-Identifier: Apache-2.0 */
#include "host/counters.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/fds.h"

#define LLC(result) (PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 | (result) << 16)
#define FDS_SHARE 8 /* of RLIMIT_NOFILE: the rest is the program's */

static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
	bool user; /* means something for user space alone */
	bool process; /* means nothing for a machine */
} events[COUNTERS_MAX] = {
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true, true },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false, false },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false, false },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true, false },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, false },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, false },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, true, false },
	{ "LLC-loads", PERF_TYPE_HW_CACHE, LLC(PERF_COUNT_HW_CACHE_RESULT_ACCESS), true, false },
	{ "LLC-load-misses", PERF_TYPE_HW_CACHE, LLC(PERF_COUNT_HW_CACHE_RESULT_MISS), true, false },
};

/* What is counted: threads of this process, or CPUs. */
struct places {
	bool machine;
	int *id;
	uint32_t nr;
};

static bool add_place(struct places *p, int id)
{
	int *more = realloc(p->id, (p->nr + 1) * sizeof(*more));

	if (!more)
		return false;
	p->id = more;
	p->id[p->nr++] = id;
	return true;
}

static void find_places(struct places *p)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct dirent *e;
	DIR *tasks;

	for (int cpu = 0; p->machine && cpu < cpus; cpu++)
		if (!add_place(p, cpu))
			return;
	tasks = p->machine ? NULL : opendir("/proc/self/task");
	while (tasks && (e = readdir(tasks)))
		if (isdigit((unsigned char)e->d_name[0]) && !add_place(p, atoi(e->d_name)))
			break;
	if (tasks)
		closedir(tasks);
	/* Without /proc the calling thread, and those that it makes, can be counted. */
	if (!p->nr && !p->machine)
		add_place(p, 0);
}

static int open_event(const struct event *e, const struct places *p, int id, bool user)
{
	struct perf_event_attr attr = {
		.type = e->type,
		.size = sizeof(attr),
		.config = e->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = user,
		.exclude_hv = user,
		.inherit = !p->machine,
	};
	int fd;

#ifdef PERF_ATTR_SIZE_VER7 /* Linux 5.13; before, children are counted too */
	attr.inherit_thread = !p->machine;
#endif
	fd = (int)syscall(SYS_perf_event_open, &attr, p->machine ? -1 : id, p->machine ? id : -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
#ifdef PERF_ATTR_SIZE_VER7
	if (fd < 0 && errno == EINVAL && !p->machine) {
		attr.inherit_thread = 0;
		fd = (int)syscall(SYS_perf_event_open, &attr, id, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
#endif
	return fds_add(fd);
}

static void close_counter(struct counter *c)
{
	for (uint32_t i = 0; i < c->nr; i++)
		fds_close(c->fd[i]);
	free(c->fd);
	*c = (struct counter){ 0 };
}

/* Return: 0, or an errno. */
static int open_counter(struct counter *c, const struct event *e, const struct places *p, bool user)
{
	*c = (struct counter){ .fd = calloc(p->nr, sizeof(*c->fd)) };
	if (!c->fd)
		return ENOMEM;
	snprintf(c->name, sizeof(c->name), "%s%s", e->name, user ? ":u" : "");
	for (uint32_t i = 0; i < p->nr; i++) {
		int fd = open_event(e, p, p->id[i], user), err = errno;

		if (fd >= 0) {
			c->fd[c->nr++] = fd;
		} else if (err != (p->machine ? ENODEV : ESRCH)) { /* a CPU that is off, a thread that ended */
			close_counter(c);
			return err;
		}
	}
	return c->nr ? 0 : ESRCH;
}

static uint64_t fds_allowed(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 64 : limit.rlim_cur / FDS_SHARE;
}

/* "a, b: reason; c: other reason" */
static void name(char *text, size_t size, const char *name, int err, int *last)
{
	size_t n = strlen(text);

	if (n && err != *last)
		n += (size_t)snprintf(text + n, size - n, ": %s; ", strerror(*last));
	else if (n)
		n += (size_t)snprintf(text + n, size - n, ", ");
	if (n < size)
		snprintf(text + n, size - n, "%s", name);
	*last = err;
}

bool counters_open(struct counters *c, bool machine, char *have, char *lack, size_t size)
{
	struct places p = { .machine = machine };
	uint64_t left = fds_allowed();
	int last = 0, none = 0;
	size_t n;

	c->nr = 0;
	*have = *lack = '\0';
	find_places(&p);
	for (uint32_t i = 0; i < COUNTERS_MAX; i++) {
		struct counter *one = &c->counter[c->nr];
		int err;

		if (machine && events[i].process)
			continue;
		err = p.nr > left ? EMFILE : open_counter(one, &events[i], &p, false);
		if ((err == EACCES || err == EPERM) && !machine && events[i].user)
			err = open_counter(one, &events[i], &p, true);
		if (err) {
			name(lack, size, events[i].name, err, &last);
			continue;
		}
		left -= one->nr;
		name(have, size, one->name, 0, &none);
		c->nr++;
	}
	n = strlen(lack);
	if (n && n < size)
		snprintf(lack + n, size - n, ": %s", strerror(last));
	free(p.id);
	return c->nr;
}

void counters_put(const struct counters *c, struct host_text *t)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		const struct counter *one = &c->counter[i];
		uint64_t sum[3] = { 0 }, value[3];

		for (uint32_t k = 0; k < one->nr; k++) {
			if (read(one->fd[k], value, sizeof(value)) != (ssize_t)sizeof(value))
				continue;
			for (int v = 0; v < 3; v++)
				sum[v] += value[v];
		}
		host_put(t, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", one->name, sum[0], sum[1], sum[2]);
	}
}

void counters_close(struct counters *c)
{
	while (c->nr)
		close_counter(&c->counter[--c->nr]);
}
