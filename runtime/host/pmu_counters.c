/* SPDX-License-Identifier: Apache-2.0 */
#include "host/pmu_counters.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock/clock.h"
#include "collect/drm.h"
#include "collect/hub.h"
#include "collect/npus.h"
#include "collect/pmus.h"
#include "session/fds.h"

#define RING_BYTES (4u << 20)
#define OF_ONE_PMU 8 /* counters that a PMU of a Kunpeng server has, mostly */
#define WHAT_BYTES 40
#define FDS_SHARE 8 /* of the descriptors that the process may have */

struct pmu_counters {
	struct pmus found;
	char what[PMUS_MAX][WHAT_BYTES];
	bool by_module;
	struct hub_stream stream;
	uint64_t lost;
	int fd[PMUS_MAX]; /* of perf_event_open */
	bool taken; /* the sample of this time */
	unsigned int left_out; /* counters that the kernel refused */
};

/* ---- which ---- */

static unsigned int of_pmu(const struct pmus *p, unsigned int nr, const char *pmu)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nr; i++)
		n += !strcmp(p->counters[i].pmu, pmu);
	return n;
}

/* Of each PMU that we do not have yet, as many as it can count at once. @npu: that they count for, NULL: for all */
static void take(struct pmu_counters *p, const struct pmus *more, const char *npu)
{
	unsigned int before = p->found.nr;

	for (unsigned int i = 0; i < more->nr && p->found.nr < PMUS_MAX; i++) {
		const struct pmus_counter *c = &more->counters[i];
		char *what = p->what[p->found.nr], *blank;

		if (of_pmu(&p->found, before, c->pmu) || of_pmu(&p->found, p->found.nr, c->pmu) == OF_ONE_PMU)
			continue;
		if (!npu)
			snprintf(what, WHAT_BYTES, "%s", c->what);
		else
			snprintf(what, WHAT_BYTES, "%.16s of NPU %s", c->what, npu);
		for (blank = what; (blank = strchr(blank, ' '));)
			*blank = '_';
		p->found.counters[p->found.nr++] = *c;
	}
}

/* The number of an NPU, as the driver or whoever feeds the module has it; else its address. */
static void name_npu(const struct npus_one *npu, const struct hub_inventory *inv, char name[PCI_TEXT])
{
	uint32_t address = npu->at.domain << 16 | npus_bdf(&npu->at); /* as the module packs it */
	int number = npu->number;

	for (unsigned int id = 0; number < 0 && id < inv->count; id++)
		if (inv->npu[id].present && inv->npu[id].pci_addr == address)
			number = (int)id;
	if (number < 0)
		pci_print(&npu->at, name);
	else
		snprintf(name, PCI_TEXT, "%d", number);
}

static void find(struct pmu_counters *p, const char *root)
{
	struct pmus *more = malloc(sizeof(*more));
	struct pmus_query query = { .root = root };
	struct npus_one npus[NPUS_MAX];
	struct hub_inventory inv;
	unsigned int nr = npus_find(root, npus);

	if (more && !pmus_find(&query, more))
		take(p, more, NULL);
	hub_read_inventory(&inv);
	query.npu = true;
	for (unsigned int i = 0; more && i < nr; i++) {
		char name[PCI_TEXT];

		query.at = npus[i].at;
		name_npu(&npus[i], &inv, name);
		if (npus_bdf(&query.at) && !pmus_find(&query, more)) /* 0 would be no filter */
			take(p, more, name);
	}
	free(more);
}

/* A driver may refuse what its files promise: the others count without it. */
static bool leave_out(struct pmu_counters *p, unsigned int i, int err)
{
	if (p->found.nr == 1 || (err != EINVAL && err != EOPNOTSUPP && err != ENOENT && err != ENODEV))
		return false;
	p->found.nr--;
	memmove(&p->found.counters[i], &p->found.counters[i + 1], (p->found.nr - i) * sizeof(p->found.counters[0]));
	memmove(p->what[i], p->what[i + 1], (size_t)(p->found.nr - i) * WHAT_BYTES);
	p->left_out++;
	return true;
}

/* ---- by whom ---- */

static int open_stream(struct pmu_counters *p, uint32_t hz)
{
	const char *what;
	uint32_t source;
	int err = hub_perf_source(&source);

	if (!err)
		err = hub_stream_open_as(&p->stream, 1000000000u / hz, RING_BYTES, ASCPROF_STREAM_F_TIMES, &what);
	for (unsigned int i = 0; i < p->found.nr && !err;) {
		const struct pmus_counter *c = &p->found.counters[i];
		struct ascprof_counter_add add = {
			.source_id = source, .perf_type = c->type, .config = c->config[0], .config1 = c->config[1],
			.config2 = c->config[2], .cpu = c->cpu, .scale_num = c->scale_num, .scale_den = c->scale_den,
		};

		memcpy(add.unit, c->unit, sizeof(add.unit));
		if (!drm_ioctl(p->stream.fd, ASCPROF_IOC_COUNTER_ADD, &add))
			i++;
		else if (!leave_out(p, i, errno))
			err = errno;
	}
	/* At once: whoever has the PMUs' counters meanwhile is known while there is another way. */
	if (!err)
		err = hub_stream_start(&p->stream);
	if (err)
		hub_stream_close(&p->stream);
	return err;
}

static int open_events(struct pmu_counters *p)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && p->found.nr > limit.rlim_cur / FDS_SHARE)
		return EMFILE;
	for (unsigned int i = 0; i < p->found.nr;) {
		const struct pmus_counter *c = &p->found.counters[i];
		struct perf_event_attr attr = {
			.type = c->type,
			.size = sizeof(attr),
			.config = c->config[0],
			.config1 = c->config[1],
			.config2 = c->config[2],
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		};

		p->fd[i] = fds_add((int)syscall(SYS_perf_event_open, &attr, -1, c->cpu, -1, PERF_FLAG_FD_CLOEXEC));
		if (p->fd[i] >= 0)
			i++;
		else if (!leave_out(p, i, errno))
			return errno;
	}
	return 0;
}

struct pmu_counters *pmu_counters_open(const char *root, uint32_t hz, char *note, size_t size)
{
	struct pmu_counters *p = calloc(1, sizeof(*p));
	int of_module, of_kernel;

	if (!p) {
		snprintf(note, size, "no memory");
		return NULL;
	}
	p->stream.fd = -1;
	memset(p->fd, 0xff, sizeof(p->fd));
	find(p, root);
	if (!p->found.nr) {
		snprintf(note, size, "this machine shows no PMU of caches, memory or PCIe");
		pmu_counters_close(p);
		return NULL;
	}
	of_module = open_stream(p, hz);
	p->by_module = !of_module;
	of_kernel = of_module ? open_events(p) : 0;
	if (of_kernel) {
		snprintf(note, size, "%u counters of PMUs: the module: %s; perf_event_open: %s", p->found.nr,
			 strerror(of_module), strerror(of_kernel));
		pmu_counters_close(p);
		return NULL;
	}
	snprintf(note, size, p->left_out ? "%u counters of the host's PMUs; the kernel refused %u more" :
		 "%u counters of the host's PMUs", p->found.nr, p->left_out);
	return p;
}

void pmu_counters_close(struct pmu_counters *p)
{
	if (!p)
		return;
	hub_stream_close(&p->stream);
	for (unsigned int i = 0; i < PMUS_MAX; i++)
		fds_close(p->fd[i]);
	free(p);
}

bool pmu_counters_by_module(const struct pmu_counters *p)
{
	return p->by_module;
}

void pmu_counters_stop(struct pmu_counters *p)
{
	if (p->by_module)
		hub_stream_stop(&p->stream);
}

/* ---- samples ---- */

static void put_counter(const struct pmu_counters *p, unsigned int i, const uint64_t value[3], struct host_text *t)
{
	const struct pmus_counter *c = &p->found.counters[i];

	host_put(t, "%s/%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %u/%u %s %s\n", c->pmu, c->event, value[0], value[1],
		 value[2], c->scale_num, c->scale_den, c->unit, p->what[i]);
}

/* Counters that could not be read are 0, and others of that sample: the next whole one tells what they grew. */
static bool next_of_module(struct pmu_counters *p, struct host_text *t, uint64_t *ns)
{
	const struct ascprof_rec_sample *s;
	const struct ascprof_rec *r;

	while ((r = hub_stream_next(&p->stream))) {
		if (r->type == ASCPROF_REC_LOST)
			p->lost += ((const struct ascprof_rec_lost *)r)->samples;
		s = (const void *)r;
		if (r->type != ASCPROF_REC_SAMPLE || s->bad || s->nr != p->found.nr)
			continue;
		*ns = s->t_raw;
		host_put(t, "time %" PRIu64 "\n", *ns);
		for (unsigned int i = 0; i < s->nr; i++)
			put_counter(p, i, (const uint64_t *)&s->value[3 * (size_t)i], t);
		return true;
	}
	hub_stream_release(&p->stream);
	return false;
}

bool pmu_counters_next(struct pmu_counters *p, struct host_text *t, uint64_t *ns)
{
	if (p->by_module)
		return next_of_module(p, t, ns);
	p->taken = !p->taken;
	if (!p->taken)
		return false;
	*ns = clock_ns(CLOCK_MONOTONIC_RAW);
	host_put(t, "time %" PRIu64 "\n", *ns);
	for (unsigned int i = 0; i < p->found.nr; i++) {
		uint64_t value[3];

		if (read(p->fd[i], value, sizeof(value)) == (ssize_t)sizeof(value))
			put_counter(p, i, value, t);
	}
	return true;
}

uint64_t pmu_counters_lost(const struct pmu_counters *p)
{
	return p->lost;
}
