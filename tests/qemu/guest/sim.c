// SPDX-License-Identifier: Apache-2.0
/*
 * Faults of simulated counters, as a reader meets them, and what the module says about
 * each. Values depend on ticks, not on when they ran, so they are compared exactly.
 */
#include "guest.h"

#define HBM	ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, ASCPROF_SIM_HBM_READ)
#define LEVEL	ASCPROF_SIM_CONFIG(ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_L2_LEVEL)

static int control;
static uint32_t sim0;

static int add(int stream, uint64_t config, uint64_t fault, uint64_t arg)
{
	struct ascprof_counter_add add = sim_counter(sim0, config);

	add.config1 = fault;
	add.config2 = arg;
	return ioctl(stream, ASCPROF_IOC_COUNTER_ADD, &add);
}

/* What became of slot 0, with a sound counter of the same event in slot 1. */
struct story {
	uint64_t samples;
	uint64_t same;		/* both grew alike since the sample before */
	uint64_t still;		/* slot 0 stood still, slot 1 did not */
	uint64_t bad;
	uint64_t failed;	/* STATE records */
	uint64_t back;
	uint64_t error;		/* of the last */
	uint64_t throttled;
	uint64_t slot1;		/* STATE records about the sound counter */
	uint64_t cost_max;
};

static void tell_state(struct story *st, const struct ascprof_rec_state *rec)
{
	switch (rec->what) {
	case ASCPROF_WHAT_COUNTER_FAILED:
		st->failed++;
		st->error = ASCPROF_WHAT_DETAIL(rec->arg);
		break;
	case ASCPROF_WHAT_COUNTER_BACK:
		st->back++;
		break;
	case ASCPROF_WHAT_THROTTLE:
		st->throttled++;
		return;
	default:
		return;
	}
	st->slot1 += ASCPROF_WHAT_SLOT(rec->arg) != 0;
}

static struct story run(uint64_t fault, uint64_t arg, uint64_t period, uint64_t samples)
{
	struct ascprof_stream_create req = good_stream();
	struct story st = { .samples = 0 };
	const struct ascprof_rec *rec;
	uint64_t last[2] = { 0, 0 };
	struct ring_map map;
	int stream;

	req.ring_bytes = 1 << 20;
	req.period_ns = period;
	stream = make_stream(control, &req);
	if (add(stream, HBM, fault, arg) || add(stream, HBM, 0, 0))
		bail("COUNTER_ADD");
	map_ring(&map, stream, req.ring_bytes);
	if (ioctl(stream, ASCPROF_IOC_START))
		bail("START");
	wait_samples(stream, samples);
	if (ioctl(stream, ASCPROF_IOC_STOP))
		bail("STOP");
	while ((rec = next_record(&map))) {
		const struct ascprof_rec_ticks *ticks = (const void *)rec;
		const struct ascprof_rec_sample *s = (const void *)rec;

		if (rec->type == ASCPROF_REC_STATE)
			tell_state(&st, (const void *)rec);
		if (rec->type == ASCPROF_REC_TICKS && ticks->cost_max_ns > st.cost_max)
			st.cost_max = ticks->cost_max_ns;
		if (rec->type == ASCPROF_REC_SAMPLE) {
			uint64_t d0 = s->value[0] - last[0], d1 = s->value[1] - last[1];

			st.bad += s->bad;
			st.same += st.samples && d0 == d1;
			st.still += st.samples && d0 == 0 && d1 != 0;
			last[0] = s->value[0];
			last[1] = s->value[1];
			st.samples++;
		}
		done_with(&map, rec);
	}
	unmap_ring(&map);
	close(stream);
	return st;
}

static void test_arguments(void)
{
	struct ascprof_stream_create req = good_stream();
	int stream = make_stream(control, &req);

	refused(add(stream, HBM, ASCPROF_SIM_FAULT_NONE, 1), EINVAL, "an argument without a fault");
	refused(add(stream, HBM, ASCPROF_SIM_FAULT_WRAP, 3), EINVAL, "WRAP every 3 counts");
	refused(add(stream, LEVEL, ASCPROF_SIM_FAULT_WRAP, 4), EINVAL, "WRAP of a level");
	refused(add(stream, HBM, ASCPROF_SIM_FAULT_BACK, 1), EINVAL, "BACK every nanosecond");
	refused(add(stream, HBM, ASCPROF_SIM_FAULT_SLOW, 11 * MS), EINVAL, "SLOW by 11 ms");
	refused(add(stream, HBM, 5, 0), EINVAL, "an unknown fault");
	accepted(add(stream, LEVEL, ASCPROF_SIM_FAULT_STUCK, 0), "a level that is stuck");
	close(stream);
}

int main(void)
{
	struct story st;

	control = open_control();
	sim0 = source_id(control, "sim0");
	test_arguments();

	st = run(ASCPROF_SIM_FAULT_NONE, 0, 10 * MS, 50);
	equal(st.same, st.samples - 1, "no fault: the same values");
	equal(st.failed + st.bad, 0, "... and nothing to tell");

	st = run(ASCPROF_SIM_FAULT_STUCK, 0, 10 * MS, 50);
	equal(st.still, st.samples - 1, "STUCK: stands still from the beginning");
	equal(st.failed + st.bad, 0, "... which is no error to the module");

	/* wraps about once a second; a tick would have to be 400 ms late to miss one */
	st = run(ASCPROF_SIM_FAULT_WRAP, 1 << 24, 10 * MS, 250);
	equal(st.same + st.failed * 2, st.samples - 1 + st.failed * 2, "WRAP: no count is lost");
	check(st.failed == 0 || st.error == EOVERFLOW, "... or it is told: EOVERFLOW");

	st = run(ASCPROF_SIM_FAULT_WRAP, 1 << 10, 10 * MS, 20);
	check(st.failed == 1 && st.error == EOVERFLOW, "WRAP too often for the period: EOVERFLOW");
	check(st.bad >= st.samples - 2, "... and no number is shown");
	equal(st.slot1, 0, "... for that counter alone");

	st = run(ASCPROF_SIM_FAULT_BACK, 200 * MS, 10 * MS, 60);
	check(st.failed >= 2 && st.error == ERANGE, "BACK: told each time, ERANGE");
	check(st.back >= st.failed - 1, "... and that it is back");
	equal(st.bad, st.failed, "... one sample each");

	st = run(ASCPROF_SIM_FAULT_SLOW, 4 * MS, 10 * MS, 20);
	check(st.cost_max >= 4 * MS, "SLOW: what a tick costs is in the stream");
	check(st.throttled >= 1, "... and that the period was stretched");
	equal(st.failed + st.bad, 0, "... with good values");
	close(control);
	equal((uint64_t)module_users(), 0, "no reference to the module is left");
	return finish();
}
