/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One NPU of a run: its stream of the module, turned into the rows of
 * llc.data, hbm.data and stars_soc_profile.data. A row is what was counted
 * between two samples; the first sample is only what the next is counted from.
 */
#ifndef ASCPROF_DEVICE_H
#define ASCPROF_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/hub.h"
#include "flush/slice.h"
#include "session/settings.h"

enum device_table { DEVICE_LLC, DEVICE_HBM, DEVICE_SOC, DEVICE_TABLES };

#define DEVICE_ALL_TABLES ((1u << DEVICE_TABLES) - 1) /* one bit each */

struct device_counts {
	uint64_t lost_rows; /* of samples that found no room in the ring */
	uint64_t first_ns; /* CLOCK_MONOTONIC_RAW of the first row, 0: none */
	uint64_t last_ns;
};

struct device;

/*
 * Return: a device whose stream is ready to start, for some @tables; NULL with
 * @note saying why not.
 */
struct device *device_open(unsigned int id, const struct hub_npu *npu, const struct settings *settings,
			   unsigned int tables, char *note, size_t note_size);
/*
 * Its files lie beside those of the driver's channels, and so have their clock:
 * at @begin_ns, CLOCK_MONOTONIC_RAW, the device's counter, of @khz, was @counter.
 */
void device_set_clock(struct device *d, uint64_t begin_ns, uint64_t counter, uint32_t khz);

/* From here on rows go to @store, into the folder @data_fd. Return: false without memory. */
bool device_attach(struct device *d, struct slice_store *store, int data_fd);
int device_start(struct device *d); /* errno or 0 */
int device_fd(const struct device *d); /* to watch */
uint64_t device_begin_ns(const struct device *d); /* CLOCK_MONOTONIC_RAW that its stamps count from */

void device_read(struct device *d); /* all records there are, into rows */
void device_flush(struct device *d);
/* Stops sampling, reads the rest, closes everything but the counts. */
void device_finish(struct device *d);
void device_free(struct device *d);

bool device_has(const struct device *d, enum device_table table);
const struct slice_sink *device_sink(const struct device *d, enum device_table table);
const struct device_counts *device_counts(const struct device *d, enum device_table table);
const char *device_table_name(enum device_table table);

#endif /* ASCPROF_DEVICE_H */
