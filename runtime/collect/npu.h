/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One NPU of a run, read through the driver's profiling channels: which of them
 * run, and the files their data goes to as it is. What is not said otherwise is
 * for one thread at a time: who makes the run, then the flusher.
 */
#ifndef ASCPROF_NPU_H
#define ASCPROF_NPU_H

#include <stdbool.h>
#include <stdint.h>

#include "clock/relation.h"
#include "collect/channel.h"
#include "collect/chips.h"
#include "flush/slice.h"
#include "session/settings.h"

/* The same moment on the host's clock and on the device's. */
struct npu_clock {
	uint64_t host_ns; /* CLOCK_MONOTONIC_RAW of the host */
	uint64_t device_ns; /* and of the device; 0: not told */
	uint64_t counter; /* of the device; 0: not told */
	uint64_t width_ns; /* of the interval of the host's clock in which the counter was read */
};

struct npu_facts {
	const struct chip *chip;
	uint32_t counter_khz;
	uint32_t core_mhz;
	uint32_t env, ctrl_cpu_id, ctrl_cpus, ctrl_little_endian, ts_cpus;
	uint32_t ai_cpus, ai_cpu_id, ai_cpu_bits;
	uint32_t cores, core_id, vector_cores;
	struct npu_clock begin;
	const struct chip_metrics *metrics; /* counted in AI cores; NULL: none */
	unsigned int sample_ms; /* of AI cores; 0: by task */
	unsigned int nr_mpam;
	uint8_t mpam[HAL_QOS_STREAMS];
	char qos_names[512]; /* comma list; as many as mpam */
};

/* What a channel's data is in. */
struct npu_file {
	const char *name; /* of the account */
	const char *file; /* before the device's number */
	uint32_t row_bytes;
	struct slice_sink sink;
};

struct npu_channel {
	struct channel c;
	struct npu_file *file;
	bool told; /* that it failed */
};

struct npu {
	unsigned int id;
	const struct hal *hal;
	struct npu_facts facts;
	struct channel_wake wake;
	struct npu_channel *channel;
	unsigned int nr_channels;
	struct npu_file *file;
	unsigned int nr_files;
	struct relation clock; /* of the device's counter and the host */
	uint64_t clock_due; /* CLOCK_MONOTONIC ns */
	bool attached;
	bool finished;
};

struct npu_wish {
	uint64_t bits; /* dataTypeConfig */
	unsigned int metrics; /* aclprofAicoreMetrics */
	const struct settings *settings;
};

/* Tells of a channel that there is not, or that failed. */
struct npu_tell {
	void (*channel)(void *arg, const struct channel_def *def, const char *why);
	void *arg;
};

/*
 * Starts the channels that are wanted; those that cannot be are told of. Return:
 * NULL with @note saying why when there is no device, or none of them runs.
 */
struct npu *npu_open(unsigned int id, const struct hal *hal, const struct npu_wish *wish, const struct npu_tell *tell,
		     char *note, size_t note_size);
/* Stops channels that still run. */
void npu_free(struct npu *n);

/* From here on data goes to @store, into the folder @data_fd. Return: false without memory. */
bool npu_attach(struct npu *n, struct slice_store *store, int data_fd);
int npu_start(struct npu *n); /* reading; an errno or 0 */
int npu_fd(const struct npu *n); /* to watch */

/* All facts but those of the begin. Return: false with @note saying why there is no device. */
bool npu_read_facts(struct npu *n, char *note, size_t note_size);
/* Where the device's clock is now, beside the host's. */
void npu_clock_read(const struct npu *n, struct npu_clock *clock);

/* A moment for the relation of the two. */
void npu_clock_take(struct npu *n, const struct npu_clock *clock);
/* Reads it once more for that, if ten seconds are over, or now. */
void npu_clock_note(struct npu *n, bool now);

void npu_read(struct npu *n); /* what cannot wait */
void npu_flush(struct npu *n); /* everything */
/* Has the device send the rest, reads it, stops the channels in the vendor's order. */
void npu_finish(struct npu *n, const struct npu_tell *tell);
/* Channels that failed since the last call. */
void npu_tell_failed(struct npu *n, const struct npu_tell *tell);

/* Of all channels of @file together. */
struct channel_counts npu_counts(const struct npu *n, const struct npu_file *file);
bool npu_has(const struct npu *n, enum hal_channel id);

#endif /* ASCPROF_NPU_H */
