/* SPDX-License-Identifier: Apache-2.0 */
#include "export/soc.h"

#include <string.h>

#include "export/decimal.h"
#include "format/rows.h"

#define TYPE_MASK 0x3f
#define LINK_MASK 0xfc00

void soc_rewind(struct soc_reader *r, const struct prof_part *part)
{
	const char *platform = part->control.platform;

	*r = (struct soc_reader){
		.part = part,
		.version6 = !strcmp(platform, "15") || !strcmp(platform, "16"),
	};
	slices_rewind(&r->cursor, &part->table[SLICES_SOC]);
}

static void add(struct soc_sample *s, const char *name, const char *key, uint64_t value)
{
	s->value[s->nr++] = (struct soc_value){ name, key, value };
}

static void decode_acc(struct soc_sample *s, const void *data)
{
	struct row_soc_acc row;

	memcpy(&row, data, sizeof(row));
	s->group = "Acc PMU";
	s->unit = row.unit;
	add(s, "read_bandwidth", "value", row.read_bandwidth);
	add(s, "write_bandwidth", "value", row.write_bandwidth);
	add(s, "read_ost", "value", row.read_ost);
	add(s, "write_ost", "value", row.write_ost);
}

static void decode_level(struct soc_sample *s, const void *data)
{
	struct row_soc_level row;

	memcpy(&row, data, sizeof(row));
	add(s, "Mata Bw Level", "level", row.levels & 7);
	add(s, "L2 Buffer Bw Level", "level", row.levels >> 3 & 0xff);
}

static void decode_link(struct soc_sample *s, const void *data)
{
	struct row_soc_link row;

	memcpy(&row, data, sizeof(row));
	s->unit = row.unit & 0x3f;
	if ((row.head & LINK_MASK) == ROW_SOC_LINK_PCIE) {
		s->group = "PCIE";
		add(s, "Write Bandwidth", "value", row.write_or_rx);
		add(s, "Read Bandwidth", "value", row.read_or_tx);
	} else if ((row.head & LINK_MASK) == ROW_SOC_LINK_PA) {
		s->group = "PA Link";
		add(s, "Rx", "value", row.write_or_rx);
		add(s, "Tx", "value", row.read_or_tx);
	}
}

/* Thousandths of MB/s */
static uint64_t rate(uint32_t bytes, int64_t ns)
{
	return (uint64_t)div_half_even((int128)bytes * 1000 * 1000000000, (int128)ns << 20);
}

/* Bytes since the die's sample before; the first has nothing to count from. */
static void decode_sio(struct soc_reader *r, struct soc_sample *s, const void *data)
{
	static const char *const rx[4] = { "req_rx", "rsp_rx", "snp_rx", "dat_rx" };
	static const char *const tx[4] = { "req_tx", "rsp_tx", "snp_tx", "dat_tx" };
	struct row_soc_sio row;
	int64_t ns = 0;

	memcpy(&row, data, sizeof(row));
	if (row.die >= SOC_DIES)
		return;
	if (r->die_seen[row.die] &&
	    __builtin_sub_overflow(s->wall, r->die_wall[row.die], &ns))
		ns = 0;
	r->die_seen[row.die] = true;
	r->die_wall[row.die] = s->wall;
	if (ns <= 0)
		return;
	s->group = "SIO die";
	s->unit = row.die;
	s->thousandths = true;
	for (int i = 0; i < 4; i++)
		add(s, rx[i], "MB/s", rate(row.rx[i], ns));
	for (int i = 0; i < 4; i++)
		add(s, tx[i], "MB/s", rate(row.tx[i], ns));
}

bool soc_next(struct soc_reader *r, struct soc_sample *s)
{
	struct row_soc_acc head; /* all types begin alike */
	const void *data;

	while ((data = slices_next(&r->cursor))) {
		memcpy(&head, data, sizeof(head));
		if (head.magic != ROW_SOC_MAGIC)
			continue;
		*s = (struct soc_sample){
			.wall = timebase_device(&r->part->time, head.cycles),
			.group = "",
			.unit = -1,
		};
		switch (head.head & TYPE_MASK) {
		case ROW_SOC_ACC:
			decode_acc(s, data);
			break;
		case ROW_SOC_LEVEL:
			decode_level(s, data);
			break;
		case ROW_SOC_LINK:
			if (!r->version6)
				decode_link(s, data);
			break;
		case ROW_SOC_SIO:
			if (!r->version6)
				decode_sio(r, s, data);
			break;
		}
		if (s->nr)
			return true;
	}
	return false;
}
