/* SPDX-License-Identifier: Apache-2.0 */
#include "export/llc.h"

#include <stdbool.h>
#include <string.h>

#include "export/decimal.h"
#include "export/filter.h"
#include "export/rows2.h"
#include "export/sort.h"
#include "export/text.h"

struct llc_row {
	uint64_t stamp;
	uint64_t count;
	uint32_t event;
	uint32_t slice;
};

static struct llc_row decode(const void *data, int version)
{
	struct row_llc v1;
	struct row_llc2 v2;

	if (version == 2) {
		memcpy(&v2, data, sizeof(v2));
		return (struct llc_row){ v2.stamp_ns, v2.count, v2.event, v2.slice };
	}
	memcpy(&v1, data, sizeof(v1));
	return (struct llc_row){ v1.stamp_us, v1.count, v1.event, v1.slice };
}

static int slot_of(bool write, uint32_t event)
{
	static const uint8_t events[2][ROW_LLC_EVENTS] = {
		{ 0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36 },
		{ 0x00, 0x01, 0x03, 0x14, 0x21, 0x23, 0x35, 0x37 },
	};

	for (int i = 0; i < ROW_LLC_EVENTS; i++)
		if (events[write][i] == event)
			return i;
	return -1;
}

static unsigned int units_of(const char *platform)
{
	if (!strcmp(platform, "7") || !strcmp(platform, "8") || !strcmp(platform, "11"))
		return 1;
	return strcmp(platform, "5") ? 4 : 2;
}

/* The eight rows of a sample usually follow each other. */
static int add_row(struct llc_unit *u, double parser_ns, int64_t wall, int slot, uint64_t count)
{
	struct llc_sample *s = u->nr ? &u->sample[u->nr - 1] : NULL;

	if (!s || s->parser_ns != parser_ns) {
		if (scratch_grow(&u->room, u->nr, sizeof(*s)))
			return -1;
		u->sample = (struct llc_sample *)u->room.map.begin;
		s = &u->sample[u->nr];
		*s = (struct llc_sample){ .parser_ns = parser_ns, .wall = wall };
		u->nr++;
	}
	s->count[slot] = count;
	s->have |= 1u << slot;
	return 0;
}

static int by_time(const void *a, const void *b, void *arg)
{
	const struct llc_sample *x = a, *y = b;

	(void)arg;
	return (x->parser_ns > y->parser_ns) - (x->parser_ns < y->parser_ns);
}

/* Sorts, and joins samples whose rows did not come together; later counts win. */
static int put_in_order(struct llc_unit *u)
{
	size_t nr = 0;

	if (sort_records(u->sample, u->nr, sizeof(*u->sample), by_time, NULL))
		return -1;
	for (size_t i = 0; i < u->nr; i++) {
		const struct llc_sample *s = &u->sample[i];
		struct llc_sample *last = nr ? &u->sample[nr - 1] : NULL;

		if (!last || last->parser_ns != s->parser_ns) {
			u->sample[nr++] = *s;
			continue;
		}
		for (int slot = 0; slot < ROW_LLC_EVENTS; slot++)
			if (s->have & 1u << slot)
				last->count[slot] = s->count[slot];
		last->have |= s->have;
	}
	u->nr = nr;
	return 0;
}

static bool has(const struct llc_sample *s, unsigned int slots)
{
	return (s->have & slots) == slots;
}

static void compute(struct llc_sample *s, const struct llc_sample *before)
{
	const uint64_t *c = s->count;
	uint128 hits = has(s, 0xac) ? (uint128)c[2] + c[3] + c[5] + c[7] : 0;
	uint128 all = has(s, 0x50) ? (uint128)c[4] + c[6] : 0;
	uint128 accesses = has(s, 0x03) ? (uint128)c[0] + c[1] : 0;
	int128 hit = all ? div_half_even((int128)(hits * 1000), (int128)all) : 0;

	s->hit = hit > INT64_MAX ? INT64_MAX : (int64_t)hit;
	s->first = !before;
	s->throughput = 0;
	if (before)
		s->throughput = decimal_llc_rate(
			accesses, (s->parser_ns - before->parser_ns) / 64.0 / 1e9);
}

/* Millionths, ties up */
static int64_t average(int128 thousandths, size_t nr)
{
	int128 v = (thousandths * 2000 + (int128)nr) / ((int128)nr * 2);

	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

size_t llc_counter(char *name, const struct llc *llc, unsigned int unit, enum llc_what what)
{
	char *to = text_literal(name, "LLC ");

	to = text_u64(to, unit);
	to = strcmp(llc->mode, "read") ? text_literal(to, " Write/") : text_literal(to, " Read/");
	to = what == LLC_THROUGHPUT ? text_literal(to, "Throughput") : text_literal(to, "Hit Rate");
	return (size_t)(to - name);
}

static bool wants_unit(const struct filter *f, const struct llc *llc, unsigned int unit)
{
	char name[64];

	return filter_wants_name(f, name, llc_counter(name, llc, unit, LLC_THROUGHPUT)) ||
	       filter_wants_name(f, name, llc_counter(name, llc, unit, LLC_HIT_RATE));
}

static int finish_unit(struct llc_unit *u, const struct filter *f)
{
	int128 hit = 0, throughput = 0;
	struct llc_sample before;
	size_t nr = 0;

	if (u->nr && put_in_order(u))
		return -1;
	for (size_t i = 0; i < u->nr; i++) {
		struct llc_sample s = u->sample[i];

		compute(&s, i ? &before : NULL);
		before = s;
		if (!filter_wants_counter(f, "llc", s.wall))
			continue;
		hit += s.hit;
		throughput += s.throughput;
		u->sample[nr++] = s;
	}
	u->nr = nr;
	if (!nr)
		return 0;
	u->hit = average(hit, u->nr);
	u->throughput = average(throughput, u->nr);
	return 0;
}

int llc_load(struct llc *llc, const struct prof_part *part, struct diag *diag)
{
	const struct slices *s = &part->table[SLICES_LLC];
	bool write = !strcmp(part->control.llc_mode, "write");
	struct slices_cursor c;
	const void *data;

	*llc = (struct llc){ .nr_units = units_of(part->control.platform) };
	if (!s->rows)
		return 0;
	if (!strcmp(part->control.platform, "0") ||
	    (!write && strcmp(part->control.llc_mode, "read"))) {
		diag_warn(diag, "%s: LLC counters left out: platform \"%s\", llc_profiling \"%s\", "
			  "\"read\" or \"write\" was expected", part->path,
			  part->control.platform, part->control.llc_mode);
		return 0;
	}
	llc->mode = write ? "write" : "read";
	slices_rewind(&c, s);
	while ((data = slices_next(&c))) {
		struct llc_row row = decode(data, part->time.version);
		int slot = slot_of(write, row.event);

		if (row.slice >= llc->nr_units || slot < 0)
			continue;
		if (add_row(&llc->unit[row.slice], timebase_parser_sample(&part->time, row.stamp),
			    timebase_sample(&part->time, row.stamp), slot, row.count))
			return diag_fail(diag, "%s: out of memory", part->path);
	}
	for (unsigned int i = 0; i < llc->nr_units; i++) {
		if (!wants_unit(part->filter, llc, i))
			llc->unit[i].nr = 0;
		else if (finish_unit(&llc->unit[i], part->filter))
			return diag_fail(diag, "%s: out of memory", part->path);
	}
	return 0;
}

void llc_free(struct llc *llc)
{
	for (unsigned int i = 0; i < LLC_UNITS; i++)
		scratch_free(&llc->unit[i].room);
	*llc = (struct llc){ 0 };
}
