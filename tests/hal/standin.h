/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the stand-in: what it was told to be, its channels, the records that it makes. */
#ifndef HAL_STANDIN_H
#define HAL_STANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/hal.h"
#include "model.h"

#define NO_PERIOD UINT64_MAX

/* What befalls a channel id, on every device. */
struct fault {
	int start; /* error of starting it; 0: none */
	uint64_t gone_at; /* period after which reading fails */
	uint64_t stopped_at; /* and after which it says that it was stopped */
	bool lost; /* stopping tells of lost data */
	unsigned int stall_ms; /* of each read */
};

/* Out of the environment, HAL_MODEL: words of the form key=value. */
struct setup {
	unsigned int chip; /* platform_version; chip= */
	unsigned int devices; /* devices= */
	uint64_t periods; /* periods=: all there are, at once; 0: as time goes by */
	uint64_t rate; /* rate=: records per second of each channel; 0: by its period */
	size_t ring; /* ring=: bytes that a device keeps for each channel */
	int ppm; /* ppm=: by which its counter is fast */
	bool shuffle; /* shuffle: polls answer in another order, with more than was asked */
	bool pieces; /* pieces: reads respect no record */
	bool nofacts; /* nofacts: nothing is told of the device */
	bool stars; /* stars: without chip=, the AI cores are in the channel of the newer scheduler */
	bool wraps; /* the stamps of DDR do, which they do unless chip= is given */
	bool skew; /* odd: one byte more than whole records comes at the end */
	struct fault fault[HAL_CHANNELS]; /* fail=ID:CODE gone=ID:K stopped=ID:K lost=ID stall=ID:MS */
};

extern struct setup setup;

void setup_read(void);
bool setup_has(unsigned int channel); /* the chip does */
unsigned int setup_khz(void);
/* Whether a channel of this id is configured with so many bytes. */
bool setup_takes(unsigned int channel, unsigned int user_data_size);

struct model_channel {
	bool running;
	unsigned int id;
	unsigned int device;
	uint64_t begin_ns; /* since the library was loaded */
	uint64_t origin_ns; /* the same, for stamps; 0 where all that there is comes at once */
	uint64_t period_ns;
	uint32_t config[64]; /* user_data */
	uint64_t made; /* periods that are in the buffer or were read */
	uint64_t lost; /* bytes that found no room */
	uint8_t *buffer;
	size_t len, read;
	uint32_t piece;
};

/* Room for one record of @size, zeroed; NULL: lost. */
uint8_t *model_more(struct model_channel *c, size_t size);
/* Records of period @k. */
void model_make(struct model_channel *c, uint64_t k);
/* How many that are; 0: the channel has none. */
unsigned int model_records(unsigned int channel);

#endif /* HAL_STANDIN_H */
