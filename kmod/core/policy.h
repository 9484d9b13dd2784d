/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ASC_CORE_POLICY_H
#define ASC_CORE_POLICY_H

#include "platform.h"
#include "uapi/ascprof.h"

#define ASC_PARANOID_MAX	2

/**
 * enum asc_exposure - what a counter lets its reader learn about others
 * @ASC_EXPOSE_NOTHING: made-up numbers, or facts that any user can look up
 * @ASC_EXPOSE_TRAFFIC: bandwidth of a shared part of the machine
 * @ASC_EXPOSE_CORE: what the programs on one CPU do
 * @ASC_EXPOSE_REFUSED: never offered
 */
enum asc_exposure {
	ASC_EXPOSE_NOTHING,
	ASC_EXPOSE_TRAFFIC,
	ASC_EXPOSE_CORE,
	ASC_EXPOSE_REFUSED,
};

/**
 * struct asc_limits - bounds on streams, from the module's parameters
 * @max_ring: bytes of one ring
 * @max_total: bytes of all rings
 * @max_streams: streams of one user
 * @page: size of a page
 */
struct asc_limits {
	u64 max_ring;
	u64 max_total;
	u32 max_streams;
	u32 page;
};

/**
 * struct asc_usage - what exists already
 * @total: bytes of all rings
 * @streams: streams of this user
 */
struct asc_usage {
	u64 total;
	u32 streams;
};

enum asc_exposure asc_policy_exposure(u32 source_kind, u32 perf_type);
int asc_policy_counter(u32 paranoid, bool capable, enum asc_exposure exposure, u64 period);
u64 asc_policy_min_period(bool capable);
int asc_policy_stream(const struct ascprof_stream_create *req, bool capable,
		      const struct asc_limits *limits, const struct asc_usage *usage);
int asc_policy_pinned(u64 locked, u64 allowance, u64 rlimit, bool capable);
bool asc_policy_tuple(const struct ascprof_counter_add *add, u32 nr_cpus);
bool asc_policy_no_perf(const struct ascprof_counter_add *add);
bool asc_policy_plain(const struct ascprof_counter_add *add);
bool asc_policy_text(const char *text, size_t size);

#endif /* ASC_CORE_POLICY_H */
