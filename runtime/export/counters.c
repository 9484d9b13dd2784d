/* SPDX-License-Identifier: Apache-2.0 */
#include "export/counters.h"

#include <stdio.h>
#include <string.h>

#include "export/filter.h"
#include "export/text.h"

int counters_load(struct counters *c, const struct prof_part *part, struct diag *diag)
{
	*c = (struct counters){ .part = part };
	if (part->device < 0)
		return host_view_load(&c->host, part, diag);
	if (llc_load(&c->llc, part, diag) || hbm_load(&c->hbm, part, diag))
		return -1;
	return 0;
}

void counters_free(struct counters *c)
{
	llc_free(&c->llc);
	hbm_free(&c->hbm);
	host_view_free(&c->host);
}

static void earlier(int64_t *first, int64_t wall)
{
	if (wall < *first)
		*first = wall;
}

int64_t counters_first(const struct counters *c)
{
	int64_t first = INT64_MAX;
	struct soc_reader soc;
	struct soc_sample sample;

	for (unsigned int u = 0; u < c->llc.nr_units; u++)
		if (c->llc.unit[u].nr)
			earlier(&first, c->llc.unit[u].sample[0].wall);
	if (c->hbm.nr)
		earlier(&first, c->hbm.sample[0].wall);
	for (unsigned int i = 0; i < c->host.nr_series; i++)
		earlier(&first, c->host.series[i].point[0].wall);
	for (size_t i = 0; i < c->host.nr_calls; i++)
		earlier(&first, c->host.call[i].wall);
	if (c->part->device < 0)
		return first;
	soc_rewind(&soc, c->part);
	while (soc_next(&soc, &sample))
		if (filter_wants_counter(c->part->filter, "soc_profile", sample.wall))
			earlier(&first, sample.wall);
	return first;
}

static int each_llc(const struct counters *c, int (*each)(void *arg, const struct counter *counter), void *arg)
{
	char name[COUNTER_NAME];
	struct counter n = { .kind = "llc", .name = name, .type = COUNTER_THOUSANDTHS };
	const struct filter *f = c->part->filter;
	int ret = 0;

	for (unsigned int u = 0; u < c->llc.nr_units; u++) {
		for (size_t i = 0; i < c->llc.unit[u].nr && !ret; i++) {
			const struct llc_sample *s = &c->llc.unit[u].sample[i];

			n.wall = s->wall;
			n.key = "Throughput(MB/s)";
			n.unit = "MB/s";
			n.first = s->first;
			n.thousandths = s->throughput;
			n.name_len = llc_counter(name, &c->llc, u, LLC_THROUGHPUT);
			if (filter_wants_name(f, name, n.name_len))
				ret = each(arg, &n);
			/* The parser's own timeline shows a fraction under this key. */
			n.key = "Hit Rate(%)";
			n.unit = "%";
			n.first = false;
			n.thousandths = s->hit < INT64_MAX / 100 ? s->hit * 100 : INT64_MAX;
			n.name_len = llc_counter(name, &c->llc, u, LLC_HIT_RATE);
			if (!ret && filter_wants_name(f, name, n.name_len))
				ret = each(arg, &n);
		}
	}
	return ret;
}

static int each_hbm(const struct counters *c, int (*each)(void *arg, const struct counter *counter), void *arg)
{
	char name[COUNTER_NAME];
	struct counter n = { .kind = "hbm", .name = name, .type = COUNTER_REAL, .unit = "MB/s" };
	int ret = 0;

	for (size_t i = 0; i < c->hbm.nr && !ret; i++) {
		const struct hbm_sample *s = &c->hbm.sample[i];

		n.name_len = hbm_counter(name, s->unit, s->write);
		n.key = s->write ? "Write(MB/s)" : "Read(MB/s)";
		n.wall = s->wall;
		n.real = s->bandwidth;
		n.first = s->first;
		ret = each(arg, &n);
	}
	return ret;
}

size_t soc_counter(char *name, const struct soc_sample *s, unsigned int i)
{
	char *to = text_copy(name, s->group, strlen(s->group));

	if (s->unit >= 0) {
		*to++ = ' ';
		to = text_u64(to, (uint64_t)s->unit);
		*to++ = '/';
	}
	to = text_copy(to, s->value[i].name, strlen(s->value[i].name));
	return (size_t)(to - name);
}

static int each_soc(const struct counters *c, int (*each)(void *arg, const struct counter *counter), void *arg)
{
	char name[COUNTER_NAME];
	struct counter n = { .kind = "soc_profile", .name = name };
	const struct filter *f = c->part->filter;
	struct soc_reader r;
	struct soc_sample s;
	int ret = 0;

	soc_rewind(&r, c->part);
	while (!ret && soc_next(&r, &s)) {
		if (!filter_wants_counter(f, n.kind, s.wall))
			continue;
		n.wall = s.wall;
		n.type = s.thousandths ? COUNTER_THOUSANDTHS : COUNTER_INTEGER;
		for (unsigned int i = 0; i < s.nr && !ret; i++) {
			n.name_len = soc_counter(name, &s, i);
			n.key = s.value[i].key;
			n.unit = s.thousandths ? n.key : "";
			n.integer = s.value[i].value; /* or thousandths, which are not negative */
			if (filter_wants_name(f, name, n.name_len))
				ret = each(arg, &n);
		}
	}
	return ret;
}

/* "Usage(%)" */
static void unit_of(const char *key, char *unit, size_t size)
{
	const char *from = strrchr(key, '('), *to = from ? strchr(from, ')') : NULL;

	snprintf(unit, size, "%.*s", to ? (int)(to - from - 1) : 0, to ? from + 1 : "");
}

static int each_host(const struct counters *c, int (*each)(void *arg, const struct counter *counter), void *arg)
{
	char unit[COUNTER_UNIT];
	struct counter n = { .kind = HOST_KIND, .type = COUNTER_EXACT, .unit = unit };
	const struct filter *f = c->part->filter;
	int ret = 0;

	for (unsigned int i = 0; i < c->host.nr_series; i++) {
		const struct host_series *s = &c->host.series[i];

		n.name = s->name;
		n.name_len = strlen(s->name);
		n.key = s->key;
		unit_of(s->key, unit, sizeof(unit));
		if (!filter_wants_name(f, n.name, n.name_len))
			continue;
		for (size_t k = 0; k < s->nr && !ret; k++) {
			n.wall = s->point[k].wall;
			n.real = s->point[k].value;
			if (filter_wants_counter(f, n.kind, n.wall))
				ret = each(arg, &n);
		}
	}
	return ret;
}

int counters_each(const struct counters *c, int (*each)(void *arg, const struct counter *counter), void *arg)
{
	int ret;

	if (c->part->device < 0)
		return each_host(c, each, arg);
	ret = each_llc(c, each, arg);
	if (!ret)
		ret = each_hbm(c, each, arg);
	if (!ret)
		ret = each_soc(c, each, arg);
	return ret;
}
