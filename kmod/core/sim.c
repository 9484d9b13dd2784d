// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulated counters, shaped like those of an NPU.
 *
 * DOC: the numbers
 *
 * A value depends on four things alone: the seed, the device, the event's
 * config, and the time since the stream began, which is the number of the tick
 * times the period. The time of day, the CPU, other streams and how late a
 * tick really ran have no part in it. The same run gives the same numbers.
 *
 * Each counter has a rate r(t) that swings as a triangle with period P between
 * lo and lo + span counts per millisecond. P, lo and span come from
 *
 *	h = mix(seed + 0x9e3779b97f4a7c15 * (device + 1) ^ mix(config))
 *
 * where mix() is a finaliser of xor-shifts and multiplications that spreads
 * every input bit over the word. With t in microseconds, n = t / P whole swings
 * and x = t % P, the counter is the integral
 *
 *	C(t) = base + n * P * (2 * lo + span) / 2000 + S(x)
 *	S(x) = (lo * P * x + span * x^2) / (1000 * P)              x <= P / 2
 *	     = (lo * P * x + span * (P^2 / 2 - (P - x)^2)) / (1000 * P)   else
 *
 * It only grows, and since it is a function of time its rate does not depend on
 * how often it is read. P is a multiple of 2000, so that whole swings are
 * exact. The base lies at most 2^20 below 2^32 or 2^48, where a register of
 * that width wraps, or below 2^40 for those of 64 bits: a stream of a few seconds
 * already sees narrow registers wrap.
 *
 * LLC hits are a fixed share (below one half each) of the requests they belong
 * to: 02 and 13 of 20, 22 and 36 of 34; 03 and 14 of 21, 23 and 37 of 35.
 * Hence hits never exceed requests.
 *
 * A gauge is the triangle itself, between its lowest and highest level.
 *
 * DOC: faults
 *
 * A fault changes what the register shows, and leaves the counter behind it as it
 * is; so a faulty counter can be compared with a sound one of the same event.
 */
#include "sim.h"

#define PERIOD_STEP	2000U		/* us */
#define OWN		0xff		/* as parent: none */

/**
 * struct shape - how a group of events moves
 * @class: enum ascprof_event_class
 * @units: how many of the same
 * @event: lowest event code of this row
 * @parent: event whose share this one is, or OWN
 * @gauge: a level, from @lo to @lo + @span
 * @bits: width of the register
 * @lo: lowest rate, counts per ms; up to twice that by the hash
 * @span: swing of the rate, likewise
 * @scale: units per count
 * @unit: unit
 * @group: first part of the name, followed by the unit's number
 * @name: last part
 */
struct shape {
	u8 class;
	u8 units;
	u8 event;
	u8 parent;
	bool gauge;
	u8 bits;
	u32 lo;
	u32 span;
	u32 scale;
	const char *unit;
	const char *group;
	const char *name;
};

#define LLC(code, name, of, lo, span, scale, unit) \
	{ ASCPROF_CLASS_LLC, ASCPROF_SIM_LLC_SLICES, code, of, false, 32, \
	  lo, span, scale, unit, "llc", name }
#define HBM(code, name) \
	{ ASCPROF_CLASS_HBM, ASCPROF_SIM_HBM_UNITS, code, OWN, false, 48, \
	  8000, 12000, 32, "bytes", "hbm", name }
#define SIO(code, name) \
	{ ASCPROF_CLASS_SOC, ASCPROF_SIM_DIES, code, OWN, false, 64, \
	  15000, 25000, 1, "bytes", "die", "sio_" name }
#define SOC(code, gauge, lo, span, unit, name) \
	{ ASCPROF_CLASS_SOC, 1, code, OWN, gauge, 64, lo, span, 1, unit, "soc", name }
#define ACC(code, gauge, lo, span, unit, name) \
	{ ASCPROF_CLASS_ACC, ASCPROF_SIM_ACCELERATORS, code, OWN, gauge, 64, \
	  lo, span, 1, unit, "acc", name }

static const struct shape shapes[] = {
	LLC(0x00, "0x00", OWN, 40, 60, 4096, "bytes"),
	LLC(0x01, "0x01", OWN, 40, 60, 4096, "bytes"),
	LLC(0x02, "0x02", 0x20, 0, 0, 1, "requests"),
	LLC(0x13, "0x13", 0x20, 0, 0, 1, "requests"),
	LLC(0x20, "0x20", OWN, 400, 600, 1, "requests"),
	LLC(0x22, "0x22", 0x34, 0, 0, 1, "requests"),
	LLC(0x34, "0x34", OWN, 400, 600, 1, "requests"),
	LLC(0x36, "0x36", 0x34, 0, 0, 1, "requests"),
	LLC(0x03, "0x03", 0x21, 0, 0, 1, "requests"),
	LLC(0x14, "0x14", 0x21, 0, 0, 1, "requests"),
	LLC(0x21, "0x21", OWN, 300, 500, 1, "requests"),
	LLC(0x23, "0x23", 0x35, 0, 0, 1, "requests"),
	LLC(0x35, "0x35", OWN, 300, 500, 1, "requests"),
	LLC(0x37, "0x37", 0x35, 0, 0, 1, "requests"),
	HBM(ASCPROF_SIM_HBM_READ, "read"),
	HBM(ASCPROF_SIM_HBM_WRITE, "write"),
	SIO(ASCPROF_SIM_SOC_SIO_RX + 0, "rx_req"),
	SIO(ASCPROF_SIM_SOC_SIO_RX + 1, "rx_rsp"),
	SIO(ASCPROF_SIM_SOC_SIO_RX + 2, "rx_snp"),
	SIO(ASCPROF_SIM_SOC_SIO_RX + 3, "rx_dat"),
	SIO(ASCPROF_SIM_SOC_SIO_TX + 0, "tx_req"),
	SIO(ASCPROF_SIM_SOC_SIO_TX + 1, "tx_rsp"),
	SIO(ASCPROF_SIM_SOC_SIO_TX + 2, "tx_snp"),
	SIO(ASCPROF_SIM_SOC_SIO_TX + 3, "tx_dat"),
	SOC(ASCPROF_SIM_SOC_MATA_LEVEL, true, 0, 7, "level", "mata_level"),
	SOC(ASCPROF_SIM_SOC_L2_LEVEL, true, 0, 255, "level", "l2_level"),
	SOC(ASCPROF_SIM_SOC_PCIE_WRITE, false, 10000, 20000, "bytes", "pcie_write"),
	SOC(ASCPROF_SIM_SOC_PCIE_READ, false, 10000, 20000, "bytes", "pcie_read"),
	SOC(ASCPROF_SIM_SOC_LINK_RX, false, 10000, 20000, "bytes", "link_rx"),
	SOC(ASCPROF_SIM_SOC_LINK_TX, false, 10000, 20000, "bytes", "link_tx"),
	ACC(ASCPROF_SIM_ACC_READ, false, 5000, 15000, "bytes", "read"),
	ACC(ASCPROF_SIM_ACC_WRITE, false, 5000, 15000, "bytes", "write"),
	ACC(ASCPROF_SIM_ACC_READ_OST, true, 0, 63, "requests", "read_outstanding"),
	ACC(ASCPROF_SIM_ACC_WRITE_OST, true, 0, 63, "requests", "write_outstanding"),
};

static u64 mix(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	x ^= x >> 31;
	return x;
}

static u64 hash(u64 seed, u32 device, u64 config)
{
	return mix((seed + 0x9e3779b97f4a7c15ULL * (device + 1)) ^ mix(config));
}

static const struct shape *find_shape(u64 config)
{
	u32 class = (u32)(config >> 32);
	u32 unit = (u32)(config >> 16) & 0xffff;
	u32 event = (u32)config & 0xffff;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		if (shapes[i].class == class && shapes[i].event == event && unit < shapes[i].units)
			return &shapes[i];
	return NULL;
}

static void describe(const struct shape *shape, u32 unit, struct asc_sim_event *out)
{
	struct ascprof_event *event = &out->event;
	const struct shape *counted = shape;

	memset(out, 0, sizeof(*out));
	event->event_class = shape->class;
	event->value_kind = shape->gauge ? ASCPROF_VALUE_GAUGE : ASCPROF_VALUE_COUNT;
	event->config = ASCPROF_SIM_CONFIG(shape->class, unit, shape->event);
	event->scale_num = shape->scale;
	event->scale_den = 1;
	strscpy(event->unit, shape->unit, sizeof(event->unit));
	snprintf(event->name, sizeof(event->name), "%s%u_%s", shape->group, unit, shape->name);
	out->bits = shape->bits;
	if (shape->parent != OWN)
		counted = find_shape(ASCPROF_SIM_CONFIG(shape->class, unit, shape->parent));
	/* the hash at most doubles both, which are per ms */
	if (!shape->gauge)
		out->rate = 2000ULL * (counted->lo + counted->span);
}

/**
 * asc_sim_nr_events() - events of one simulated device
 */
u32 asc_sim_nr_events(void)
{
	u32 nr = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		nr += shapes[i].units;
	return nr;
}

/**
 * asc_sim_event() - describe an event by its place in the list
 * @index: 0 to asc_sim_nr_events() - 1
 * @out: result; source id and index are left zero
 *
 * Return: 0 or -EINVAL.
 */
int asc_sim_event(u32 index, struct asc_sim_event *out)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		if (index < shapes[i].units) {
			describe(&shapes[i], index, out);
			return 0;
		}
		index -= shapes[i].units;
	}
	return -EINVAL;
}

/**
 * asc_sim_find() - describe an event by its config
 * @config: ASCPROF_SIM_CONFIG()
 * @out: result, as of asc_sim_event()
 *
 * Return: 0 or -ENOENT.
 */
int asc_sim_find(u64 config, struct asc_sim_event *out)
{
	const struct shape *shape = find_shape(config);

	if (!shape)
		return -ENOENT;
	describe(shape, (u32)(config >> 16) & 0xffff, out);
	return 0;
}

static u64 level(const struct shape *shape, u64 h, u64 t)
{
	u64 period = PERIOD_STEP * (500 + (h & 0x3ff));
	u64 x;

	div64_u64_rem(t + (h >> 32) % period, period, &x);
	if (x > period / 2)
		x = period - x;
	return shape->lo + min_t(u64, div64_u64(2 * x * (shape->span + 1ULL), period), shape->span);
}

static u64 count(const struct shape *shape, u64 h, u64 t)
{
	u64 period = PERIOD_STEP * (500 + (h & 0x3ff));
	u64 lo = shape->lo + (h >> 10) % shape->lo;
	u64 span = shape->span + (h >> 24) % shape->span;
	u64 base, n, x, area;

	base = shape->bits < 64 ? (1ULL << shape->bits) : (1ULL << 40);
	base -= (h >> 40) & 0xfffff;
	n = div64_u64_rem(t, period, &x);
	if (x <= period / 2)
		area = span * x * x;
	else
		area = span * (period * period / 2 - (period - x) * (period - x));
	return base + n * (period / PERIOD_STEP) * (2 * lo + span) +
	       div64_u64(lo * period * x + area, 1000 * period);
}

/**
 * asc_sim_value() - a counter at a time
 * @seed: module parameter
 * @device: 0 to ASC_SIM_DEVICES - 1
 * @event: from asc_sim_event() or asc_sim_find()
 * @elapsed: ns since the stream began
 */
u64 asc_sim_value(u64 seed, u32 device, const struct asc_sim_event *event, u64 elapsed)
{
	u64 config = event->event.config;
	const struct shape *shape = find_shape(config);
	u64 t = div_u64(elapsed, NSEC_PER_USEC);
	u64 h = hash(seed, device, config);
	u64 parent;

	if (shape->gauge)
		return level(shape, h, t);
	if (shape->parent == OWN)
		return count(shape, h, t);

	/* a share of the requests: 300 to 427 of 1024 */
	parent = (config & ~0xffffULL) | shape->parent;
	return count(find_shape(parent), hash(seed, device, parent), t) * (300 + (h & 0x7f)) >> 10;
}

#define BACK_MIN	((u64)NSEC_PER_MSEC)
#define SLOW_MAX	((u64)10 * NSEC_PER_MSEC)

/**
 * asc_sim_fault() - check and take a fault
 * @event: of the counter
 * @kind: enum ascprof_sim_fault
 * @arg: see there
 * @fault: result
 *
 * Return: 0; -EINVAL for an unknown fault, one that the event cannot have, or an
 * argument out of range.
 */
int asc_sim_fault(const struct asc_sim_event *event, u64 kind, u64 arg,
		  struct asc_sim_fault *fault)
{
	bool good;

	switch (kind) {
	case ASCPROF_SIM_FAULT_NONE:
		good = !arg;
		break;
	case ASCPROF_SIM_FAULT_STUCK:
		good = true;
		break;
	case ASCPROF_SIM_FAULT_WRAP:
		good = event->rate && arg > 1 && is_power_of_2(arg);
		break;
	case ASCPROF_SIM_FAULT_BACK:
		good = event->rate && arg >= BACK_MIN;
		break;
	case ASCPROF_SIM_FAULT_SLOW:
		good = arg <= SLOW_MAX;
		break;
	default:
		good = false;
	}
	if (!good)
		return -EINVAL;
	fault->kind = kind;
	fault->arg = arg;
	return 0;
}

/**
 * asc_sim_bits() - width of the register
 * @event: of the counter
 * @fault: what is wrong with it
 */
u32 asc_sim_bits(const struct asc_sim_event *event, const struct asc_sim_fault *fault)
{
	u32 bits = 1;

	if (fault->kind != ASCPROF_SIM_FAULT_WRAP)
		return event->bits;
	while (fault->arg >> bits > 1)
		bits++;
	return bits;
}

/**
 * asc_sim_register() - what the register of a counter holds, wider than it is
 * @seed: module parameter
 * @device: 0 to ASC_SIM_DEVICES - 1
 * @event: from asc_sim_event() or asc_sim_find()
 * @fault: from asc_sim_fault()
 * @elapsed: ns since the stream began
 */
u64 asc_sim_register(u64 seed, u32 device, const struct asc_sim_event *event,
		     const struct asc_sim_fault *fault, u64 elapsed)
{
	u64 since;

	switch (fault->kind) {
	case ASCPROF_SIM_FAULT_STUCK:
		return asc_sim_value(seed, device, event, min_t(u64, elapsed, fault->arg));
	case ASCPROF_SIM_FAULT_BACK:
		div64_u64_rem(elapsed, fault->arg, &since);
		return asc_sim_value(seed, device, event, elapsed) -
		       asc_sim_value(seed, device, event, elapsed - since);
	default:
		return asc_sim_value(seed, device, event, elapsed);
	}
}
