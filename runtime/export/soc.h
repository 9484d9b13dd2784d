/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SoC counters of one device part (stars_soc_profile rows), row by row. The
 * types that format/rows.h describes are decoded; on platforms 15 and 16, where
 * links and SIO have another layout, only accelerators and levels. Not
 * thread-safe.
 */
#ifndef ASCPROF_SOC_H
#define ASCPROF_SOC_H

#include <stdbool.h>
#include <stdint.h>

#include "export/prof.h"

#define SOC_DIES 16
#define SOC_VALUES 8

struct soc_value {
	const char *name; /* of the counter, behind the unit */
	const char *key; /* what the number is */
	uint64_t value;
};

struct soc_sample {
	int64_t wall; /* ns */
	const char *group; /* "Acc PMU", ...; "" for levels */
	int unit; /* -1: there is one */
	bool thousandths; /* values are such */
	unsigned int nr;
	struct soc_value value[SOC_VALUES];
};

struct soc_reader {
	const struct prof_part *part;
	struct slices_cursor cursor;
	bool version6; /* platforms 15 and 16 */
	int64_t die_wall[SOC_DIES]; /* of the sample before */
	bool die_seen[SOC_DIES];
};

void soc_rewind(struct soc_reader *r, const struct prof_part *part);
bool soc_next(struct soc_reader *r, struct soc_sample *sample);

#endif /* ASCPROF_SOC_H */
