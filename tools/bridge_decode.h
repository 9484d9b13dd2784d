/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of the vendor's profiling channels, as numbers. Pure.
 */
#ifndef ASCPROF_BRIDGE_DECODE_H
#define ASCPROF_BRIDGE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/ascprof.h"

enum bridge_kind {
	BRIDGE_HBM1, /* collection version 1.0 */
	BRIDGE_HBM2, /* and 2.0 */
	BRIDGE_DDR,
	BRIDGE_LLC1,
	BRIDGE_LLC2,
	BRIDGE_SOC,
	BRIDGE_AICORE,
	BRIDGE_KINDS,
};

#define BRIDGE_RECORD_MAX 96
#define BRIDGE_VALUES 9
#define BRIDGE_AICORE_EVENTS 8

/* What the stamps of a kind count. */
enum bridge_stamp {
	BRIDGE_STAMP_US,
	BRIDGE_STAMP_US32, /* 32 bits of them */
	BRIDGE_STAMP_NS,
	BRIDGE_STAMP_TICKS, /* of the device's counter */
};

struct bridge_value {
	uint32_t event_class; /* enum ascprof_event_class */
	uint32_t unit;
	uint32_t event;
	bool gauge; /* a level; else what was counted since the record before */
	uint64_t amount;
};

struct bridge_record {
	uint64_t stamp;
	unsigned int nr;
	struct bridge_value value[BRIDGE_VALUES];
};

/* Codes that the AI core channel is started with: where its time goes. */
extern const uint32_t bridge_aicore_events[BRIDGE_AICORE_EVENTS];

size_t bridge_record_bytes(enum bridge_kind kind);
enum bridge_stamp bridge_stamp_of(enum bridge_kind kind);
/*
 * One record of bridge_record_bytes(). False: it is none; records of a kind that
 * holds no counters have none, and are right all the same.
 */
bool bridge_decode(enum bridge_kind kind, const uint8_t *bytes, struct bridge_record *record);
/* How the module is told of a counter; source_id and index are 0. */
void bridge_describe(enum bridge_kind kind, const struct bridge_value *value, struct ascprof_event *event);

#endif /* ASCPROF_BRIDGE_DECODE_H */
