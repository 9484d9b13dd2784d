// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulated counters: the same numbers every time, and plausible ones.
 */
#include "kmod/core/sim.h"
#include "suites.h"

#define MS	((u64)NSEC_PER_MSEC)
#define SEC	((u64)NSEC_PER_SEC)

static u64 llc(u32 slice, u32 code, u64 elapsed)
{
	struct asc_sim_event event;

	if (asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, slice, code), &event))
		return 0;
	return asc_sim_value(1, 0, &event, elapsed);
}

static void sim_offers_what_the_header_says(struct kunit *test)
{
	struct asc_sim_event event;
	u32 i, k, of[ASCPROF_CLASS_OTHER + 1] = { 0 };

	for (i = 0; i < asc_sim_nr_events(); i++) {
		KUNIT_ASSERT_EQ(test, asc_sim_event(i, &event), 0);
		KUNIT_ASSERT_LE(test, event.event.event_class, (u32)ASCPROF_CLASS_OTHER);
		of[event.event.event_class]++;
	}
	KUNIT_EXPECT_EQ(test, of[ASCPROF_CLASS_LLC], 14U * ASCPROF_SIM_LLC_SLICES);
	KUNIT_EXPECT_EQ(test, of[ASCPROF_CLASS_HBM], 2U * ASCPROF_SIM_HBM_UNITS);
	KUNIT_EXPECT_EQ(test, of[ASCPROF_CLASS_SOC], 8U * ASCPROF_SIM_DIES + 6);
	KUNIT_EXPECT_EQ(test, of[ASCPROF_CLASS_ACC], 4U * ASCPROF_SIM_ACCELERATORS);
	KUNIT_EXPECT_EQ(test, asc_sim_event(i, &event), -EINVAL);
	for (k = 0; k < 8; k++) {
		static const u32 read[] = { 0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36 };
		static const u32 write[] = { 0x00, 0x01, 0x03, 0x14, 0x21, 0x23, 0x35, 0x37 };

		KUNIT_EXPECT_EQ(test, asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 1,
								      read[k]), &event), 0);
		KUNIT_EXPECT_EQ(test, asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 1,
								      write[k]), &event), 0);
	}
}

static void sim_finds_what_it_lists(struct kunit *test)
{
	struct asc_sim_event listed, found;
	u32 i;

	for (i = 0; i < asc_sim_nr_events(); i++) {
		asc_sim_event(i, &listed);
		KUNIT_ASSERT_EQ(test, asc_sim_find(listed.event.config, &found), 0);
		KUNIT_EXPECT_EQ(test, memcmp(&listed, &found, sizeof(found)), 0);
	}
}

static void sim_finds_nothing_else(struct kunit *test)
{
	static const u64 bad[] = {
		0, ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 2, 0),
		ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 0, 4),
		ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 4, 0),
		ASCPROF_SIM_CONFIG(ASCPROF_CLASS_SOC, 1, 0x10),
		ASCPROF_SIM_CONFIG(ASCPROF_CLASS_OTHER, 0, 0),
		1ULL << 63 | ASCPROF_SIM_CONFIG(ASCPROF_CLASS_LLC, 0, 0), U64_MAX,
	};
	struct asc_sim_event event;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ(test, asc_sim_find(bad[i], &event), -ENOENT);
}

static void sim_names_differ(struct kunit *test)
{
	struct asc_sim_event a, b;
	u32 i, k;

	for (i = 0; i < asc_sim_nr_events(); i++) {
		asc_sim_event(i, &a);
		for (k = 0; k < i; k++) {
			asc_sim_event(k, &b);
			KUNIT_ASSERT_NE(test, strcmp(a.event.name, b.event.name), 0);
		}
	}
}

/* These numbers are a promise: the same seed gives them on every machine. */
static void sim_known_values(struct kunit *test)
{
	struct asc_sim_event event;

	asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 0, ASCPROF_SIM_HBM_READ), &event);
	KUNIT_EXPECT_EQ(test, asc_sim_value(1, 0, &event, 0), 281474975817021ULL);
	KUNIT_EXPECT_EQ(test, asc_sim_value(1, 0, &event, SEC), 281474996831182ULL);
	KUNIT_EXPECT_EQ(test, asc_sim_value(1, 0, &event, 3600 * SEC), 281549143133658ULL);
}

static void sim_seed_and_device_matter(struct kunit *test)
{
	struct asc_sim_event event;
	u32 i, same = 0;

	for (i = 0; i < asc_sim_nr_events(); i++) {
		u64 value;

		asc_sim_event(i, &event);
		if (!event.rate)
			continue;
		value = asc_sim_value(1, 0, &event, SEC);
		same += value == asc_sim_value(2, 0, &event, SEC);
		same += value == asc_sim_value(1, 1, &event, SEC);
	}
	KUNIT_EXPECT_LT(test, same, 3U);
}

static void sim_counters_only_grow(struct kunit *test)
{
	struct asc_sim_event event;
	u32 i;

	for (i = 0; i < asc_sim_nr_events(); i++) {
		u64 t, last, value;

		asc_sim_event(i, &event);
		if (!event.rate)
			continue;
		last = asc_sim_value(7, 3, &event, 0);
		for (t = 0; t < 8000 * MS; t += 777777) {
			value = asc_sim_value(7, 3, &event, t);
			KUNIT_ASSERT_GE(test, value, last);
			/* ... and never faster than the hardware could */
			KUNIT_ASSERT_LE(test, value - last, event.rate / 1000 + 1);
			last = value;
		}
	}
}

static void sim_rate_does_not_depend_on_the_period(struct kunit *test)
{
	struct asc_sim_event event;
	u64 begin, end, sum = 0, t;

	asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, 1, 1), &event);
	begin = asc_sim_value(1, 0, &event, 0);
	end = asc_sim_value(1, 0, &event, 10 * SEC);
	for (t = 0; t < 10 * SEC; t += 20 * MS)
		sum += asc_sim_value(1, 0, &event, t + 20 * MS) - asc_sim_value(1, 0, &event, t);
	KUNIT_EXPECT_EQ(test, sum, end - begin);
}

static void sim_hits_never_exceed_requests(struct kunit *test)
{
	u32 slice;
	u64 t;

	for (slice = 0; slice < ASCPROF_SIM_LLC_SLICES; slice++) {
		for (t = 0; t < 10 * SEC; t += 20 * MS) {
			u64 u = t + 20 * MS;
			u64 hits, requests;

			hits = llc(slice, 0x02, u) - llc(slice, 0x02, t) +
			       llc(slice, 0x13, u) - llc(slice, 0x13, t) +
			       llc(slice, 0x22, u) - llc(slice, 0x22, t) +
			       llc(slice, 0x36, u) - llc(slice, 0x36, t);
			requests = llc(slice, 0x20, u) - llc(slice, 0x20, t) +
				   llc(slice, 0x34, u) - llc(slice, 0x34, t);
			KUNIT_ASSERT_GT(test, hits, 0ULL);
			KUNIT_ASSERT_LE(test, hits, requests);

			hits = llc(slice, 0x03, u) - llc(slice, 0x03, t) +
			       llc(slice, 0x14, u) - llc(slice, 0x14, t) +
			       llc(slice, 0x23, u) - llc(slice, 0x23, t) +
			       llc(slice, 0x37, u) - llc(slice, 0x37, t);
			requests = llc(slice, 0x21, u) - llc(slice, 0x21, t) +
				   llc(slice, 0x35, u) - llc(slice, 0x35, t);
			KUNIT_ASSERT_LE(test, hits, requests);
		}
	}
}

static void sim_bandwidth_is_plausible(struct kunit *test)
{
	struct asc_sim_event event;
	u32 device, unit, rw;

	for (device = 0; device < ASC_SIM_DEVICES; device++) {
		for (unit = 0; unit < ASCPROF_SIM_HBM_UNITS; unit++) {
			for (rw = 0; rw < 2; rw++) {
				u64 mb;

				asc_sim_find(ASCPROF_SIM_CONFIG(ASCPROF_CLASS_HBM, unit, rw),
					     &event);
				mb = (asc_sim_value(1, device, &event, 10 * SEC) -
				      asc_sim_value(1, device, &event, 0)) * 32 / 10 / 1000000;
				KUNIT_EXPECT_GT(test, mb, 300ULL);
				KUNIT_EXPECT_LT(test, mb, 2000ULL);
			}
		}
	}
}

static void sim_narrow_registers_wrap_soon(struct kunit *test)
{
	struct asc_sim_event event;
	u32 i, wrapped = 0;

	for (i = 0; i < asc_sim_nr_events(); i++) {
		asc_sim_event(i, &event);
		if (event.bits == 48)
			wrapped += (asc_sim_value(1, 0, &event, 0) >> 48) !=
				   (asc_sim_value(1, 0, &event, SEC) >> 48);
	}
	KUNIT_EXPECT_GT(test, wrapped, 0U);
}

static void sim_levels_stay_inside(struct kunit *test)
{
	static const struct {
		u64 config;
		u64 most;
	} gauges[] = {
		{ ASCPROF_SIM_CONFIG(ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_MATA_LEVEL), 7 },
		{ ASCPROF_SIM_CONFIG(ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_L2_LEVEL), 255 },
		{ ASCPROF_SIM_CONFIG(ASCPROF_CLASS_ACC, 2, ASCPROF_SIM_ACC_READ_OST), 63 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gauges); i++) {
		struct asc_sim_event event;
		u64 t, value, low = U64_MAX, high = 0;

		KUNIT_ASSERT_EQ(test, asc_sim_find(gauges[i].config, &event), 0);
		KUNIT_EXPECT_EQ(test, event.event.value_kind, (u32)ASCPROF_VALUE_GAUGE);
		for (t = 0; t < 5 * SEC; t += MS) {
			value = asc_sim_value(1, 0, &event, t);
			low = min(low, value);
			high = max(high, value);
		}
		KUNIT_EXPECT_EQ(test, low, 0ULL);
		KUNIT_EXPECT_EQ(test, high, gauges[i].most);
	}
}

static struct kunit_case sim_cases[] = {
	KUNIT_CASE(sim_offers_what_the_header_says),
	KUNIT_CASE(sim_finds_what_it_lists),
	KUNIT_CASE(sim_finds_nothing_else),
	KUNIT_CASE(sim_names_differ),
	KUNIT_CASE(sim_known_values),
	KUNIT_CASE(sim_seed_and_device_matter),
	KUNIT_CASE(sim_counters_only_grow),
	KUNIT_CASE(sim_rate_does_not_depend_on_the_period),
	KUNIT_CASE(sim_hits_never_exceed_requests),
	KUNIT_CASE(sim_bandwidth_is_plausible),
	KUNIT_CASE(sim_narrow_registers_wrap_soon),
	KUNIT_CASE(sim_levels_stay_inside),
	{}
};

struct kunit_suite asc_sim_suite = {
	.name = "ascprof_sim",
	.test_cases = sim_cases,
};
