/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/clock.h"
#include "collect/channels.h"
#include "format/rows.h"
#include "log/log.h"

#define RING_BYTES (1u << 20)
#define SINK_BYTES (64u << 10)
#define UNITS 8 /* of one class that a device may have */

#define NO_SLOT UINT32_MAX

#define EVENT_OF(config) ((uint32_t)((config) & 0xffff))
#define UNIT_OF(config) ((uint32_t)((config) >> 16 & 0xffff))

static const uint32_t llc_events[2][ROW_LLC_EVENTS] = {
	[LLC_READ] = { 0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36 },
	[LLC_WRITE] = { 0x00, 0x01, 0x03, 0x14, 0x21, 0x23, 0x35, 0x37 },
};

struct table {
	struct slice_sink sink;
	struct device_counts counts;
	uint32_t rows_per_sample;
};

struct device {
	unsigned int id;
	struct hub_stream stream;
	const uint32_t *llc_event;
	unsigned int tables; /* that it has, bits of enum device_table */
	uint64_t begin_ns; /* a whole microsecond, as the rows' stamps are */
	uint64_t begin_counter; /* what stamps of the counter are then */
	uint32_t counter_khz;
	bool finished;
	uint32_t llc_units, hbm_units, dies, accelerators;

	/* slot of each counter in the samples, or NO_SLOT */
	uint32_t llc[UNITS][ROW_LLC_EVENTS];
	uint32_t hbm[UNITS][2];
	uint32_t sio[UNITS][8];
	uint32_t level[2]; /* mata, L2 buffer */
	uint32_t link[2][2]; /* PCIe write, read; link rx, tx */
	uint32_t acc[UNITS][4];

	uint64_t lost_samples; /* that it told us of */
	bool have_last;
	uint64_t last_us; /* stamp of the rows put last */
	uint64_t last[ASCPROF_MAX_COUNTERS];
	struct table table[DEVICE_TABLES];
};

/* Whose files, and rows, they have. */
static const enum hal_channel table_channels[DEVICE_TABLES] = {
	[DEVICE_LLC] = HAL_LLC,
	[DEVICE_HBM] = HAL_HBM,
	[DEVICE_SOC] = HAL_SOC_PROFILE,
};

static const uint32_t table_row_bytes[DEVICE_TABLES] = {
	[DEVICE_LLC] = sizeof(struct row_llc),
	[DEVICE_HBM] = sizeof(struct row_hbm),
	[DEVICE_SOC] = sizeof(struct row_soc_acc),
};

/* ---- which counters, and where they are in a sample ---- */

struct adding {
	struct device *d;
	int err;
};

static void more_units(uint32_t *units, uint32_t unit)
{
	if (unit + 1 > *units)
		*units = unit + 1;
}

static unsigned int tables_of(uint32_t event_class)
{
	if (event_class == ASCPROF_CLASS_LLC)
		return 1u << DEVICE_LLC;
	return event_class == ASCPROF_CLASS_HBM ? 1u << DEVICE_HBM : 1u << DEVICE_SOC;
}

/* Where the value of an event belongs; NULL when no row shows it. */
static uint32_t *place_of(struct device *d, const struct ascprof_event *e)
{
	uint32_t unit = UNIT_OF(e->config), event = EVENT_OF(e->config);

	if (unit >= UNITS)
		return NULL;
	if (!(d->tables & tables_of(e->event_class)))
		return NULL;
	switch (e->event_class) {
	case ASCPROF_CLASS_LLC:
		for (int i = 0; i < ROW_LLC_EVENTS; i++)
			if (d->llc_event[i] == event)
				return &d->llc[unit][i];
		return NULL;
	case ASCPROF_CLASS_HBM:
		return event < 2 ? &d->hbm[unit][event] : NULL;
	case ASCPROF_CLASS_ACC:
		return event < 4 ? &d->acc[unit][event] : NULL;
	case ASCPROF_CLASS_SOC:
		if (event < 8)
			return &d->sio[unit][event];
		if (event == ASCPROF_SIM_SOC_MATA_LEVEL || event == ASCPROF_SIM_SOC_L2_LEVEL)
			return unit ? NULL : &d->level[event - ASCPROF_SIM_SOC_MATA_LEVEL];
		if (event >= ASCPROF_SIM_SOC_PCIE_WRITE && event <= ASCPROF_SIM_SOC_LINK_TX) {
			event -= ASCPROF_SIM_SOC_PCIE_WRITE;
			return unit ? NULL : &d->link[event / 2][event % 2];
		}
		return NULL;
	default:
		return NULL;
	}
}

static void add_event(void *arg, const struct ascprof_event *e)
{
	struct adding *a = arg;
	struct device *d = a->d;
	uint32_t *slot = place_of(d, e);
	uint32_t unit = UNIT_OF(e->config);

	if (!slot || a->err)
		return;
	a->err = hub_stream_add(&d->stream, e->source_id, e->config, slot);
	if (a->err)
		return;
	if (e->event_class == ASCPROF_CLASS_LLC)
		more_units(&d->llc_units, unit);
	else if (e->event_class == ASCPROF_CLASS_HBM)
		more_units(&d->hbm_units, unit);
	else if (e->event_class == ASCPROF_CLASS_ACC)
		more_units(&d->accelerators, unit);
	else if (EVENT_OF(e->config) < 8)
		more_units(&d->dies, unit);
}

struct device *device_open(unsigned int id, const struct hub_npu *npu, const struct settings *settings,
			   unsigned int tables, char *note, size_t note_size)
{
	struct device *d = calloc(1, sizeof(*d));
	struct adding adding = { d, 0 };
	const char *what;
	int err;

	if (!d) {
		snprintf(note, note_size, "no memory");
		return NULL;
	}
	d->id = id;
	d->tables = tables;
	d->llc_event = llc_events[settings->llc_mode];
	memset(d->llc, 0xff, sizeof(d->llc));
	memset(d->hbm, 0xff, sizeof(d->hbm));
	memset(d->sio, 0xff, sizeof(d->sio));
	memset(d->level, 0xff, sizeof(d->level));
	memset(d->link, 0xff, sizeof(d->link));
	memset(d->acc, 0xff, sizeof(d->acc));

	err = hub_stream_open(&d->stream, 1000000000u / settings->hardware_mem_hz, RING_BYTES, &what);
	if (!err) {
		what = "listing events";
		err = hub_events(npu, add_event, &adding);
		if (adding.err) {
			what = "adding a counter";
			err = adding.err;
		}
	}
	if (err) {
		snprintf(note, note_size, "%s: %s: %s", npu->name, what, strerror(err));
		device_free(d);
		return NULL;
	}
	d->table[DEVICE_LLC].rows_per_sample = d->llc_units * ROW_LLC_EVENTS;
	d->table[DEVICE_HBM].rows_per_sample = d->hbm_units * 2;
	d->table[DEVICE_SOC].rows_per_sample = d->accelerators + d->dies + (d->level[0] != NO_SLOT) +
					       (d->link[0][0] != NO_SLOT) + (d->link[1][0] != NO_SLOT);
	d->begin_ns = clock_ns(CLOCK_MONOTONIC_RAW) / 1000 * 1000;
	/* Its counter counts the host's nanoseconds, if nobody knows of another. */
	device_set_clock(d, d->begin_ns, d->begin_ns, 1000000);
	return d;
}

void device_set_clock(struct device *d, uint64_t begin_ns, uint64_t counter, uint32_t khz)
{
	d->begin_ns = begin_ns;
	d->begin_counter = counter;
	d->counter_khz = khz;
}

bool device_attach(struct device *d, struct slice_store *store, int data_fd)
{
	for (int i = 0; i < DEVICE_TABLES; i++) {
		const struct channel_def *def = channel_of(table_channels[i]);
		char tag[64];

		snprintf(tag, sizeof(tag), "%s.%u", def->file, d->id);
		if (!slice_sink_init(&d->table[i].sink, store, data_fd, tag, table_row_bytes[i], SINK_BYTES) ||
		    !slice_sink_pack(&d->table[i].sink, def->columns))
			return false;
	}
	return true;
}

int device_start(struct device *d)
{
	return hub_stream_start(&d->stream);
}

int device_fd(const struct device *d)
{
	return d->stream.fd;
}

uint64_t device_begin_ns(const struct device *d)
{
	return d->begin_ns;
}

/* ---- a sample becomes rows ---- */

struct change {
	const struct device *d;
	const uint64_t *value;
	uint64_t t_ns;
	uint64_t counter; /* of the device, then */
};

static uint64_t grown(const struct change *c, uint32_t slot)
{
	return slot == NO_SLOT ? 0 : c->value[slot] - c->d->last[slot];
}

static uint64_t level(const struct change *c, uint32_t slot)
{
	return slot == NO_SLOT ? 0 : c->value[slot];
}

static uint32_t grown32(const struct change *c, uint32_t slot)
{
	uint64_t n = grown(c, slot);

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static void put(struct table *t, const void *row, uint64_t t_ns)
{
	uint32_t room;
	void *to = slice_reserve(&t->sink, &room);

	if (!t->counts.first_ns)
		t->counts.first_ns = t_ns;
	t->counts.last_ns = t_ns;
	if (!to) {
		slice_lose(&t->sink, 1, 0);
		return;
	}
	memcpy(to, row, t->sink.row_bytes);
	slice_commit(&t->sink, 1, 0);
}

static void put_llc(struct device *d, const struct change *c)
{
	for (uint32_t unit = 0; unit < d->llc_units; unit++) {
		for (int i = 0; i < ROW_LLC_EVENTS; i++) {
			struct row_llc row = {
				.stamp_us = (c->t_ns - d->begin_ns) / 1000,
				.count = grown(c, d->llc[unit][i]),
				.event = d->llc_event[i],
				.slice = unit,
			};

			put(&d->table[DEVICE_LLC], &row, c->t_ns);
		}
	}
}

static void put_hbm(struct device *d, const struct change *c)
{
	for (uint32_t unit = 0; unit < d->hbm_units; unit++) {
		for (uint32_t write = 0; write < 2; write++) {
			struct row_hbm row = {
				.stamp_us = (c->t_ns - d->begin_ns) / 1000,
				.count = grown(c, d->hbm[unit][write]),
				.write = write,
				.unit = unit,
			};

			put(&d->table[DEVICE_HBM], &row, c->t_ns);
		}
	}
}

static void put_acc(struct device *d, const struct change *c)
{
	for (uint32_t unit = 0; unit < d->accelerators; unit++) {
		struct row_soc_acc row = {
			.head = ROW_SOC_ACC,
			.magic = ROW_SOC_MAGIC,
			.cycles = c->counter,
			.unit = (uint16_t)unit,
			.write_bandwidth = grown(c, d->acc[unit][ASCPROF_SIM_ACC_WRITE]),
			.read_bandwidth = grown(c, d->acc[unit][ASCPROF_SIM_ACC_READ]),
			.write_ost = level(c, d->acc[unit][ASCPROF_SIM_ACC_WRITE_OST]),
			.read_ost = level(c, d->acc[unit][ASCPROF_SIM_ACC_READ_OST]),
		};

		put(&d->table[DEVICE_SOC], &row, c->t_ns);
	}
}

static void put_level(struct device *d, const struct change *c)
{
	struct row_soc_level row = {
		.head = ROW_SOC_LEVEL,
		.magic = ROW_SOC_MAGIC,
		.cycles = c->counter,
		.levels = (uint16_t)((level(c, d->level[0]) & 0x7) | (level(c, d->level[1]) & 0xff) << 3),
	};

	if (d->level[0] != NO_SLOT)
		put(&d->table[DEVICE_SOC], &row, c->t_ns);
}

static void put_links(struct device *d, const struct change *c)
{
	static const uint16_t kind[2] = { ROW_SOC_LINK_PCIE, ROW_SOC_LINK_PA };

	for (int i = 0; i < 2; i++) {
		struct row_soc_link row = {
			.head = (uint16_t)(ROW_SOC_LINK | kind[i]),
			.magic = ROW_SOC_MAGIC,
			.cycles = c->counter,
			.write_or_rx = grown(c, d->link[i][0]),
			.read_or_tx = grown(c, d->link[i][1]),
		};

		if (d->link[i][0] != NO_SLOT)
			put(&d->table[DEVICE_SOC], &row, c->t_ns);
	}
}

static void put_sio(struct device *d, const struct change *c)
{
	for (uint32_t die = 0; die < d->dies; die++) {
		struct row_soc_sio row = {
			.head = ROW_SOC_SIO,
			.magic = ROW_SOC_MAGIC,
			.cycles = c->counter,
			.die = (uint16_t)die,
		};

		for (int i = 0; i < 4; i++) {
			row.rx[i] = grown32(c, d->sio[die][ASCPROF_SIM_SOC_SIO_RX + i]);
			row.tx[i] = grown32(c, d->sio[die][ASCPROF_SIM_SOC_SIO_TX + i]);
		}
		put(&d->table[DEVICE_SOC], &row, c->t_ns);
	}
}

static uint64_t counter_at(const struct device *d, uint64_t t_ns)
{
	return d->begin_counter + (uint64_t)((unsigned __int128)(t_ns - d->begin_ns) * d->counter_khz / 1000000);
}

static void sample(struct device *d, const struct ascprof_rec_sample *r)
{
	const struct change c = { d, (const uint64_t *)r->value, r->t_raw, counter_at(d, r->t_raw) };
	uint64_t us = (r->t_raw - d->begin_ns) / 1000;

	/* Rates are counts over the difference of stamps, which must not be 0: the
	 * last sample, taken by Stop, may fall into the microsecond of a tick. */
	if (d->have_last && us <= d->last_us)
		return;
	/* A counter that has no value yet, or none any more, shows 0, which it is not:
	 * as with a lost sample, the next one counts from the last that was whole. */
	if (r->bad)
		return;
	d->last_us = us;
	if (d->have_last) {
		put_llc(d, &c);
		put_hbm(d, &c);
		put_acc(d, &c);
		put_level(d, &c);
		put_links(d, &c);
		put_sio(d, &c);
	}
	memcpy(d->last, r->value, r->nr * sizeof(d->last[0]));
	d->have_last = true;
}

/*
 * A sample that found no room costs rows, not counts: the next one is counted
 * from the last that was seen.
 */
static void lost(struct device *d, uint64_t samples)
{
	if (!samples)
		return;
	d->lost_samples += samples;
	for (int i = 0; i < DEVICE_TABLES; i++)
		d->table[i].counts.lost_rows += samples * d->table[i].rows_per_sample;
	log_line(LOG_WARN, "device %u: the module's ring was full, %llu samples lost", d->id,
		 (unsigned long long)samples);
}

void device_read(struct device *d)
{
	const struct ascprof_rec *r;

	if (d->finished)
		return;
	while ((r = hub_stream_next(&d->stream))) {
		if (r->type == ASCPROF_REC_SAMPLE)
			sample(d, (const void *)r);
		else if (r->type == ASCPROF_REC_LOST)
			lost(d, ((const struct ascprof_rec_lost *)r)->samples);
	}
	hub_stream_release(&d->stream);
}

void device_flush(struct device *d)
{
	for (int i = 0; !d->finished && i < DEVICE_TABLES; i++)
		slice_flush(&d->table[i].sink);
}

void device_finish(struct device *d)
{
	struct ascprof_stats stats;
	int err;

	if (d->finished)
		return;
	err = hub_stream_stop(&d->stream);
	if (err)
		log_line(LOG_WARN, "device %u: stopping the stream: %s", d->id, strerror(err));
	device_read(d);
	/* What was lost at the very end left no room for a record of it either. */
	if (!hub_stream_stats(&d->stream, &stats) && stats.lost_samples > d->lost_samples)
		lost(d, stats.lost_samples - d->lost_samples);
	hub_stream_close(&d->stream);
	d->finished = true;
	for (int i = 0; i < DEVICE_TABLES; i++)
		slice_finish(&d->table[i].sink);
}

void device_free(struct device *d)
{
	if (!d)
		return;
	if (!d->finished)
		hub_stream_close(&d->stream);
	for (int i = 0; i < DEVICE_TABLES; i++)
		slice_sink_free(&d->table[i].sink);
	free(d);
}

bool device_has(const struct device *d, enum device_table table)
{
	return d->table[table].rows_per_sample;
}

const struct slice_sink *device_sink(const struct device *d, enum device_table table)
{
	return &d->table[table].sink;
}

const struct device_counts *device_counts(const struct device *d, enum device_table table)
{
	return &d->table[table].counts;
}

const char *device_table_name(enum device_table table)
{
	return channel_of(table_channels[table])->name;
}
