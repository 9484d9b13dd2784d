/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One channel: its bytes become totals of counters, and those become samples of
 * a user source of the module.
 */
#ifndef ASCPROF_BRIDGE_FEED_H
#define ASCPROF_BRIDGE_FEED_H

#include "tools/bridge_clock.h"
#include "tools/bridge_decode.h"

struct bridge_feed {
	enum bridge_kind kind;
	char name[ASCPROF_NAME_LEN]; /* of the source */
	int device;
	uint32_t scale; /* units per count, where the device decides; 0: as described */
	uint64_t settle_ns; /* counters that show in this time are the source's */
	struct bridge_clock clock;

	int source; /* descriptor, or -1: not made yet */
	uint64_t first_ns; /* host, when the first record came; 0: none yet */
	unsigned int nr;
	struct ascprof_event *events;
	struct ascprof_user_sample *sample; /* totals */

	uint8_t part[BRIDGE_RECORD_MAX]; /* a record that has not come whole */
	size_t have;
	bool open; /* records of one stamp are being collected */
	unsigned int values; /* in those */
	unsigned int values_before; /* and in those of the stamp before */
	uint64_t stamp;
	uint32_t stamp32;
	uint64_t records;
	uint64_t bad; /* that are none */
	uint64_t unknown; /* of counters that showed too late */
	uint64_t samples;
	uint64_t refused; /* by the module */
};

/* 0, or -1: no memory. hz: of the device's counter. */
int bridge_feed_init(struct bridge_feed *f, enum bridge_kind kind, const char *name, int device,
		     unsigned int period_ms, uint64_t hz);
/*
 * Bytes of the channel, in any pieces. control: the module's device. 0, or an
 * errno: the source cannot be made.
 */
int bridge_feed_take(struct bridge_feed *f, int control, const uint8_t *bytes, size_t len, uint64_t now_ns);
/* Nothing more comes: what was collected last counts if it is as much as before. */
int bridge_feed_finish(struct bridge_feed *f, int control, uint64_t now_ns);
void bridge_feed_close(struct bridge_feed *f);

#endif /* ASCPROF_BRIDGE_FEED_H */
