/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libascend_hal.so, found at run time: the profiling channels of the NPUs, and
 * what the driver tells of a device. The library belongs to the vendor's driver;
 * nothing here needs it to build, and each function may be missing.
 */
#ifndef ASCPROF_HAL_H
#define ASCPROF_HAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HAL_LIBRARY "libascend_hal.so"
#define HAL_CHANNELS 160
#define HAL_DEVICES 64
#define HAL_QOS_STREAMS 20

/* Of drvError_t. */
#define HAL_ERROR_INVALID 3
#define HAL_ERROR_RUNNING 30 /* a channel has one owner */
#define HAL_ERROR_NOT_BOUND 115 /* the task scheduler serves no process yet */
#define HAL_ERROR_DATA_LOST 0x916
#define HAL_ERROR_NOT_SUPPORTED 0xfffe
/* Of the profiling functions. */
#define HAL_ERROR_STARTED (-3)
#define HAL_ERROR_STOPPED (-4)
#define HAL_ERROR_EMPTY (-6)
#define HAL_ERROR_UNSUPPORTED (-7)
#define HAL_ERROR_BUSY (-8)
#define HAL_ERROR_NO_SUBCHANNEL (-10)
#define HAL_ERROR_VF_FULL (-11)

enum hal_channel {
	HAL_HBM = 1,
	HAL_PCIE = 3,
	HAL_NIC = 4,
	HAL_DVPP = 6,
	HAL_DDR = 7,
	HAL_LLC = 8,
	HAL_HCCS = 9,
	HAL_AICORE = 43,
	HAL_TSFW = 44,
	HAL_HWTS_LOG = 45,
	HAL_L2_CACHE = 47,
	HAL_SOC_LOG = 50,
	HAL_SOC_PROFILE = 52,
	HAL_FFTS_TASK = 53,
	HAL_FFTS_SAMPLE = 54,
	HAL_AIV = 85,
	HAL_ROCE = 129,
	HAL_APP_MEM = 130,
	HAL_NPU_MEM = 131,
	HAL_LOW_POWER = 132,
	HAL_QOS = 133,
	HAL_SOC_PMU = 134,
	HAL_DVPP_VENC = 135,
	HAL_DVPP_JPEGE = 136,
	HAL_DVPP_VDEC = 137,
	HAL_DVPP_JPEGD = 138,
	HAL_DVPP_VPC = 139,
	HAL_DVPP_PNG = 140,
	HAL_DVPP_SCD = 141,
	HAL_MODULE_MEM = 142,
	HAL_AICPU = 143,
	HAL_CUS_AICPU = 144,
	HAL_UB = 146,
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

/* What device_info() is asked: a module and a fact of it. */
enum hal_module {
	HAL_MODULE_SYSTEM = 0,
	HAL_MODULE_AICPU = 1,
	HAL_MODULE_CTRL_CPU = 2,
	HAL_MODULE_AICORE = 4,
	HAL_MODULE_TSCPU = 5,
	HAL_MODULE_VECTOR = 7,
	HAL_MODULE_QOS = 9,
};

enum hal_fact {
	HAL_FACT_ENV = 0,
	HAL_FACT_VERSION = 1, /* bits 8 to 15: the chip */
	HAL_FACT_CORES = 3,
	HAL_FACT_HZ = 4, /* of the core, MHz */
	HAL_FACT_OCCUPY = 8, /* one bit per core */
	HAL_FACT_ID = 9,
	HAL_FACT_ENDIAN = 11,
	HAL_FACT_COUNTER = 13, /* the device's, now */
	HAL_FACT_MONOTONIC_RAW = 14, /* the device's, now, ns */
	HAL_FACT_COUNTER_KHZ = 25,
	HAL_FACT_CONFIG = 33,
};

/* Streams that the bandwidth monitors can tell apart. */
struct hal_qos {
	uint32_t device;
	uint16_t nr;
	uint16_t mode; /* 0: list them; 1: name of mpam[0] */
	uint8_t mpam[HAL_QOS_STREAMS];
	char name[256];
};

struct hal {
	void *library;
	int (*get_channels)(unsigned int device, struct hal_channel_list *list);
	int (*start)(unsigned int device, unsigned int channel, struct hal_start *start);
	int (*stop)(unsigned int device, unsigned int channel);
	int (*read)(unsigned int device, unsigned int channel, char *buffer, unsigned int size);
	int (*poll)(struct hal_ready *ready, int nr, int timeout_s);
	int (*flush)(unsigned int device, unsigned int channel, unsigned int *len);
	int (*device_count)(uint32_t *nr);
	int (*device_ids)(uint32_t *ids, uint32_t nr);
	int (*device_info)(uint32_t device, int32_t module, int32_t fact, int64_t *value);
	int (*device_info_buffer)(uint32_t device, int32_t module, int32_t fact, void *buffer, int32_t *size);
};

/* Name of the library: ASCPROF_HAL, which set-uid programs ignore, or the usual one. */
const char *hal_library(void);

/* Return: 0, or -1 with the reason in @why. */
int hal_open(struct hal *hal, const char *path, char *why, size_t size);
void hal_close(struct hal *hal);
/* Name of a function that channels cannot do without and that is missing; NULL: none. */
const char *hal_missing(const struct hal *hal);

/*
 * The one of this process, opened by the first call and never closed: threads
 * may be inside. Takes the loader's lock. NULL: there is none, and @why says so.
 */
const struct hal *hal_shared(char *why, size_t size);

bool hal_listed(const struct hal_channel_list *list, unsigned int id);

/* What an error of start() means, for people. */
const char *hal_error_text(int error);

/* Devices that the driver has, one bit each; 0: it has none, or does not tell. */
uint64_t hal_devices(const struct hal *hal);
/* A fact of a device, or @otherwise where the driver does not tell. */
int64_t hal_fact(const struct hal *hal, unsigned int device, enum hal_module module, enum hal_fact fact,
		 int64_t otherwise);

#endif /* ASCPROF_HAL_H */
