// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builders of records. Every builder writes every byte of its record, so that
 * no stale memory reaches the reader.
 */
#include "record.h"

static void head(struct ascprof_rec *h, u32 len, u16 type, u16 flags)
{
	h->len = len;
	h->type = type;
	h->flags = flags;
}

/**
 * asc_rec_sample_len() - size of a SAMPLE record
 * @nr: counters
 * @times: three words per counter in place of one
 */
u32 asc_rec_sample_len(u32 nr, bool times)
{
	return sizeof(struct ascprof_rec_sample) + nr * (times ? 3 : 1) * sizeof(u64);
}

/**
 * asc_rec_sample() - begin a SAMPLE record: everything but times and values
 * @rec: asc_rec_sample_len() bytes
 * @nr: counters
 * @times: enabled and running follow each value
 * @flags: ASCPROF_SAMPLE_F_*, TIMES excluded
 * @seq: number of the sample
 */
void asc_rec_sample(struct ascprof_rec_sample *rec, u32 nr, bool times, u16 flags, u64 seq)
{
	u32 len = asc_rec_sample_len(nr, times);

	BUILD_BUG_ON(sizeof(*rec) != 40);
	memset(rec, 0, len);
	head(&rec->h, len, ASCPROF_REC_SAMPLE, flags | (times ? ASCPROF_SAMPLE_F_TIMES : 0));
	rec->seq = seq;
	rec->nr = nr;
}

/**
 * asc_rec_sample_set() - enter one counter
 * @rec: begun by asc_rec_sample()
 * @slot: below the number of counters
 * @value: what was read; NULL: it could not be read
 */
void asc_rec_sample_set(struct ascprof_rec_sample *rec, u32 slot, const struct asc_value *value)
{
	u64 *word;

	if (!value) {
		rec->bad++;
		return;
	}
	if (!(rec->h.flags & ASCPROF_SAMPLE_F_TIMES)) {
		rec->value[slot] = value->count;
		return;
	}
	word = (u64 *)&rec->value[3 * slot];
	word[0] = value->count;
	word[1] = value->enabled;
	word[2] = value->running;
}

/**
 * asc_rec_lost() - build a LOST record
 * @rec: where
 * @loss: what it tells
 */
void asc_rec_lost(struct ascprof_rec_lost *rec, const struct asc_loss *loss)
{
	BUILD_BUG_ON(sizeof(*rec) != 48);
	head(&rec->h, sizeof(*rec), ASCPROF_REC_LOST, 0);
	rec->records = loss->records;
	rec->samples = loss->samples;
	rec->bytes = loss->bytes;
	rec->t_first = loss->t_first;
	rec->t_last = loss->t_last;
}

/**
 * asc_rec_clock() - build a CLOCK record
 * @rec: where
 * @clock: the clocks
 */
void asc_rec_clock(struct ascprof_rec_clock *rec, const struct asc_clock *clock)
{
	BUILD_BUG_ON(sizeof(*rec) != 48);
	head(&rec->h, sizeof(*rec), ASCPROF_REC_CLOCK, 0);
	rec->mono = clock->mono;
	rec->raw = clock->raw;
	rec->real = clock->real;
	rec->cycles = clock->cycles;
	rec->width_ns = clock->width;
	rec->reserved = 0;
}

/**
 * asc_rec_config() - build a CONFIG record
 * @rec: where
 * @add: the counter as it was asked for
 * @event: what the source says of it; its scale and unit count
 * @source: name of the source
 */
void asc_rec_config(struct ascprof_rec_config *rec, const struct ascprof_counter_add *add,
		    const struct ascprof_event *event, const char *source)
{
	BUILD_BUG_ON(sizeof(*rec) != 184);
	memset(rec, 0, sizeof(*rec));
	head(&rec->h, sizeof(*rec), ASCPROF_REC_CONFIG, 0);
	rec->cookie = add->cookie;
	rec->source_id = add->source_id;
	rec->slot = add->slot;
	rec->perf_type = add->perf_type;
	rec->cpu = add->cpu;
	rec->config = add->config;
	rec->config1 = add->config1;
	rec->config2 = add->config2;
	rec->scale_num = event->scale_num;
	rec->scale_den = event->scale_den;
	rec->value_kind = event->value_kind;
	rec->event_class = event->event_class;
	strscpy(rec->unit, event->unit, sizeof(rec->unit));
	strscpy(rec->source, source, sizeof(rec->source));
	strscpy(rec->name, event->name, sizeof(rec->name));
}

/**
 * asc_rec_ticks() - build a TICKS record
 * @rec: where
 * @ticks: the account
 * @now: CLOCK_MONOTONIC_RAW, ns
 */
void asc_rec_ticks(struct ascprof_rec_ticks *rec, const struct asc_ticks *ticks, u64 now)
{
	BUILD_BUG_ON(sizeof(*rec) != 48);
	head(&rec->h, sizeof(*rec), ASCPROF_REC_TICKS, 0);
	rec->t_raw = now;
	rec->samples = ticks->samples;
	rec->missed = ticks->missed;
	rec->throttled = ticks->throttled;
	rec->cost_ns = ticks->cost;
	rec->cost_max_ns = ticks->cost_max;
}

/**
 * asc_rec_state() - build a STATE record
 * @rec: where
 * @state: enum ascprof_stream_state after the change
 * @what: enum ascprof_state_what
 * @arg: per @what
 * @now: CLOCK_MONOTONIC_RAW, ns
 */
void asc_rec_state(struct ascprof_rec_state *rec, u32 state, u32 what, u64 arg, u64 now)
{
	BUILD_BUG_ON(sizeof(*rec) != 32);
	head(&rec->h, sizeof(*rec), ASCPROF_REC_STATE, 0);
	rec->t_raw = now;
	rec->state = state;
	rec->what = what;
	rec->arg = arg;
}

/**
 * asc_rec_user_len() - size of a USER record
 * @nr: values
 */
u32 asc_rec_user_len(u32 nr)
{
	return sizeof(struct ascprof_rec_user) + nr * sizeof(u64);
}

/**
 * asc_rec_user() - begin a USER record: everything but values, none yet
 * @rec: room for it and all values
 * @source_id: of the source
 * @seq: number of the sample
 * @now: CLOCK_MONOTONIC_RAW, ns
 * @sample: as it was written
 */
void asc_rec_user(struct ascprof_rec_user *rec, u32 source_id, u64 seq, u64 now,
		  const struct ascprof_user_sample *sample)
{
	BUILD_BUG_ON(sizeof(*rec) != 48);
	head(&rec->h, sizeof(*rec), ASCPROF_REC_USER, 0);
	rec->seq = seq;
	rec->t_raw = sample->t_raw;
	rec->t_taken = now;
	rec->t_device = sample->t_device;
	rec->source_id = source_id;
	rec->nr = 0;
}

/**
 * asc_rec_user_add() - append a value
 * @rec: begun by asc_rec_user()
 * @value: what to append
 */
void asc_rec_user_add(struct ascprof_rec_user *rec, u64 value)
{
	rec->value[rec->nr++] = value;
	rec->h.len += sizeof(u64);
}
