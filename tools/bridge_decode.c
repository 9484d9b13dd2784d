/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/bridge_decode.h"

#include <stdio.h>
#include <string.h>

#include "format/rows.h"

#define UNITS 64 /* of one kind; more is no record */
#define DDR_ALL_MASTERS 0xffffffffu

const uint32_t bridge_aicore_events[BRIDGE_AICORE_EVENTS] = {
	0x08, 0x0a, 0x09, 0x0b, 0x0c, 0x0d, 0x54, 0x55,
};

static const char *const aicore_names[BRIDGE_AICORE_EVENTS + 1] = {
	"vec_busy", "cube_busy", "scalar_busy", "mte1_busy", "mte2_busy", "mte3_busy",
	"icache_request", "icache_miss", "task_cycles",
};

size_t bridge_record_bytes(enum bridge_kind kind)
{
	static const uint8_t bytes[BRIDGE_KINDS] = {
		[BRIDGE_HBM1] = 24, [BRIDGE_HBM2] = 32, [BRIDGE_DDR] = 20, [BRIDGE_LLC1] = 24,
		[BRIDGE_LLC2] = 24, [BRIDGE_SOC] = 64, [BRIDGE_AICORE] = 96,
	};

	return bytes[kind];
}

enum bridge_stamp bridge_stamp_of(enum bridge_kind kind)
{
	static const uint8_t stamp[BRIDGE_KINDS] = {
		[BRIDGE_HBM1] = BRIDGE_STAMP_US, [BRIDGE_HBM2] = BRIDGE_STAMP_NS,
		[BRIDGE_DDR] = BRIDGE_STAMP_US32, [BRIDGE_LLC1] = BRIDGE_STAMP_US,
		[BRIDGE_LLC2] = BRIDGE_STAMP_NS, [BRIDGE_SOC] = BRIDGE_STAMP_TICKS,
		[BRIDGE_AICORE] = BRIDGE_STAMP_TICKS,
	};

	return stamp[kind];
}

/* Hosts are little-endian, as the records are: rows.h. */
static uint64_t get(const uint8_t *bytes, size_t offset, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, bytes + offset, size);
	return value;
}

static void count(struct bridge_record *r, uint32_t class, uint64_t unit, uint32_t event, uint64_t amount)
{
	r->value[r->nr++] = (struct bridge_value){ class, (uint32_t)unit, event, false, amount };
}

static void level(struct bridge_record *r, uint32_t class, uint64_t unit, uint32_t event, uint64_t amount)
{
	r->value[r->nr++] = (struct bridge_value){ class, (uint32_t)unit, event, true, amount };
}

static bool soc_link(const uint8_t *b, uint16_t head, struct bridge_record *r)
{
	switch (head & 0xfc00) {
	case ROW_SOC_LINK_PCIE:
		count(r, ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_PCIE_WRITE, get(b, 32, 8));
		count(r, ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_PCIE_READ, get(b, 40, 8));
		break;
	case ROW_SOC_LINK_PA:
		count(r, ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_LINK_RX, get(b, 32, 8));
		count(r, ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_LINK_TX, get(b, 40, 8));
		break;
	}
	return true;
}

static bool soc(const uint8_t *b, struct bridge_record *r)
{
	uint16_t head = (uint16_t)get(b, 0, 2);
	uint64_t unit = get(b, 18, 2);

	if (get(b, 2, 2) != ROW_SOC_MAGIC)
		return false;
	r->stamp = get(b, 8, 8);
	switch (head & 0x3f) {
	case ROW_SOC_ACC:
		if (unit >= UNITS)
			return false;
		count(r, ASCPROF_CLASS_ACC, unit, ASCPROF_SIM_ACC_WRITE, get(b, 32, 8));
		count(r, ASCPROF_CLASS_ACC, unit, ASCPROF_SIM_ACC_READ, get(b, 40, 8));
		level(r, ASCPROF_CLASS_ACC, unit, ASCPROF_SIM_ACC_WRITE_OST, get(b, 48, 8));
		level(r, ASCPROF_CLASS_ACC, unit, ASCPROF_SIM_ACC_READ_OST, get(b, 56, 8));
		return true;
	case ROW_SOC_LEVEL:
		level(r, ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_MATA_LEVEL, get(b, 32, 2) & 7);
		level(r, ASCPROF_CLASS_SOC, 0, ASCPROF_SIM_SOC_L2_LEVEL, get(b, 32, 2) >> 3 & 0xff);
		return true;
	case ROW_SOC_LINK:
		return soc_link(b, head, r);
	case ROW_SOC_SIO:
		if (unit >= UNITS)
			return false;
		for (uint32_t i = 0; i < 8; i++)
			count(r, ASCPROF_CLASS_SOC, unit, ASCPROF_SIM_SOC_SIO_RX + i, get(b, 32 + 4 * i, 4));
		return true;
	default: /* low power, QoS: no counters of ours */
		return true;
	}
}

static bool aicore(const uint8_t *b, struct bridge_record *r)
{
	uint64_t core = get(b, 89, 1);

	if (core >= UNITS)
		return false;
	r->stamp = get(b, 80, 8);
	for (uint32_t i = 0; i < BRIDGE_AICORE_EVENTS; i++)
		count(r, ASCPROF_CLASS_OTHER, core, bridge_aicore_events[i], get(b, 8 + 8 * i, 8));
	count(r, ASCPROF_CLASS_OTHER, core, 0, get(b, 72, 8));
	return true;
}

static bool simple(struct bridge_record *r, uint64_t stamp, uint32_t class, uint64_t unit, uint64_t event,
		   uint64_t events, uint64_t amount)
{
	if (unit >= UNITS || event >= events)
		return false;
	r->stamp = stamp;
	count(r, class, unit, (uint32_t)event, amount);
	return true;
}

bool bridge_decode(enum bridge_kind kind, const uint8_t *b, struct bridge_record *r)
{
	r->stamp = 0;
	r->nr = 0;
	switch (kind) {
	case BRIDGE_HBM1:
		return simple(r, get(b, 0, 8), ASCPROF_CLASS_HBM, get(b, 20, 4), get(b, 16, 4), 2, get(b, 8, 8));
	case BRIDGE_HBM2:
		return simple(r, get(b, 24, 8), ASCPROF_CLASS_HBM, get(b, 12, 4), get(b, 8, 4), 2, get(b, 16, 8));
	case BRIDGE_DDR:
		/* shares of single masters are in the total already */
		if (get(b, 16, 4) != DDR_ALL_MASTERS)
			return false;
		return simple(r, get(b, 0, 4), ASCPROF_CLASS_OTHER, get(b, 12, 4), get(b, 8, 4), 2, get(b, 4, 4));
	case BRIDGE_LLC1:
		return simple(r, get(b, 0, 8), ASCPROF_CLASS_LLC, get(b, 20, 4), get(b, 16, 4), 0x100, get(b, 8, 8));
	case BRIDGE_LLC2:
		return simple(r, get(b, 16, 8), ASCPROF_CLASS_LLC, get(b, 12, 4), get(b, 8, 4), 0x100, get(b, 4, 4));
	case BRIDGE_SOC:
		return soc(b, r);
	case BRIDGE_AICORE:
		return aicore(b, r);
	default:
		return false;
	}
}

static void name_soc(const struct bridge_value *v, struct ascprof_event *e)
{
	static const char *const parts[] = {
		"rx_req", "rx_rsp", "rx_snp", "rx_dat", "tx_req", "tx_rsp", "tx_snp", "tx_dat",
	};
	static const char *const links[] = { "pcie_write", "pcie_read", "link_rx", "link_tx" };

	snprintf(e->unit, sizeof(e->unit), "%s", v->gauge ? "level" : "bytes");
	if (v->event < 8)
		snprintf(e->name, sizeof(e->name), "die%u_sio_%s", v->unit, parts[v->event]);
	else if (v->event >= ASCPROF_SIM_SOC_PCIE_WRITE)
		snprintf(e->name, sizeof(e->name), "soc%u_%s", v->unit,
			 links[v->event - ASCPROF_SIM_SOC_PCIE_WRITE]);
	else
		snprintf(e->name, sizeof(e->name), "soc%u_%s", v->unit,
			 v->event == ASCPROF_SIM_SOC_MATA_LEVEL ? "mata_level" : "l2_level");
}

static void name_acc(const struct bridge_value *v, struct ascprof_event *e)
{
	static const char *const names[] = { "read", "write", "read_outstanding", "write_outstanding" };

	snprintf(e->unit, sizeof(e->unit), "%s", v->gauge ? "requests" : "bytes");
	snprintf(e->name, sizeof(e->name), "acc%u_%s", v->unit, names[v->event]);
}

static void name_aicore(const struct bridge_value *v, struct ascprof_event *e)
{
	int i = BRIDGE_AICORE_EVENTS;

	while (i > 0 && bridge_aicore_events[i - 1] != v->event)
		i--;
	snprintf(e->unit, sizeof(e->unit), "%s", v->event == 0x54 || v->event == 0x55 ? "requests" : "cycles");
	snprintf(e->name, sizeof(e->name), "aicore%u_%s", v->unit,
		 aicore_names[i > 0 ? i - 1 : BRIDGE_AICORE_EVENTS]);
}

void bridge_describe(enum bridge_kind kind, const struct bridge_value *v, struct ascprof_event *e)
{
	memset(e, 0, sizeof(*e));
	e->event_class = v->event_class;
	e->value_kind = v->gauge ? ASCPROF_VALUE_GAUGE : ASCPROF_VALUE_COUNT;
	e->config = ASCPROF_SIM_CONFIG(v->event_class, v->unit, v->event);
	e->scale_num = 1;
	e->scale_den = 1;
	switch (kind) {
	case BRIDGE_HBM1:
	case BRIDGE_HBM2:
	case BRIDGE_DDR:
		e->scale_num = 32;
		snprintf(e->unit, sizeof(e->unit), "bytes");
		snprintf(e->name, sizeof(e->name), "%s%u_%s", kind == BRIDGE_DDR ? "ddr" : "hbm", v->unit,
			 v->event ? "write" : "read");
		break;
	case BRIDGE_LLC1:
	case BRIDGE_LLC2:
		/* accesses of a line; the rest are requests and hits */
		e->scale_num = v->event < 2 ? 64 : 1;
		snprintf(e->unit, sizeof(e->unit), "%s", v->event < 2 ? "bytes" : "requests");
		snprintf(e->name, sizeof(e->name), "llc%u_0x%02x", v->unit, v->event);
		break;
	case BRIDGE_SOC:
		if (v->event_class == ASCPROF_CLASS_ACC)
			name_acc(v, e);
		else
			name_soc(v, e);
		break;
	default:
		name_aicore(v, e);
		break;
	}
}
