/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ascprof - layout of a counter window
 *
 * A device that wants its counters read without a driver of its own offers a
 * window in a memory BAR: a head at offset 0, and entries that each hold one
 * counter register and say what it counts. All is little endian. The driver
 * reads aligned 32-bit words and writes nothing. Nothing but `value` may change
 * while a driver is bound.
 */
#ifndef _UAPI_ASCPROF_WINDOW_H
#define _UAPI_ASCPROF_WINDOW_H

#include <linux/types.h>

#define ASCPROF_WINDOW_MAGIC	0x57435341	/* "ASCW" */
#define ASCPROF_WINDOW_VERSION	1

#define ASCPROF_WINDOW_F_MSIX	(1U << 0)	/* MSI-X vector 0 asks for a sample */

/**
 * struct ascprof_window_head - begin of a window
 * @magic: ASCPROF_WINDOW_MAGIC
 * @version: ASCPROF_WINDOW_VERSION
 * @count: entries, 1 to 512
 * @stride: from one entry to the next, a multiple of 8, at least the size of
 *	an entry, at most 4096
 * @first: offset of entry 0, a multiple of 8, at least 64
 * @flags: ASCPROF_WINDOW_F_*
 * @reserved: zero
 */
struct ascprof_window_head {
	__le32 magic;
	__le32 version;
	__le32 count;
	__le32 stride;
	__le32 first;
	__le32 flags;
	__le32 reserved[10];
};

/**
 * struct ascprof_window_entry - one counter
 * @value: the register; only its low @width bits are. May be read as two
 *	words: a carry between the reads is noticed.
 * @rate: most counts per second that it can make, 1 to 10^10; 0 for a gauge
 * @width: 32, 48 or 64 bits, after which it wraps to 0
 * @value_kind: enum ascprof_value_kind
 * @event_class: enum ascprof_event_class
 * @scale_num: one count is scale_num / scale_den units
 * @scale_den: not 0
 * @reserved: zero
 * @unit: printable text, zero-filled
 * @name: likewise, not empty, unique in the window
 */
struct ascprof_window_entry {
	__le64 value;
	__le64 rate;
	__le32 width;
	__le32 value_kind;
	__le32 event_class;
	__le32 scale_num;
	__le32 scale_den;
	__le32 reserved;
	char unit[16];
	char name[48];
};

#endif /* _UAPI_ASCPROF_WINDOW_H */
