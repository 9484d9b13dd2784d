/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of the slice files, as the public msprof parser reads them: packed,
 * little-endian. The writer and the exporter both include this file, so that
 * they cannot disagree. Layouts: docs/format.md.
 */
#ifndef ASCPROF_ROWS_H
#define ASCPROF_ROWS_H

#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "slice files are little-endian, and so must be the host"
#endif

#define HOST_DEVICE 64u /* the host, where the vendor's files number devices */
#define ACCOUNT_HOST (-1) /* the same in ascprof.json */

#define ROW_SLICE_BYTES (2u << 20) /* the most that one slice file has */
#define ROW_MAGIC 0x5A5A
#define ROW_TX_LEVEL 20500
#define ROW_TX_DATA_LEN 232
#define ROW_TX_TAG 120
#define ROW_TX_MESSAGE_MAX 155 /* and a terminating zero */
#define ROW_TX_INFO_STAMP 0
#define ROW_TX_INFO_SEGMENT 1 /* has mark_id and domain, and its message may go on in the next row */

enum row_tx_event {
	ROW_TX_MARK = 0,
	ROW_TX_PUSH_POP = 1,
	ROW_TX_RANGE = 2,
	ROW_TX_MARK_EX = 3,
};

struct row_tx {
	uint16_t magic;
	uint16_t level;
	uint32_t type;
	uint32_t report_tid;
	uint32_t data_len;
	uint64_t stamp;
	uint16_t info_type; /* ROW_TX_INFO_* */
	uint16_t segment; /* from 0; rows of one mark_id are one event */
	uint32_t reserved;
	uint16_t magic2;
	uint16_t tag;
	uint32_t pid;
	uint32_t tid;
	uint32_t category;
	uint32_t event; /* enum row_tx_event */
	int32_t payload_type;
	uint64_t payload;
	uint64_t start; /* CLOCK_MONOTONIC_RAW, ns */
	uint64_t end;
	uint64_t mark_id;
	uint64_t domain; /* number of its name in the dictionary */
	int32_t message_type;
	char message[156];
} __attribute__((packed));

#define ROW_NODE_LEVEL 10000
#define ROW_TENSOR_TYPE 1
#define ROW_TENSORS 5
#define ROW_TENSOR_DIMS 8

struct row_tensor {
	uint32_t type; /* 0 input, 1 output */
	uint32_t format; /* aclFormat */
	uint32_t data_type; /* aclDataType */
	uint32_t shape[ROW_TENSOR_DIMS]; /* 0: no such dimension */
} __attribute__((packed));

/* Tensors of a launched operator; rows with the same stamp, thread and operator are one launch. */
struct row_tensors {
	uint16_t magic;
	uint16_t level;
	uint32_t type;
	uint32_t tid;
	uint32_t data_len; /* of what follows the stamp, as far as it is used */
	uint64_t stamp; /* CLOCK_MONOTONIC_RAW, ns: the middle of the launch */
	uint64_t op_name; /* number of its name in the dictionary */
	uint32_t nr; /* of tensor[] in use */
	struct row_tensor tensor[ROW_TENSORS];
} __attribute__((packed));

/* What frameworks report: a head, and what its level and type tell. */
#define ROW_REPORT_HEAD 24u
#define ROW_API_EVENT UINT64_MAX /* as the end: an event, and no call */

struct row_api {
	uint16_t magic;
	uint16_t level;
	uint32_t type;
	uint32_t tid;
	uint32_t request; /* of events */
	uint64_t start; /* CLOCK_MONOTONIC_RAW, ns */
	uint64_t end;
	uint64_t item; /* number of its name in the dictionary */
} __attribute__((packed));

struct row_compact {
	uint16_t magic;
	uint16_t level;
	uint32_t type;
	uint32_t tid;
	uint32_t data_len;
	uint64_t stamp; /* CLOCK_MONOTONIC_RAW, ns */
	uint8_t data[40];
} __attribute__((packed));

struct row_additional {
	uint16_t magic;
	uint16_t level;
	uint32_t type;
	uint32_t tid;
	uint32_t data_len;
	uint64_t stamp; /* CLOCK_MONOTONIC_RAW, ns */
	uint8_t data[232];
} __attribute__((packed));

/*
 * Columns of rows of counters, for slices that are compressed: a digit is a number of so many bytes;
 * b and d are numbers of two and four that tell which counter a row is of.
 */
#define ROW_LLC_COLUMNS "88dd"
#define ROW_HBM_COLUMNS "88dd"
#define ROW_SOC_COLUMNS "b2482b4448888" /* of all four kinds: where two numbers of four are, they are one of eight */

/* LLC, collection version 1.0: one row per slice, event and stamp */
struct row_llc {
	uint64_t stamp_us; /* since the device's start */
	uint64_t count;
	uint32_t event;
	uint32_t slice;
} __attribute__((packed));

#define ROW_LLC_EVENTS 8

/* HBM, collection version 1.0 */
struct row_hbm {
	uint64_t stamp_us; /* since the device's start */
	uint64_t count;	   /* of 32 bytes */
	uint32_t write;	   /* 0 read, 1 write */
	uint32_t unit;	   /* 0 to 3 */
} __attribute__((packed));

/* stars_soc_profile: 64-byte rows, told apart by the low six bits of the head */
#define ROW_SOC_MAGIC 0x6BD3
#define ROW_SOC_ACC 0x1A
#define ROW_SOC_LEVEL 0x1C
#define ROW_SOC_LINK 0x1B
#define ROW_SOC_SIO 0x19
#define ROW_SOC_LINK_PCIE (0x22 << 10)
#define ROW_SOC_LINK_PA (0x3F << 10)

struct row_soc_acc {
	uint16_t head;
	uint16_t magic;
	uint32_t zero0;
	uint64_t cycles; /* device counter */
	uint16_t zero1;
	uint16_t unit;
	uint32_t zero2[3];
	uint64_t write_bandwidth;
	uint64_t read_bandwidth;
	uint64_t write_ost;
	uint64_t read_ost;
} __attribute__((packed));

struct row_soc_level {
	uint16_t head;
	uint16_t magic;
	uint32_t zero0;
	uint64_t cycles;
	uint32_t zero1[4];
	uint16_t levels; /* mata: bits 0 to 2; L2 buffer: bits 3 to 10 */
	uint16_t zero2;
	uint32_t zero3[7];
} __attribute__((packed));

struct row_soc_link {
	uint16_t head; /* upper six bits: ROW_SOC_LINK_* */
	uint16_t magic;
	uint32_t zero0;
	uint64_t cycles;
	uint16_t zero1;
	uint16_t unit;
	uint32_t zero2[3];
	uint64_t write_or_rx;
	uint64_t read_or_tx;
	uint32_t zero3[4];
} __attribute__((packed));

struct row_soc_sio {
	uint16_t head;
	uint16_t magic;
	uint32_t zero0;
	uint64_t cycles;
	uint16_t zero1;
	uint16_t die;
	uint32_t zero2[3];
	uint32_t rx[4]; /* req rsp snp dat, bytes */
	uint32_t tx[4];
} __attribute__((packed));

_Static_assert(sizeof(struct row_tx) == 256, "msproftx row");
_Static_assert(__builtin_offsetof(struct row_tx, start) == 64, "msproftx start");
_Static_assert(__builtin_offsetof(struct row_tx, message) == 100, "msproftx message");
_Static_assert(sizeof(struct row_tensors) == 256, "tensor row");
_Static_assert(__builtin_offsetof(struct row_tensors, tensor) == 36, "tensor row");
_Static_assert(sizeof(struct row_api) == 40, "API row");
_Static_assert(sizeof(struct row_compact) == 64, "compact row");
_Static_assert(sizeof(struct row_additional) == 256, "additional row");
_Static_assert(sizeof(struct row_llc) == 24, "LLC row");
_Static_assert(sizeof(struct row_hbm) == 24, "HBM row");
_Static_assert(sizeof(struct row_soc_acc) == 64, "SoC profile row");
_Static_assert(sizeof(struct row_soc_level) == 64, "SoC profile row");
_Static_assert(sizeof(struct row_soc_link) == 64, "SoC profile row");
_Static_assert(sizeof(struct row_soc_sio) == 64, "SoC profile row");

#endif /* ASCPROF_ROWS_H */
