// SPDX-License-Identifier: Apache-2.0
/*
 * PMUs that say something about the traffic around an NPU. docs/hardware.md has the same
 * in prose. An origin names the file of the Linux kernel that defines the code, and, where
 * a count has a size, who says so:
 *
 *	[library]  the vendor's open profiling library; not verified on hardware by us
 *	[event]    the event's name in the kernel says it
 *	[sysfs]    the kernel's own .scale and .unit files; these win where they exist
 *	[perf]     event lists of the kernel's perf tool
 */
#include "collect/pmus.h"

#define HISI "drivers/perf/hisilicon/"

static const struct pmus_event l3c[] = {
	{ "rd_cpipe", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "wr_cpipe", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "rd_hit_cpipe", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "wr_hit_cpipe", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "rd_spipe", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "wr_spipe", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "rd_hit_spipe", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "wr_hit_spipe", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "victim_num", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "l3c_ref", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "l3c_hit", NULL, "requests", 1, HISI "hisi_uncore_l3c_pmu.c" },
	{ "dat_access", NULL, "bytes", 64, HISI "hisi_uncore_l3c_pmu.c; 64 bytes [library]" },
	{ .name = NULL },
};

static const struct pmus_event ddrc[] = {
	{ "flux_rd", NULL, "bytes", 32, HISI "hisi_uncore_ddrc_pmu.c; 32 bytes [library]" },
	{ "flux_wr", NULL, "bytes", 32, HISI "hisi_uncore_ddrc_pmu.c; 32 bytes [library]" },
	{ .name = NULL },
};

static const struct pmus_event hha[] = {
	{ "rx_ops_num", NULL, "requests", 1, HISI "hisi_uncore_hha_pmu.c" },
	{ "rx_outer", NULL, "requests", 1, HISI "hisi_uncore_hha_pmu.c" },
	{ "rx_sccl", NULL, "requests", 1, HISI "hisi_uncore_hha_pmu.c" },
	{ "rd_ddr_64b", NULL, "bytes", 64, HISI "hisi_uncore_hha_pmu.c [event]" },
	{ "wr_ddr_64b", NULL, "bytes", 64, HISI "hisi_uncore_hha_pmu.c [event]" },
	{ "rd_ddr_128b", NULL, "bytes", 128, HISI "hisi_uncore_hha_pmu.c [event]" },
	{ "wr_ddr_128b", NULL, "bytes", 128, HISI "hisi_uncore_hha_pmu.c [event]" },
	{ .name = NULL },
};

static const struct pmus_event sllc[] = {
	{ "rx_req", NULL, "requests", 1, HISI "hisi_uncore_sllc_pmu.c" },
	{ "rx_data", NULL, "requests", 1, HISI "hisi_uncore_sllc_pmu.c" },
	{ "tx_req", NULL, "requests", 1, HISI "hisi_uncore_sllc_pmu.c" },
	{ "tx_data", NULL, "requests", 1, HISI "hisi_uncore_sllc_pmu.c" },
	{ .name = NULL },
};

static const struct pmus_event pa[] = {
	{ "rx_req", NULL, "requests", 1, HISI "hisi_uncore_pa_pmu.c" },
	{ "tx_req", NULL, "requests", 1, HISI "hisi_uncore_pa_pmu.c" },
	{ "cycle", NULL, "cycles", 1, HISI "hisi_uncore_pa_pmu.c" },
	{ .name = NULL },
};

/* The flux counts 32-bit words; its twin, in the same hardware counter, the time for it. */
static const struct pmus_event pcie[] = {
	{ "rx_mrd_flux", NULL, "bytes", 4, HISI "hisi_pcie_pmu.c; 4 bytes [library]" },
	{ "rx_mrd_time", NULL, "ns", 1, HISI "hisi_pcie_pmu.c; ns [library]" },
	{ "tx_mrd_flux", NULL, "bytes", 4, HISI "hisi_pcie_pmu.c; 4 bytes [library]" },
	{ "tx_mrd_time", NULL, "ns", 1, HISI "hisi_pcie_pmu.c; ns [library]" },
	{ "rx_mwr_flux", NULL, "bytes", 4, HISI "hisi_pcie_pmu.c; 4 bytes [library]" },
	{ "rx_mwr_time", NULL, "ns", 1, HISI "hisi_pcie_pmu.c; ns [library]" },
	{ .name = NULL },
};

static const struct pmus_event smmu[] = {
	{ "transaction", NULL, "requests", 1, "drivers/perf/arm_smmuv3_pmu.c" },
	{ "tlb_miss", NULL, "requests", 1, "drivers/perf/arm_smmuv3_pmu.c" },
	{ .name = NULL },
};

static const struct pmus_event hns3[] = {
	{ "bw_ssu_rpu_byte_num", NULL, "bytes", 1, HISI "hns3_pmu.c [event]" },
	{ "bw_ssu_rpu_time", NULL, "ns", 1, HISI "hns3_pmu.c [event]" },
	{ .name = NULL },
};

/* Codes differ from generation to generation: only what the kernel itself names. */
static const struct pmus_event imc[] = {
	{ "cas_count_read", NULL, "bytes", 64, "arch/x86/events/intel/uncore_snbep.c [sysfs]" },
	{ "cas_count_write", NULL, "bytes", 64, "arch/x86/events/intel/uncore_snbep.c [sysfs]" },
	{ .name = NULL },
};

static const struct pmus_event amd_l3[] = {
	{ "l3_lookup_all", "event=0x04,umask=0xff", "requests", 1, "amdzen4/cache.json [perf]" },
	{ "l3_lookup_miss", "event=0x04,umask=0x01", "requests", 1, "amdzen4/cache.json [perf]" },
	{ .name = NULL },
};

static const struct pmus_event amd_umc[] = {
	{ "umc_cas_read", "event=0x0a,rdwrmask=0x1", "bytes", 64,
	  "amdzen4/memory-controller.json; 64 bytes [perf]" },
	{ "umc_cas_write", "event=0x0a,rdwrmask=0x2", "bytes", 64,
	  "amdzen4/memory-controller.json; 64 bytes [perf]" },
	{ .name = NULL },
};

static const struct pmus_event arm_core[] = {
	{ "ll_cache_rd", NULL, "requests", 1, "drivers/perf/arm_pmuv3.c" },
	{ "ll_cache_miss_rd", NULL, "requests", 1, "drivers/perf/arm_pmuv3.c" },
	{ .name = NULL },
};

static const struct pmus_event x86_core[] = {
	{ "cache-references", NULL, "requests", 1, "arch/x86/events/core.c" },
	{ "cache-misses", NULL, "requests", 1, "arch/x86/events/core.c" },
	{ .name = NULL },
};

static const struct pmus_event none[] = {
	{ .name = NULL },
};

const struct pmus_family pmus_table[] = {
	{ "hisi_sccl[0-9]*_l3c[0-9]*", "L3 cache", .events = l3c },
	{ "hisi_sccl[0-9]*_ddrc[0-9]*", "DDR controller", .events = ddrc },
	{ "hisi_sccl[0-9]*_hha[0-9]*", "home agent", .events = hha },
	{ "hisi_sccl[0-9]*_sllc[0-9]*", "super L3 cache", .events = sllc },
	{ "hisi_sicl[0-9]*_pa[0-9]*", "socket link", .events = pa },
	{ "hisi_pcie[0-9]*_core[0-9]*", "PCIe root", .filter = PMUS_BUS_ADDRESS, .events = pcie },
	{ "smmuv3_pmcg_*", "SMMU", .filter = PMUS_STREAM_ID, .events = smmu },
	{ "hns3_pmu_sicl_[0-9]*", "network", .terms = "global=1", .events = hns3 },
	{ "uncore_imc_free_running*", "memory controller", .listed = true, .events = none },
	{ "uncore_imc*", "memory controller", .events = imc },
	{ "uncore_iio_free_running*", "PCIe root", .listed = true, .events = none },
	{ "uncore_cha*", "L3 cache", .listed = true, .events = none },
	{ "amd_df", "data fabric", .listed = true, .events = none },
	{ "amd_l3", "L3 cache", .events = amd_l3 },
	{ "amd_umc*", "memory controller", .events = amd_umc },
	{ "armv8_*", "CPU core", .per_cpu = true, .events = arm_core },
	{ "armv9_*", "CPU core", .per_cpu = true, .events = arm_core },
	{ "cpu", "CPU core", .per_cpu = true, .events = x86_core },
	{ .pattern = NULL },
};
