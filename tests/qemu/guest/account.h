/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The account of a stream by its records, and by them alone: what was delivered, what is
 * said to be lost, missed and left out, and whether that is all that was due.
 */
#ifndef GUEST_ACCOUNT_H
#define GUEST_ACCOUNT_H

#include "guest.h"

#define ACCOUNT_VALUES	40	/* of a sample that are looked at */
#define ACCOUNT_SOURCES	16	/* user sources that are told apart */

/**
 * struct account - from one START to its STOP
 * @kicked: KICK, or a source, may have asked for some of the samples
 * @samples: records
 * @kicks: of them asked for by KICK, or by a source
 * @lasts: of them taken by STOP
 * @lost_records: as LOST records say
 * @lost_samples: of them samples
 * @gaps: samples missing without a LOST record
 * @next_seq: of the next sample; goes on over STOP and START
 * @source: whose USER records came, in the order of their first
 * @user_seq: of the last of each, 0: none yet
 * @users: USER records
 * @user_gaps: USER records missing
 * @mono_first: CLOCK record of START
 * @mono_last: and of STOP
 * @stopped: STATE records of STOP
 * @told: the newest TICKS record, with totals since the stream was made
 * @before: the last TICKS of the time before
 * @bad: counters that could not be read, over all samples
 * @shrunk: values that went down
 * @last: the newest values
 */
struct account {
	bool kicked;
	uint64_t samples;
	uint64_t kicks;
	uint64_t lasts;
	uint64_t lost_records;
	uint64_t lost_samples;
	uint64_t gaps;
	uint64_t next_seq;
	uint32_t source[ACCOUNT_SOURCES];
	uint64_t user_seq[ACCOUNT_SOURCES];
	uint64_t users;
	uint64_t user_gaps;
	uint64_t mono_first;
	uint64_t mono_last;
	uint64_t stopped;
	struct ascprof_rec_ticks told;
	struct ascprof_rec_ticks before;
	uint64_t bad;
	uint64_t shrunk;
	uint64_t last[ACCOUNT_VALUES];
};

/* Before a START; all records of the time before were counted. */
static inline void account_begin(struct account *a)
{
	struct account next = { .next_seq = a->next_seq, .told = a->told, .before = a->told };

	*a = next;
}

static inline void count_sample(struct account *a, const struct ascprof_rec_sample *s)
{
	unsigned int step = s->h.flags & ASCPROF_SAMPLE_F_TIMES ? 3 : 1, i;

	a->samples++;
	a->kicks += !!(s->h.flags & ASCPROF_SAMPLE_F_KICK);
	a->lasts += !!(s->h.flags & ASCPROF_SAMPLE_F_LAST);
	a->gaps += s->seq != a->next_seq;
	a->next_seq = s->seq + 1;
	a->bad += s->bad;
	for (i = 0; i < s->nr && i < ACCOUNT_VALUES; i++) {
		a->shrunk += s->value[i * step] < a->last[i];
		a->last[i] = s->value[i * step];
	}
}

static inline void count_user(struct account *a, const struct ascprof_rec_user *user)
{
	unsigned int i = 0;

	while (i < ACCOUNT_SOURCES - 1 && a->source[i] && a->source[i] != user->source_id)
		i++;
	if (a->source[i] == user->source_id && a->user_seq[i])
		a->user_gaps += user->seq - a->user_seq[i] - 1;
	a->source[i] = user->source_id;
	a->user_seq[i] = user->seq;
	a->users++;
}

static inline void count_record(struct account *a, const struct ascprof_rec *rec)
{
	const struct ascprof_rec_clock *clock = (const void *)rec;
	const struct ascprof_rec_lost *lost = (const void *)rec;
	const struct ascprof_rec_state *state = (const void *)rec;

	switch (rec->type) {
	case ASCPROF_REC_SAMPLE:
		count_sample(a, (const void *)rec);
		break;
	case ASCPROF_REC_USER:
		count_user(a, (const void *)rec);
		break;
	case ASCPROF_REC_LOST:
		a->lost_records += lost->records;
		a->lost_samples += lost->samples;
		a->next_seq += lost->samples;
		break;
	case ASCPROF_REC_CLOCK:
		if (!a->mono_first)
			a->mono_first = clock->mono;
		a->mono_last = clock->mono;
		break;
	case ASCPROF_REC_TICKS:
		memcpy(&a->told, rec, sizeof(a->told));
		break;
	case ASCPROF_REC_STATE:
		a->stopped += state->what == ASCPROF_WHAT_STOP;
		break;
	}
}

static inline void count_records(struct account *a, struct ring_map *map)
{
	const struct ascprof_rec *rec;

	while ((rec = next_record(map))) {
		count_record(a, rec);
		done_with(map, rec);
	}
}

static inline uint64_t account_due(const struct account *a, uint64_t period)
{
	return (a->mono_last - a->mono_first) / period + 1;
}

/* Samples of ticks, delivered or not; all but the one of STOP, and those of KICK that are known. */
static inline uint64_t account_taken(const struct account *a)
{
	return a->samples + a->lost_samples - a->kicks - 1;
}

static inline uint64_t account_missed(const struct account *a)
{
	return a->told.missed - a->before.missed;
}

static inline uint64_t account_throttled(const struct account *a)
{
	return a->told.throttled - a->before.throttled;
}

/*
 * The equation, after STOP, all records counted. Of a lost sample nobody knows whether it was
 * of a tick or of KICK: where there may have been a KICK, it may be either.
 */
static inline bool account_balances(const struct account *a, uint64_t period)
{
	uint64_t due = account_due(a, period);
	uint64_t most = account_taken(a) + account_missed(a) + account_throttled(a);
	uint64_t least = a->kicked ? most - a->lost_samples : most;

	return a->stopped == 1 && (a->kicked || !a->kicks) && a->gaps == 0 && a->lasts <= 1 && least <= due && due <= most &&
	       a->told.samples - a->before.samples == a->samples + a->lost_samples;
}

static inline void account_print(const struct account *a, uint64_t period)
{
	uint64_t delivered = a->samples - a->kicks - a->lasts;

	printf("# due %" PRIu64 " = delivered %" PRIu64 " + lost %" PRIu64 " + missed %" PRIu64
	       " + throttled %" PRIu64 "; a tick costs %u us\n", account_due(a, period), delivered,
	       account_taken(a) - delivered, account_missed(a), account_throttled(a),
	       a->told.cost_ns / 1000);
}

#endif /* GUEST_ACCOUNT_H */
