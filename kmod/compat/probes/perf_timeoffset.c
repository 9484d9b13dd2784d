// SPDX-License-Identifier: GPL-2.0-only
/* perf_event_context.timeoffset: from perf's clock to the time of the context */
#include <linux/perf_event.h>

u64 probe(const struct perf_event_context *ctx);
u64 probe(const struct perf_event_context *ctx)
{
	return ctx->timeoffset;
}
