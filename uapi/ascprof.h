/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ascprof - user interface of the counter hub /dev/ascprof
 *
 * The control descriptor (open of /dev/ascprof) answers questions and makes
 * streams. A stream descriptor owns one ring, one pacing thread and the
 * counters added to it. All structures have the same layout on every
 * architecture, hold no implicit padding, and may grow at the end: the size
 * is part of the ioctl number, the kernel takes any size, and refuses unknown
 * bytes that are not zero with E2BIG. What this header does not define must be
 * zero (EINVAL otherwise).
 */
#ifndef _UAPI_ASCPROF_H
#define _UAPI_ASCPROF_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define ASCPROF_ABI_VERSION	1
#define ASCPROF_DEVICE_PATH	"/dev/ascprof"

#define ASCPROF_NAME_LEN	48	/* with the terminating zero */
#define ASCPROF_UNIT_LEN	16
#define ASCPROF_VERSION_LEN	32
#define ASCPROF_MAX_COUNTERS	512	/* of one stream */

/* Mapping offsets: fixed and far apart, so that no page size matters. */
#define ASCPROF_OFF_CONSUMER	0x00000000ULL	/* one page, read-write */
#define ASCPROF_OFF_PRODUCER	0x10000000ULL	/* one page, read-only */
#define ASCPROF_OFF_DATA	0x20000000ULL	/* 2 * ring_bytes, read-only: the ring twice */

/* ---- control descriptor ------------------------------------------------ */

/**
 * struct ascprof_info - what this module is and what it allows the caller
 * @abi: ASCPROF_ABI_VERSION of the module
 * @nr_sources: sources that exist now
 * @max_counters: limit of one stream
 * @paranoid: module parameter of that name, 0 to 2
 * @min_period_ns: shortest period the caller may ask for
 * @max_period_ns: longest period
 * @max_ring_bytes: largest ring of one stream
 * @version: module version, text
 */
struct ascprof_info {
	__u32 abi;
	__u32 nr_sources;
	__u32 max_counters;
	__u32 paranoid;
	__aligned_u64 min_period_ns;
	__aligned_u64 max_period_ns;
	__aligned_u64 max_ring_bytes;
	char version[ASCPROF_VERSION_LEN];
};

enum ascprof_source_kind {
	ASCPROF_SOURCE_PERF = 1,	/* kernel perf counters, by (type, config...) */
	ASCPROF_SOURCE_USER = 2,	/* fed by a process: USER_CREATE */
	ASCPROF_SOURCE_PCI = 3,		/* an NPU on the bus: link and error facts */
	ASCPROF_SOURCE_MMIO = 4,	/* a counter window: docs/abi.md */
	ASCPROF_SOURCE_SIM = 5,		/* deterministic numbers, only with sim=1 */
};

#define ASCPROF_SOURCE_F_ALIVE	(1U << 0)
#define ASCPROF_SOURCE_F_NPU	(1U << 1)	/* shaped like an NPU: has a device number */

/**
 * struct ascprof_source - one source of counters
 * @index: in: 0 to nr_sources - 1
 * @id: what COUNTER_ADD takes; never reused while the module is loaded
 * @kind: enum ascprof_source_kind
 * @flags: ASCPROF_SOURCE_F_*
 * @device: NPU number, or -1
 * @numa_node: or -1
 * @nr_events: events that EVENT_GET lists; 0 for perf, whose names are in sysfs
 * @pci_addr: domain << 16 | bus << 8 | devfn, or 0
 * @name: unique among the live sources
 */
struct ascprof_source {
	__u32 index;
	__u32 id;
	__u32 kind;
	__u32 flags;
	__s32 device;
	__s32 numa_node;
	__u32 nr_events;
	__u32 pci_addr;
	char name[ASCPROF_NAME_LEN];
};

enum ascprof_event_class {
	ASCPROF_CLASS_LLC = 1,
	ASCPROF_CLASS_HBM = 2,
	ASCPROF_CLASS_SOC = 3,		/* SoC bandwidth: levels, links */
	ASCPROF_CLASS_ACC = 4,		/* accelerator PMU */
	ASCPROF_CLASS_OTHER = 5,
};

enum ascprof_value_kind {
	ASCPROF_VALUE_COUNT = 0,	/* only grows; subtract two samples */
	ASCPROF_VALUE_GAUGE = 1,	/* a level at the time of the sample */
};

/**
 * struct ascprof_event - one event that a source offers
 * @source_id: in
 * @index: in: 0 to nr_events - 1
 * @event_class: enum ascprof_event_class
 * @value_kind: enum ascprof_value_kind
 * @config: what COUNTER_ADD takes as config
 * @scale_num: one count is scale_num / scale_den units
 * @scale_den: never 0
 * @unit: "bytes", "requests", ...
 * @name: unique within the source
 */
struct ascprof_event {
	__u32 source_id;
	__u32 index;
	__u32 event_class;
	__u32 value_kind;
	__aligned_u64 config;
	__u32 scale_num;
	__u32 scale_den;
	char unit[ASCPROF_UNIT_LEN];
	char name[ASCPROF_NAME_LEN];
};

#define ASCPROF_STREAM_F_TIMES	(1U << 0)	/* each value followed by enabled and running ns */
#define ASCPROF_STREAM_F_NOTICE	(1U << 1)	/* STATE records of all sources, coming and going */

/**
 * struct ascprof_stream_create - make a stream; the ioctl returns its descriptor
 * @flags: ASCPROF_STREAM_F_*
 * @home_cpu: CPU the pacing thread runs on, or -1: the CPU of most counters
 * @ring_bytes: power of two, page size to max_ring_bytes
 * @watermark: unread bytes that wake poll(); 1 to ring_bytes, 0: half of it
 * @period_ns: min_period_ns to max_period_ns
 * @max_latency_ns: wake poll() at least this often while there is unread data;
 *	0: only at the watermark
 */
struct ascprof_stream_create {
	__u32 flags;
	__s32 home_cpu;
	__aligned_u64 ring_bytes;
	__aligned_u64 watermark;
	__aligned_u64 period_ns;
	__aligned_u64 max_latency_ns;
};

#define ASCPROF_USER_WRITE_MAX	65536		/* bytes taken by one write */
#define ASCPROF_USER_AGE_MAX_NS	60000000000ULL	/* oldest sample that is taken */

/**
 * struct ascprof_user_create - make a source that the caller feeds; needs
 *	CAP_PERFMON; the ioctl returns its descriptor, the source lasts as long
 * @flags: 0
 * @device: NPU number 0 to 63, or -1; the source then is ASCPROF_SOURCE_F_NPU
 * @numa_node: 0 to 1023, or -1
 * @pci_addr: domain << 16 | bus << 8 | devfn, or 0
 * @nr_counters: 1 to ASCPROF_MAX_COUNTERS
 * @counter_size: sizeof(struct ascprof_event)
 * @counters: address of nr_counters struct ascprof_event, with source_id and
 *	index 0; config and name of each unique
 * @name: printable, not empty, not taken (EEXIST)
 */
struct ascprof_user_create {
	__u32 flags;
	__s32 device;
	__s32 numa_node;
	__u32 pci_addr;
	__u32 nr_counters;
	__u32 counter_size;
	__aligned_u64 counters;
	char name[ASCPROF_NAME_LEN];
};

#define ASCPROF_IOC_USER_CREATE		_IOW('P', 0xA4, struct ascprof_user_create)

#define ASCPROF_IOC_INFO		_IOR('P', 0xA0, struct ascprof_info)
#define ASCPROF_IOC_SOURCE_GET		_IOWR('P', 0xA1, struct ascprof_source)
#define ASCPROF_IOC_EVENT_GET		_IOWR('P', 0xA2, struct ascprof_event)
#define ASCPROF_IOC_STREAM_CREATE	_IOW('P', 0xA3, struct ascprof_stream_create)

/* ---- stream descriptor ------------------------------------------------- */

/**
 * struct ascprof_counter_add - attach a counter to a stream that is not running
 * @source_id: from SOURCE_GET
 * @perf_type: perf source: perf_event_attr.type; else 0
 * @config: event; perf source: perf_event_attr.config
 * @config1: perf source only
 * @config2: perf source only
 * @cpu: perf source: CPU to count on; else -1
 * @scale_num: perf source: one count is scale_num / scale_den units; else 0
 *	(the event's own scale is used)
 * @scale_den: perf source: not 0; else 0
 * @slot: out: index of this counter's value in every sample
 * @cookie: returned in the CONFIG record
 * @unit: perf source: text; else empty
 */
struct ascprof_counter_add {
	__u32 source_id;
	__u32 perf_type;
	__aligned_u64 config;
	__aligned_u64 config1;
	__aligned_u64 config2;
	__s32 cpu;
	__u32 scale_num;
	__u32 scale_den;
	__u32 slot;
	__aligned_u64 cookie;
	char unit[ASCPROF_UNIT_LEN];
};

enum ascprof_stream_state {
	ASCPROF_STATE_IDLE = 0,		/* never started */
	ASCPROF_STATE_RUNNING = 1,
	ASCPROF_STATE_STOPPED = 2,
	ASCPROF_STATE_REVOKED = 3,	/* every source is gone */
	ASCPROF_STATE_FAULT = 4,	/* the reader moved the tail to nonsense */
};

/**
 * struct ascprof_stats - totals of a stream since it was made
 * @state: enum ascprof_stream_state
 * @nr_counters: counters attached
 * @samples: samples produced, lost ones included
 * @lost_records: records of any type that found no room
 * @lost_samples: the samples among them
 * @lost_bytes: their bytes
 * @missed_ticks: ticks skipped because the one before ran late
 * @throttled_ticks: ticks left out because sampling cost too much
 * @head: bytes ever written to the ring
 * @tail: bytes ever taken by the reader
 * @period_ns: effective period
 * @cost_ns: moving average of what one tick costs
 * @reserved: zero
 *
 * The equation that always holds once the stream is stopped:
 * samples = SAMPLE records in the ring's history + lost_samples.
 */
struct ascprof_stats {
	__u32 state;
	__u32 nr_counters;
	__aligned_u64 samples;
	__aligned_u64 lost_records;
	__aligned_u64 lost_samples;
	__aligned_u64 lost_bytes;
	__aligned_u64 missed_ticks;
	__aligned_u64 throttled_ticks;
	__aligned_u64 head;
	__aligned_u64 tail;
	__aligned_u64 period_ns;
	__u32 cost_ns;
	__u32 reserved;
};

#define ASCPROF_IOC_COUNTER_ADD		_IOWR('P', 0xB0, struct ascprof_counter_add)
#define ASCPROF_IOC_START		_IO('P', 0xB1)
#define ASCPROF_IOC_STOP		_IO('P', 0xB2)	/* takes one last sample */
#define ASCPROF_IOC_KICK		_IO('P', 0xB3)	/* one sample now; EAGAIN if too soon */
#define ASCPROF_IOC_STATS		_IOR('P', 0xB4, struct ascprof_stats)

/* ---- descriptor of a user source: write() and USER_STATS ---------------- */

/**
 * struct ascprof_user_sample - what is written, one or more in a row
 * @len: bytes: sizeof(struct ascprof_user_sample) + 8 * nr
 * @nr: counters of the source, all of them
 * @t_raw: CLOCK_MONOTONIC_RAW when it was measured, ns; after the one before,
 *	not in the future, not older than ASCPROF_USER_AGE_MAX_NS (ERANGE)
 * @t_device: clock of the device at that time, or 0; passed on as it is
 * @value: in the order of USER_CREATE; ASCPROF_VALUE_COUNT must not go down
 *	(ERANGE)
 */
struct ascprof_user_sample {
	__u32 len;
	__u32 nr;
	__aligned_u64 t_raw;
	__aligned_u64 t_device;
	__aligned_u64 value[];
};

/**
 * struct ascprof_user_stats - what became of what was written
 * @id: of the source
 * @readers: streams that count it now
 * @samples: taken
 * @refused: not taken, because they were not as they have to be
 */
struct ascprof_user_stats {
	__u32 id;
	__u32 readers;
	__aligned_u64 samples;
	__aligned_u64 refused;
};

#define ASCPROF_IOC_USER_STATS		_IOR('P', 0xC0, struct ascprof_user_stats)

/**
 * struct ascprof_consumer_page - the only page user space writes
 * @tail: bytes consumed, free running; store with release semantics after
 *	the data was read. Moving it past head, or back, or to what is no
 *	multiple of 8, faults the stream.
 */
struct ascprof_consumer_page {
	__aligned_u64 tail;
};

/**
 * struct ascprof_producer_page - what the module publishes, read-only
 * @head: bytes produced, free running; load with acquire semantics before
 *	reading data at [head % ring_bytes]
 * @ring_bytes: power of two
 * @state: enum ascprof_stream_state
 * @nr_counters: counters attached
 * @lost_records: as in struct ascprof_stats, likewise the next four
 * @lost_bytes: see there
 * @missed_ticks: see there
 * @throttled_ticks: see there
 * @samples: see there
 * @clock_seq: odd while the four clk_ words are being changed; read it before
 *	and after
 * @cost_ns: moving average of what one tick costs
 * @clk_mono: CLOCK_MONOTONIC, ns
 * @clk_raw: CLOCK_MONOTONIC_RAW at the same moment
 * @clk_real: CLOCK_REALTIME at the same moment
 * @clk_cycles: cycle counter (TSC, CNTVCT) at the same moment, 0 if there is none
 * @period_ns: effective period
 * @reserved: zero
 */
struct ascprof_producer_page {
	__aligned_u64 head;
	__aligned_u64 ring_bytes;
	__u32 state;
	__u32 nr_counters;
	__aligned_u64 lost_records;
	__aligned_u64 lost_bytes;
	__aligned_u64 missed_ticks;
	__aligned_u64 throttled_ticks;
	__aligned_u64 samples;
	__u32 clock_seq;
	__u32 cost_ns;
	__aligned_u64 clk_mono;
	__aligned_u64 clk_raw;
	__aligned_u64 clk_real;
	__aligned_u64 clk_cycles;
	__aligned_u64 period_ns;
	__aligned_u64 reserved[8];
};

/* ---- records ----------------------------------------------------------- */

enum ascprof_rec_type {
	ASCPROF_REC_SAMPLE = 1,
	ASCPROF_REC_LOST = 2,
	ASCPROF_REC_CLOCK = 3,
	ASCPROF_REC_CONFIG = 4,
	ASCPROF_REC_STATE = 5,
	ASCPROF_REC_USER = 6,
	ASCPROF_REC_TICKS = 7,
};

/**
 * struct ascprof_rec - head of every record
 * @len: bytes of the whole record, a multiple of 8
 * @type: enum ascprof_rec_type; skip what you do not know
 * @flags: per type
 *
 * Order of a started stream: CLOCK, one CONFIG per counter, STATE (running),
 * then SAMPLE records, the first of them taken at START. STOP appends one last
 * SAMPLE, TICKS, CLOCK and STATE (stopped). A LOST record stands where records
 * are missing; room is kept for the end, so that LOST, TICKS, CLOCK and STATE of
 * STOP are there even if the reader took nothing.
 */
struct ascprof_rec {
	__u32 len;
	__u16 type;
	__u16 flags;
};

#define ASCPROF_SAMPLE_F_TIMES	(1U << 0)	/* values are triples */
#define ASCPROF_SAMPLE_F_KICK	(1U << 1)	/* asked for by KICK */
#define ASCPROF_SAMPLE_F_LATE	(1U << 2)	/* ticks before this one were skipped */
#define ASCPROF_SAMPLE_F_LAST	(1U << 3)	/* taken by STOP */

/**
 * struct ascprof_rec_sample - all counters of a stream, read back to back
 * @h: head
 * @seq: number of this sample, lost ones counted
 * @t_raw: CLOCK_MONOTONIC_RAW at the first read, ns
 * @t_cycles: cycle counter at the same moment, or 0
 * @span_ns: from the first to the last read
 * @nr: counters
 * @bad: counters that could not be read; their value is 0
 * @value: in slot order; with ASCPROF_SAMPLE_F_TIMES value, enabled, running
 */
struct ascprof_rec_sample {
	struct ascprof_rec h;
	__aligned_u64 seq;
	__aligned_u64 t_raw;
	__aligned_u64 t_cycles;
	__u32 span_ns;
	__u16 nr;
	__u16 bad;
	__aligned_u64 value[];
};

/**
 * struct ascprof_rec_user - a sample as it was written into a user source
 * @h: head
 * @seq: number among the samples of the source; a gap is in LOST, or the stream
 *	did not run
 * @t_raw: CLOCK_MONOTONIC_RAW when it was measured, as the writer says, ns
 * @t_taken: the same clock when the module took it
 * @t_device: clock of the device, or 0
 * @source_id: which source
 * @nr: counters of that source in this stream
 * @value: of these, in the order of their slots
 */
struct ascprof_rec_user {
	struct ascprof_rec h;
	__aligned_u64 seq;
	__aligned_u64 t_raw;
	__aligned_u64 t_taken;
	__aligned_u64 t_device;
	__u32 source_id;
	__u32 nr;
	__aligned_u64 value[];
};

/**
 * struct ascprof_rec_lost - records that found no room, in their place
 * @h: head
 * @records: how many, of any type
 * @samples: the samples among them
 * @bytes: their size
 * @t_first: CLOCK_MONOTONIC_RAW of the first lost record
 * @t_last: and of the last
 */
struct ascprof_rec_lost {
	struct ascprof_rec h;
	__aligned_u64 records;
	__aligned_u64 samples;
	__aligned_u64 bytes;
	__aligned_u64 t_first;
	__aligned_u64 t_last;
};

/**
 * struct ascprof_rec_clock - the clocks at one moment
 * @h: head
 * @mono: CLOCK_MONOTONIC, ns
 * @raw: CLOCK_MONOTONIC_RAW, ns
 * @real: CLOCK_REALTIME, ns
 * @cycles: cycle counter, or 0
 * @width_ns: the four were read within this time
 * @reserved: zero
 */
struct ascprof_rec_clock {
	struct ascprof_rec h;
	__aligned_u64 mono;
	__aligned_u64 raw;
	__aligned_u64 real;
	__aligned_u64 cycles;
	__u32 width_ns;
	__u32 reserved;
};

/**
 * struct ascprof_rec_ticks - account of the ticks since the stream was made
 * @h: head
 * @t_raw: when
 * @samples: taken so far, those lost in the ring included
 * @missed: ticks skipped because the one before ran late
 * @throttled: ticks left out because sampling cost too much
 * @cost_ns: moving average of what one tick costs
 * @cost_max_ns: most that one tick cost since the TICKS record before
 *
 * Stands in front of a SAMPLE with ASCPROF_SAMPLE_F_LATE and says how much was
 * skipped; comes once a second without that, and at the end.
 */
struct ascprof_rec_ticks {
	struct ascprof_rec h;
	__aligned_u64 t_raw;
	__aligned_u64 samples;
	__aligned_u64 missed;
	__aligned_u64 throttled;
	__u32 cost_ns;
	__u32 cost_max_ns;
};

/**
 * struct ascprof_rec_config - one counter of the stream
 * @h: head
 * @cookie: from COUNTER_ADD, likewise the words below it
 * @source_id: see there
 * @slot: index of its value in the samples
 * @perf_type: see there
 * @cpu: CPU it counts on now, which its PMU may have chosen, or -1
 * @config: see there
 * @config1: see there
 * @config2: see there
 * @scale_num: one count is scale_num / scale_den units
 * @scale_den: never 0
 * @value_kind: enum ascprof_value_kind
 * @event_class: enum ascprof_event_class
 * @unit: text
 * @source: name of the source
 * @name: name of the event; empty for perf
 */
struct ascprof_rec_config {
	struct ascprof_rec h;
	__aligned_u64 cookie;
	__u32 source_id;
	__u32 slot;
	__u32 perf_type;
	__s32 cpu;
	__aligned_u64 config;
	__aligned_u64 config1;
	__aligned_u64 config2;
	__u32 scale_num;
	__u32 scale_den;
	__u32 value_kind;
	__u32 event_class;
	char unit[ASCPROF_UNIT_LEN];
	char source[ASCPROF_NAME_LEN];
	char name[ASCPROF_NAME_LEN];
};

/**
 * struct ascprof_rec_state - something changed
 * @h: head
 * @t_raw: when
 * @state: enum ascprof_stream_state after the change
 * @what: enum ascprof_state_what
 * @arg: per what
 */
struct ascprof_rec_state {
	struct ascprof_rec h;
	__aligned_u64 t_raw;
	__u32 state;
	__u32 what;
	__aligned_u64 arg;
};

enum ascprof_state_what {
	ASCPROF_WHAT_START = 1,		/* arg: period, ns */
	ASCPROF_WHAT_STOP = 2,		/* arg: 0 */
	ASCPROF_WHAT_THROTTLE = 3,	/* arg: effective period from now on, ns */
	ASCPROF_WHAT_SOURCE_GONE = 4,	/* arg: source id */
	/*
	 * One counter: arg is slot | detail << 32. They stand in front of the
	 * sample that they are true for first.
	 */
	ASCPROF_WHAT_COUNTER_FAILED = 5, /* shows 0 from now on; detail: errno */
	ASCPROF_WHAT_COUNTER_BACK = 6,	/* shows its value again; detail: CPU, or ~0 */
	ASCPROF_WHAT_COUNTER_MOVED = 7,	/* counts on another CPU; detail: CPU */
	ASCPROF_WHAT_SOURCE_NEW = 8,	/* arg: source id; streams with F_NOTICE */
};

#define ASCPROF_WHAT_SLOT(arg)		((__u32)(arg))
#define ASCPROF_WHAT_DETAIL(arg)	((__u32)((arg) >> 32))

/* ---- events of the pci sources: config --------------------------------- */
#define ASCPROF_PCI_LINK_SPEED		0	/* gauge, "MT/s" of one lane */
#define ASCPROF_PCI_LINK_WIDTH		1	/* gauge, "lanes" */
#define ASCPROF_PCI_AER_CORRECTABLE	2	/* "errors"; likewise the next two */
#define ASCPROF_PCI_AER_NONFATAL	3
#define ASCPROF_PCI_AER_FATAL		4

/* ---- events of the sim source ------------------------------------------
 * config = class << 32 | unit << 16 | event. Each simulated device has 2 LLC
 * slices, 4 HBM controllers, 2 dies, and 3 accelerators.
 */
#define ASCPROF_SIM_CONFIG(cls, unit, event) \
	((__u64)(cls) << 32 | (__u64)(unit) << 16 | (event))
#define ASCPROF_SIM_LLC_SLICES		2
#define ASCPROF_SIM_HBM_UNITS		4
#define ASCPROF_SIM_DIES		2
#define ASCPROF_SIM_ACCELERATORS	3

/* HBM events: accesses of 32 bytes */
#define ASCPROF_SIM_HBM_READ		0
#define ASCPROF_SIM_HBM_WRITE		1

/* SoC events, per die (unit): transfers req, rsp, snp, dat, bytes; unit 0
 * also has the two bandwidth levels (gauges) and the PCIe and link bandwidth.
 */
#define ASCPROF_SIM_SOC_SIO_RX		0x00	/* + 0..3: req rsp snp dat */
#define ASCPROF_SIM_SOC_SIO_TX		0x04	/* + 0..3 */
#define ASCPROF_SIM_SOC_MATA_LEVEL	0x10	/* 0 to 7 */
#define ASCPROF_SIM_SOC_L2_LEVEL	0x11	/* 0 to 255 */
#define ASCPROF_SIM_SOC_PCIE_WRITE	0x12
#define ASCPROF_SIM_SOC_PCIE_READ	0x13
#define ASCPROF_SIM_SOC_LINK_RX		0x14
#define ASCPROF_SIM_SOC_LINK_TX		0x15

/* accelerator PMU events, per accelerator (unit) */
#define ASCPROF_SIM_ACC_READ		0
#define ASCPROF_SIM_ACC_WRITE		1
#define ASCPROF_SIM_ACC_READ_OST	2	/* outstanding requests, gauge */
#define ASCPROF_SIM_ACC_WRITE_OST	3

/*
 * Faults, for tests of whoever reads: config1 of COUNTER_ADD says which, config2
 * how. Times are those of the stream. Levels can be stuck or slow only.
 */
enum ascprof_sim_fault {
	ASCPROF_SIM_FAULT_NONE = 0,	/* config2: 0 */
	ASCPROF_SIM_FAULT_STUCK = 1,	/* stands still; config2: from this ns on */
	ASCPROF_SIM_FAULT_WRAP = 2,	/* its register wraps; config2: every so many
					 * counts, a power of two from 2 to 2^63
					 */
	ASCPROF_SIM_FAULT_BACK = 3,	/* its register jumps back to 0; config2: every
					 * so many ns, at least 1 ms
					 */
	ASCPROF_SIM_FAULT_SLOW = 4,	/* config2: ns that a read takes, up to 10 ms */
};

/* ---- layout ------------------------------------------------------------
 * The same on every architecture, in C and in C++; a compiler that disagrees
 * is told so here.
 */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define __ASCPROF_ASSERT(cond) static_assert(cond, #cond)
#else
#define __ASCPROF_ASSERT(cond) extern char __ascprof_layout[(cond) ? 1 : -1]
#endif

#define __ASCPROF_SIZE(type, size) __ASCPROF_ASSERT(sizeof(struct type) == (size))
#define __ASCPROF_AT(type, member, offset) \
	__ASCPROF_ASSERT(__builtin_offsetof(struct type, member) == (offset))

__ASCPROF_SIZE(ascprof_info, 72);
__ASCPROF_AT(ascprof_info, abi, 0);
__ASCPROF_AT(ascprof_info, nr_sources, 4);
__ASCPROF_AT(ascprof_info, max_counters, 8);
__ASCPROF_AT(ascprof_info, paranoid, 12);
__ASCPROF_AT(ascprof_info, min_period_ns, 16);
__ASCPROF_AT(ascprof_info, max_period_ns, 24);
__ASCPROF_AT(ascprof_info, max_ring_bytes, 32);
__ASCPROF_AT(ascprof_info, version, 40);

__ASCPROF_SIZE(ascprof_source, 80);
__ASCPROF_AT(ascprof_source, index, 0);
__ASCPROF_AT(ascprof_source, id, 4);
__ASCPROF_AT(ascprof_source, kind, 8);
__ASCPROF_AT(ascprof_source, flags, 12);
__ASCPROF_AT(ascprof_source, device, 16);
__ASCPROF_AT(ascprof_source, numa_node, 20);
__ASCPROF_AT(ascprof_source, nr_events, 24);
__ASCPROF_AT(ascprof_source, pci_addr, 28);
__ASCPROF_AT(ascprof_source, name, 32);

__ASCPROF_SIZE(ascprof_event, 96);
__ASCPROF_AT(ascprof_event, source_id, 0);
__ASCPROF_AT(ascprof_event, index, 4);
__ASCPROF_AT(ascprof_event, event_class, 8);
__ASCPROF_AT(ascprof_event, value_kind, 12);
__ASCPROF_AT(ascprof_event, config, 16);
__ASCPROF_AT(ascprof_event, scale_num, 24);
__ASCPROF_AT(ascprof_event, scale_den, 28);
__ASCPROF_AT(ascprof_event, unit, 32);
__ASCPROF_AT(ascprof_event, name, 48);

__ASCPROF_SIZE(ascprof_stream_create, 40);
__ASCPROF_AT(ascprof_stream_create, flags, 0);
__ASCPROF_AT(ascprof_stream_create, home_cpu, 4);
__ASCPROF_AT(ascprof_stream_create, ring_bytes, 8);
__ASCPROF_AT(ascprof_stream_create, watermark, 16);
__ASCPROF_AT(ascprof_stream_create, period_ns, 24);
__ASCPROF_AT(ascprof_stream_create, max_latency_ns, 32);

__ASCPROF_SIZE(ascprof_user_create, 80);
__ASCPROF_AT(ascprof_user_create, flags, 0);
__ASCPROF_AT(ascprof_user_create, device, 4);
__ASCPROF_AT(ascprof_user_create, numa_node, 8);
__ASCPROF_AT(ascprof_user_create, pci_addr, 12);
__ASCPROF_AT(ascprof_user_create, nr_counters, 16);
__ASCPROF_AT(ascprof_user_create, counter_size, 20);
__ASCPROF_AT(ascprof_user_create, counters, 24);
__ASCPROF_AT(ascprof_user_create, name, 32);

__ASCPROF_SIZE(ascprof_counter_add, 72);
__ASCPROF_AT(ascprof_counter_add, source_id, 0);
__ASCPROF_AT(ascprof_counter_add, perf_type, 4);
__ASCPROF_AT(ascprof_counter_add, config, 8);
__ASCPROF_AT(ascprof_counter_add, config1, 16);
__ASCPROF_AT(ascprof_counter_add, config2, 24);
__ASCPROF_AT(ascprof_counter_add, cpu, 32);
__ASCPROF_AT(ascprof_counter_add, scale_num, 36);
__ASCPROF_AT(ascprof_counter_add, scale_den, 40);
__ASCPROF_AT(ascprof_counter_add, slot, 44);
__ASCPROF_AT(ascprof_counter_add, cookie, 48);
__ASCPROF_AT(ascprof_counter_add, unit, 56);

__ASCPROF_SIZE(ascprof_stats, 88);
__ASCPROF_AT(ascprof_stats, state, 0);
__ASCPROF_AT(ascprof_stats, nr_counters, 4);
__ASCPROF_AT(ascprof_stats, samples, 8);
__ASCPROF_AT(ascprof_stats, lost_records, 16);
__ASCPROF_AT(ascprof_stats, lost_samples, 24);
__ASCPROF_AT(ascprof_stats, lost_bytes, 32);
__ASCPROF_AT(ascprof_stats, missed_ticks, 40);
__ASCPROF_AT(ascprof_stats, throttled_ticks, 48);
__ASCPROF_AT(ascprof_stats, head, 56);
__ASCPROF_AT(ascprof_stats, tail, 64);
__ASCPROF_AT(ascprof_stats, period_ns, 72);
__ASCPROF_AT(ascprof_stats, cost_ns, 80);
__ASCPROF_AT(ascprof_stats, reserved, 84);

__ASCPROF_SIZE(ascprof_user_sample, 24);
__ASCPROF_AT(ascprof_user_sample, len, 0);
__ASCPROF_AT(ascprof_user_sample, nr, 4);
__ASCPROF_AT(ascprof_user_sample, t_raw, 8);
__ASCPROF_AT(ascprof_user_sample, t_device, 16);
__ASCPROF_AT(ascprof_user_sample, value, 24);

__ASCPROF_SIZE(ascprof_user_stats, 24);
__ASCPROF_AT(ascprof_user_stats, id, 0);
__ASCPROF_AT(ascprof_user_stats, readers, 4);
__ASCPROF_AT(ascprof_user_stats, samples, 8);
__ASCPROF_AT(ascprof_user_stats, refused, 16);

__ASCPROF_SIZE(ascprof_consumer_page, 8);
__ASCPROF_AT(ascprof_consumer_page, tail, 0);

__ASCPROF_SIZE(ascprof_producer_page, 176);
__ASCPROF_AT(ascprof_producer_page, head, 0);
__ASCPROF_AT(ascprof_producer_page, ring_bytes, 8);
__ASCPROF_AT(ascprof_producer_page, state, 16);
__ASCPROF_AT(ascprof_producer_page, nr_counters, 20);
__ASCPROF_AT(ascprof_producer_page, lost_records, 24);
__ASCPROF_AT(ascprof_producer_page, lost_bytes, 32);
__ASCPROF_AT(ascprof_producer_page, missed_ticks, 40);
__ASCPROF_AT(ascprof_producer_page, throttled_ticks, 48);
__ASCPROF_AT(ascprof_producer_page, samples, 56);
__ASCPROF_AT(ascprof_producer_page, clock_seq, 64);
__ASCPROF_AT(ascprof_producer_page, cost_ns, 68);
__ASCPROF_AT(ascprof_producer_page, clk_mono, 72);
__ASCPROF_AT(ascprof_producer_page, clk_raw, 80);
__ASCPROF_AT(ascprof_producer_page, clk_real, 88);
__ASCPROF_AT(ascprof_producer_page, clk_cycles, 96);
__ASCPROF_AT(ascprof_producer_page, period_ns, 104);
__ASCPROF_AT(ascprof_producer_page, reserved, 112);

__ASCPROF_SIZE(ascprof_rec, 8);
__ASCPROF_AT(ascprof_rec, len, 0);
__ASCPROF_AT(ascprof_rec, type, 4);
__ASCPROF_AT(ascprof_rec, flags, 6);

__ASCPROF_SIZE(ascprof_rec_sample, 40);
__ASCPROF_AT(ascprof_rec_sample, h, 0);
__ASCPROF_AT(ascprof_rec_sample, seq, 8);
__ASCPROF_AT(ascprof_rec_sample, t_raw, 16);
__ASCPROF_AT(ascprof_rec_sample, t_cycles, 24);
__ASCPROF_AT(ascprof_rec_sample, span_ns, 32);
__ASCPROF_AT(ascprof_rec_sample, nr, 36);
__ASCPROF_AT(ascprof_rec_sample, bad, 38);
__ASCPROF_AT(ascprof_rec_sample, value, 40);

__ASCPROF_SIZE(ascprof_rec_user, 48);
__ASCPROF_AT(ascprof_rec_user, h, 0);
__ASCPROF_AT(ascprof_rec_user, seq, 8);
__ASCPROF_AT(ascprof_rec_user, t_raw, 16);
__ASCPROF_AT(ascprof_rec_user, t_taken, 24);
__ASCPROF_AT(ascprof_rec_user, t_device, 32);
__ASCPROF_AT(ascprof_rec_user, source_id, 40);
__ASCPROF_AT(ascprof_rec_user, nr, 44);
__ASCPROF_AT(ascprof_rec_user, value, 48);

__ASCPROF_SIZE(ascprof_rec_lost, 48);
__ASCPROF_AT(ascprof_rec_lost, h, 0);
__ASCPROF_AT(ascprof_rec_lost, records, 8);
__ASCPROF_AT(ascprof_rec_lost, samples, 16);
__ASCPROF_AT(ascprof_rec_lost, bytes, 24);
__ASCPROF_AT(ascprof_rec_lost, t_first, 32);
__ASCPROF_AT(ascprof_rec_lost, t_last, 40);

__ASCPROF_SIZE(ascprof_rec_clock, 48);
__ASCPROF_AT(ascprof_rec_clock, h, 0);
__ASCPROF_AT(ascprof_rec_clock, mono, 8);
__ASCPROF_AT(ascprof_rec_clock, raw, 16);
__ASCPROF_AT(ascprof_rec_clock, real, 24);
__ASCPROF_AT(ascprof_rec_clock, cycles, 32);
__ASCPROF_AT(ascprof_rec_clock, width_ns, 40);
__ASCPROF_AT(ascprof_rec_clock, reserved, 44);

__ASCPROF_SIZE(ascprof_rec_ticks, 48);
__ASCPROF_AT(ascprof_rec_ticks, h, 0);
__ASCPROF_AT(ascprof_rec_ticks, t_raw, 8);
__ASCPROF_AT(ascprof_rec_ticks, samples, 16);
__ASCPROF_AT(ascprof_rec_ticks, missed, 24);
__ASCPROF_AT(ascprof_rec_ticks, throttled, 32);
__ASCPROF_AT(ascprof_rec_ticks, cost_ns, 40);
__ASCPROF_AT(ascprof_rec_ticks, cost_max_ns, 44);

__ASCPROF_SIZE(ascprof_rec_config, 184);
__ASCPROF_AT(ascprof_rec_config, h, 0);
__ASCPROF_AT(ascprof_rec_config, cookie, 8);
__ASCPROF_AT(ascprof_rec_config, source_id, 16);
__ASCPROF_AT(ascprof_rec_config, slot, 20);
__ASCPROF_AT(ascprof_rec_config, perf_type, 24);
__ASCPROF_AT(ascprof_rec_config, cpu, 28);
__ASCPROF_AT(ascprof_rec_config, config, 32);
__ASCPROF_AT(ascprof_rec_config, config1, 40);
__ASCPROF_AT(ascprof_rec_config, config2, 48);
__ASCPROF_AT(ascprof_rec_config, scale_num, 56);
__ASCPROF_AT(ascprof_rec_config, scale_den, 60);
__ASCPROF_AT(ascprof_rec_config, value_kind, 64);
__ASCPROF_AT(ascprof_rec_config, event_class, 68);
__ASCPROF_AT(ascprof_rec_config, unit, 72);
__ASCPROF_AT(ascprof_rec_config, source, 88);
__ASCPROF_AT(ascprof_rec_config, name, 136);

__ASCPROF_SIZE(ascprof_rec_state, 32);
__ASCPROF_AT(ascprof_rec_state, h, 0);
__ASCPROF_AT(ascprof_rec_state, t_raw, 8);
__ASCPROF_AT(ascprof_rec_state, state, 16);
__ASCPROF_AT(ascprof_rec_state, what, 20);
__ASCPROF_AT(ascprof_rec_state, arg, 24);

#undef __ASCPROF_AT
#undef __ASCPROF_SIZE
#undef __ASCPROF_ASSERT

#endif /* _UAPI_ASCPROF_H */
