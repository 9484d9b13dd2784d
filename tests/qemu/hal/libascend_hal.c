// SPDX-License-Identifier: Apache-2.0
/*
 * Stands in for the profiling channels of the vendor's library, in tests only.
 * What a channel says of its k-th period is known beforehand (hal_model.h), and
 * comes in pieces that respect no record. With ASCEND_HAL_STARS in the environment
 * it is a chip of the kind that has another channel for the AI cores.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hal_model.h"
#include "tools/bridge_hal.h"

#define VISIBLE __attribute__((visibility("default")))

/* The names that the bridge looks for. */
int prof_drv_get_channels(unsigned int device, struct hal_channel_list *list);
int prof_drv_start(unsigned int device, unsigned int channel, struct hal_start *start);
int prof_stop(unsigned int device, unsigned int channel);
int prof_channel_read(unsigned int device, unsigned int channel, char *buffer, unsigned int size);
int prof_channel_poll(struct hal_ready *ready, int nr, int timeout_s);

static const unsigned int ids[] = { HAL_HBM, HAL_DDR, HAL_LLC, HAL_AICORE, HAL_SOC_PROFILE };

#define CHANNELS (sizeof(ids) / sizeof(ids[0]))

static struct channel {
	bool running;
	uint64_t begin_ns;
	uint32_t period_ms;
	uint64_t made; /* periods that are in the buffer or were read */
	uint8_t buffer[1 << 16];
	size_t len, read;
	uint32_t piece;
} channels[CHANNELS];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static unsigned int id_of(size_t i)
{
	return ids[i] == HAL_AICORE && getenv("ASCEND_HAL_STARS") ? HAL_FFTS_SAMPLE : ids[i];
}

static struct channel *find(unsigned int id)
{
	for (size_t i = 0; i < CHANNELS; i++)
		if (id_of(i) == id)
			return &channels[i];
	return NULL;
}

static uint8_t *more(struct channel *c, size_t size)
{
	uint8_t *p = c->buffer + c->len;

	if (c->len + size > sizeof(c->buffer))
		return NULL; /* nobody reads: lost */
	memset(p, 0, size);
	c->len += size;
	return p;
}

static void put(uint8_t *p, size_t offset, size_t size, uint64_t value)
{
	memcpy(p + offset, &value, size);
}

static void make_hbm(struct channel *c, uint64_t k)
{
	for (uint32_t unit = 0; unit < MODEL_HBM; unit++) {
		for (uint32_t event = 0; event < 2; event++) {
			uint8_t *p = more(c, 24);

			if (!p)
				return;
			put(p, 0, 8, k * c->period_ms * 1000);
			put(p, 8, 8, model_count(MODEL_KIND_HBM, unit, event, k));
			put(p, 16, 4, event);
			put(p, 20, 4, unit);
		}
	}
}

/* Its stamps wrap soon after the beginning. */
static void make_ddr(struct channel *c, uint64_t k)
{
	for (uint32_t unit = 0; unit < MODEL_DDR; unit++) {
		for (uint32_t event = 0; event < 2; event++) {
			uint8_t *p = more(c, 20);

			if (!p)
				return;
			put(p, 0, 4, MODEL_DDR_FIRST + k * c->period_ms * 1000);
			put(p, 4, 4, model_count(MODEL_KIND_DDR, unit, event, k));
			put(p, 8, 4, event);
			put(p, 12, 4, unit);
			put(p, 16, 4, 0xffffffff);
		}
	}
}

static void make_llc(struct channel *c, uint64_t k)
{
	static const uint32_t events[] = { 0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36 };

	for (uint32_t unit = 0; unit < MODEL_LLC; unit++) {
		for (int i = 0; i < 8; i++) {
			uint8_t *p = more(c, 24);

			if (!p)
				return;
			put(p, 0, 8, k * c->period_ms * 1000);
			put(p, 8, 8, model_count(MODEL_KIND_LLC, unit, events[i], k));
			put(p, 16, 4, events[i]);
			put(p, 20, 4, unit);
		}
	}
}

static uint64_t ticks(const struct channel *c, uint64_t k)
{
	return MODEL_TICKS_FIRST + k * c->period_ms * (MODEL_HZ / 1000);
}

static uint8_t *soc_record(struct channel *c, uint64_t k, uint16_t head, uint32_t unit)
{
	uint8_t *p = more(c, 64);

	if (!p)
		return NULL;
	put(p, 0, 2, head);
	put(p, 2, 2, 0x6bd3);
	put(p, 8, 8, ticks(c, k));
	put(p, 18, 2, unit);
	return p;
}

static void make_soc(struct channel *c, uint64_t k)
{
	uint8_t *p;

	for (uint32_t unit = 0; unit < MODEL_ACC; unit++) {
		p = soc_record(c, k, 0x1a, unit);
		for (uint32_t i = 0; p && i < 4; i++)
			put(p, 32 + 8 * i, 8, model_count(MODEL_KIND_ACC, unit, i, k));
	}
	p = soc_record(c, k, 0x1c, 0);
	if (p)
		put(p, 32, 2, (k % 8) | (k % 256) << 3);
	p = soc_record(c, k, 0x1d, 0); /* power: holds no counters */
	p = more(c, 64); /* and one that is no record */
	if (p)
		put(p, 0, 2, 0x1a);
}

static void make_aicore(struct channel *c, uint64_t k)
{
	for (uint32_t core = 0; core < MODEL_CORES; core++) {
		uint8_t *p = more(c, 96);

		if (!p)
			return;
		for (uint32_t i = 0; i < 9; i++)
			put(p, 8 + 8 * i, 8, model_count(MODEL_KIND_AICORE, core, i, k));
		put(p, 80, 8, ticks(c, k));
		put(p, 88, 1, 8);
		put(p, 89, 1, core);
	}
}

static void make_due(size_t i)
{
	static void (*const make[CHANNELS])(struct channel *c, uint64_t k) = {
		make_hbm, make_ddr, make_llc, make_aicore, make_soc,
	};
	struct channel *c = &channels[i];
	uint64_t due = (now_ns() - c->begin_ns) / (c->period_ms * 1000000ull);

	if (c->read == c->len)
		c->read = c->len = 0;
	while (c->running && c->made < due)
		make[i](c, ++c->made);
}

VISIBLE int prof_drv_get_channels(unsigned int device, struct hal_channel_list *list)
{
	if (device != 0)
		return 3;
	list->nr = CHANNELS;
	for (size_t i = 0; i < CHANNELS; i++)
		list->channel[i].id = id_of(i);
	return 0;
}

/* AI cores only, sampled, all of them, eight events of 16 bits, the first of them 0x08. */
static bool ffts_words(const struct hal_start *start)
{
	const uint32_t *w = start->user_data;

	return start->user_data_size == 18 * sizeof(*w) && w[0] == 1 && w[1] == 2 && w[2] == start->period_ms &&
	       w[3] == 0xffffffff && w[4] == 8 && (w[5] & 0xffff) == 0x08 && w[8] >> 16 == 0x55 && !w[17];
}

VISIBLE int prof_drv_start(unsigned int device, unsigned int channel, struct hal_start *start)
{
	struct channel *c = find(channel);
	uint32_t words[2];

	if (channel == HAL_FFTS_SAMPLE && !ffts_words(start))
		return 3;
	if (device != 0 || !c || start->user_data_size < sizeof(words) || start->real_time != 1)
		return 3;
	if (c->running)
		return HAL_ERROR_RUNNING;
	memset(c, 0, sizeof(*c));
	c->period_ms = start->period_ms;
	c->begin_ns = now_ns();
	c->running = true;
	return 0;
}

VISIBLE int prof_stop(unsigned int device, unsigned int channel)
{
	struct channel *c = find(channel);

	if (device != 0 || !c)
		return 3;
	c->running = false;
	return 0;
}

VISIBLE int prof_channel_read(unsigned int device, unsigned int channel, char *buffer, unsigned int size)
{
	static const uint32_t pieces[] = { 4096, 1, 23, 65, 500, 7 };
	struct channel *c = find(channel);
	size_t len;

	if (device != 0 || !c)
		return -1;
	if (!c->running)
		return HAL_ERROR_STOPPED;
	len = c->len - c->read;
	if (len > size)
		len = size;
	if (len > pieces[c->piece % 6])
		len = pieces[c->piece % 6];
	c->piece++;
	memcpy(buffer, c->buffer + c->read, len);
	c->read += len;
	return (int)len;
}

VISIBLE int prof_channel_poll(struct hal_ready *ready, int nr, int timeout_s)
{
	uint64_t until = now_ns() + (uint64_t)timeout_s * 1000000000u;
	int found = 0;

	do {
		for (size_t i = 0; i < CHANNELS && found < nr; i++) {
			if (!channels[i].running)
				continue;
			make_due(i);
			if (channels[i].len > channels[i].read)
				ready[found++] = (struct hal_ready){ 0, id_of(i) };
		}
		if (!found)
			usleep(500);
	} while (!found && now_ns() < until);
	return found;
}
