/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/channels.h"

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
#define TASKS (ACL_PROF_TASK_TIME_L0 | ACL_PROF_TASK_TIME)
#define BEFORE_STARS (CHIP_310 | CHIP_910 | CHIP_310P)
#define STARS (CHIP_910B | CHIP_310B | CHIP_950)

/* ---- what asks for a channel ---- */

static bool memory(const struct channel_ask *a)
{
	return a->settings->hardware_mem_hz;
}

static bool io(const struct channel_ask *a)
{
	return a->settings->io_hz;
}

static bool links(const struct channel_ask *a)
{
	return a->settings->interconnection_hz;
}

static bool dvpp(const struct channel_ask *a)
{
	return a->settings->dvpp_hz;
}

static bool soc_profile(const struct channel_ask *a)
{
	return memory(a) || links(a) || (a->settings->low_power_hz && a->chip->family == CHIP_950);
}

static bool low_power(const struct channel_ask *a)
{
	return a->settings->low_power_hz || a->bits & TASKS;
}

static bool qos(const struct channel_ask *a)
{
	return memory(a) && a->nr_mpam;
}

static bool tasks(const struct channel_ask *a)
{
	return a->bits & TASKS;
}

static bool keypoints(const struct channel_ask *a)
{
	return a->bits & (TASKS | ACL_PROF_TRAINING_TRACE);
}

static const struct chip_metrics *metrics_of(const struct channel_ask *a)
{
	return a->bits & ACL_PROF_AICORE_METRICS ? chip_metrics_of(a->chip, a->metrics) : NULL;
}

static bool cores(const struct channel_ask *a)
{
	return metrics_of(a);
}

static bool cores_by_task(const struct channel_ask *a)
{
	return metrics_of(a) && !a->sample_ms;
}

static bool cores_sampled(const struct channel_ask *a)
{
	return metrics_of(a) && a->sample_ms;
}

static bool aicpu(const struct channel_ask *a)
{
	return a->bits & ACL_PROF_AICPU;
}

static bool l2_cache(const struct channel_ask *a)
{
	return a->bits & ACL_PROF_L2CACHE;
}

/* ---- bytes of a record ---- */

#define ROW_BYTES(name, bytes)                               \
	static uint32_t name(const struct channel_ask *a)    \
	{                                                    \
		(void)a;                                     \
		return bytes;                                \
	}

ROW_BYTES(lines, CHANNEL_TEXT)
ROW_BYTES(of_20, 20)
ROW_BYTES(of_24, 24)
ROW_BYTES(of_32, 32)
ROW_BYTES(of_64, 64)
ROW_BYTES(of_72, 72)
ROW_BYTES(of_80, 80)
ROW_BYTES(of_96, 96)
ROW_BYTES(of_128, 128)
ROW_BYTES(of_256, 256)
ROW_BYTES(of_888, 888)

static uint32_t aicore_row(const struct channel_ask *a)
{
	if (a->sample_ms)
		return 96;
	return a->chip->family == CHIP_310 ? 112 : 128;
}

/* Of the first generation there are records of 32 and of 40 bytes. */
static uint32_t ts_row(const struct channel_ask *a)
{
	return a->chip->family == CHIP_310 ? 8 : 40;
}

static uint32_t sampled_row(const struct channel_ask *a)
{
	return a->chip->family == CHIP_950 ? 112 : 96;
}

static uint32_t soc_log_row(const struct channel_ask *a)
{
	return a->chip->family == CHIP_950 ? 32 : 64;
}

/* ---- configurations: words, unless said ---- */

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

static uint32_t set_read_write(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
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

static uint32_t set_llc(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
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

static uint32_t set_app_mem(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	return set_usage(a, period_ms, data, 0);
}

static uint32_t set_npu_mem(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
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

static uint32_t set_qos(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	*period_ms = memory_ms(a);
	put_monitors(&w, a, *period_ms);
	return w.used;
}

static uint32_t set_io(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	(void)data;
	*period_ms = within(1000 / a->settings->io_hz, PERIOD_SHORT_MS, PERIOD_LONG_MS);
	return 0;
}

static uint32_t set_links(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	(void)data;
	*period_ms = within(1000 / a->settings->interconnection_hz, 1, PERIOD_LONG_MS);
	return 0;
}

static uint32_t set_dvpp(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	(void)data;
	*period_ms = within(1000 / a->settings->dvpp_hz, PERIOD_SHORT_MS, PERIOD_LONG_MS);
	return 0;
}

static uint32_t set_low_power(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
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
static uint32_t set_soc_profile(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	const struct settings *s = a->settings;
	bool micro = a->chip->family == CHIP_950;
	uint32_t unit = micro ? 1000000 : 1000;
	uint32_t of_memory = s->hardware_mem_hz ? unit / s->hardware_mem_hz : 0;
	uint32_t of_links = s->interconnection_hz ? unit / s->interconnection_hz : 0;
	struct words w = { data, 0 };

	*period_ms = 0;
	put_switch(&w, memory(a), ACC_PERIOD_MS);
	put_switch(&w, memory(a), of_memory); /* levels on the chip */
	put_switch(&w, links(a), of_links); /* between dies */
	put_switch(&w, links(a), of_links); /* between chips */
	put_switch(&w, micro && s->low_power_hz, s->low_power_hz ? 1000000 / s->low_power_hz : 0);
	put_switch(&w, false, 0); /* the scheduler itself */
	put_switch(&w, false, 0); /* unified bus, which has a channel */
	if (micro && memory(a))
		put_monitors(&w, a, of_memory);
	return w.used;
}

static uint32_t set_aicore(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	const struct chip_metrics *m = metrics_of(a);
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
	const struct chip_metrics *m = metrics_of(a);

	for (int vector = 0; vector < 2; vector++) {
		put32(w, (a->sample_ms ? 1u << 1 : 1u << 0) | 1u << 3); /* and parts of tasks */
		put32(w, a->sample_ms);
		put32(w, a->sample_ms ? a->core_mask : 0);
		put32(w, m->nr);
		for (unsigned int i = 0; i < room; i++)
			put16(w, i < m->nr ? m->event[i] : 0);
	}
}

static uint32_t set_ffts(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
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

static uint32_t set_tsfw(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	*period_ms = 0;
	put32(&w, 0);
	put32(&w, tasks(a) ? ON : 0); /* tasks */
	put32(&w, 0); /* its own processors */
	put32(&w, 0); /* state of cube cores */
	put32(&w, tasks(a) ? ON : 0); /* timeline */
	put32(&w, 0); /* state of vector cores */
	put32(&w, ON); /* key points */
	put32(&w, TSFW_AICPU | TSFW_MEMCPY); /* steps */
	put32(&w, ON); /* sizes of blocks */
	return w.used;
}

static uint32_t set_hwts(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	(void)a;
	*period_ms = 0;
	put32(&w, 0); /* begins at once */
	return w.used;
}

static uint32_t set_soc_log(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	struct words w = { data, 0 };

	(void)a;
	*period_ms = 0;
	for (int i = 0; i < 11; i++)
		put32(&w, i == 0 || i == 6 ? ON : 0); /* tasks, and their parts */
	return w.used;
}

static uint32_t set_l2_cache(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
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
static uint32_t set_soc_pmu(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
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

static uint32_t set_nothing(const struct channel_ask *a, unsigned int *period_ms, uint8_t *data)
{
	(void)a;
	(void)data;
	*period_ms = PERIOD_SHORT_MS;
	return 0;
}

/* ---- the table ---- */

#define SCHEDULER HAL_TYPE_SCHEDULER
#define PERIPHERAL HAL_TYPE_PERIPHERAL
#define FLUSHED true, false
#define MODULE false, true
#define PLAIN false, false

const struct channel_def channel_defs[] = {
	/* ACL_PROF_SYS_HARDWARE_MEM_FREQ */
	{ "ddr", HAL_DDR, PERIPHERAL, "ddr.data", CHIP_310 | CHIP_910 | CHIP_310P | CHIP_310B, PLAIN,
	  memory, of_20, set_read_write },
	{ "hbm", HAL_HBM, PERIPHERAL, "hbm.data", CHIP_310P | CHIP_910 | CHIP_910B | CHIP_950, MODULE,
	  memory, of_24, set_read_write },
	{ "llc", HAL_LLC, PERIPHERAL, "llc.data", CHIP_ALL & ~CHIP_310, MODULE, memory, of_24, set_llc },
	{ "app_mem", HAL_APP_MEM, PERIPHERAL, "npu_mem.app", CHIP_ALL, FLUSHED, memory, of_32, set_app_mem },
	{ "npu_mem", HAL_NPU_MEM, PERIPHERAL, "npu_mem.data", CHIP_ALL, FLUSHED, memory, of_32, set_npu_mem },
	{ "module_mem", HAL_MODULE_MEM, PERIPHERAL, "npu_module_mem.data", CHIP_910B | CHIP_950, FLUSHED,
	  memory, of_24, set_app_mem },
	{ "qos", HAL_QOS, PERIPHERAL, "qos.data", CHIP_910B, PLAIN, qos, of_64, set_qos },
	/* the same, ACL_PROF_SYS_INTERCONNECTION_FREQ, ACL_PROF_LOW_POWER_FREQ */
	{ "soc_profile", HAL_SOC_PROFILE, PERIPHERAL, "stars_soc_profile.data", STARS, MODULE,
	  soc_profile, of_64, set_soc_profile },
	/* ACL_PROF_SYS_INTERCONNECTION_FREQ */
	{ "pcie", HAL_PCIE, PERIPHERAL, "pcie.data", CHIP_910 | CHIP_310P | CHIP_910B | CHIP_950, PLAIN,
	  links, of_96, set_links },
	{ "hccs", HAL_HCCS, PERIPHERAL, "hccs.data", CHIP_910 | CHIP_310P | CHIP_910B, PLAIN,
	  links, lines, set_links },
	{ "ub", HAL_UB, PERIPHERAL, "ub.data", CHIP_950, PLAIN, links, of_128, set_links },
	/* ACL_PROF_SYS_IO_FREQ */
	{ "nic", HAL_NIC, PERIPHERAL, "nic.data", CHIP_310 | CHIP_910 | CHIP_910B | CHIP_310B, PLAIN,
	  io, lines, set_io },
	{ "roce", HAL_ROCE, PERIPHERAL, "roce.data", CHIP_910 | CHIP_910B, PLAIN, io, lines, set_io },
	/* ACL_PROF_DVPP_FREQ: one channel, or one for each engine */
	{ "dvpp", HAL_DVPP, PERIPHERAL, "dvpp.data", CHIP_ALL & ~CHIP_310P, PLAIN, dvpp, lines, set_dvpp },
	{ "dvpp_venc", HAL_DVPP_VENC, PERIPHERAL, "dvpp.venc", CHIP_ALL, PLAIN, dvpp, lines, set_dvpp },
	{ "dvpp_jpege", HAL_DVPP_JPEGE, PERIPHERAL, "dvpp.jpege", CHIP_ALL, PLAIN, dvpp, lines, set_dvpp },
	{ "dvpp_vdec", HAL_DVPP_VDEC, PERIPHERAL, "dvpp.vdec", CHIP_ALL, PLAIN, dvpp, lines, set_dvpp },
	{ "dvpp_jpegd", HAL_DVPP_JPEGD, PERIPHERAL, "dvpp.jpegd", CHIP_ALL, PLAIN, dvpp, lines, set_dvpp },
	{ "dvpp_vpc", HAL_DVPP_VPC, PERIPHERAL, "dvpp.vpc", CHIP_ALL, PLAIN, dvpp, lines, set_dvpp },
	{ "dvpp_png", HAL_DVPP_PNG, PERIPHERAL, "dvpp.png", CHIP_ALL, PLAIN, dvpp, lines, set_dvpp },
	{ "dvpp_scd", HAL_DVPP_SCD, PERIPHERAL, "dvpp.scd", CHIP_ALL, PLAIN, dvpp, lines, set_dvpp },
	/* ACL_PROF_LOW_POWER_FREQ, ACL_PROF_TASK_TIME: the frequency of the cores */
	{ "low_power", HAL_LOW_POWER, PERIPHERAL, "lpmFreqConv.data", STARS, PLAIN, low_power, of_888,
	  set_low_power },
	/* ACL_PROF_TASK_TIME, ACL_PROF_TRAINING_TRACE */
	{ "ts_track", HAL_TSFW, SCHEDULER, "ts_track.data", CHIP_ALL, FLUSHED, keypoints, ts_row, set_tsfw },
	{ "hwts", HAL_HWTS_LOG, SCHEDULER, "hwts.data", CHIP_910 | CHIP_310P, FLUSHED, tasks, of_64, set_hwts },
	{ "soc_log", HAL_SOC_LOG, SCHEDULER, "stars_soc.data", STARS, FLUSHED, tasks, soc_log_row, set_soc_log },
	/* ACL_PROF_AICORE_METRICS */
	{ "aicore", HAL_AICORE, SCHEDULER, "aicore.data", BEFORE_STARS, FLUSHED, cores, aicore_row, set_aicore },
	{ "aiv", HAL_AIV, SCHEDULER, "aiVectorCore.data", CHIP_310P, PLAIN, cores, aicore_row, set_aicore },
	{ "ffts_task", HAL_FFTS_TASK, SCHEDULER, "ffts_profile.data", STARS, FLUSHED, cores_by_task, of_128,
	  set_ffts },
	{ "ffts_sample", HAL_FFTS_SAMPLE, SCHEDULER, "ffts_profile.data", STARS, PLAIN, cores_sampled,
	  sampled_row, set_ffts },
	/* ACL_PROF_AICPU */
	{ "aicpu", HAL_AICPU, PERIPHERAL, "aicpu.data", CHIP_ALL, FLUSHED, aicpu, of_256, set_nothing },
	{ "cus_aicpu", HAL_CUS_AICPU, PERIPHERAL, "aicpu.data", CHIP_ALL, FLUSHED, aicpu, of_256, set_nothing },
	/* ACL_PROF_L2CACHE */
	{ "l2_cache", HAL_L2_CACHE, SCHEDULER, "l2_cache.data", CHIP_910 | CHIP_310P | CHIP_310B, FLUSHED,
	  l2_cache, of_72, set_l2_cache },
	{ "soc_pmu", HAL_SOC_PMU, SCHEDULER, "socpmu.data", CHIP_910B | CHIP_950, PLAIN, l2_cache, of_80,
	  set_soc_pmu },
};

const unsigned int channel_count = sizeof(channel_defs) / sizeof(channel_defs[0]);

bool channel_wanted(const struct channel_def *def, const struct channel_ask *ask)
{
	return def->families & ask->chip->family && def->asked(ask);
}
