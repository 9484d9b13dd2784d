/* SPDX-License-Identifier: Apache-2.0 */
/* Records as the public parser reads them, with the values of model.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "standin.h"

#define SOC_MAGIC 0x6bd3u

static void put(uint8_t *p, size_t offset, size_t size, uint64_t value)
{
	memcpy(p + offset, &value, size);
}

static uint64_t us(const struct model_channel *c, uint64_t k)
{
	return c->origin_ns / 1000 + k * c->period_ns / 1000;
}

static uint64_t ticks(const struct model_channel *c, uint64_t k)
{
	return MODEL_TICKS_FIRST + (c->origin_ns + k * c->period_ns) / 1000 * setup_khz() / 1000;
}

static uint64_t mono(const struct model_channel *c, uint64_t k)
{
	return MODEL_MONO_FIRST + c->origin_ns + k * c->period_ns;
}

__attribute__((format(printf, 2, 3)))
static void line(struct model_channel *c, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	uint8_t *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	p = model_more(c, (size_t)n);
	if (p)
		memcpy(p, text, (size_t)n);
}

/* ---- memory ---- */

static void make_hbm(struct model_channel *c, uint64_t k)
{
	for (uint32_t unit = 0; unit < MODEL_HBM; unit++) {
		for (uint32_t event = 0; event < 2; event++) {
			uint8_t *p = model_more(c, 24);

			if (!p)
				return;
			put(p, 0, 8, us(c, k));
			put(p, 8, 8, model_count(MODEL_KIND_HBM, unit, event, k));
			put(p, 16, 4, event);
			put(p, 20, 4, unit);
		}
	}
}

static void make_ddr(struct model_channel *c, uint64_t k)
{
	for (uint32_t unit = 0; unit < MODEL_DDR; unit++) {
		for (uint32_t event = 0; event < 2; event++) {
			uint8_t *p = model_more(c, 20);

			if (!p)
				return;
			put(p, 0, 4, (setup.wraps ? MODEL_DDR_FIRST : 0) + us(c, k));
			put(p, 4, 4, model_count(MODEL_KIND_DDR, unit, event, k));
			put(p, 8, 4, event);
			put(p, 12, 4, unit);
			put(p, 16, 4, 0xffffffff);
		}
	}
}

static unsigned int llc_units(void)
{
	if (setup.chip == 5)
		return MODEL_LLC;
	return setup.chip == 7 ? 1 : 4;
}

static void make_llc(struct model_channel *c, uint64_t k)
{
	static const uint32_t events[2][8] = {
		{ 0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36 },
		{ 0x00, 0x01, 0x03, 0x14, 0x21, 0x23, 0x35, 0x37 },
	};
	const uint32_t *list = events[c->config[1] == 2];

	for (uint32_t unit = 0; unit < llc_units(); unit++) {
		for (int i = 0; i < 8; i++) {
			uint8_t *p = model_more(c, 24);

			if (!p)
				return;
			put(p, 0, 8, us(c, k));
			put(p, 8, 8, model_count(MODEL_KIND_LLC, unit, list[i], k));
			put(p, 16, 4, list[i]);
			put(p, 20, 4, unit);
		}
	}
}

static void make_mem(struct model_channel *c, uint64_t k)
{
	uint32_t event = c->id == HAL_NPU_MEM;
	uint8_t *p = model_more(c, 32);

	if (!p)
		return;
	put(p, 0, 4, us(c, k));
	put(p, 4, 4, event);
	put(p, 16, 8, 1024 * model_count(MODEL_KIND_MEM, event, 0, k));
	put(p, 24, 8, 1024 * model_count(MODEL_KIND_MEM, event, 1, k));
}

static void make_module(struct model_channel *c, uint64_t k)
{
	for (uint32_t module = 0; module < 2; module++) {
		uint8_t *p = model_more(c, 24);

		if (!p)
			return;
		put(p, 0, 4, module);
		put(p, 8, 8, mono(c, k));
		put(p, 16, 8, 1024 * model_count(MODEL_KIND_MODULE, module, 0, k));
	}
}

static void make_qos(struct model_channel *c, uint64_t k)
{
	uint8_t *p = model_more(c, 64);

	if (!p)
		return;
	put(p, 16, 8, ticks(c, k));
	for (uint32_t i = 0; i < 10; i++)
		put(p, 24 + 4 * i, 4, model_count(MODEL_KIND_QOS, 0, i, k));
}

/* ---- SoC profile ---- */

static uint8_t *soc_record(struct model_channel *c, uint64_t k, uint16_t head, uint32_t unit)
{
	uint8_t *p = model_more(c, 64);

	if (!p)
		return NULL;
	put(p, 0, 2, head);
	put(p, 2, 2, SOC_MAGIC);
	put(p, 8, 8, ticks(c, k));
	put(p, 18, 2, unit);
	return p;
}

static void make_links(struct model_channel *c, uint64_t k)
{
	static const uint16_t kinds[2] = { 0x22 << 10, 0x3f << 10 };

	for (uint32_t i = 0; i < 2; i++) {
		/* The 950 has a die where the others have a kind, and one kind. */
		uint16_t head = (uint16_t)(0x1b | (setup.chip == 15 ? i << 10 : kinds[i]));
		uint8_t *p = soc_record(c, k, head, 0);
		size_t at = setup.chip == 15 ? 16 : 32;

		if (!p)
			return;
		put(p, at, 8, model_count(MODEL_KIND_LINK, i, 0, k));
		put(p, at + 8, 8, model_count(MODEL_KIND_LINK, i, 1, k));
	}
}

static void make_sio(struct model_channel *c, uint64_t k)
{
	for (uint32_t die = 0; die < 2; die++) {
		uint8_t *p = soc_record(c, k, (uint16_t)(0x19 | (setup.chip == 15 ? die << 10 : 0)),
					setup.chip == 15 ? 0 : die);

		for (uint32_t i = 0; p && i < 8; i++) {
			size_t at = setup.chip == 15 ? 28 + 4 * i + (i >= 4 ? 4 : 0) : 32 + 4 * i;

			put(p, at, 4, model_count(MODEL_KIND_SIO, die, i, k));
		}
	}
}

static void make_soc(struct model_channel *c, uint64_t k)
{
	bool acc = c->config[0] == 1, levels = c->config[2] == 1;
	bool dies = c->config[4] == 1 && !setup.wraps, chips = c->config[6] == 1 && !setup.wraps;
	uint8_t *p;

	for (uint32_t unit = 0; acc && unit < MODEL_ACC; unit++) {
		p = soc_record(c, k, 0x1a, unit);
		for (uint32_t i = 0; p && i < 4; i++)
			put(p, 32 + 8 * i, 8, model_count(MODEL_KIND_ACC, unit, i, k));
	}
	if (levels) {
		p = soc_record(c, k, 0x1c, 0);
		if (p)
			put(p, 32, 2, (k % 8) | (k % 256) << 3);
	}
	/* monitors follow the switches: their period, how many streams */
	for (uint32_t die = 0; setup.chip == 15 && c->config[15] & 0xffff && die < 2; die++) {
		p = soc_record(c, k, (uint16_t)(0x18 | die << 10), 0);
		for (uint32_t i = 0; p && i < 10; i++)
			put(p, 24 + 4 * i, 4, model_count(MODEL_KIND_QOS, die, i, k));
	}
	if (chips)
		make_links(c, k);
	if (dies)
		make_sio(c, k);
	if (!setup.wraps)
		return;
	p = soc_record(c, k, 0x1d, 0); /* power: holds no counters */
	p = model_more(c, 64); /* and one that is no record */
	if (p)
		put(p, 0, 2, 0x1a);
}

/* ---- links and networks ---- */

static void make_pcie(struct model_channel *c, uint64_t k)
{
	uint8_t *p = model_more(c, 96);

	if (!p)
		return;
	put(p, 0, 8, mono(c, k));
	for (uint32_t i = 0; i < 21; i++)
		put(p, 12 + 4 * i, 4, model_count(MODEL_KIND_PCIE, 0, i, k));
}

static void make_hccs(struct model_channel *c, uint64_t k)
{
	uint64_t t = mono(c, k), tx = 0, rx = 0;

	if (k == 1)
		line(c, "time txBytes rxBytes\n");
	tx = k * 1048576 * model_count(MODEL_KIND_HCCS, 0, 0, 0) / 1000;
	rx = k * 1048576 * model_count(MODEL_KIND_HCCS, 0, 1, 0) / 1000;
	line(c, "%llu:%09llu %llu %llu\n", (unsigned long long)(t / 1000000000), (unsigned long long)(t % 1000000000),
	     (unsigned long long)tx, (unsigned long long)rx);
}

/* bandwidth, then packets and bytes a second, and totals, of each way */
static void make_network(struct model_channel *c, uint64_t k)
{
	enum model_kind kind = c->id == HAL_NIC ? MODEL_KIND_NIC : MODEL_KIND_ROCE;
	unsigned long long t = mono(c, k);
	unsigned long long rx = model_count(kind, 0, 0, k), tx = model_count(kind, 0, 1, k);

	if (k == 1)
		line(c, "Timestamp Bandwidth rxPacket/s rxByte/s rxPackets rxBytes rxErrors rxDropped "
			"txPacket/s txByte/s txPackets txBytes txErrors txDropped funcId\n");
	line(c, "%llu:%09llu 1000 %llu %llu %llu %llu 0 0 %llu %llu %llu %llu 0 0 0\n", t / 1000000000,
	     t % 1000000000, rx / 100, rx, k * rx / 100, k * rx, tx / 100, tx, k * tx / 100, k * tx);
}

static void make_dvpp(struct model_channel *c, uint64_t k)
{
	unsigned long long t = mono(c, k);
	bool with_id = setup.chip != 0 && setup.chip != 2 && setup.chip != 4;

	if (k == 1)
		line(c, "time %sengine_type engine_id all_time all_frame all_util proc_time proc_frame "
			"proc_util last_time last_frame\n", with_id ? "dvpp_id " : "");
	for (unsigned int engine = 0; engine < 5; engine++)
		line(c, "%llu:%09llu %s%u 0 %llu %llu %llu%% 10 1 5%% 10 1\n", t / 1000000000, t % 1000000000,
		     with_id ? "0 " : "", engine, (unsigned long long)model_count(MODEL_KIND_DVPP, engine, 0, k),
		     (unsigned long long)k, (unsigned long long)(10 + k % 7));
}

static void make_ub(struct model_channel *c, uint64_t k)
{
	uint8_t *p = model_more(c, 128);

	if (!p)
		return;
	put(p, 8, 8, mono(c, k));
	for (uint32_t i = 0; i < 14; i++)
		put(p, 16 + 8 * i, 8, model_count(MODEL_KIND_UB, 0, i, k));
}

/* ---- cores and tasks ---- */

/* Of @counters counters and, at last, the cycles of the task: shares of them that differ. */
static uint64_t core_count(enum model_kind kind, uint32_t core, uint32_t i, uint64_t k)
{
	return model_count(kind, core, i, k) * (setup.wraps ? 1 : i + 1);
}

static void make_sampled_core(struct model_channel *c, uint64_t k, uint32_t counters)
{
	for (uint32_t core = 0; core < MODEL_CORES; core++) {
		uint8_t *p = model_more(c, 32 + 8 * counters);

		if (!p)
			return;
		put(p, 0, 1, 1); /* sampled */
		for (uint32_t i = 0; i <= counters; i++) /* the last: cycles of the task */
			put(p, 8 + 8 * i, 8, core_count(MODEL_KIND_AICORE, core, i, k));
		put(p, 16 + 8 * counters, 8, ticks(c, k));
		put(p, 24 + 8 * counters, 1, counters);
		put(p, 25 + 8 * counters, 1, core);
	}
}

static void make_task_core(struct model_channel *c, uint64_t k)
{
	uint8_t *p = model_more(c, 128);

	if (!p)
		return;
	put(p, 0, 1, (k & 15) << 4);
	put(p, 4, 2, k);
	put(p, 12, 4, 0);
	put(p, 16, 8, core_count(MODEL_KIND_AICORE, 0, 8, k)); /* cycles of the task */
	for (uint32_t i = 0; i < 8; i++)
		put(p, 32 + 8 * i, 8, core_count(MODEL_KIND_AICORE, 0, i, k));
}

/* Of the first generation, in the form of the scheduler's log. */
static void make_logged_core(struct model_channel *c, uint64_t k)
{
	uint8_t *p = model_more(c, 112);

	if (!p)
		return;
	put(p, 1, 1, 4);
	put(p, 2, 2, 112);
	put(p, 8, 2, 1); /* stream */
	put(p, 10, 2, k); /* task */
	put(p, 16, 8, ticks(c, k));
	for (uint32_t i = 0; i < 9; i++) /* the last: cycles */
		put(p, 24 + 8 * i, 8, core_count(MODEL_KIND_AICORE, 0, i, k));
	put(p, 96, 8, ticks(c, k));
}

static void make_aicore(struct model_channel *c, uint64_t k)
{
	if (c->config[0] == 1)
		make_sampled_core(c, k, 8);
	else if (setup.chip == 0)
		make_logged_core(c, k);
	else
		make_task_core(c, k);
}

static void make_ffts_sample(struct model_channel *c, uint64_t k)
{
	make_sampled_core(c, k, setup.chip == 15 ? 10 : 8);
}

static void make_ffts_task(struct model_channel *c, uint64_t k)
{
	uint8_t *p = model_more(c, 128);

	if (!p)
		return;
	put(p, 2, 2, SOC_MAGIC);
	put(p, 4, 2, 1); /* stream */
	put(p, 6, 2, k); /* task */
	if (setup.chip == 15) {
		put(p, 0, 2, 0x2a); /* of a task */
		put(p, 8, 8, core_count(MODEL_KIND_FFTS, 0, 10, k)); /* cycles */
		put(p, 17, 1, 1); /* of the core that leads, where a task has both kinds */
		for (uint32_t i = 0; i < 10; i++)
			put(p, 32 + 8 * i, 8, core_count(MODEL_KIND_FFTS, 0, i, k));
		put(p, 112, 8, ticks(c, k));
		put(p, 120, 8, ticks(c, k) + model_count(MODEL_KIND_TASK, 0, 0, k));
		return;
	}
	put(p, 0, 2, 0x28);
	put(p, 8, 8, ticks(c, k));
	put(p, 32, 8, core_count(MODEL_KIND_FFTS, 0, 8, k)); /* cycles */
	for (uint32_t i = 0; i < 8; i++)
		put(p, 48 + 8 * i, 8, core_count(MODEL_KIND_FFTS, 0, i, k));
	put(p, 112, 8, ticks(c, k));
	put(p, 120, 8, ticks(c, k) + model_count(MODEL_KIND_TASK, 0, 0, k));
}

/* A task begins, and ends. */
static void make_hwts(struct model_channel *c, uint64_t k)
{
	for (uint32_t end = 0; end < 2; end++) {
		uint8_t *p = model_more(c, 64);

		if (!p)
			return;
		put(p, 0, 1, end | ((2 * k + end) & 15) << 4);
		put(p, 4, 2, k);
		put(p, 8, 8, ticks(c, k) + end * model_count(MODEL_KIND_TASK, 0, 0, k));
		put(p, 16, 4, 1);
	}
}

static void make_soc_log(struct model_channel *c, uint64_t k)
{
	for (uint32_t end = 0; end < 2; end++) {
		uint8_t *p = model_more(c, setup.chip == 15 ? 32 : 64);

		if (!p)
			return;
		put(p, 0, 2, end | ((2 * k + end) & 15) << 6);
		put(p, 2, 2, SOC_MAGIC);
		put(p, 4, 2, 1);
		put(p, 6, 2, k);
		put(p, 8, 8, ticks(c, k) + end * model_count(MODEL_KIND_TASK, 0, 0, k));
	}
}

static void make_ts_track(struct model_channel *c, uint64_t k)
{
	uint8_t *p = model_more(c, 40);

	if (!p)
		return;
	put(p, 0, 1, 1);
	put(p, 2, 2, 40);
	put(p, 8, 8, ticks(c, k));
	if (setup.chip == 0) {
		put(p, 1, 1, 11); /* copying */
		put(p, 16, 2, 1); /* stream */
		put(p, 18, 2, k); /* task */
		put(p, 20, 1, k % 2);
		return;
	}
	put(p, 1, 1, 14); /* task numbers begin anew */
	put(p, 16, 2, 1); /* stream */
	put(p, 18, 2, k); /* how often so far */
	put(p, 20, 2, 65535); /* task */
}

static void make_l2(struct model_channel *c, uint64_t k)
{
	uint8_t *p = model_more(c, 72);

	if (!p)
		return;
	put(p, 2, 2, 1);
	put(p, 4, 2, k);
	for (uint32_t i = 0; i < 8; i++)
		put(p, 8 + 8 * i, 8, model_count(MODEL_KIND_L2, 0, i, k));
}

static void make_soc_pmu(struct model_channel *c, uint64_t k)
{
	uint8_t *p = model_more(c, 80);

	if (!p)
		return;
	if (setup.chip == 15) {
		put(p, 6, 2, 1 + k % 2); /* of the cache, of addresses */
		put(p, 10, 2, 1); /* stream */
		put(p, 12, 4, k); /* task */
	} else {
		put(p, 10, 2, 1);
		put(p, 12, 2, k);
		put(p, 14, 2, 1 + k % 2);
	}
	for (uint32_t i = 0; i < 8; i++)
		put(p, 16 + 8 * i, 8, model_count(MODEL_KIND_SOC_PMU, 0, i, k));
}

static void make_aicpu(struct model_channel *c, uint64_t k)
{
	uint64_t t = ticks(c, k);
	uint8_t *p = model_more(c, 256);

	if (!p)
		return;
	put(p, 0, 2, 0x5a5a);
	put(p, 2, 2, 6000); /* level: of an AI CPU */
	put(p, 12, 4, 232);
	put(p, 16, 8, t);
	put(p, 24, 2, 1); /* stream */
	put(p, 26, 2, k); /* task */
	for (uint32_t i = 0; i < 7; i++)
		put(p, 32 + 8 * i, 8, t + i * model_count(MODEL_KIND_AICPU, 0, i, k));
}

/* 55 changes of the cores' frequency, of which one is used */
static void make_power(struct model_channel *c, uint64_t k)
{
	uint8_t *p = model_more(c, 888);

	if (!p)
		return;
	put(p, 0, 4, 1);
	put(p, 8, 8, ticks(c, k));
	put(p, 16, 4, 800 + model_count(MODEL_KIND_POWER, 0, 0, k) % 7 * 100);
}

static const struct {
	unsigned int id;
	void (*make)(struct model_channel *c, uint64_t k);
	unsigned int records; /* about how many a period makes */
} makers[] = {
	{ HAL_HBM, make_hbm, 8 },
	{ HAL_DDR, make_ddr, 4 },
	{ HAL_LLC, make_llc, 16 },
	{ HAL_APP_MEM, make_mem, 1 },
	{ HAL_NPU_MEM, make_mem, 1 },
	{ HAL_MODULE_MEM, make_module, 2 },
	{ HAL_QOS, make_qos, 1 },
	{ HAL_SOC_PROFILE, make_soc, 8 },
	{ HAL_PCIE, make_pcie, 1 },
	{ HAL_HCCS, make_hccs, 1 },
	{ HAL_UB, make_ub, 1 },
	{ HAL_NIC, make_network, 1 },
	{ HAL_ROCE, make_network, 1 },
	{ HAL_DVPP, make_dvpp, 5 },
	{ HAL_DVPP_VENC, make_dvpp, 5 },
	{ HAL_DVPP_VDEC, make_dvpp, 5 },
	{ HAL_DVPP_VPC, make_dvpp, 5 },
	{ HAL_LOW_POWER, make_power, 1 },
	{ HAL_AICORE, make_aicore, 2 },
	{ HAL_AIV, make_aicore, 2 },
	{ HAL_TSFW, make_ts_track, 1 },
	{ HAL_HWTS_LOG, make_hwts, 2 },
	{ HAL_SOC_LOG, make_soc_log, 2 },
	{ HAL_FFTS_TASK, make_ffts_task, 1 },
	{ HAL_FFTS_SAMPLE, make_ffts_sample, 2 },
	{ HAL_L2_CACHE, make_l2, 1 },
	{ HAL_SOC_PMU, make_soc_pmu, 1 },
	{ HAL_AICPU, make_aicpu, 1 },
};

#define MAKERS (sizeof(makers) / sizeof(makers[0]))

void model_make(struct model_channel *c, uint64_t k)
{
	for (size_t i = 0; i < MAKERS; i++)
		if (makers[i].id == c->id)
			makers[i].make(c, k);
}

unsigned int model_records(unsigned int channel)
{
	for (size_t i = 0; i < MAKERS; i++)
		if (makers[i].id == channel)
			return makers[i].records;
	return 0;
}
