/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profiling channels of libascend_hal.so, found at run time. The library
 * belongs to the vendor's driver; nothing here needs it to build.
 */
#ifndef ASCPROF_BRIDGE_HAL_H
#define ASCPROF_BRIDGE_HAL_H

#include <stdbool.h>
#include <stddef.h>

#define HAL_LIBRARY "libascend_hal.so"
#define HAL_CHANNELS 160
#define HAL_DEVICES 64

#define HAL_ERROR_RUNNING 30 /* a channel has one owner */
#define HAL_ERROR_STOPPED (-4)

enum hal_channel {
	HAL_HBM = 1,
	HAL_DDR = 7,
	HAL_LLC = 8,
	HAL_AICORE = 43,
	HAL_SOC_PROFILE = 52,
	HAL_FFTS_SAMPLE = 54, /* AI cores on chips with the STARS scheduler */
};

enum hal_channel_type {
	HAL_TYPE_SCHEDULER = 0,
	HAL_TYPE_PERIPHERAL = 1,
};

struct hal_start {
	int type; /* enum hal_channel_type */
	unsigned int period_ms;
	unsigned int real_time; /* 1 */
	void *user_data; /* what to count, per channel */
	unsigned int user_data_size;
};

struct hal_ready {
	unsigned int device;
	unsigned int channel;
};

struct hal_channel_list {
	unsigned int chip_type;
	unsigned int nr;
	struct {
		char name[32];
		unsigned int type;
		unsigned int id;
	} channel[HAL_CHANNELS];
};

struct hal {
	void *library;
	int (*get_channels)(unsigned int device, struct hal_channel_list *list);
	int (*start)(unsigned int device, unsigned int channel, struct hal_start *start);
	int (*stop)(unsigned int device, unsigned int channel);
	int (*read)(unsigned int device, unsigned int channel, char *buffer, unsigned int size);
	int (*poll)(struct hal_ready *ready, int nr, int timeout_s);
	int (*flush)(unsigned int device, unsigned int channel, unsigned int *len); /* or NULL */
};

/* 0, or -1 with the reason in why. */
int hal_open(struct hal *hal, const char *path, char *why, size_t size);
void hal_close(struct hal *hal);

#endif /* ASCPROF_BRIDGE_HAL_H */
