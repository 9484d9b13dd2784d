/* SPDX-License-Identifier: Apache-2.0 */
#include "session/devices.h"

#include <stdio.h>

#include "log/log.h"

#define CHANNEL_BITS (ACL_PROF_TASK_TIME | ACL_PROF_TASK_TIME_L0 | ACL_PROF_TRAINING_TRACE | ACL_PROF_AICORE_METRICS | \
		      ACL_PROF_AICPU | ACL_PROF_L2CACHE)

uint64_t devices_there(void)
{
	char why[256];
	const struct hal *hal = hal_shared(why, sizeof(why));
	uint64_t there = hal ? hal_devices(hal) : 0;
	struct hub_inventory inv;

	hub_read_inventory(&inv);
	for (unsigned int id = 0; id < inv.count; id++)
		if (inv.npu[id].present)
			there |= 1ULL << id;
	return there;
}

struct making {
	struct run *run;
	unsigned int device;
	unsigned int busy; /* tables that the module may have; bits of enum device_table */
};

static unsigned int table_of(const struct channel_def *def)
{
	switch (def->id) {
	case HAL_LLC:
		return 1u << DEVICE_LLC;
	case HAL_HBM:
		return 1u << DEVICE_HBM;
	case HAL_SOC_PROFILE:
		return 1u << DEVICE_SOC;
	default:
		return 0;
	}
}

static void tell_channel(void *arg, const struct channel_def *def, const char *why)
{
	struct making *m = arg;
	char note[192];

	snprintf(note, sizeof(note), "channel %s: %s", def->name, why);
	run_add_source(m->run, m->device, "none", note);
	log_line(LOG_WARN, "device %u: %s", m->device, note);
	m->busy |= table_of(def);
}

static struct npu_tell teller(struct making *m)
{
	return (struct npu_tell){ .channel = tell_channel, .arg = m };
}

static bool asked_anything(const struct run *run)
{
	const struct settings *s = &run->settings;

	return s->hardware_mem_hz || s->io_hz || s->interconnection_hz || s->dvpp_hz || s->low_power_hz ||
	       run->bits & CHANNEL_BITS;
}

/* NULL with the reason in @note. */
static struct npu *open_npu(struct run *run, struct making *m, char *note, size_t note_size)
{
	const struct npu_wish wish = { .bits = run->bits, .metrics = run->metrics, .settings = &run->settings };
	const struct npu_tell tell = teller(m);
	const struct hal *hal = hal_shared(note, note_size);

	if (!hal)
		return NULL;
	if (!(hal_devices(hal) & 1ULL << m->device)) {
		snprintf(note, note_size, "the driver has no such device");
		return NULL;
	}
	return npu_open(m->device, hal, &wish, &tell, note, note_size);
}

/* Everything, or only the tables that the driver's channels leave to it. */
static struct device *open_device(struct run *run, const struct hub_npu *npu, const struct making *m, char *note,
				  size_t note_size)
{
	const struct npu *channels = run->npu[m->device];
	unsigned int tables = channels ? m->busy : DEVICE_ALL_TABLES;
	struct device *d;

	if (!tables)
		return NULL;
	d = device_open(m->device, npu, &run->settings, tables, note, note_size);
	if (!d)
		log_line(LOG_WARN, "device %u is not recorded by the module: %s", m->device, note);
	else if (channels)
		device_set_clock(d, channels->facts.begin.host_ns, channels->facts.begin.counter,
				 channels->facts.counter_khz);
	return d;
}

static void note_sources(struct run *run, unsigned int id, const struct hub_npu *npu, char *text, size_t size)
{
	const struct npu *n = run->npu[id];
	struct run_source *s;
	char name[ASCPROF_NAME_LEN];

	*text = '\0';
	if (n) {
		snprintf(name, sizeof(name), "npu%u", id);
		run_add_source(run, id, name, n->facts.chip->name);
		snprintf(text, size, "%s (the driver's profiling channels)", n->facts.chip->name);
	}
	if (run->device[id]) {
		s = run_add_source(run, id, npu->name, npu->sim ? "simulated numbers" : "");
		if (s)
			s->sim = npu->sim;
		if (!n)
			snprintf(text, size, "%s%s", npu->name, npu->sim ? " (simulated numbers)" : "");
	}
}

static void note_none(struct run *run, unsigned int id, const struct hub_inventory *inv, const char *of_module,
		      const char *of_driver)
{
	const char *module = *of_module ? of_module :
			     inv->count ? "the module has no source for this device" : inv->why;
	char note[400];

	snprintf(note, sizeof(note), "%s%s%s", module, *of_driver ? "; " : "", of_driver);
	run_no_source(run, id, note);
}

aclError devices_make(struct run *run, unsigned int id, const struct hub_inventory *inv)
{
	const struct hub_npu *npu = &inv->npu[id];
	struct making m = { .run = run, .device = id };
	char of_module[192] = "", of_driver[192] = "", source[96];
	const struct npu_facts *facts;
	aclError ret;

	if (!asked_anything(run) && npu->present) {
		run_add_source(run, id, "none", "nothing asked of it: ACL_PROF_SYS_HARDWARE_MEM_FREQ is not set");
		return ACL_SUCCESS;
	}
	if (asked_anything(run))
		run->npu[id] = open_npu(run, &m, of_driver, sizeof(of_driver));
	if (npu->present && run->settings.hardware_mem_hz)
		run->device[id] = open_device(run, npu, &m, of_module, sizeof(of_module));
	if (!run->npu[id] && !run->device[id]) {
		note_none(run, id, inv, of_module, of_driver);
		return ACL_SUCCESS;
	}
	note_sources(run, id, npu, source, sizeof(source));
	facts = run->npu[id] ? &run->npu[id]->facts : NULL;
	ret = run_make_part(run, &run->part[id], id, source,
			    facts ? facts->begin.host_ns : device_begin_ns(run->device[id]), facts);
	if (!ret && run->npu[id] && !npu_attach(run->npu[id], &run->store, run->part[id].data_fd))
		ret = run_no_memory();
	if (!ret && run->device[id] && !device_attach(run->device[id], &run->store, run->part[id].data_fd))
		ret = run_no_memory();
	return ret;
}

void devices_finish_npu(struct run *run, unsigned int id)
{
	struct making m = { .run = run, .device = id };
	const struct npu_tell tell = teller(&m);

	npu_finish(run->npu[id], &tell);
}

void devices_tell_failed(struct run *run)
{
	for (unsigned int id = 0; id < CONFIG_DEVICES; id++) {
		struct making m = { .run = run, .device = id };
		const struct npu_tell tell = teller(&m);

		if (run->npu[id])
			npu_tell_failed(run->npu[id], &tell);
	}
}
