// SPDX-License-Identifier: GPL-2.0-only
/* perf_event_context.time.offset: the same in a structure of its own */
#include <linux/perf_event.h>

u64 probe(const struct perf_event_context *ctx);
u64 probe(const struct perf_event_context *ctx)
{
	return ctx->time.offset;
}
