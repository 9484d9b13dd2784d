/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

#define ALL 0x3fu /* chips */
#define C310 1u
#define C910 2u
#define C310P 4u
#define C910B 8u
#define C310B 16u
#define C950 32u

struct setup setup;

static const struct {
	unsigned int version, bit, khz;
} chips[] = {
	{ 0, C310, 19200 }, { 1, C910, 100000 }, { 4, C310P, 38400 }, { 2, C310P, 38400 },
	{ 5, C910B, 50000 }, { 7, C310B, 48000 }, { 15, C950, 1000000 },
};

/* As the tables of the vendor's drivers have it. */
static const struct {
	unsigned int id, chips;
	unsigned int sizes[3]; /* of user_data that are right; all 0: none */
} channels[] = {
	{ HAL_DDR, C310 | C910 | C310P | C310B, { 20 } },
	{ HAL_HBM, C910 | C910B | C310P | C950, { 20 } },
	{ HAL_LLC, ALL & ~C310, { 8 } },
	{ HAL_PCIE, C910 | C910B | C310P | C950, { 0 } },
	{ HAL_HCCS, C910 | C910B | C310P, { 0 } },
	{ HAL_NIC, C310 | C910 | C910B | C310B, { 0 } },
	{ HAL_ROCE, C910 | C910B, { 0 } },
	{ HAL_DVPP, ALL & ~C310P, { 0 } },
	{ HAL_DVPP_VENC, C910B | C950, { 0 } },
	{ HAL_DVPP_VDEC, C910B | C950, { 0 } },
	{ HAL_DVPP_VPC, C910B | C950, { 0 } },
	{ HAL_APP_MEM, ALL, { 16 } },
	{ HAL_NPU_MEM, ALL, { 16 } },
	{ HAL_MODULE_MEM, C910B | C950, { 16 } },
	{ HAL_QOS, C910B, { 28 } },
	{ HAL_SOC_PROFILE, C910B | C310B | C950, { 48, 56, 84 } },
	{ HAL_LOW_POWER, C910B | C950, { 8 } },
	{ HAL_AICORE, C310 | C910 | C310P, { 56 } },
	{ HAL_AIV, C310P, { 56 } },
	{ HAL_TSFW, ALL, { 36 } },
	{ HAL_HWTS_LOG, C910 | C310P, { 4 } },
	{ HAL_SOC_LOG, C910B | C310B | C950, { 44 } },
	{ HAL_FFTS_TASK, C910B | C310B | C950, { 72, 88 } },
	{ HAL_FFTS_SAMPLE, C910B | C310B | C950, { 72, 88 } },
	{ HAL_AICPU, ALL, { 0 } },
	{ HAL_L2_CACHE, C910 | C310P, { 36 } },
	{ HAL_SOC_PMU, C910B | C950, { 52 } },
	{ HAL_UB, C950, { 0 } },
};

#define CHIPS (sizeof(chips) / sizeof(chips[0]))
#define CHANNELS (sizeof(channels) / sizeof(channels[0]))

static unsigned int bit_of_chip(void)
{
	for (size_t i = 0; i < CHIPS; i++)
		if (chips[i].version == setup.chip)
			return chips[i].bit;
	return 0;
}

unsigned int setup_khz(void)
{
	for (size_t i = 0; i < CHIPS; i++)
		if (chips[i].version == setup.chip)
			return chips[i].khz;
	return 0;
}

bool setup_has(unsigned int channel)
{
	/* As it was before it modelled chips: what ascprof bridge looks for. */
	if (setup.wraps)
		return channel == HAL_HBM || channel == HAL_DDR || channel == HAL_LLC || channel == HAL_SOC_PROFILE ||
		       channel == (setup.stars ? HAL_FFTS_SAMPLE : HAL_AICORE);
	for (size_t i = 0; i < CHANNELS; i++)
		if (channels[i].id == channel)
			return channels[i].chips & bit_of_chip();
	return false;
}

bool setup_takes(unsigned int channel, unsigned int user_data_size)
{
	for (size_t i = 0; i < CHANNELS; i++)
		if (channels[i].id == channel)
			for (int k = 0; k < 3; k++)
				if (channels[i].sizes[k] == user_data_size)
					return true;
	return false;
}

static void wrong(const char *word)
{
	fprintf(stderr, "HAL_MODEL: \"%s\" is not understood\n", word);
	abort();
}

/* ID or ID:N */
static void set_fault(const char *word, const char *key, const char *value)
{
	struct fault *f;
	unsigned int id;
	long long n = 0;

	if (sscanf(value, "%u:%lli", &id, &n) < 1 || id >= HAL_CHANNELS)
		wrong(word);
	f = &setup.fault[id];
	if (!strcmp(key, "fail"))
		f->start = (int)n;
	else if (!strcmp(key, "gone"))
		f->gone_at = (uint64_t)n;
	else if (!strcmp(key, "stopped"))
		f->stopped_at = (uint64_t)n;
	else if (!strcmp(key, "lost"))
		f->lost = true;
	else if (!strcmp(key, "stall"))
		f->stall_ms = (unsigned int)n;
	else
		wrong(word);
}

static void set(char *word)
{
	char *value = strchr(word, '='), key[16];

	if (!strcmp(word, "shuffle")) {
		setup.shuffle = true;
	} else if (!strcmp(word, "pieces")) {
		setup.pieces = true;
	} else if (!strcmp(word, "nofacts")) {
		setup.nofacts = true;
	} else if (!strcmp(word, "stars")) {
		setup.stars = true;
	} else if (!strcmp(word, "odd")) {
		setup.skew = true;
	} else if (!value || value - word >= (long)sizeof(key)) {
		wrong(word);
	} else {
		snprintf(key, sizeof(key), "%.*s", (int)(value - word), word);
		value++;
		if (!strcmp(key, "chip")) {
			setup.chip = (unsigned int)atoi(value);
			setup.wraps = false;
		} else if (!strcmp(key, "devices")) {
			setup.devices = (unsigned int)atoi(value);
		} else if (!strcmp(key, "periods")) {
			setup.periods = strtoull(value, NULL, 10);
		} else if (!strcmp(key, "rate")) {
			setup.rate = strtoull(value, NULL, 10);
		} else if (!strcmp(key, "ppm")) {
			setup.ppm = atoi(value);
		} else if (!strcmp(key, "ring")) {
			setup.ring = strtoull(value, NULL, 10);
		} else {
			set_fault(word, key, value);
		}
	}
}

void setup_read(void)
{
	const char *text = getenv("HAL_MODEL");
	char *words, *save;

	setup = (struct setup){ .chip = 5, .devices = 1, .ring = 4u << 20, .wraps = true };
	for (int i = 0; i < HAL_CHANNELS; i++)
		setup.fault[i].gone_at = setup.fault[i].stopped_at = NO_PERIOD;
	if (!text) {
		setup.pieces = true;
		return;
	}
	words = strdup(text);
	for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		set(word);
	free(words);
}
