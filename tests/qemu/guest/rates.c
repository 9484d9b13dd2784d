// SPDX-License-Identifier: Apache-2.0
/*
 * Fast, and several at once. An emulated machine is late much of the time, so nothing
 * here is about lateness; every tick that was due has to be accounted for all the same.
 *
 *	rates [SECONDS [SECONDS of the three]]
 */
#include "guest.h"

#define FAST_PERIOD	(MS / 10)	/* 10 kHz */
#define FAST_COUNTERS	40

static int control;
static uint32_t sim0;

/* What the records of one stream, and they alone, say. */
struct account {
	uint64_t samples;
	uint64_t ticks;		/* samples of ticks */
	uint64_t lost_samples;
	uint64_t gaps;
	uint64_t next_seq;
	uint64_t mono_first;
	uint64_t mono_last;
	uint64_t stopped;
	struct ascprof_rec_ticks told;
	uint64_t values;	/* that went down or are missing */
	uint64_t last[FAST_COUNTERS];
};

static void count_sample(struct account *a, const struct ascprof_rec_sample *s)
{
	unsigned int i;

	a->samples++;
	a->ticks += !(s->h.flags & (ASCPROF_SAMPLE_F_KICK | ASCPROF_SAMPLE_F_LAST));
	a->gaps += s->seq != a->next_seq;
	a->next_seq = s->seq + 1;
	a->values += s->bad;
	for (i = 0; i < s->nr && i < FAST_COUNTERS; i++) {
		a->values += s->value[i] < a->last[i];
		a->last[i] = s->value[i];
	}
}

static void count_records(struct account *a, struct ring_map *map)
{
	const struct ascprof_rec *rec;

	while ((rec = next_record(map))) {
		const struct ascprof_rec_clock *clock = (const void *)rec;
		const struct ascprof_rec_lost *lost = (const void *)rec;
		const struct ascprof_rec_state *state = (const void *)rec;

		switch (rec->type) {
		case ASCPROF_REC_SAMPLE:
			count_sample(a, (const void *)rec);
			break;
		case ASCPROF_REC_LOST:
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
		done_with(map, rec);
	}
}

/* Equation of the stream. Without KICK there is one sample more than ticks: STOP's. */
static bool balances(const struct account *a, uint64_t period)
{
	uint64_t due = (a->mono_last - a->mono_first) / period + 1;
	uint64_t taken = a->samples + a->lost_samples - 1;
	bool good = a->stopped == 1 && a->gaps == 0 && a->told.samples == taken + 1 &&
		    taken + a->told.missed + a->told.throttled == due;

	printf("# due %" PRIu64 " = delivered %" PRIu64 " + lost %" PRIu64 " + missed %" PRIu64
	       " + throttled %" PRIu64 "; a tick costs %u us\n", due, a->ticks,
	       taken - a->ticks, (uint64_t)a->told.missed, (uint64_t)a->told.throttled,
	       a->told.cost_ns / 1000);
	return good;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static struct account stream_for(uint64_t seconds, uint64_t period, unsigned int counters)
{
	struct ascprof_stream_create req = good_stream();
	struct account a = { .samples = 0 };
	struct ascprof_event event = { .source_id = sim0 };
	uint64_t end;
	struct ring_map map;
	unsigned int i;
	int stream;

	req.ring_bytes = 1 << 20;
	req.period_ns = period;
	req.max_latency_ns = 100 * MS;
	stream = make_stream(control, &req);
	for (i = 0; i < counters; i++) {
		event.index = i;
		if (ioctl(control, ASCPROF_IOC_EVENT_GET, &event))
			bail("EVENT_GET");
		add_sim(stream, sim0, event.config);
	}
	map_ring(&map, stream, req.ring_bytes);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	for (end = now_ns() + seconds * 1000 * MS; now_ns() < end; ) {
		poll_for(stream, 100);
		count_records(&a, &map);
	}
	if (ioctl(stream, ASCPROF_IOC_STOP))
		bail("STOP");
	count_records(&a, &map);
	unmap_ring(&map);
	close(stream);
	return a;
}

static void test_fast(uint64_t seconds)
{
	struct account a = stream_for(seconds, FAST_PERIOD, FAST_COUNTERS);

	check(balances(&a, FAST_PERIOD), "40 counters at 10 kHz for %" PRIu64
	      " s: ticks due = delivered + lost + missed + throttled", seconds);
	check(a.ticks > 0 && a.mono_last - a.mono_first >= seconds * 1000 * MS, "... for so long");
}

static void test_three(uint64_t seconds)
{
	static const uint64_t period[] = { MS, 10 * MS, 100 * MS };
	pid_t child[3];
	int status, i;

	fflush(stdout);
	for (i = 0; i < 3; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			struct account a = stream_for(seconds, period[i], 8);
			bool good = balances(&a, period[i]) && a.lost_samples == 0 && !a.values;

			fflush(stdout);
			_exit(!good);
		}
		if (child[i] < 0)
			bail("fork");
	}
	for (i = 0; i < 3; i++) {
		if (waitpid(child[i], &status, 0) != child[i])
			bail("waitpid");
		check(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		      "one of three processes, every %" PRIu64 " ms for %" PRIu64
		      " s: complete, nothing lost", (uint64_t)(period[i] / MS), seconds);
	}
}

int main(int argc, char **argv)
{
	control = open_control();
	sim0 = source_id(control, "sim0");
	test_fast(argc > 1 ? strtoull(argv[1], NULL, 10) : 10);
	test_three(argc > 2 ? strtoull(argv[2], NULL, 10) : 10);
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
