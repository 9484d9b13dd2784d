/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a driver is told, as 32-bit words: version of the chip and period of the AI cores with
 * which it is told first, name of the channel, its period, configuration. (docs/hardware.md)
 */
#ifndef TEST_CHANNEL_CONFIGS_H
#define TEST_CHANNEL_CONFIGS_H

static const char *const channel_configs[] = {
	"1 0 ddr 10 a ffffffff 2 0 1",
	"1 0 hbm 10 a ffffffff 2 0 1",
	"1 0 llc 10 a 1",
	"1 0 app_mem 10 a 0 0 0",
	"1 0 npu_mem 10 a 0 1 0",
	"1 0 pcie 20",
	"1 0 hccs 20",
	"1 0 nic 10",
	"1 0 roce 10",
	"1 0 dvpp 10",
	"1 0 dvpp_venc 10",
	"1 0 dvpp_jpege 10",
	"1 0 dvpp_vdec 10",
	"1 0 dvpp_jpegd 10",
	"1 0 dvpp_vpc 10",
	"1 0 dvpp_png 10",
	"1 0 dvpp_scd 10",
	"1 0 ts_track 0 0 1 0 0 1 0 1 86000001 1",
	"1 0 hwts 0 0",
	"1 0 aicore 0 0 0 0 0 8 8 a 9 b c d 54 55 0",
	"1 0 aicpu 10",
	"1 0 cus_aicpu 10",
	"1 0 l2_cache 0 8 5b 59 5c 7d 7e 71 79 7c",
	"1 20 aicore 20 1 6666 14 1f 8 8 a 9 b c d 54 55 0",
	"3 0 aiv 0 0 0 0 0 8 8 a 9 b c d 54 55 0",
	"3 0 l2_cache 0 8 78 79 77 71 6a 6c 74 62",
	"3 20 aiv 20 1 6666 14 1f 8 8 a 9 b c d 54 55 0",
	"5 0 module_mem 10 a 0 0 0",
	"5 0 qos 10 a 3 30201 0 0 0 0",
	"5 0 soc_profile 0 1 14 1 a 1 14 1 14 0 0 0 0 0 0",
	"5 0 low_power 100 64 1",
	"5 0 soc_log 0 1 0 0 0 0 0 1 0 0 0 0",
	"5 0 ffts_task 0 3 9 0 0 8 a0008 b0009 d000c 550054 9 0 0 8 a0008 b0009 d000c 550054 0",
	"5 0 soc_pmu 0 340000 140001 8 fb00f6 bf00fc 910090 9d009c 140002 5 8a0002 8c008b 8d 0",
	"5 20 ffts_sample 0 3 a 14 1f 8 a0008 b0009 d000c 550054 a 14 1f 8 a0008 b0009 d000c 550054 0",
	"7 0 l2_cache 0 8 f6 fb fc bf 90 91 9c 9d",
	"15 0 soc_profile 0 1 14 1 2710 1 4e20 1 4e20 1 2710 0 0 0 0 2710 3 30201 0 0 0 0",
	"15 0 ub 20",
	"15 0 ffts_task 0 3 9 0 0 9 3010501 7010001 2030202 350034 714 9 0 0 9 3010501 7010001 2030202"
	" 350034 714 0 0 0",
	"15 0 soc_pmu 0 340000 140001 6 810000 830082 750074 0 140002 5 8a0002 8c008b 8d 0",
	"15 20 ffts_sample 0 3 a 14 1f 9 3010501 7010001 2030202 350034 714 a 14 1f 9 3010501 7010001"
	" 2030202 350034 714 0 0 0",
};

#endif /* TEST_CHANNEL_CONFIGS_H */
