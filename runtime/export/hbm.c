/* SPDX-License-Identifier: Apache-2.0 */
#include "export/hbm.h"

#include <string.h>

#include "export/decimal.h"
#include "export/filter.h"
#include "export/rows2.h"
#include "export/sort.h"
#include "export/text.h"

#define MB_PER_COUNT 0.000030517578125 /* 32 bytes */

static struct hbm_sample decode(const void *data, const struct timebase *tb)
{
	struct hbm_sample s = { 0 };
	struct row_hbm v1;
	struct row_hbm2 v2;
	uint64_t stamp;

	if (tb->version == 2) {
		memcpy(&v2, data, sizeof(v2));
		stamp = v2.stamp_ns;
		s.count = v2.count;
		s.unit = v2.unit;
		s.write = v2.write != 0;
	} else {
		memcpy(&v1, data, sizeof(v1));
		stamp = v1.stamp_us;
		s.count = v1.count;
		s.unit = v1.unit;
		s.write = v1.write != 0;
	}
	s.parser_ns = timebase_parser_sample(tb, stamp);
	s.wall = timebase_sample(tb, stamp);
	return s;
}

static int compare(const struct hbm_sample *x, const struct hbm_sample *y)
{
	if (x->parser_ns != y->parser_ns)
		return x->parser_ns < y->parser_ns ? -1 : 1;
	if (x->write != y->write)
		return x->write < y->write ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static int by_place(const void *a, const void *b, void *arg)
{
	(void)arg;
	return compare(a, b);
}

/* Of rows with the same place the parser takes the first. */
static int put_in_order(struct hbm *hbm)
{
	size_t nr = 0;

	if (sort_records(hbm->sample, hbm->nr, sizeof(*hbm->sample), by_place, NULL))
		return -1;
	for (size_t i = 0; i < hbm->nr; i++)
		if (!nr || compare(&hbm->sample[nr - 1], &hbm->sample[i]))
			hbm->sample[nr++] = hbm->sample[i];
	hbm->nr = nr;
	return 0;
}

static void compute(struct hbm *hbm, size_t rows_per_sample)
{
	bool seen[HBM_UNITS][2] = { 0 };

	for (size_t i = 0; i < hbm->nr; i++) {
		struct hbm_sample *s = &hbm->sample[i];
		/* Before the first sample it looks at the last, sees time go back, gives 0. */
		size_t before = (i + hbm->nr - rows_per_sample) % hbm->nr;
		double ns = s->parser_ns - hbm->sample[before].parser_ns;

		s->bandwidth = (double)s->count;
		if (ns != 0)
			s->bandwidth = (double)s->count * MB_PER_COUNT / ns * 1e9;
		if (s->bandwidth < 0)
			s->bandwidth = 0;
		s->first = !seen[s->unit][s->write];
		seen[s->unit][s->write] = true;
	}
}

size_t hbm_counter(char *name, unsigned int unit, bool write)
{
	char *to = text_literal(name, "HBM ");

	to = text_u64(to, unit);
	to = write ? text_literal(to, "/Write") : text_literal(to, "/Read");
	return (size_t)(to - name);
}

static void keep_wanted(struct hbm *hbm, const struct filter *f)
{
	char name[64];
	size_t nr = 0;

	for (size_t i = 0; i < hbm->nr; i++) {
		const struct hbm_sample *s = &hbm->sample[i];

		if (filter_wants_counter(f, "hbm", s->wall) &&
		    filter_wants_name(f, name, hbm_counter(name, s->unit, s->write)))
			hbm->sample[nr++] = *s;
	}
	hbm->nr = nr;
}

static void sum_up(struct hbm *hbm)
{
	for (size_t i = 0; i < hbm->nr; i++) {
		const struct hbm_sample *s = &hbm->sample[i];
		struct hbm_unit *u = &hbm->unit[s->unit];
		struct hbm_mean *mean = s->write ? &u->write : &u->read;

		mean->sum += s->bandwidth;
		mean->nr++;
	}
	for (unsigned int i = 0; i < HBM_UNITS; i++)
		hbm->nr_units += hbm_has(hbm, i);
}

int hbm_load(struct hbm *hbm, const struct prof_part *part, struct diag *diag)
{
	const struct slices *s = &part->table[SLICES_HBM];
	size_t rows_per_sample = part->control.hbm_events == 2 ? 8 : 4;
	struct slices_cursor c;
	const void *data;

	*hbm = (struct hbm){ 0 };
	if (!s->rows)
		return 0;
	if (part->control.hbm_events > 2) {
		diag_warn(diag, "%s: HBM counters left out: hbm_profiling_events with one or two "
			  "entries was expected", part->path);
		return 0;
	}
	if (scratch_resize(&hbm->room, s->rows * sizeof(*hbm->sample)))
		return diag_fail(diag, "%s: out of memory", part->path);
	hbm->sample = (struct hbm_sample *)hbm->room.map.begin;
	slices_rewind(&c, s);
	while ((data = slices_next(&c))) {
		struct hbm_sample sample = decode(data, &part->time);

		if (sample.unit < HBM_UNITS)
			hbm->sample[hbm->nr++] = sample;
	}
	if (hbm->nr < s->rows)
		diag_warn(diag, "%s: %llu HBM rows left out: their unit is above %d", part->path,
			  (unsigned long long)(s->rows - hbm->nr), HBM_UNITS - 1);
	if (put_in_order(hbm))
		return diag_fail(diag, "%s: out of memory", part->path);
	if (hbm->nr < rows_per_sample) {
		hbm->nr = 0;
		return 0;
	}
	compute(hbm, rows_per_sample);
	if (part->filter)
		keep_wanted(hbm, part->filter);
	sum_up(hbm);
	return 0;
}

void hbm_free(struct hbm *hbm)
{
	scratch_free(&hbm->room);
	*hbm = (struct hbm){ 0 };
}

int64_t hbm_average(const struct hbm *hbm, bool write)
{
	int128 sum = 0;

	for (unsigned int i = 0; i < HBM_UNITS; i++) {
		const struct hbm_mean *mean = write ? &hbm->unit[i].write : &hbm->unit[i].read;

		if (!hbm_has(hbm, i))
			continue;
		if (!mean->nr)
			return 0;
		sum += decimal_fixed(mean->sum / (double)mean->nr);
	}
	if (!hbm->nr_units)
		return 0;
	return (int64_t)div_half_even(decimal_thousandths(sum), hbm->nr_units);
}
