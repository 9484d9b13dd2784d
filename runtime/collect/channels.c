/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/channels.h"

#include "acl/acl_prof.h"
#include "collect/channel_set.h"
#include "format/rows.h"

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
	return a->settings->low_power_hz || a->bits & CHANNEL_TASKS;
}

static bool qos(const struct channel_ask *a)
{
	return memory(a) && a->nr_mpam;
}

static bool tasks(const struct channel_ask *a)
{
	return a->bits & CHANNEL_TASKS;
}

static bool keypoints(const struct channel_ask *a)
{
	return a->bits & (CHANNEL_TASKS | ACL_PROF_TRAINING_TRACE);
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

/* ---- the table ---- */

#define SCHEDULER HAL_TYPE_SCHEDULER
#define PERIPHERAL HAL_TYPE_PERIPHERAL
#define FLUSHED true, NULL
#define PLAIN false, NULL
#define COLUMNS(columns) false, columns

const struct channel_def channel_defs[] = {
	/* ACL_PROF_SYS_HARDWARE_MEM_FREQ */
	{ "ddr", HAL_DDR, PERIPHERAL, "ddr.data", CHIP_310 | CHIP_910 | CHIP_310P | CHIP_310B, PLAIN,
	  memory, of_20, channel_set_read_write },
	{ "hbm", HAL_HBM, PERIPHERAL, "hbm.data", CHIP_310P | CHIP_910 | CHIP_910B | CHIP_950, COLUMNS(ROW_HBM_COLUMNS),
	  memory, of_24, channel_set_read_write },
	{ "llc", HAL_LLC, PERIPHERAL, "llc.data", CHIP_ALL & ~CHIP_310, COLUMNS(ROW_LLC_COLUMNS),
	  memory, of_24, channel_set_llc },
	{ "app_mem", HAL_APP_MEM, PERIPHERAL, "npu_mem.app", CHIP_ALL, FLUSHED, memory, of_32, channel_set_app_mem },
	{ "npu_mem", HAL_NPU_MEM, PERIPHERAL, "npu_mem.data", CHIP_ALL, FLUSHED, memory, of_32, channel_set_npu_mem },
	{ "module_mem", HAL_MODULE_MEM, PERIPHERAL, "npu_module_mem.data", CHIP_910B | CHIP_950, FLUSHED,
	  memory, of_24, channel_set_app_mem },
	{ "qos", HAL_QOS, PERIPHERAL, "qos.data", CHIP_910B, PLAIN, qos, of_64, channel_set_qos },
	/* the same, ACL_PROF_SYS_INTERCONNECTION_FREQ, ACL_PROF_LOW_POWER_FREQ */
	{ "soc_profile", HAL_SOC_PROFILE, PERIPHERAL, "stars_soc_profile.data", STARS, COLUMNS(ROW_SOC_COLUMNS),
	  soc_profile, of_64, channel_set_soc_profile },
	/* ACL_PROF_SYS_INTERCONNECTION_FREQ */
	{ "pcie", HAL_PCIE, PERIPHERAL, "pcie.data", CHIP_910 | CHIP_310P | CHIP_910B | CHIP_950, PLAIN,
	  links, of_96, channel_set_links },
	{ "hccs", HAL_HCCS, PERIPHERAL, "hccs.data", CHIP_910 | CHIP_310P | CHIP_910B, PLAIN,
	  links, lines, channel_set_links },
	{ "ub", HAL_UB, PERIPHERAL, "ub.data", CHIP_950, PLAIN, links, of_128, channel_set_links },
	/* ACL_PROF_SYS_IO_FREQ */
	{ "nic", HAL_NIC, PERIPHERAL, "nic.data", CHIP_310 | CHIP_910 | CHIP_910B | CHIP_310B, PLAIN,
	  io, lines, channel_set_io },
	{ "roce", HAL_ROCE, PERIPHERAL, "roce.data", CHIP_910 | CHIP_910B, PLAIN, io, lines, channel_set_io },
	/* ACL_PROF_DVPP_FREQ: one channel, or one for each engine */
	{ "dvpp", HAL_DVPP, PERIPHERAL, "dvpp.data", CHIP_ALL & ~CHIP_310P, PLAIN, dvpp, lines, channel_set_dvpp },
	{ "dvpp_venc", HAL_DVPP_VENC, PERIPHERAL, "dvpp.venc", CHIP_ALL, PLAIN, dvpp, lines, channel_set_dvpp },
	{ "dvpp_jpege", HAL_DVPP_JPEGE, PERIPHERAL, "dvpp.jpege", CHIP_ALL, PLAIN, dvpp, lines, channel_set_dvpp },
	{ "dvpp_vdec", HAL_DVPP_VDEC, PERIPHERAL, "dvpp.vdec", CHIP_ALL, PLAIN, dvpp, lines, channel_set_dvpp },
	{ "dvpp_jpegd", HAL_DVPP_JPEGD, PERIPHERAL, "dvpp.jpegd", CHIP_ALL, PLAIN, dvpp, lines, channel_set_dvpp },
	{ "dvpp_vpc", HAL_DVPP_VPC, PERIPHERAL, "dvpp.vpc", CHIP_ALL, PLAIN, dvpp, lines, channel_set_dvpp },
	{ "dvpp_png", HAL_DVPP_PNG, PERIPHERAL, "dvpp.png", CHIP_ALL, PLAIN, dvpp, lines, channel_set_dvpp },
	{ "dvpp_scd", HAL_DVPP_SCD, PERIPHERAL, "dvpp.scd", CHIP_ALL, PLAIN, dvpp, lines, channel_set_dvpp },
	/* ACL_PROF_LOW_POWER_FREQ, ACL_PROF_TASK_TIME: the frequency of the cores */
	{ "low_power", HAL_LOW_POWER, PERIPHERAL, "lpmFreqConv.data", STARS, PLAIN, low_power, of_888,
	  channel_set_low_power },
	/* ACL_PROF_TASK_TIME, ACL_PROF_TRAINING_TRACE */
	{ "ts_track", HAL_TSFW, SCHEDULER, "ts_track.data", CHIP_ALL, FLUSHED, keypoints, ts_row, channel_set_tsfw },
	{ "hwts", HAL_HWTS_LOG, SCHEDULER, "hwts.data", CHIP_910 | CHIP_310P, FLUSHED, tasks, of_64, channel_set_hwts },
	{ "soc_log", HAL_SOC_LOG, SCHEDULER, "stars_soc.data", STARS, FLUSHED, tasks, soc_log_row, channel_set_soc_log },
	/* ACL_PROF_AICORE_METRICS */
	{ "aicore", HAL_AICORE, SCHEDULER, "aicore.data", BEFORE_STARS, FLUSHED, cores, aicore_row, channel_set_aicore },
	{ "aiv", HAL_AIV, SCHEDULER, "aiVectorCore.data", CHIP_310P, PLAIN, cores, aicore_row, channel_set_aicore },
	{ "ffts_task", HAL_FFTS_TASK, SCHEDULER, "ffts_profile.data", STARS, FLUSHED, cores_by_task, of_128,
	  channel_set_ffts },
	{ "ffts_sample", HAL_FFTS_SAMPLE, SCHEDULER, "ffts_profile.data", STARS, PLAIN, cores_sampled,
	  sampled_row, channel_set_ffts },
	/* ACL_PROF_AICPU */
	{ "aicpu", HAL_AICPU, PERIPHERAL, "aicpu.data", CHIP_ALL, FLUSHED, aicpu, of_256, channel_set_nothing },
	{ "cus_aicpu", HAL_CUS_AICPU, PERIPHERAL, "aicpu.data", CHIP_ALL, FLUSHED, aicpu, of_256, channel_set_nothing },
	/* ACL_PROF_L2CACHE */
	{ "l2_cache", HAL_L2_CACHE, SCHEDULER, "l2_cache.data", CHIP_910 | CHIP_310P | CHIP_310B, FLUSHED,
	  l2_cache, of_72, channel_set_l2_cache },
	{ "soc_pmu", HAL_SOC_PMU, SCHEDULER, "socpmu.data", CHIP_910B | CHIP_950, PLAIN, l2_cache, of_80,
	  channel_set_soc_pmu },
};

const unsigned int channel_count = sizeof(channel_defs) / sizeof(channel_defs[0]);

const struct channel_def *channel_of(enum hal_channel id)
{
	for (unsigned int i = 0; i < channel_count; i++)
		if (channel_defs[i].id == id)
			return &channel_defs[i];
	return NULL;
}

bool channel_wanted(const struct channel_def *def, const struct channel_ask *ask)
{
	return def->families & ask->chip->family && def->asked(ask);
}
