// SPDX-License-Identifier: Apache-2.0
/* The event of lttng_events.h, once; apart from the rest, because its macros are not clean C. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/bench/lttng_events.h"

void bench_lttng(const char *message);

void bench_lttng(const char *message)
{
	lttng_ust_tracepoint(ascprof_bench, mark, message, 7);
}
