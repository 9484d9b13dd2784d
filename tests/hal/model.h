/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stand-in of the vendor's library counts, for itself and for those who
 * check what became of it; tests/lib/planted.py has it for Python.
 */
#ifndef HAL_MODEL_H
#define HAL_MODEL_H

#include <stdint.h>

#define MODEL_HBM 4
#define MODEL_DDR 2
#define MODEL_LLC 2
#define MODEL_ACC 3
#define MODEL_CORES 2
#define MODEL_HZ 50000000ull
#define MODEL_DDR_FIRST 0xfffc2f70u /* us, where the stamps shall wrap: after 25 periods of 10 ms */
#define MODEL_TICKS_FIRST 123456789012ull
#define MODEL_MONO_FIRST 7000000000000ull /* ns */

enum model_kind {
	MODEL_KIND_HBM = 1,
	MODEL_KIND_DDR = 2,
	MODEL_KIND_LLC = 3,
	MODEL_KIND_ACC = 4,
	MODEL_KIND_AICORE = 5,
	MODEL_KIND_PCIE = 6,
	MODEL_KIND_NIC = 7,
	MODEL_KIND_ROCE = 8,
	MODEL_KIND_HCCS = 9,
	MODEL_KIND_DVPP = 10,
	MODEL_KIND_MEM = 11,
	MODEL_KIND_MODULE = 12,
	MODEL_KIND_QOS = 13,
	MODEL_KIND_LINK = 14,
	MODEL_KIND_SIO = 15,
	MODEL_KIND_TASK = 16,
	MODEL_KIND_L2 = 17,
	MODEL_KIND_SOC_PMU = 18,
	MODEL_KIND_AICPU = 19,
	MODEL_KIND_FFTS = 20,
	MODEL_KIND_POWER = 21,
	MODEL_KIND_UB = 22,
};

/* In period k, from 1 on. */
static inline uint64_t model_count(enum model_kind kind, uint32_t unit, uint32_t event, uint64_t k)
{
	return kind * 100000u + unit * 1000u + event * 10u + k % 7;
}

#endif /* HAL_MODEL_H */
