// SPDX-License-Identifier: Apache-2.0
/* PMU discovery over planted sysfs trees: Kunpeng, Intel, AMD, arm cores, and hostile ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/pmus.h"
#include "tests/unit/planted.h"

static struct pmus found;
static unsigned int skips;
static char last_why[128];

/* A file of a PMU. */
static void plant(const char *pmu, const char *file, const char *content)
{
	char path[256];

	snprintf(path, sizeof(path), "bus/event_source/devices/%s/%s", pmu, file);
	plant_bytes(path, content, strlen(content));
}

static void plant_pmu(const char *pmu, const char *type, const char *cpumask)
{
	plant(pmu, "type", type);
	plant(pmu, "cpumask", cpumask);
}

static int set_up(void **state)
{
	(void)state;
	skips = 0;
	last_why[0] = '\0';
	return plant_root();
}

static int tear_down(void **state)
{
	(void)state;
	return uproot();
}

static void note(void *arg, const char *pmu, const char *event, const char *why)
{
	assert_ptr_equal(arg, &found);
	assert_non_null(pmu);
	(void)event;
	snprintf(last_why, sizeof(last_why), "%s", why);
	skips++;
}

static struct pmus_query query(void)
{
	return (struct pmus_query) { .root = root, .skipped = note, .arg = &found };
}

static int find(void)
{
	struct pmus_query q = query();

	return pmus_find(&q, &found);
}

/* An NPU, below a root port of bus 80. */
static void plant_npu(const char *port, const char *npu)
{
	char path[128], link[128];

	snprintf(path, sizeof(path), "devices/pci0000:80/%s/%s/vendor", port, npu);
	plant_bytes(path, "0x19e5\n", 7);
	snprintf(path, sizeof(path), "bus/pci/devices/%s", npu);
	snprintf(link, sizeof(link), "../../../devices/pci0000:80/%s/%s", port, npu);
	plant_link(path, link);
}

static int find_for(uint16_t bdf)
{
	struct pmus_query q = query();

	q.npu = true;
	q.at = (struct pci_address){ .bus = (uint8_t)(bdf >> 8), .device = bdf >> 3 & 31, .function = bdf & 7 };
	return pmus_find(&q, &found);
}

static const struct pmus_counter *get(const char *pmu, const char *event)
{
	unsigned int i;

	for (i = 0; i < found.nr; i++)
		if (!strcmp(found.counters[i].pmu, pmu) && !strcmp(found.counters[i].event, event))
			return &found.counters[i];
	fail_msg("%s/%s/ was not found", pmu, event);
	return NULL;
}

/* ---- encoding ---- */

static void test_encode(void **state)
{
	static const struct {
		const char *format;
		uint64_t value;
		int word;
		uint64_t want;
	} good[] = {
		{ "config:0-7", 0x83, 0, 0x83 },
		{ "config:8-15", 0xff, 0, 0xff00 },
		{ "config:0-63", UINT64_MAX, 0, UINT64_MAX },
		{ "config1:33", 1, 1, 1ULL << 33 },
		{ "config2:16-31", 0x8100, 2, 0x81000000 },
		{ "config:0-7,32-35,59-60", 0x3fff, 0, 0xffULL | 0xfULL << 32 | 3ULL << 59 },
		{ "config1:0-31", 0, 1, 0 },
	};
	static const struct {
		const char *format;
		uint64_t value;
	} bad[] = {
		{ "", 0 }, { "config", 0 }, { "config:", 0 }, { "config3:0-7", 0 }, { "config:7-0", 0 },
		{ "config:0-64", 0 }, { "config:64", 0 }, { "config:-1", 0 }, { "config:0-", 0 },
		{ "config:0,", 0 }, { "config:0-7x", 0 }, { "config:0 -7", 0 }, { "onfig:0-7", 0 },
		{ "config:99999999999999999999", 0 }, { "config10:0-7", 0 }, { "config:0-7", 0x100 },
		{ "config:3", 2 }, { "config2:16-31", 0x10000 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t config[3] = { 0, 0, 0 }, want[3] = { 0, 0, 0 };

		want[good[i].word] = good[i].want;
		assert_int_equal(pmus_encode(good[i].format, good[i].value, config), 0);
		assert_memory_equal(config, want, sizeof(want));
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t config[3] = { 1, 2, 3 }, want[3] = { 1, 2, 3 };

		assert_int_equal(pmus_encode(bad[i].format, bad[i].value, config), EINVAL);
		assert_memory_equal(config, want, sizeof(want));
	}
}

static void test_whole(void **state)
{
	(void)state;
	assert_int_equal(pmus_whole("6.103515625e-5", 1 << 20), 64);
	assert_int_equal(pmus_whole("3.814697266E-6", 1 << 20), 4);
	assert_int_equal(pmus_whole("3.0517578125e-5", 1 << 20), 32);
	assert_int_equal(pmus_whole("64", 1), 64);
	assert_int_equal(pmus_whole("0.25", 1 << 10), 256);
	assert_int_equal(pmus_whole("6.4e+1", 1), 64);
	assert_int_equal(pmus_whole("4294967295", 1), UINT32_MAX);
	assert_int_equal(pmus_whole("4294967296", 1), 0);
	assert_int_equal(pmus_whole("1.5", 1), 0);
	assert_int_equal(pmus_whole("2.3283064365386962890625e-10", 1), 0);
	assert_int_equal(pmus_whole("0", 1), 0);
	assert_int_equal(pmus_whole("", 1), 0);
	assert_int_equal(pmus_whole(".", 1), 0);
	assert_int_equal(pmus_whole("1e", 1), 0);
	assert_int_equal(pmus_whole("1e999", 1), 0);
	assert_int_equal(pmus_whole("1e99", 1), 0);
	assert_int_equal(pmus_whole("-64", 1), 0);
	assert_int_equal(pmus_whole("nan", 1), 0);
	assert_int_equal(pmus_whole("inf", 1), 0);
	assert_int_equal(pmus_whole("64 ", 1), 0);
}

static void test_cpus(void **state)
{
	static const char *const bad[] = { "", ",", "0,", ",0", "0-", "-3", "3-0", "0-3-5", "0;1", "a",
					   "4096", "0-4096", "0-99999999999999999999", "0 ", "0x1" };
	int cpus[PMUS_MAX];
	size_t i;

	(void)state;
	assert_int_equal(pmus_cpu_list("5", cpus, PMUS_MAX), 1);
	assert_int_equal(cpus[0], 5);
	assert_int_equal(pmus_cpu_list("0-2,8,10-11", cpus, PMUS_MAX), 6);
	assert_int_equal(cpus[2], 2);
	assert_int_equal(cpus[3], 8);
	assert_int_equal(cpus[5], 11);
	assert_int_equal(pmus_cpu_list("0-511", cpus, PMUS_MAX), 512);
	assert_int_equal(pmus_cpu_list("0-512", cpus, PMUS_MAX), -1);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(pmus_cpu_list(bad[i], cpus, PMUS_MAX), -1);
}

/* ---- machines ---- */

static void kunpeng(void)
{
	plant_pmu("hisi_sccl1_ddrc0", "23\n", "0\n");
	plant("hisi_sccl1_ddrc0", "format/event", "config:0-4\n");
	plant("hisi_sccl1_ddrc0", "events/flux_rd", "config=0x1\n");
	plant("hisi_sccl1_ddrc0", "events/flux_wr", "config=0x0\n");
	plant("hisi_sccl1_ddrc0", "events/pre_cmd", "config=0x4\n");
	/* the newer version: same names, other codes */
	plant_pmu("hisi_sccl3_ddrc1_0", "24\n", "32\n");
	plant("hisi_sccl3_ddrc1_0", "format/event", "config:0-7\n");
	plant("hisi_sccl3_ddrc1_0", "events/flux_rd", "event=0x84\n");
	plant("hisi_sccl3_ddrc1_0", "events/flux_wr", "event=0x83\n");
	plant_pmu("hisi_sccl1_l3c2", "25\n", "0\n");
	plant("hisi_sccl1_l3c2", "format/event", "config:0-7\n");
	plant("hisi_sccl1_l3c2", "events/rd_cpipe", "config=0x0\n");
	plant("hisi_sccl1_l3c2", "events/dat_access", "event=0xb9\n");
	plant_pmu("hisi_sccl1_hha0", "26\n", "0\n");
	plant("hisi_sccl1_hha0", "events/rd_ddr_128b", "config=0x1e\n");
	plant_pmu("hisi_sccl1_sllc0", "27\n", "0\n");
	plant("hisi_sccl1_sllc0", "events/rx_req", "config=0x30\n");
	plant_pmu("hisi_sicl2_pa0", "28\n", "0\n");
	plant("hisi_sicl2_pa0", "events/cycle", "config=0x78\n");
	plant_pmu("hisi_pcie0_core0", "29\n", "0\n");
	plant("hisi_pcie0_core0", "format/event", "config:0-16\n");
	plant("hisi_pcie0_core0", "format/bdf", "config2:16-31\n");
	plant("hisi_pcie0_core0", "events/rx_mrd_flux", "event=0x0804\n");
	plant("hisi_pcie0_core0", "events/rx_mrd_time", "event=0x10804\n");
	plant_pmu("smmuv3_pmcg_148020", "30\n", "4\n");
	plant("smmuv3_pmcg_148020", "format/event", "config:0-15\n");
	plant("smmuv3_pmcg_148020", "format/filter_stream_id", "config1:0-31\n");
	plant("smmuv3_pmcg_148020", "format/filter_enable", "config1:33\n");
	plant("smmuv3_pmcg_148020", "events/transaction", "event=0x1\n");
	plant_pmu("hns3_pmu_sicl_0", "31\n", "0\n");
	plant("hns3_pmu_sicl_0", "format/global", "config1:52\n");
	plant("hns3_pmu_sicl_0", "events/bw_ssu_rpu_byte_num", "config=0x00002\n");
}

static void test_kunpeng(void **state)
{
	const struct pmus_counter *c;

	(void)state;
	kunpeng();
	assert_int_equal(find(), 0);
	assert_int_equal(found.nr, 10);
	c = get("hisi_sccl1_ddrc0", "flux_rd");
	assert_int_equal(c->type, 23);
	assert_int_equal(c->config[0], 1);
	assert_int_equal(c->cpu, 0);
	assert_int_equal(c->scale_num, 32);
	assert_int_equal(c->scale_den, 1);
	assert_string_equal(c->unit, "bytes");
	assert_string_equal(c->what, "DDR controller");
	assert_non_null(strstr(c->origin, "[library]"));
	c = get("hisi_sccl3_ddrc1_0", "flux_wr");
	assert_int_equal(c->config[0], 0x83);
	assert_int_equal(c->cpu, 32);
	assert_int_equal(get("hisi_sccl1_l3c2", "dat_access")->scale_num, 64);
	assert_string_equal(get("hisi_sccl1_l3c2", "rd_cpipe")->unit, "requests");
	assert_int_equal(get("hisi_sccl1_hha0", "rd_ddr_128b")->scale_num, 128);
	assert_int_equal(get("hisi_sccl1_sllc0", "rx_req")->config[0], 0x30);
	assert_int_equal(get("hisi_sicl2_pa0", "cycle")->config[0], 0x78);
	assert_int_equal(get("hns3_pmu_sicl_0", "bw_ssu_rpu_byte_num")->config[1], 1ULL << 52);
	/* without an NPU there is nothing to filter by */
	assert_int_equal(skips, 2);
}

static void test_kunpeng_npu(void **state)
{
	const struct pmus_counter *c;

	(void)state;
	kunpeng();
	assert_int_equal(find_for(0x8100), 0);
	assert_int_equal(found.nr, 13);
	assert_int_equal(skips, 0);
	c = get("hisi_pcie0_core0", "rx_mrd_flux");
	assert_int_equal(c->config[0], 0x0804);
	assert_int_equal(c->config[2], 0x81000000);
	assert_int_equal(c->scale_num, 4);
	c = get("smmuv3_pmcg_148020", "transaction");
	assert_int_equal(c->config[1], 1ULL << 33 | 0x8100);
	assert_int_equal(c->cpu, 4);

	/* kernels say on which bus the root ports are that it sees, newer ones which ports: others are refused */
	plant("hisi_pcie0_core0", "bus", "0x80\n");
	assert_int_equal(find_for(0x8100), 0);
	assert_int_equal(found.nr, 13); /* nobody knows the device's port */
	plant_npu("0000:80:04.0", "0000:81:00.0");
	assert_int_equal(find_for(0x8100), 0);
	assert_int_equal(found.nr, 13);
	plant("hisi_pcie0_core0", "bus", "0xc0\n");
	assert_int_equal(find_for(0x8100), 0);
	assert_int_equal(found.nr, 11);
	assert_string_equal(last_why, "the device is below another root");
	plant("hisi_pcie0_core0", "bdf_min", "0x8000\n");
	plant("hisi_pcie0_core0", "bdf_max", "0x8020\n");
	assert_int_equal(find_for(0x8100), 0);
	assert_int_equal(found.nr, 13);
	plant("hisi_pcie0_core0", "bdf_max", "0x801f\n");
	assert_int_equal(find_for(0x8100), 0);
	assert_int_equal(found.nr, 11);
	assert_int_equal(find_for(0x80ff), 0);
	assert_int_equal(found.nr, 13);

	/* a driver that cannot filter would count for all: not used */
	plant("hisi_pcie0_core0", "format/bdf", "config:rubbish\n");
	assert_int_equal(find_for(0x80ff), 0);
	assert_int_equal(found.nr, 11);
	assert_string_equal(last_why, "has no field bdf to name a device");
}

static void test_intel(void **state)
{
	const struct pmus_counter *c;

	(void)state;
	plant_pmu("uncore_imc_0", "14\n", "0,28\n");
	plant("uncore_imc_0", "format/event", "config:0-7\n");
	plant("uncore_imc_0", "format/umask", "config:8-15\n");
	plant("uncore_imc_0", "events/cas_count_read", "event=0x04,umask=0x03\n");
	plant("uncore_imc_0", "events/cas_count_read.scale", "6.103515625e-5\n");
	plant("uncore_imc_0", "events/cas_count_read.unit", "MiB\n");
	plant("uncore_imc_0", "events/cas_count_write", "event=0x04,umask=0x0c\n");
	plant_pmu("uncore_iio_free_running_2", "15\n", "0\n");
	plant("uncore_iio_free_running_2", "format/event", "config:0-7\n");
	plant("uncore_iio_free_running_2", "format/umask", "config:8-15\n");
	plant("uncore_iio_free_running_2", "events/bw_in_port0", "event=0xff,umask=0x20\n");
	plant("uncore_iio_free_running_2", "events/bw_in_port0.scale", "3.814697266E-6\n");
	plant("uncore_iio_free_running_2", "events/bw_in_port0.unit", "MiB\n");
	plant("uncore_iio_free_running_2", "events/ioclk", "event=0xff,umask=0x10\n");
	plant_pmu("uncore_cha_0", "16\n", "0\n");
	plant("uncore_cha_0", "format/event", "config:0-7\n");
	plant("uncore_cha_0", "events/clockticks", "event=0x00\n");
	plant_pmu("uncore_upi_0", "17\n", "0\n");
	plant("cpu", "type", "4\n");
	plant("cpu", "format/event", "config:0-7\n");
	plant("cpu", "format/umask", "config:8-15\n");
	plant("cpu", "events/cache-misses", "event=0x2e,umask=0x41\n");
	plant_bytes("devices/system/cpu/online", "0-1\n", 4);

	assert_int_equal(find(), 0);
	assert_int_equal(found.nr, 2 * 2 + 2 + 1);
	c = get("uncore_imc_0", "cas_count_read");
	assert_int_equal(c->config[0], 0x0304);
	assert_int_equal(c->scale_num, 64);
	assert_string_equal(c->origin, "[sysfs]");
	assert_int_equal(c[0].cpu, 0);
	assert_int_equal(c[1].cpu, 28);
	assert_non_null(strstr(get("uncore_imc_0", "cas_count_write")->origin, "snbep"));
	c = get("uncore_iio_free_running_2", "bw_in_port0");
	assert_int_equal(c->config[0], 0x20ff);
	assert_int_equal(c->scale_num, 4);
	assert_string_equal(c->unit, "bytes");
	/* no unit is known: counted, multiplied by nothing */
	c = get("uncore_iio_free_running_2", "ioclk");
	assert_int_equal(c->scale_num, 1);
	assert_string_equal(c->unit, "events");
	assert_int_equal(skips, 0);

	struct pmus_query q = query();

	q.per_cpu = true;
	assert_int_equal(pmus_find(&q, &found), 0);
	assert_int_equal(found.nr, 9);
	c = get("cpu", "cache-misses");
	assert_int_equal(c->type, 4);
	assert_int_equal(c->config[0], 0x412e);
	assert_int_equal(c[1].cpu, 1);
}

static void test_amd(void **state)
{
	const struct pmus_counter *c;

	(void)state;
	plant_pmu("amd_umc_0", "20\n", "0\n");
	plant("amd_umc_0", "format/event", "config:0-7\n");
	plant("amd_umc_0", "format/rdwrmask", "config:8-9\n");
	plant_pmu("amd_l3", "21\n", "0,8\n");
	plant("amd_l3", "format/event", "config:0-7\n");
	plant("amd_l3", "format/umask", "config:8-15\n");
	plant_pmu("amd_df", "22\n", "0\n");
	plant("amd_df", "format/event", "config:0-7,32-35,59-60\n");
	assert_int_equal(find(), 0);
	assert_int_equal(found.nr, 2 + 2 * 2);
	c = get("amd_umc_0", "umc_cas_write");
	assert_int_equal(c->config[0], 0x020a);
	assert_int_equal(c->scale_num, 64);
	assert_int_equal(get("amd_l3", "l3_lookup_miss")->config[0], 0x0104);
	/* an older kernel without the field: no number rather than a wrong one */
	plant("amd_umc_0", "format/rdwrmask", "config:8\n");
	assert_int_equal(find(), 0);
	assert_int_equal(found.nr, 1 + 4);
	assert_int_equal(skips, 1);
}

static void test_arm_core(void **state)
{
	const struct pmus_counter *c;
	struct pmus_query q = query();

	(void)state;
	plant("armv8_pmuv3_0", "type", "8\n");
	plant("armv8_pmuv3_0", "cpus", "4-7\n");
	plant("armv8_pmuv3_0", "format/event", "config:0-15\n");
	plant("armv8_pmuv3_0", "events/ll_cache_rd", "event=0x0036\n");
	q.per_cpu = true;
	assert_int_equal(pmus_find(&q, &found), 0);
	assert_int_equal(found.nr, 4);
	c = get("armv8_pmuv3_0", "ll_cache_rd");
	assert_int_equal(c[3].cpu, 7);
	assert_int_equal(c[3].config[0], 0x36);
}

/* ---- what should not be there ---- */

static void test_nothing(void **state)
{
	(void)state;
	assert_int_equal(find(), ENOENT);
	plant_pmu("software", "1\n", "0\n");
	plant_pmu("hisi_sccl1_ddrcx", "9\n", "0\n");
	plant_pmu("uncore_arb", "9\n", "0\n");
	assert_int_equal(find(), 0);
	assert_int_equal(found.nr, 0);
	assert_int_equal(skips, 0);
}

/* One file of a good PMU replaced by something else. */
static void spoiled(const char *file, const void *content, size_t size, unsigned int left, const char *why)
{
	char path[256];

	kunpeng();
	snprintf(path, sizeof(path), "bus/event_source/devices/hisi_sccl3_ddrc1_0/%s", file);
	plant_bytes(path, content, size);
	skips = 0;
	assert_int_equal(find_for(1), 0);
	assert_int_equal(found.nr, 11 + left);
	assert_int_equal(skips, left == 2 ? 0 : 1);
	if (left < 2)
		assert_string_equal(last_why, why);
}

static void test_hostile_files(void **state)
{
	static const char *const types[] = { "", "\n", "x", "-1", "2147483648", "18446744073709551616",
					     "7 8", "7\n8", "\x1b[2J", "0x" };
	static const char *const masks[] = { "", "x", "0-", "5-1", "99999", "0-4095,0-4095", "0\n1" };
	static const char *const events[] = { "", "event", "event=", "event=0x100", "event=-1", "event=?",
					      "event=0x1,", "nofield=1", "../format/event=1", "event=0x1 ",
					      "config=0x10000000000000000", "=1", "event=1,umask=3" };
	static const char *const formats[] = { "", "config", "config:0-999", "config9:0-7", "\xff\xfe" };
	char big[1024];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		spoiled("type", types[i], strlen(types[i]), 0, "its type makes no sense");
	spoiled("type", "24\0\0", 4, 0, "its type makes no sense");
	spoiled("type", "24", 2, 2, "");
	for (i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
		spoiled("cpumask", masks[i], strlen(masks[i]), 0, "its list of CPUs makes no sense");
	spoiled("cpumask", "32", 2, 2, "");
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		spoiled("events/flux_rd", events[i], strlen(events[i]), events[i][0] == 'e' && !events[i][5] ? 2 : 1,
			"its code or a field of it makes no sense");
	memset(big, '1', sizeof(big));
	spoiled("events/flux_rd", big, sizeof(big), 1, "its code or a field of it makes no sense");
	spoiled("type", big, sizeof(big), 0, "its type makes no sense");
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		kunpeng();
		plant("hisi_sccl3_ddrc1_0", "format/event", formats[i]);
		skips = 0;
		assert_int_equal(find_for(1), 0);
		assert_int_equal(found.nr, 11);
		assert_int_equal(skips, 2);
	}
}

static void test_hostile_units(void **state)
{
	static const struct {
		const char *scale;
		const char *unit;
		uint32_t want;
	} units[] = {
		{ "6.103515625e-5", "MiB", 64 }, { "1", "Bytes", 1 }, { "1e-30", "MiB", 32 },
		{ "rubbish", "MiB", 32 }, { "2", "Joules", 32 }, { "2", "\x1b[31m", 32 }, { "", "MiB", 32 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		kunpeng();
		plant("hisi_sccl1_ddrc0", "events/flux_rd.scale", units[i].scale);
		plant("hisi_sccl1_ddrc0", "events/flux_rd.unit", units[i].unit);
		assert_int_equal(find(), 0);
		assert_int_equal(get("hisi_sccl1_ddrc0", "flux_rd")->scale_num, units[i].want);
		assert_string_equal(get("hisi_sccl1_ddrc0", "flux_rd")->unit, "bytes");
	}
}

static void test_hostile_folders(void **state)
{
	char path[256], name[PMUS_NAME + 64];

	(void)state;
	/* a file, a dangling link, a loop and a pipe where PMUs should be */
	plant_bytes("bus/event_source/devices/hisi_sccl1_ddrc9", "x", 1);
	snprintf(path, sizeof(path), "%s/bus/event_source/devices/hisi_sccl2_ddrc9", root);
	assert_int_equal(symlink("/nonexistent", path), 0);
	snprintf(path, sizeof(path), "%s/bus/event_source/devices/hisi_sccl3_ddrc9", root);
	assert_int_equal(symlink("hisi_sccl3_ddrc9", path), 0);
	snprintf(path, sizeof(path), "%s/bus/event_source/devices/hisi_sccl4_ddrc9", root);
	assert_int_equal(mkfifo(path, 0600), 0);
	plant_pmu("hisi_sccl5_ddrc9", "9\n", "0\n");
	snprintf(path, sizeof(path), "%s/bus/event_source/devices/hisi_sccl5_ddrc9/events", root);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/bus/event_source/devices/hisi_sccl5_ddrc9/events/flux_rd", root);
	assert_int_equal(mkfifo(path, 0600), 0);
	/* names that would not fit, or write to a terminal */
	memset(name, '1', sizeof(name));
	memcpy(name, "hisi_sccl1_ddrc", 15);
	name[sizeof(name) - 1] = '\0';
	plant_pmu(name, "9\n", "0\n");
	plant_pmu("hisi_sccl1_ddrc1\x1b[2J", "9\n", "0\n");
	assert_int_equal(find(), 0);
	assert_int_equal(found.nr, 0);
	assert_int_equal(skips, 5);
}

static void test_too_many(void **state)
{
	char name[PMUS_NAME];
	int i;

	(void)state;
	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "hisi_sccl1_ddrc%d", i);
		plant_pmu(name, "9\n", "0\n");
		plant(name, "events/flux_rd", "config=0x1\n");
		plant(name, "events/flux_wr", "config=0x0\n");
	}
	assert_int_equal(find(), E2BIG);
	assert_int_equal(found.nr, PMUS_MAX);
}

static void test_table(void **state)
{
	const struct pmus_family *f;
	const struct pmus_event *e;

	(void)state;
	for (f = pmus_table; f->pattern; f++) {
		assert_non_null(f->what);
		for (e = f->events; e->name; e++) {
			assert_true(e->per_count > 0);
			assert_true(strlen(e->unit) < PMUS_UNIT);
			assert_true(e->origin && strlen(e->origin) > 8);
			/* whoever multiplies says on whose word */
			assert_true(e->per_count == 1 || strchr(e->origin, '['));
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encode),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_table),
		cmocka_unit_test_setup_teardown(test_kunpeng, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kunpeng_npu, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_intel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_amd, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_arm_core, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hostile_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hostile_units, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hostile_folders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_too_many, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
