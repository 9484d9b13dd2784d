/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of NPUs, by the module. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/counters.h"

#define RING_BYTES (1u << 20)
#define EVENT_OF(config) ((uint32_t)((config) & 0xffff))

/* What an event is a part of. NULL: of nothing that is known here. */
struct meaning {
	uint32_t event_class;
	uint32_t first, last; /* events */
	const char *metric;
	const char *unit;
	bool divisor;
};

/* Codes of LLC events: docs/hardware.md. */
static const struct meaning meanings[] = {
	{ ASCPROF_CLASS_LLC, 0x00, 0x01, "llc-throughput", "bytes", false },
	{ ASCPROF_CLASS_LLC, 0x02, 0x02, "llc-read-hit", "%", false },
	{ ASCPROF_CLASS_LLC, 0x13, 0x13, "llc-read-hit", "%", false },
	{ ASCPROF_CLASS_LLC, 0x22, 0x22, "llc-read-hit", "%", false },
	{ ASCPROF_CLASS_LLC, 0x36, 0x36, "llc-read-hit", "%", false },
	{ ASCPROF_CLASS_LLC, 0x20, 0x20, "llc-read-hit", "%", true },
	{ ASCPROF_CLASS_LLC, 0x34, 0x34, "llc-read-hit", "%", true },
	{ ASCPROF_CLASS_LLC, 0x03, 0x03, "llc-write-hit", "%", false },
	{ ASCPROF_CLASS_LLC, 0x14, 0x14, "llc-write-hit", "%", false },
	{ ASCPROF_CLASS_LLC, 0x23, 0x23, "llc-write-hit", "%", false },
	{ ASCPROF_CLASS_LLC, 0x37, 0x37, "llc-write-hit", "%", false },
	{ ASCPROF_CLASS_LLC, 0x21, 0x21, "llc-write-hit", "%", true },
	{ ASCPROF_CLASS_LLC, 0x35, 0x35, "llc-write-hit", "%", true },
	{ ASCPROF_CLASS_HBM, 0, 0, "memory-read", NULL, false },
	{ ASCPROF_CLASS_HBM, 1, 1, "memory-write", NULL, false },
	{ ASCPROF_CLASS_SOC, 0, 3, "sio-rx", NULL, false },
	{ ASCPROF_CLASS_SOC, 4, 7, "sio-tx", NULL, false },
	{ ASCPROF_CLASS_SOC, ASCPROF_SIM_SOC_PCIE_WRITE, ASCPROF_SIM_SOC_PCIE_WRITE, "pcie-write", NULL, false },
	{ ASCPROF_CLASS_SOC, ASCPROF_SIM_SOC_PCIE_READ, ASCPROF_SIM_SOC_PCIE_READ, "pcie-read", NULL,
	  false },
	{ ASCPROF_CLASS_SOC, ASCPROF_SIM_SOC_LINK_RX, ASCPROF_SIM_SOC_LINK_RX, "link-rx", NULL, false },
	{ ASCPROF_CLASS_SOC, ASCPROF_SIM_SOC_LINK_TX, ASCPROF_SIM_SOC_LINK_TX, "link-tx", NULL, false },
	{ ASCPROF_CLASS_ACC, ASCPROF_SIM_ACC_READ, ASCPROF_SIM_ACC_READ, "acc-read", NULL, false },
	{ ASCPROF_CLASS_ACC, ASCPROF_SIM_ACC_WRITE, ASCPROF_SIM_ACC_WRITE, "acc-write", NULL, false },
};

static const struct meaning *meaning_of(const struct ascprof_event *e)
{
	for (unsigned int i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		const struct meaning *m = &meanings[i];

		if (m->event_class == e->event_class && EVENT_OF(e->config) >= m->first && EVENT_OF(e->config) <= m->last)
			return m;
	}
	return NULL;
}

struct finding {
	struct counters *all;
	const struct hub_npu *npu;
	unsigned int device;
};

static void find_event(void *arg, const struct ascprof_event *e)
{
	struct finding *f = arg;
	const struct meaning *m = meaning_of(e);
	struct counter *c = counters_add(f->all);
	int err;

	if (!c)
		return;
	snprintf(c->group, sizeof(c->group), "npu %u (%s%s)", f->device, f->npu->name,
		 f->npu->sim ? ", simulated numbers" : "");
	snprintf(c->name, sizeof(c->name), "%s/%s", f->npu->name, e->name);
	snprintf(c->metric, sizeof(c->metric), "%s", m ? m->metric : e->name);
	snprintf(c->unit, sizeof(c->unit), "%s", m && m->unit ? m->unit : e->unit);
	c->scale = (double)e->scale_num / (double)e->scale_den;
	c->level = e->value_kind == ASCPROF_VALUE_GAUGE;
	c->divisor = m && m->divisor;
	c->by = "module";
	c->source = e->source_id;
	if (!counters_wanted(f->all, c))
		return;
	err = hub_stream_add(&f->all->stream, e->source_id, e->config, &c->slot);
	if (err)
		snprintf(c->why, sizeof(c->why), "the module: %s", strerror(err));
	else
		f->all->streamed++;
}

void counters_find_module(struct counters *c, uint64_t period_ns)
{
	struct hub_inventory inv;
	const char *what;
	int err;

	hub_read_inventory(&inv);
	if (!inv.count) {
		snprintf(c->no_module, sizeof(c->no_module), "%s", inv.why);
		return;
	}
	err = hub_stream_open_as(&c->stream, period_ns, RING_BYTES, ASCPROF_STREAM_F_TIMES, &what);
	for (unsigned int id = 0; id < inv.count && !err; id++) {
		struct finding f = { c, &inv.npu[id], id };

		if (!inv.npu[id].present)
			continue;
		what = "listing events";
		err = hub_events(&inv.npu[id], find_event, &f);
	}
	if (err)
		snprintf(c->no_module, sizeof(c->no_module), "%s: %s: %s", hub_path(), what, strerror(err));
}

static bool streamed(const struct counter *c)
{
	return !strcmp(c->by, "module") && !*c->why;
}

static void keep_before(struct counters *c)
{
	for (unsigned int i = 0; i < c->nr; i++)
		if (streamed(&c->list[i]))
			counters_shift(&c->list[i]);
}

static void take(struct counter *one, uint64_t value, uint64_t t_raw)
{
	one->value = value;
	one->taken_ns = t_raw;
	one->read = true;
}

static void take_sample(struct counters *c, const struct ascprof_rec_sample *r)
{
	unsigned int words = r->h.flags & ASCPROF_SAMPLE_F_TIMES ? 3 : 1;

	for (unsigned int i = 0; i < c->nr; i++) {
		struct counter *one = &c->list[i];

		if (!streamed(one) || one->slot >= r->nr)
			continue;
		take(one, r->value[words * one->slot], r->t_raw);
		if (words == 3) {
			one->enabled_ns = r->value[3 * one->slot + 1];
			one->running_ns = r->value[3 * one->slot + 2];
		}
	}
}

/* Those of one source, in the order of their slots, which is that of the list. */
static void take_user(struct counters *c, const struct ascprof_rec_user *r)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < c->nr && n < r->nr; i++)
		if (streamed(&c->list[i]) && c->list[i].source == r->source_id)
			take(&c->list[i], r->value[n++], r->t_raw);
}

void counters_read_module(struct counters *c)
{
	const struct ascprof_rec *r;

	keep_before(c);
	while ((r = hub_stream_next(&c->stream))) {
		if (r->type == ASCPROF_REC_SAMPLE)
			take_sample(c, (const struct ascprof_rec_sample *)r);
		else if (r->type == ASCPROF_REC_USER)
			take_user(c, (const struct ascprof_rec_user *)r);
		else if (r->type == ASCPROF_REC_LOST)
			c->lost += ((const struct ascprof_rec_lost *)r)->samples;
	}
	hub_stream_release(&c->stream);
}
