/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/counters.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock/clock.h"

#define MOST 4096

struct counter *counters_add(struct counters *c)
{
	struct counter *list;

	if (c->nr == c->room) {
		unsigned int room = c->room ? 2 * c->room : 64;

		list = room > MOST ? NULL : realloc(c->list, room * sizeof(*list));
		if (!list) {
			c->no_memory = true;
			return NULL;
		}
		c->list = list;
		c->room = room;
	}
	memset(&c->list[c->nr], 0, sizeof(c->list[0]));
	c->list[c->nr].fd = -1;
	c->list[c->nr].scale = 1;
	return &c->list[c->nr++];
}

int counters_open(struct counters *c, const struct counters_choice *choice, struct diag *diag)
{
	memset(c, 0, sizeof(*c));
	c->stream.fd = -1;
	c->patterns = choice->patterns;
	counters_find_module(c, choice->period_ns);
	counters_find_perf(c, choice->program);
	return c->no_memory ? diag_fail(diag, "out of memory") : 0;
}

bool counters_wanted(struct counters *c, const struct counter *one)
{
	const char *patterns = c->patterns;
	char pattern[COUNTERS_NAME];

	if (!patterns)
		return true;
	while (*patterns) {
		size_t len = strcspn(patterns, ",");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)len, patterns);
		if (!fnmatch(pattern, one->metric, 0) || !fnmatch(pattern, one->name, 0))
			return true;
		patterns += len + (patterns[len] == ',');
	}
	c->nr--;
	return false;
}

void counters_shift(struct counter *one)
{
	one->before = one->value;
	one->enabled_before_ns = one->enabled_ns;
	one->running_before_ns = one->running_ns;
	one->taken_before_ns = one->taken_ns;
	one->fresh = one->read;
}

int counters_start(struct counters *c, struct diag *diag)
{
	int err = c->streamed ? hub_stream_start(&c->stream) : 0;

	if (err)
		return diag_fail(diag, "%s: starting the stream: %s", hub_path(), strerror(err));
	counters_read(c);
	return 0;
}

void counters_read(struct counters *c)
{
	c->before_ns = c->at_ns;
	if (c->streamed)
		counters_read_module(c);
	counters_read_perf(c);
	c->at_ns = clock_ns(CLOCK_MONOTONIC);
}

void counters_close(struct counters *c)
{
	for (unsigned int i = 0; i < c->nr; i++)
		if (c->list[i].fd >= 0)
			close(c->list[i].fd);
	if (c->stream.fd >= 0)
		hub_stream_close(&c->stream);
	free(c->list);
	memset(c, 0, sizeof(*c));
}

/* ---- metrics ---- */

static bool belongs(const struct metric *m, const struct counter *c)
{
	return !strcmp(m->group, c->group) && !strcmp(m->name, c->metric);
}

static enum metric_kind kind_of(const struct counter *c)
{
	if (c->level)
		return METRIC_LEVEL;
	if (!strcmp(c->unit, "%"))
		return METRIC_SHARE;
	return strcmp(c->group, "program") ? METRIC_RATE : METRIC_COUNT;
}

static struct metric *metric_of(struct metrics *m, const struct counter *c)
{
	for (unsigned int i = 0; i < m->nr; i++)
		if (belongs(&m->list[i], c))
			return &m->list[i];
	m->list[m->nr] = (struct metric){
		.group = c->group, .name = c->metric, .unit = c->unit, .by = c->by, .why = c->why,
		.kind = kind_of(c),
	};
	return &m->list[m->nr++];
}

int metrics_make(struct metrics *m, const struct counters *c)
{
	*m = (struct metrics){ .list = calloc(c->nr + 1, sizeof(*m->list)) };
	if (!m->list)
		return -1;
	for (unsigned int i = 0; i < c->nr; i++) {
		struct metric *of = metric_of(m, &c->list[i]);

		of->counters++;
		of->counted += !*c->list[i].why;
		if (*c->list[i].why ? of->kind == METRIC_SHARE : of->kind != METRIC_SHARE)
			of->why = c->list[i].why;
	}
	return 0;
}

struct sums {
	double part, whole, enabled, running, seconds;
	bool miss, fresh;
};

static struct sums sum_up(const struct metric *m, const struct counters *c)
{
	struct sums s = { .fresh = false };

	for (unsigned int i = 0; i < c->nr; i++) {
		const struct counter *one = &c->list[i];
		uint64_t running = one->running_ns - one->running_before_ns;
		uint64_t enabled = one->enabled_ns - one->enabled_before_ns;
		double value, scale = one->scale;

		if (!one->fresh || !belongs(m, one))
			continue;
		/* No sample came meanwhile: nothing is known, and that is not 0. */
		if (one->taken_ns && one->taken_ns == one->taken_before_ns)
			continue;
		s.seconds = (double)(one->taken_ns - one->taken_before_ns) / 1e9;
		/* What was not counted for some of the time is reckoned, and the share is shown. */
		if (enabled && running && running < enabled)
			scale *= (double)enabled / (double)running;
		value = one->level ? (double)one->value : (double)(one->value - one->before) * scale;
		*(one->divisor ? &s.whole : &s.part) += value;
		s.miss |= one->miss;
		s.enabled += (double)enabled;
		s.running += (double)running;
		s.fresh = true;
	}
	return s;
}

static void update(struct metric *m, const struct sums *s, double seconds, bool whole)
{
	switch (m->kind) {
	case METRIC_SHARE:
		m->fresh = s->whole > 0;
		if (!m->fresh)
			return;
		m->weight += s->whole;
		m->part += s->miss ? s->whole - s->part : s->part;
		m->now = 100 * (s->miss ? s->whole - s->part : s->part) / s->whole;
		break;
	case METRIC_LEVEL:
		m->now = s->part / (m->counted ? m->counted : 1);
		break;
	case METRIC_RATE:
	case METRIC_COUNT:
		m->total += s->part;
		m->now = s->part / seconds;
		break;
	}
	if (m->intervals && !whole)
		return;
	m->min = m->intervals && m->min < m->now ? m->min : m->now;
	m->max = m->intervals && m->max > m->now ? m->max : m->now;
	m->sum += m->now;
	m->intervals++;
}

void metrics_update(struct metrics *m, const struct counters *c)
{
	double seconds = (double)(c->at_ns - c->before_ns) / 1e9;

	if (!c->before_ns || seconds <= 0)
		return;
	m->seconds += seconds;
	for (unsigned int i = 0; i < m->nr; i++) {
		struct metric *one = &m->list[i];
		struct sums s = sum_up(one, c);

		/* a share needs all that it is made of */
		one->fresh = s.fresh && (one->kind != METRIC_SHARE || one->counted == one->counters);
		if (!one->fresh)
			continue;
		one->running = s.enabled > 0 ? s.running / s.enabled : 1;
		update(one, &s, s.seconds > 0 ? s.seconds : seconds, seconds >= m->shortest);
	}
}

double metric_average(const struct metric *m, double seconds)
{
	switch (m->kind) {
	case METRIC_SHARE:
		return m->weight > 0 ? 100 * m->part / m->weight : 0;
	case METRIC_LEVEL:
		return m->intervals ? m->sum / m->intervals : 0;
	default:
		return seconds > 0 ? m->total / seconds : 0;
	}
}

void metrics_end(struct metrics *m)
{
	for (unsigned int i = 0; i < m->nr; i++) {
		struct metric *one = &m->list[i];
		double average = metric_average(one, m->seconds);

		if (!one->intervals)
			continue;
		one->min = average < one->min ? average : one->min;
		one->max = average > one->max ? average : one->max;
	}
}

void metrics_free(struct metrics *m)
{
	free(m->list);
	*m = (struct metrics){ 0 };
}
