// SPDX-License-Identifier: Apache-2.0
/*
 * Fast, and several at once. An emulated machine is late much of the time, so nothing
 * here is about lateness; every tick that was due has to be accounted for all the same.
 *
 *	rates [SECONDS [SECONDS of the three]]
 */
#include "account.h"

#define FAST_PERIOD	(MS / 10)	/* 10 kHz */
#define FAST_COUNTERS	ACCOUNT_VALUES

static int control;
static uint32_t sim0;

/* Equation of the stream, and what it is made of. */
static bool balances(const struct account *a, uint64_t period)
{
	account_print(a, period);
	return account_balances(a, period);
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
	for (end = now_of(CLOCK_MONOTONIC) + seconds * 1000 * MS; now_of(CLOCK_MONOTONIC) < end; ) {
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
	check(a.samples > 2 && a.mono_last - a.mono_first >= seconds * 1000 * MS, "... for so long");
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
			bool good = balances(&a, period[i]) && a.lost_samples == 0 &&
				    !a.bad && !a.shrunk;

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
