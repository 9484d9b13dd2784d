/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations are words of 32 bits, unless said. */
#include "collect/channel_set.h"

#include <string.h>

#include "acl/acl_prof.h"

#define PERIOD_SHORT_MS 10u /* no source of the memory and the network is read faster */
#define PERIOD_LONG_MS 1000u
#define ALL_MASTERS 0xffffffffu
#define ON 1u
#define ACC_PERIOD_MS 20u
#define AICORE_ALMOST_FULL 26214u /* bytes of the device's buffer */
#define LOW_POWER_PERIOD_MS 100u
#define TSFW_AICPU 0x82000001u
#define TSFW_MEMCPY 0x84000001u

struct words {
	uint8_t *data;
	uint32_t used;
};

static void put32(struct words *w, uint32_t value)
{
	memcpy(w->data + w->used, &value, sizeof(value));
	w->used += sizeof(value);
}

static void put16(struct words *w, uint16_t value)
{
	memcpy(w->data + w->used, &value, sizeof(value));
	w->used += sizeof(value);
}

static unsigned int within(unsigned int ms, unsigned int min, unsigned int max)
{
	if (ms < min)
		return min;
	return ms > max ? max : ms;
}

static unsigned int memory_ms(const struct channel_ask *a)
{
	return within(1000 / a->settings->hardware_mem_hz, PERIOD_SHORT_MS, PERIOD_LONG_MS);
}

uint32_t channel_set_read_write(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	*period_ms = memory_ms(a);
	put32(&w, *period_ms);
	put32(&w, ALL_MASTERS);
	put32(&w, 2); /* events: read, write */
	put32(&w, 0);
	put32(&w, 1);
	return w.used;
}

uint32_t channel_set_llc(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	*period_ms = memory_ms(a);
	put32(&w, *period_ms);
	put32(&w, a->settings->llc_mode == LLC_WRITE ? 2 : 1);
	return w.used;
}

static uint32_t set_usage(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data, uint32_t event)
{
	struct words w = { data, 0 };

	*period_ms = memory_ms(a);
	put32(&w, *period_ms);
	put32(&w, 0);
	put32(&w, event);
	put32(&w, 0);
	return w.used;
}

uint32_t channel_set_app_mem(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	return set_usage(a, period_ms, data, 0);
}

uint32_t channel_set_npu_mem(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	return set_usage(a, period_ms, data, 1);
}

static void put_monitors(struct words *w, const struct channel_ask *a, uint32_t period)
{
	put32(w, period);
	put16(w, (uint16_t)a->nr_mpam);
	put16(w, 0);
	memcpy(w->data + w->used, a->mpam, sizeof(a->mpam));
	w->used += sizeof(a->mpam);
}

uint32_t channel_set_qos(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	*period_ms = memory_ms(a);
	put_monitors(&w, a, *period_ms);
	return w.used;
}

uint32_t channel_set_io(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	(void)data;
	*period_ms = within(1000 / a->settings->io_hz, PERIOD_SHORT_MS, PERIOD_LONG_MS);
	return 0;
}

uint32_t channel_set_links(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	(void)data;
	*period_ms = within(1000 / a->settings->interconnection_hz, 1, PERIOD_LONG_MS);
	return 0;
}

uint32_t channel_set_dvpp(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	(void)data;
	*period_ms = within(1000 / a->settings->dvpp_hz, PERIOD_SHORT_MS, PERIOD_LONG_MS);
	return 0;
}

uint32_t channel_set_low_power(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	(void)a;
	*period_ms = LOW_POWER_PERIOD_MS;
	put32(&w, LOW_POWER_PERIOD_MS);
	put32(&w, 1); /* version */
	return w.used;
}

static void put_switch(struct words *w, bool on, uint32_t period)
{
	put32(w, on ? ON : 0);
	put32(w, on ? period : 0);
}

/* The 950 takes periods in microseconds, but for accelerators. */
uint32_t channel_set_soc_profile(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	const struct settings *s = a->settings;
	bool micro = a->chip->family == CHIP_950;
	uint32_t unit = micro ? 1000000 : 1000;
	uint32_t of_memory = s->hardware_mem_hz ? unit / s->hardware_mem_hz : 0;
	uint32_t of_links = s->interconnection_hz ? unit / s->interconnection_hz : 0;
	struct words w = { data, 0 };

	*period_ms = 0;
	put_switch(&w, s->hardware_mem_hz, ACC_PERIOD_MS);
	put_switch(&w, s->hardware_mem_hz, of_memory); /* levels on the chip */
	put_switch(&w, s->interconnection_hz, of_links); /* between dies */
	put_switch(&w, s->interconnection_hz, of_links); /* between chips */
	put_switch(&w, micro && s->low_power_hz, s->low_power_hz ? 1000000 / s->low_power_hz : 0);
	put_switch(&w, false, 0); /* the scheduler itself */
	put_switch(&w, false, 0); /* unified bus, which has a channel */
	if (micro && s->hardware_mem_hz)
		put_monitors(&w, a, of_memory);
	return w.used;
}

uint32_t channel_set_aicore(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	const struct chip_metrics *m = chip_metrics_of(a->chip, a->metrics);
	struct words w = { data, 0 };

	*period_ms = a->sample_ms;
	put32(&w, a->sample_ms ? 1 : 0);
	put32(&w, a->sample_ms ? AICORE_ALMOST_FULL : 0);
	put32(&w, a->sample_ms);
	put32(&w, a->sample_ms ? a->core_mask : 0);
	put32(&w, m->nr);
	for (unsigned int i = 0; i < 8; i++)
		put32(&w, i < m->nr ? m->event[i] : 0);
	put32(&w, 0); /* begins at once */
	return w.used;
}

/* Of cube and of vector cores alike. */
static void put_core_events(struct words *w, const struct channel_ask *a, unsigned int room)
{
	const struct chip_metrics *m = chip_metrics_of(a->chip, a->metrics);

	for (int vector = 0; vector < 2; vector++) {
		put32(w, (a->sample_ms ? 1u << 1 : 1u << 0) | 1u << 3); /* and parts of tasks */
		put32(w, a->sample_ms);
		put32(w, a->sample_ms ? a->core_mask : 0);
		put32(w, m->nr);
		for (unsigned int i = 0; i < room; i++)
			put16(w, i < m->nr ? m->event[i] : 0);
	}
}

uint32_t channel_set_ffts(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	*period_ms = 0;
	put32(&w, 3); /* cube and vector cores */
	if (a->chip->family == CHIP_950) {
		put_core_events(&w, a, 10);
		put32(&w, 0); /* begins at once */
		put32(&w, 0); /* blocks are not joined */
		put32(&w, 0); /* all cores */
	} else {
		put_core_events(&w, a, 8);
		put16(&w, 0);
		put16(&w, 0);
	}
	return w.used;
}

uint32_t channel_set_tsfw(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	*period_ms = 0;
	put32(&w, 0);
	put32(&w, (a->bits & CHANNEL_TASKS) ? ON : 0); /* tasks */
	put32(&w, 0); /* its own processors */
	put32(&w, 0); /* state of cube cores */
	put32(&w, (a->bits & CHANNEL_TASKS) ? ON : 0); /* timeline */
	put32(&w, 0); /* state of vector cores */
	put32(&w, ON); /* key points */
	put32(&w, TSFW_AICPU | TSFW_MEMCPY); /* steps */
	put32(&w, ON); /* sizes of blocks */
	return w.used;
}

uint32_t channel_set_hwts(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	(void)a;
	*period_ms = 0;
	put32(&w, 0); /* begins at once */
	return w.used;
}

uint32_t channel_set_soc_log(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	(void)a;
	*period_ms = 0;
	for (int i = 0; i < 11; i++)
		put32(&w, i == 0 || i == 6 ? ON : 0); /* tasks, and their parts */
	return w.used;
}

uint32_t channel_set_l2_cache(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };
	const uint16_t *events;
	unsigned int nr = chip_l2_events(a->chip, &events);

	*period_ms = 0;
	put32(&w, nr);
	for (unsigned int i = 0; i < nr; i++)
		put32(&w, events[i]);
	return w.used;
}

static void put_list(struct words *w, uint16_t kind, const uint16_t *events, unsigned int nr)
{
	put16(w, kind);
	put16(w, 4 + 8 * 2);
	put32(w, nr);
	for (unsigned int i = 0; i < 8; i++)
		put16(w, i < nr ? events[i] : 0);
}

/* A list of (kind, length, content), the first of which has the length of all. */
uint32_t channel_set_soc_pmu(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };
	const uint16_t *events;
	unsigned int nr = chip_l2_events(a->chip, &events);
	uint16_t all;

	*period_ms = 0;
	put16(&w, 0);
	put16(&w, 0);
	put_list(&w, 1, events, nr);
	nr = chip_smmu_events(&events);
	put_list(&w, 2, events, nr);
	all = (uint16_t)w.used;
	memcpy(data + 2, &all, sizeof(all));
	return w.used;
}

uint32_t channel_set_nothing(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	(void)a;
	(void)data;
	*period_ms = PERIOD_SHORT_MS;
	return 0;
}
