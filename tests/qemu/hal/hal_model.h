/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stand-in of the vendor's library counts, for itself and for those who
 * check what became of it.
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
#define MODEL_DDR_FIRST 0xfffc2f70u /* us; wraps after 25 periods of 10 ms */
#define MODEL_TICKS_FIRST 123456789012ull

enum model_kind {
	MODEL_KIND_HBM = 1,
	MODEL_KIND_DDR = 2,
	MODEL_KIND_LLC = 3,
	MODEL_KIND_ACC = 4,
	MODEL_KIND_AICORE = 5,
};

/* In period k, from 1 on. */
static inline uint64_t model_count(enum model_kind kind, uint32_t unit, uint32_t event, uint64_t k)
{
	return kind * 100000u + unit * 1000u + event * 10u + k % 7;
}

#endif /* HAL_MODEL_H */
