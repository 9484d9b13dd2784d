/* SPDX-License-Identifier: Apache-2.0 */
/* User side of the module: what NPUs it knows, and one mapped stream of each. */
#ifndef ASCPROF_HUB_H
#define ASCPROF_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include "uapi/ascprof.h"

#define HUB_DEVICES 64
#define HUB_SOURCES 8 /* of one NPU: one for each channel that is fed in */

struct hub_npu {
	bool present;
	bool sim;
	uint32_t nr_sources;
	struct {
		uint32_t id;
		uint32_t nr_events;
	} source[HUB_SOURCES];
	int32_t numa_node;
	uint32_t pci_addr; /* as in struct ascprof_source; 0: unknown */
	char name[ASCPROF_NAME_LEN]; /* of the first */
};

struct hub_inventory {
	unsigned int count; /* highest NPU number + 1; 0: there is no inventory */
	char why[160]; /* what is missing when count is 0 */
	struct hub_npu npu[HUB_DEVICES];
};

/* Path of the device: ASCPROF_DEVICE, or the default. */
const char *hub_path(void);
void hub_read_inventory(struct hub_inventory *inv);
/* The numbers of all NPUs there are, as bits. */
uint64_t hub_all_devices(void);

/* The source of perf counters of a module that is there. Return: 0, or an errno. */
int hub_perf_source(uint32_t *id);

struct hub_stream {
	int fd; /* -1: none */
	uint64_t ring_bytes;
	uint64_t tail;
	struct ascprof_consumer_page *consumer;
	const struct ascprof_producer_page *producer;
	const char *data;
};

/* Lists the events of all sources of an NPU: calls @fn for each. Return: 0, or an errno. */
int hub_events(const struct hub_npu *npu, void (*fn)(void *arg, const struct ascprof_event *e), void *arg);

/* Makes a stream and maps it. Return: 0, or an errno with @what naming the step. */
int hub_stream_open(struct hub_stream *s, uint64_t period_ns, uint64_t ring_bytes, const char **what);
/* The same with ASCPROF_STREAM_F_*. */
int hub_stream_open_as(struct hub_stream *s, uint64_t period_ns, uint64_t ring_bytes, uint32_t flags, const char **what);
int hub_stream_add(struct hub_stream *s, uint32_t source_id, uint64_t config, uint32_t *slot);
int hub_stream_start(struct hub_stream *s);
int hub_stream_stop(struct hub_stream *s);
int hub_stream_stats(struct hub_stream *s, struct ascprof_stats *stats);
void hub_stream_close(struct hub_stream *s);

/* The next whole record, or NULL. Stays valid until hub_stream_release(). */
const struct ascprof_rec *hub_stream_next(struct hub_stream *s);
void hub_stream_release(struct hub_stream *s); /* gives the room of all records taken back */

#endif /* ASCPROF_HUB_H */
