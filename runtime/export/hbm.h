/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory bandwidth of one device part, as the public parser computes it: it
 * finds the previous sample a fixed number of rows back, gives the first sample
 * bandwidth 0, counts that in averages, and shows the raw count where there is
 * a single sample. Not thread-safe.
 */
#ifndef ASCPROF_HBM_H
#define ASCPROF_HBM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/diag.h"
#include "export/prof.h"
#include "export/scratch.h"

struct hbm_sample {
	double parser_ns; /* wall clock as the parser has it */
	int64_t wall; /* ns */
	uint64_t count;
	double bandwidth; /* MB/s */
	uint32_t unit;
	bool write;
	bool first; /* of its unit and direction: no time before it that its bandwidth could be of */
};

#define HBM_UNITS 64 /* rows of units beyond are left out */

struct hbm_mean {
	double sum;
	uint64_t nr;
};

struct hbm_unit {
	struct hbm_mean read, write;
};

struct hbm {
	struct hbm_sample *sample; /* by time, reads first, by unit */
	size_t nr;
	struct scratch room; /* of the samples */
	struct hbm_unit unit[HBM_UNITS];
	unsigned int nr_units; /* that have samples */
};

/* Name of a counter into @name, of COUNTER_NAME bytes. Return: its length. */
size_t hbm_counter(char *name, unsigned int unit, bool write);

/* What the part's filter wants. Return: 0, also when there is nothing; -1 with a message. hbm_free() is due. */
int hbm_load(struct hbm *hbm, const struct prof_part *part, struct diag *diag);
void hbm_free(struct hbm *hbm);

static inline bool hbm_has(const struct hbm *hbm, unsigned int unit)
{
	return hbm->unit[unit].read.nr || hbm->unit[unit].write.nr;
}

/*
 * Average over the units in thousandths of MB/s: the parser adds what it
 * prints for each. A unit that has no sample of a direction makes it 0.
 */
int64_t hbm_average(const struct hbm *hbm, bool write);

#endif /* ASCPROF_HBM_H */
