// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may count what, how often, and in how much memory.
 *
 * DOC: paranoid
 *
 * Counters of the whole machine tell one user what others do. At level 2 they
 * need CAP_PERFMON in the initial user namespace; at level 1 whoever may open
 * the device may watch the bandwidth of shared parts, not faster than every
 * 10 ms; at level 0 whoever may open the device may count anything. Nothing is
 * created before this check. perf applies kernel.perf_event_paranoid to the
 * caller on top of it; the stricter of the two decides.
 */
#include "pacing.h"
#include "policy.h"

/* perf_event_attr.type below the dynamic ones; ABI for good */
#define TYPE_TRACEPOINT		2
#define TYPE_BREAKPOINT		5
#define TYPE_DYNAMIC		6

/**
 * asc_policy_exposure() - how far a counter looks
 * @source_kind: enum ascprof_source_kind
 * @perf_type: perf source: perf_event_attr.type
 */
enum asc_exposure asc_policy_exposure(u32 source_kind, u32 perf_type)
{
	switch (source_kind) {
	case ASCPROF_SOURCE_SIM:
	case ASCPROF_SOURCE_PCI:
		return ASC_EXPOSE_NOTHING;
	case ASCPROF_SOURCE_USER:
	case ASCPROF_SOURCE_MMIO:
		return ASC_EXPOSE_TRAFFIC;
	case ASCPROF_SOURCE_PERF:
		if (perf_type == TYPE_TRACEPOINT || perf_type == TYPE_BREAKPOINT)
			return ASC_EXPOSE_REFUSED;
		return perf_type >= TYPE_DYNAMIC ? ASC_EXPOSE_TRAFFIC : ASC_EXPOSE_CORE;
	default:
		return ASC_EXPOSE_REFUSED;
	}
}

/**
 * asc_policy_min_period() - shortest period
 * @capable: the caller has CAP_PERFMON
 */
u64 asc_policy_min_period(bool capable)
{
	return capable ? ASC_PERIOD_MIN : ASC_PERIOD_MIN_USER;
}

/**
 * asc_policy_counter() - may this caller add this counter to that stream?
 * @paranoid: module parameter, 0 to ASC_PARANOID_MAX
 * @capable: the caller has CAP_PERFMON
 * @exposure: of the counter
 * @period: of the stream, ns
 *
 * Return: 0, -EACCES, or -EOPNOTSUPP for what nobody may.
 */
int asc_policy_counter(u32 paranoid, bool capable, enum asc_exposure exposure, u64 period)
{
	if (exposure == ASC_EXPOSE_REFUSED)
		return -EOPNOTSUPP;
	if (capable)
		return 0;
	if (period < ASC_PERIOD_MIN_USER)
		return -EACCES;
	switch (exposure) {
	case ASC_EXPOSE_NOTHING:
		return 0;
	case ASC_EXPOSE_TRAFFIC:
		return paranoid <= 1 ? 0 : -EACCES;
	default:
		return paranoid == 0 ? 0 : -EACCES;
	}
}

/**
 * asc_policy_stream() - may this caller make this stream?
 * @req: what is asked for
 * @capable: the caller has CAP_PERFMON
 * @limits: from the module's parameters
 * @usage: what exists
 *
 * Return: 0; -EINVAL for arguments out of range; -EACCES for a period that
 * needs the capability; -EDQUOT for a user with too many streams; -ENOMEM if
 * the module's memory is used up.
 */
int asc_policy_stream(const struct ascprof_stream_create *req, bool capable,
		      const struct asc_limits *limits, const struct asc_usage *usage)
{
	if (req->flags & ~(ASCPROF_STREAM_F_TIMES | ASCPROF_STREAM_F_NOTICE))
		return -EINVAL;
	if (!is_power_of_2(req->ring_bytes) || req->ring_bytes < limits->page ||
	    req->ring_bytes > limits->max_ring)
		return -EINVAL;
	if (req->watermark > req->ring_bytes)
		return -EINVAL;
	if (req->period_ns < ASC_PERIOD_MIN || req->period_ns > ASC_PERIOD_MAX)
		return -EINVAL;
	if (req->period_ns < asc_policy_min_period(capable))
		return -EACCES;
	if (usage->streams >= limits->max_streams)
		return -EDQUOT;
	if (usage->total > limits->max_total ||
	    req->ring_bytes > limits->max_total - usage->total)
		return -ENOMEM;
	return 0;
}

/**
 * asc_policy_pinned() - may a user have that much memory pinned?
 * @locked: pages of this user, those asked for included
 * @allowance: pages that need no limit to be raised
 * @rlimit: RLIMIT_MEMLOCK of the caller, pages
 * @capable: the caller has CAP_IPC_LOCK
 *
 * Return: 0 or -EPERM.
 */
int asc_policy_pinned(u64 locked, u64 allowance, u64 rlimit, bool capable)
{
	if (capable || locked <= allowance || locked - allowance <= rlimit)
		return 0;
	return -EPERM;
}

/**
 * asc_policy_tuple() - is this a proper perf counter, as far as can be said without perf?
 * @add: as it was asked for
 * @nr_cpus: CPUs are 0 to this, exclusive
 */
bool asc_policy_tuple(const struct ascprof_counter_add *add, u32 nr_cpus)
{
	return add->cpu >= 0 && (u32)add->cpu < nr_cpus && add->scale_num && add->scale_den &&
	       asc_policy_text(add->unit, sizeof(add->unit));
}

/**
 * asc_policy_no_perf() - is everything left out that only perf counters have?
 * @add: as it was asked for
 */
bool asc_policy_no_perf(const struct ascprof_counter_add *add)
{
	return !add->perf_type && add->cpu == -1 && !add->scale_num && !add->scale_den &&
	       !memchr_inv(add->unit, 0, sizeof(add->unit));
}

/**
 * asc_policy_plain() - is this a counter that is named by config alone?
 * @add: as it was asked for
 */
bool asc_policy_plain(const struct ascprof_counter_add *add)
{
	return asc_policy_no_perf(add) && !add->config1 && !add->config2;
}

/**
 * asc_policy_text() - is this a proper text?
 * @text: fixed-size field
 * @size: its size
 *
 * Return: true if it ends inside the field, the rest is zero, and it holds
 * printable ASCII only: it ends up in files and on terminals.
 */
bool asc_policy_text(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size && text[i]; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return i < size && !memchr_inv(text + i, 0, size - i);
}
