/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of NPUs as the module counts them, from one stream that samples once a second. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "tools/serve.h"

#define PERIOD_NS 1000000000u
#define RING_BYTES (256u << 10)

struct adding {
	struct serve_module *m;
	unsigned int device;
};

static void add_event(void *arg, const struct ascprof_event *e)
{
	const struct adding *a = arg;
	struct serve_module *m = a->m;
	const struct hub_npu *npu = &m->inventory.npu[a->device];
	struct serve_counter *c = &m->counter[m->nr];

	if (m->nr == SERVE_COUNTERS)
		return;
	*c = (struct serve_counter){
		.device = a->device,
		.source = npu->name,
		.sim = npu->sim,
		.gauge = e->value_kind == ASCPROF_VALUE_GAUGE,
		.source_id = e->source_id,
		.scale = (double)e->scale_num / (double)e->scale_den,
	};
	snprintf(c->event, sizeof(c->event), "%.*s", ASCPROF_NAME_LEN - 1, e->name);
	snprintf(c->unit, sizeof(c->unit), "%.*s", ASCPROF_UNIT_LEN - 1, e->unit);
	if (!hub_stream_add(&m->stream, e->source_id, e->config, &c->slot))
		m->nr++;
}

void serve_module_open(struct serve_module *m)
{
	const char *what = "";
	int err;

	*m = (struct serve_module){ .stream.fd = -1 };
	hub_read_inventory(&m->inventory);
	if (!m->inventory.count) {
		snprintf(m->why, sizeof(m->why), "%s", m->inventory.why);
		return;
	}
	err = hub_stream_open(&m->stream, PERIOD_NS, RING_BYTES, &what);
	for (unsigned int i = 0; i < m->inventory.count && !err; i++) {
		struct adding a = { m, i };

		what = "listing events";
		if (m->inventory.npu[i].present)
			err = hub_events(&m->inventory.npu[i], add_event, &a);
	}
	if (!err && m->nr) {
		what = "starting";
		err = hub_stream_start(&m->stream);
	}
	if (!err && m->nr)
		return;
	snprintf(m->why, sizeof(m->why), "%.100s: %.40s: %.80s", hub_path(), err ? what : "counters",
		 err ? strerror(err) : "there are none");
	serve_module_close(m);
}

static void take(struct serve_counter *c, uint64_t value)
{
	c->value = value;
	c->known = true;
}

/* Values of one source lie in the order in which its counters were added. */
static void take_user(struct serve_module *m, const struct ascprof_rec_user *r)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < m->nr && n < r->nr; i++)
		if (m->counter[i].source_id == r->source_id)
			take(&m->counter[i], r->value[n++]);
}

void serve_module_read(struct serve_module *m)
{
	const struct ascprof_rec *r;

	if (m->stream.fd < 0)
		return;
	while ((r = hub_stream_next(&m->stream))) {
		const struct ascprof_rec_sample *sample = (const struct ascprof_rec_sample *)r;

		for (unsigned int i = 0; r->type == ASCPROF_REC_SAMPLE && i < m->nr; i++)
			if (m->counter[i].slot < sample->nr)
				take(&m->counter[i], sample->value[m->counter[i].slot]);
		if (r->type == ASCPROF_REC_USER)
			take_user(m, (const struct ascprof_rec_user *)r);
		else if (r->type == ASCPROF_REC_LOST)
			m->lost += ((const struct ascprof_rec_lost *)r)->samples;
	}
	hub_stream_release(&m->stream);
}

static void tell_counters(FILE *to, const struct serve_module *m, bool gauge, const char *metric)
{
	for (unsigned int i = 0; i < m->nr; i++) {
		const struct serve_counter *c = &m->counter[i];

		if (c->gauge != gauge || !c->known)
			continue;
		fprintf(to, "%s{device=\"%u\"", metric, c->device);
		serve_label(to, false, "source", c->source);
		serve_label(to, false, "event", c->event);
		serve_label(to, false, "unit", c->unit);
		fprintf(to, ",simulated=\"%s\"} %.17g\n", c->sim ? "yes" : "no", (double)c->value * c->scale);
	}
}

void serve_module_tell(FILE *to, const struct serve_module *m)
{
	serve_family(to, "ascprof_module_up", "gauge", "1 when counters of the kernel module are read.");
	fprintf(to, "ascprof_module_up %d\n", m->stream.fd >= 0);
	serve_family(to, "ascprof_device_events", "counter", "Counters of NPUs, in their units; they need not begin at 0.");
	tell_counters(to, m, false, "ascprof_device_events_total");
	serve_family(to, "ascprof_device_level", "gauge", "Levels of NPUs, in their units.");
	tell_counters(to, m, true, "ascprof_device_level");
	serve_family(to, "ascprof_module_lost_samples", "counter", "Samples of the module that found no room.");
	fprintf(to, "ascprof_module_lost_samples_total %" PRIu64 "\n", m->lost);
}

void serve_module_close(struct serve_module *m)
{
	if (m->stream.fd >= 0)
		hub_stream_close(&m->stream);
	m->stream.fd = -1;
	m->nr = 0;
}
