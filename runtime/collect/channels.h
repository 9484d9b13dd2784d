/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of the NPUs' profiling channels: what asks for a channel, how it
 * is configured, which file its data goes to, which chips have it. Pure.
 */
#ifndef ASCPROF_CHANNELS_H
#define ASCPROF_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/chips.h"
#include "collect/hal.h"
#include "session/settings.h"

#define CHANNEL_TEXT 1u /* row_bytes of a channel of lines, which are kept whole */
#define CHANNEL_CONFIG_MAX 256u

/* What a run wants of a device. */
struct channel_ask {
	uint64_t bits; /* dataTypeConfig */
	const struct settings *settings;
	const struct chip *chip;
	unsigned int metrics; /* aclprofAicoreMetrics */
	unsigned int sample_ms; /* AI cores are sampled with this period; 0: counted by task */
	uint32_t core_mask;
	unsigned int nr_mpam; /* streams that the bandwidth monitors watch */
	uint8_t mpam[HAL_QOS_STREAMS];
};

struct channel_def {
	const char *name; /* for people, and for the account */
	enum hal_channel id;
	enum hal_channel_type type;
	const char *file; /* below data/, before .<device>.slice_<k> */
	unsigned int families; /* enum chip_family */
	bool flushed; /* the driver can be told to send what it has */
	const char *columns; /* of its rows, as format/rows.h describes them; NULL: that has none of them */
	bool (*asked)(const struct channel_ask *ask);
	uint32_t (*row_bytes)(const struct channel_ask *ask);
	/* Sets the period, and fills @data. Return: bytes of it. */
	uint32_t (*configure)(const struct channel_ask *ask, unsigned int *period_ms, uint8_t *data);
};

extern const struct channel_def channel_defs[];
extern const unsigned int channel_count;

/* The one of the table that is this channel of the driver; NULL: none is. */
const struct channel_def *channel_of(enum hal_channel id);

/* Whether @ask wants @def, and its chip has it. */
bool channel_wanted(const struct channel_def *def, const struct channel_ask *ask);

#endif /* ASCPROF_CHANNELS_H */
