/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of each generation of NPUs, beyond what its driver tells. */
#ifndef ASCPROF_CHIPS_H
#define ASCPROF_CHIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits, as the table of channels names them. */
enum chip_family {
	CHIP_310 = 1u << 0,
	CHIP_910 = 1u << 1,
	CHIP_310P = 1u << 2,
	CHIP_910B = 1u << 3, /* and A3 */
	CHIP_310B = 1u << 4,
	CHIP_950 = 1u << 5,
	CHIP_ALL = (1u << 6) - 1,
};

struct chip {
	unsigned int version; /* as the driver and platform_version have it */
	enum chip_family family;
	const char *name;
	uint32_t counter_khz; /* where the driver does not tell */
	uint32_t core_mhz;
};

/* NULL: not known. */
const struct chip *chip_of(unsigned int version);

#define CHIP_EVENTS_MAX 10 /* that an AI core counts at once */

/* Events of an AI core that belong together, for a family. */
struct chip_metrics {
	unsigned int number; /* aclprofAicoreMetrics */
	unsigned int families;
	const char *name;
	unsigned int nr;
	uint16_t event[CHIP_EVENTS_MAX];
};

/* NULL: the chip has no such group. */
const struct chip_metrics *chip_metrics_of(const struct chip *chip, unsigned int number);
/* Events of the L2 cache of tasks. Return: how many. */
unsigned int chip_l2_events(const struct chip *chip, const uint16_t **events);
/* And of the translation of its addresses. */
unsigned int chip_smmu_events(const uint16_t **events);
/* "0x8,0xa,..." */
void chip_events_text(const uint16_t *events, unsigned int nr, char *text, size_t size);

#endif /* ASCPROF_CHIPS_H */
