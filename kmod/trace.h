/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of streams. They are named by the number of their thread, which is
 * also their folder in sysfs.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ascprof

#if !defined(ASC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ASC_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(ascprof_start,
	TP_PROTO(u32 stream, u32 counters, u64 period),
	TP_ARGS(stream, counters, period),
	TP_STRUCT__entry(
		__field(u32, stream)
		__field(u32, counters)
		__field(u64, period)
	),
	TP_fast_assign(
		__entry->stream = stream;
		__entry->counters = counters;
		__entry->period = period;
	),
	TP_printk("stream=%u counters=%u period_ns=%llu", __entry->stream, __entry->counters,
		  __entry->period)
);

TRACE_EVENT(ascprof_stop,
	TP_PROTO(u32 stream, u64 samples, u64 lost, u64 missed, u64 throttled),
	TP_ARGS(stream, samples, lost, missed, throttled),
	TP_STRUCT__entry(
		__field(u32, stream)
		__field(u64, samples)
		__field(u64, lost)
		__field(u64, missed)
		__field(u64, throttled)
	),
	TP_fast_assign(
		__entry->stream = stream;
		__entry->samples = samples;
		__entry->lost = lost;
		__entry->missed = missed;
		__entry->throttled = throttled;
	),
	TP_printk("stream=%u samples=%llu lost=%llu missed=%llu throttled=%llu",
		  __entry->stream, __entry->samples, __entry->lost, __entry->missed,
		  __entry->throttled)
);

TRACE_EVENT(ascprof_overrun,
	TP_PROTO(u32 stream, u16 type, u32 len, u64 lost),
	TP_ARGS(stream, type, len, lost),
	TP_STRUCT__entry(
		__field(u32, stream)
		__field(u16, type)
		__field(u32, len)
		__field(u64, lost)
	),
	TP_fast_assign(
		__entry->stream = stream;
		__entry->type = type;
		__entry->len = len;
		__entry->lost = lost;
	),
	TP_printk("stream=%u type=%u len=%u lost_records=%llu", __entry->stream, __entry->type,
		  __entry->len, __entry->lost)
);

#endif /* ASC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH kmod
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace

/* outside the guard: the header includes itself through this one */
#include <trace/define_trace.h>
