/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Last-level cache counters of one device part: hit rate and throughput per
 * slice and sample, as the public parser computes them. It takes the size of a
 * cache line twice, so that throughput is in units of 4096 bytes; the rate of
 * the first sample is 0 and counts in averages. Not thread-safe.
 */
#ifndef ASCPROF_LLC_H
#define ASCPROF_LLC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/diag.h"
#include "export/prof.h"
#include "export/scratch.h"
#include "format/rows.h"

#define LLC_UNITS 4

struct llc_sample {
	double parser_ns; /* wall clock as the parser has it */
	int64_t wall; /* ns */
	uint64_t count[ROW_LLC_EVENTS];
	unsigned int have; /* a bit per event */
	bool first; /* of the unit: no time before it that its throughput could be of */
	int64_t hit; /* thousandths */
	int64_t throughput; /* thousandths of MB/s */
};

struct llc_unit {
	struct llc_sample *sample;
	size_t nr;
	struct scratch room; /* of the samples */
	/* averages in millionths */
	int64_t hit;
	int64_t throughput;
};

struct llc {
	const char *mode; /* "read", "write"; NULL: nothing */
	struct llc_unit unit[LLC_UNITS];
	unsigned int nr_units;
};

enum llc_what { LLC_THROUGHPUT, LLC_HIT_RATE };

/* Name of a counter into @name, of COUNTER_NAME bytes. Return: its length. */
size_t llc_counter(char *name, const struct llc *llc, unsigned int unit, enum llc_what what);

/*
 * What the part's filter wants: samples by their time, units by the names of their
 * counters. Return: 0, also when there is nothing; -1 with a message. llc_free() is due.
 */
int llc_load(struct llc *llc, const struct prof_part *part, struct diag *diag);
void llc_free(struct llc *llc);

#endif /* ASCPROF_LLC_H */
