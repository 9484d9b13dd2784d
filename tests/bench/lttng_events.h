/* SPDX-License-Identifier: Apache-2.0 */
/* An event of LTTng-UST with what a mark has: a text and a number. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ascprof_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tests/bench/lttng_events.h"
#if !defined(ASCPROF_BENCH_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define ASCPROF_BENCH_LTTNG_EVENTS_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(ascprof_bench, mark,
	LTTNG_UST_TP_ARGS(const char *, message, int, category),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_string(message, message)
			    lttng_ust_field_integer(int, category, category)))
#endif
#include <lttng/tracepoint-event.h>
