// SPDX-License-Identifier: Apache-2.0
/*
 * The ring as its readers see it: mapped and by read(), with and without loss,
 * and with a reader that lies. Nothing here depends on time: late ticks are
 * accounted for, and the accounts have to balance.
 */
#include "guest.h"

#define SAMPLES	2000

static int control;
static uint32_t sim0;

/* What was seen in a stream. */
struct tally {
	uint64_t records;
	uint64_t samples;
	uint64_t kicks;
	uint64_t lasts;
	uint64_t bad;
	uint64_t clocks;
	uint64_t late;		/* samples after skipped ticks */
	uint64_t missed;	/* as the last TICKS record says */
	uint64_t throttled;
	uint64_t told;		/* samples, likewise */
	uint64_t configs;
	uint64_t lost_records;
	uint64_t lost_samples;
	uint64_t next_seq;
	uint64_t gaps;		/* samples missing without a LOST record before */
	uint64_t disorder;	/* records where they must not be */
	uint64_t shrunk;	/* counters that went down */
	uint64_t mono_first;
	uint64_t mono_last;
	uint64_t t_raw;
	uint64_t value[64];
	uint32_t state;
	uint16_t last_type;
};

static void tally_sample(struct tally *t, const struct ascprof_rec_sample *rec)
{
	unsigned int i;

	t->disorder += t->state != ASCPROF_STATE_RUNNING || rec->t_raw < t->t_raw ||
		       rec->h.len != sizeof(*rec) + rec->nr * 8u;
	t->t_raw = rec->t_raw;
	t->gaps += rec->seq != t->next_seq;
	t->next_seq = rec->seq + 1;
	t->samples++;
	t->kicks += !!(rec->h.flags & ASCPROF_SAMPLE_F_KICK);
	if (rec->h.flags & ASCPROF_SAMPLE_F_LATE) {
		/* how much was skipped stands in front of it, unless that was lost */
		t->late++;
		t->disorder += t->last_type != ASCPROF_REC_TICKS && !t->lost_records;
	}
	t->lasts += !!(rec->h.flags & ASCPROF_SAMPLE_F_LAST);
	t->bad += rec->bad;
	for (i = 0; i < rec->nr && i < 64; i++) {
		t->shrunk += rec->value[i] < t->value[i];
		t->value[i] = rec->value[i];
	}
}

static void tally_record(struct tally *t, const struct ascprof_rec *rec)
{
	const struct ascprof_rec_clock *clock = (const void *)rec;
	const struct ascprof_rec_state *state = (const void *)rec;
	const struct ascprof_rec_lost *lost = (const void *)rec;
	const struct ascprof_rec_config *config = (const void *)rec;
	const struct ascprof_rec_ticks *ticks = (const void *)rec;

	t->records++;
	switch (rec->type) {
	case ASCPROF_REC_CLOCK:
		t->clocks++;
		t->disorder += rec->len != sizeof(*clock) || clock->raw == 0 || clock->real == 0;
		if (!t->mono_first)
			t->mono_first = clock->mono;
		t->mono_last = clock->mono;
		break;
	case ASCPROF_REC_CONFIG:
		t->disorder += rec->len != sizeof(*config) || config->slot != t->configs ||
			       config->cookie != ~config->config ||
			       t->state != ASCPROF_STATE_IDLE || strcmp(config->source, "sim0");
		t->configs++;
		break;
	case ASCPROF_REC_STATE:
		if (state->what == ASCPROF_WHAT_START || state->what == ASCPROF_WHAT_STOP)
			t->state = state->state;
		break;
	case ASCPROF_REC_SAMPLE:
		tally_sample(t, (const void *)rec);
		break;
	case ASCPROF_REC_TICKS:
		t->disorder += rec->len != sizeof(*ticks) || ticks->missed < t->missed ||
			       ticks->throttled < t->throttled || ticks->samples < t->told ||
			       ticks->t_raw < t->t_raw;
		t->missed = ticks->missed;
		t->throttled = ticks->throttled;
		t->told = ticks->samples;
		break;
	case ASCPROF_REC_LOST:
		t->lost_records += lost->records;
		t->lost_samples += lost->samples;
		t->next_seq += lost->samples;
		t->disorder += rec->len != sizeof(*lost) || lost->t_last < lost->t_first;
		break;
	default:
		t->disorder++;
	}
	t->last_type = rec->type;
}

static void drain(struct tally *t, struct ring_map *map)
{
	const struct ascprof_rec *rec;

	while ((rec = next_record(map))) {
		tally_record(t, rec);
		done_with(map, rec);
	}
}

/* Only what is there now: a reader that goes on meets the LOST record that its space allows. */
static void drain_present(struct tally *t, struct ring_map *map)
{
	uint64_t head = __atomic_load_n(&map->producer->head, __ATOMIC_ACQUIRE);

	while (map->tail != head) {
		const struct ascprof_rec *rec = next_record(map);

		tally_record(t, rec);
		done_with(map, rec);
	}
}

/* ticks due = samples of ticks + missed + throttled; the clocks say how many were due */
static void check_ticks(const struct tally *t, const struct ascprof_stats *stats,
			uint64_t period, const char *what)
{
	uint64_t due = (t->mono_last - t->mono_first) / period + 1;
	uint64_t ticks = stats->samples - t->kicks - t->lasts;

	equal(ticks + stats->missed_ticks + stats->throttled_ticks, due, what);
	check(t->told == stats->samples && t->missed == stats->missed_ticks &&
	      t->throttled == stats->throttled_ticks, "... and the last TICKS record says the same");
}

static void test_mapped(void)
{
	struct ascprof_stream_create req = good_stream();
	struct ascprof_stats stats;
	struct tally t = { .records = 0 };
	struct ring_map map;
	unsigned int wakes = 0;
	int stream;

	req.period_ns = MS;
	req.watermark = 4096;
	stream = make_stream(control, &req);
	add_hbm(stream, sim0);
	map_ring(&map, stream, req.ring_bytes);
	equal(map.producer->ring_bytes, req.ring_bytes, "mapped: ring_bytes");
	equal(map.producer->nr_counters, 8, "mapped: nr_counters");
	equal((uint64_t)poll_for(stream, 0), 0, "mapped: an idle stream is not readable");
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");

	while (t.samples < SAMPLES) {
		if (!(poll_for(stream, PATIENCE) & POLLIN)) {
			errno = ETIMEDOUT;
			bail("poll");
		}
		if (map.producer->head - map.tail >= req.watermark)
			wakes++;
		else
			wakes = 1 << 20;
		drain(&t, &map);
		if (t.samples > SAMPLES / 2 && !t.kicks) {
			ioctl(stream, ASCPROF_IOC_KICK);
			drain(&t, &map);
		}
	}
	check(wakes > 0 && wakes < 1 << 20, "mapped: poll() wakes at the watermark, not before");
	check(map.producer->clk_raw && map.producer->clk_mono && map.producer->clk_real &&
	      !(map.producer->clock_seq & 1), "mapped: the clock page is filled");
	if (ioctl(stream, ASCPROF_IOC_STOP))
		bail("STOP");
	check(poll_for(stream, 0) & POLLIN, "mapped: stopped with data left is readable");
	drain(&t, &map);
	equal((uint64_t)poll_for(stream, 0), POLLHUP, "mapped: stopped and empty hangs up");

	stats = stats_of(stream);
	check(t.samples >= SAMPLES, "mapped: %d samples", SAMPLES);
	equal(t.gaps + t.lost_records, 0, "mapped: no gap");
	equal(t.disorder, 0, "mapped: every record where it belongs");
	equal(t.shrunk + t.bad, 0, "mapped: counters only grow");
	equal(t.configs, 8, "mapped: one CONFIG per counter");
	equal(t.clocks, 2, "mapped: CLOCK at START and at STOP");
	equal(t.kicks, 1, "mapped: the sample of KICK");
	equal(t.lasts, 1, "mapped: the sample of STOP");
	equal(t.last_type, ASCPROF_REC_STATE, "mapped: STATE comes last");
	equal(t.state, ASCPROF_STATE_STOPPED, "mapped: ... and says stopped");
	equal(stats.samples, t.samples, "mapped: samples of STATS");
	equal(stats.lost_samples, 0, "mapped: none lost");
	equal(stats.head, stats.tail, "mapped: all was taken");
	equal(map.producer->samples, t.samples, "mapped: samples of the producer page");
	equal(map.producer->state, ASCPROF_STATE_STOPPED, "mapped: state of the producer page");
	check_ticks(&t, &stats, req.period_ns, "mapped: ticks due = sampled + missed + throttled");
	refused(read(stream, &t, sizeof(t)), EBUSY, "mapped: read()");
	unmap_ring(&map);
	close(stream);
}

static void test_latency(void)
{
	struct ascprof_stream_create req = good_stream();
	struct ring_map map;
	int stream;

	req.period_ns = 1000 * MS;
	req.watermark = req.ring_bytes;
	req.max_latency_ns = 20 * MS;
	stream = make_stream(control, &req);
	add_hbm(stream, sim0);
	map_ring(&map, stream, req.ring_bytes);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	check(poll_for(stream, PATIENCE) & POLLIN, "max_latency wakes far below the watermark");
	check(map.producer->head < req.watermark, "... which was not reached");
	unmap_ring(&map);
	close(stream);
}

static void test_loss(void)
{
	struct ascprof_stream_create req = good_stream();
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct ascprof_stats stats;
	struct tally t = { .records = 0 };
	struct ring_map map;
	int stream, i;

	req.ring_bytes = page;
	req.period_ns = MS;
	stream = make_stream(control, &req);
	add_hbm(stream, sim0);
	map_ring(&map, stream, req.ring_bytes);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	for (i = 0; i < PATIENCE && stats_of(stream).lost_samples < 20; i++)
		usleep(1000);
	drain_present(&t, &map);
	equal(t.lost_records, 0, "loss: nothing is lost before the gap");
	wait_samples(stream, stats_of(stream).samples + 5);
	drain(&t, &map);
	check(t.lost_samples >= 20, "loss: a LOST record fills the gap");
	equal(t.gaps, 0, "loss: ... exactly, by the sequence numbers");

	for (i = 0; i < PATIENCE && stats_of(stream).lost_samples < t.lost_samples + 20; i++)
		usleep(1000);
	if (ioctl(stream, ASCPROF_IOC_STOP))
		bail("STOP");
	stats = stats_of(stream);
	drain(&t, &map);
	equal(t.lost_samples, stats.lost_samples, "loss: LOST records add up to STATS");
	equal(t.lost_records, stats.lost_records, "loss: ... for all kinds of records");
	equal(t.samples + t.lost_samples, stats.samples, "loss: samples = seen + lost");
	equal(t.disorder, 0, "loss: every record where it belongs");
	equal(t.state, ASCPROF_STATE_STOPPED, "loss: the end is told by a full ring as well");
	equal(map.producer->lost_records, stats.lost_records, "loss: producer page, records");
	equal(map.producer->lost_bytes, stats.lost_bytes, "loss: producer page, bytes");
	t.lasts = 1;
	check_ticks(&t, &stats, req.period_ns, "loss: ticks due = sampled + missed + throttled");
	unmap_ring(&map);
	close(stream);
}

/* A stream whose tail is moved to a lie, by a function of head and tail. */
static void lie(uint64_t (*tail)(uint64_t head, uint64_t tail, uint64_t bytes), const char *what)
{
	struct ascprof_stream_create req = good_stream();
	struct ascprof_stats stats;
	struct tally t = { .records = 0 };
	struct ring_map map;
	int stream, i;

	req.period_ns = MS;
	stream = make_stream(control, &req);
	add_hbm(stream, sim0);
	map_ring(&map, stream, req.ring_bytes);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	wait_samples(stream, 10);
	drain(&t, &map);
	equal(stats_of(stream).tail, map.tail, "lie: the tail is known");
	wait_samples(stream, stats_of(stream).samples + 10);
	map.consumer->tail = tail(map.producer->head, map.tail, req.ring_bytes);

	check(poll_for(stream, PATIENCE) & POLLERR, "lie: %s: poll() says error", what);
	for (i = 0; i < PATIENCE && map.producer->state != ASCPROF_STATE_FAULT; i++)
		usleep(1000);
	equal(map.producer->state, ASCPROF_STATE_FAULT, "lie: ... so does the producer page");
	stats = stats_of(stream);
	equal(stats.state, ASCPROF_STATE_FAULT, "lie: ... so does STATS");
	refused(ioctl(stream, ASCPROF_IOC_KICK), EIO, "lie: KICK");
	equal(stats_of(stream).head, stats.head, "lie: nothing is written any more");
	refused(ioctl(stream, ASCPROF_IOC_STOP), EIO, "lie: STOP");
	map.consumer->tail = stats.tail;
	refused(ioctl(stream, ASCPROF_IOC_START), EIO, "lie: START, repentance is too late");
	unmap_ring(&map);
	close(stream);
}

static uint64_t tail_ahead(uint64_t head, uint64_t tail, uint64_t bytes)
{
	(void)tail;
	return head + bytes;
}

static uint64_t tail_back(uint64_t head, uint64_t tail, uint64_t bytes)
{
	(void)head;
	(void)bytes;
	return tail - 8;
}

static uint64_t tail_odd(uint64_t head, uint64_t tail, uint64_t bytes)
{
	(void)head;
	(void)bytes;
	return tail + 4;
}

static uint64_t tail_wild(uint64_t head, uint64_t tail, uint64_t bytes)
{
	(void)head;
	(void)tail;
	(void)bytes;
	return 0xfffffffffffffff8;
}

static void test_read(void)
{
	struct ascprof_stream_create req = good_stream();
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	static uint64_t buffer[8192];
	struct ascprof_stats stats;
	struct tally t = { .records = 0 };
	ssize_t got, at;
	void *frozen = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int stream;

	if (frozen == MAP_FAILED)
		bail("mmap");
	req.period_ns = MS;
	req.max_latency_ns = 10 * MS;
	stream = make_stream(control, &req);
	add_hbm(stream, sim0);
	fcntl(stream, F_SETFL, O_NONBLOCK);
	refused(read(stream, buffer, sizeof(buffer)), EAGAIN, "read: nothing yet, O_NONBLOCK");
	check(mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, stream,
		   ASCPROF_OFF_CONSUMER) == MAP_FAILED && errno == EBUSY,
	      "read: the consumer page cannot be mapped any more");
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	refused(read(stream, buffer, 40), EINVAL, "read: buffer smaller than a record");
	refused(read(stream, frozen, page), EFAULT, "read: memory that cannot be written");
	equal((uint64_t)read(stream, buffer, 0), 0, "read: no bytes");
	fcntl(stream, F_SETFL, 0);

	while ((got = read(stream, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < got; ) {
			const struct ascprof_rec *rec = (const void *)((uint8_t *)buffer + at);

			tally_record(&t, rec);
			at += rec->len;
		}
		if (at != got)
			t.disorder++;
		if (t.samples >= 500 && t.state == ASCPROF_STATE_RUNNING)
			ioctl(stream, ASCPROF_IOC_STOP);
	}
	equal((uint64_t)got, 0, "read: ends with nothing");
	stats = stats_of(stream);
	equal(t.disorder + t.gaps + t.lost_records, 0, "read: the same records in the same order");
	equal(t.shrunk + t.bad, 0, "read: counters only grow");
	equal(t.samples, stats.samples, "read: samples of STATS");
	equal(stats.head, stats.tail, "read: all was taken");
	equal((uint64_t)poll_for(stream, 0), POLLHUP, "read: stopped and empty hangs up");
	check_ticks(&t, &stats, req.period_ns, "read: ticks due = sampled + missed + throttled");
	close(stream);
}

/* Values of two streams at the same tick are the same; ticks may be missed. */
static void test_same(void)
{
	struct ascprof_stream_create req = good_stream();
	static uint64_t seen[2][64][9];
	unsigned int nr[2] = { 0, 0 }, i, k, same = 0;
	struct ring_map map[2];
	int stream[2];

	req.period_ns = 20 * MS;
	for (i = 0; i < 2; i++) {
		stream[i] = make_stream(control, &req);
		add_hbm(stream[i], sim0);
		map_ring(&map[i], stream[i], req.ring_bytes);
		if (ioctl(stream[i], ASCPROF_IOC_START))
			bail("START");
	}
	for (i = 0; i < 2; i++) {
		const struct ascprof_rec *rec;

		wait_samples(stream[i], 40);
		while ((rec = next_record(&map[i])) && nr[i] < 64) {
			if (rec->type == ASCPROF_REC_SAMPLE) {
				const struct ascprof_rec_sample *s = (const void *)rec;

				memcpy(seen[i][nr[i]++], s->value, 64);
			}
			done_with(&map[i], rec);
		}
		unmap_ring(&map[i]);
		close(stream[i]);
	}
	for (i = 0; i < nr[0]; i++)
		for (k = 0; k < nr[1]; k++)
			same += !memcmp(seen[0][i], seen[1][k], 64);
	check(!memcmp(seen[0][0], seen[1][0], 64), "same: first sample of two streams");
	check(same >= 10, "same: values depend on the tick, not on the stream");
}

int main(void)
{
	control = open_control();
	sim0 = source_id(control, "sim0");

	test_mapped();
	test_latency();
	test_loss();
	lie(tail_ahead, "beyond the head");
	lie(tail_back, "back");
	lie(tail_odd, "between words");
	lie(tail_wild, "nowhere near");
	test_read();
	test_same();
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
