/* SPDX-License-Identifier: Apache-2.0 */
#include "clock/relation.h"

#define DRIFT_MOST 1e-3 /* of a clock that works; beyond, it was set or has stopped */

static double magnitude(double v)
{
	return v < 0 ? -v : v;
}

/* To the nearest; the library does without libm. */
static int64_t whole(double v)
{
	return (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
}

void relation_add(struct relation *r, const struct relation_reading *reading)
{
	unsigned int to = 1;

	if (r->n == RELATION_READINGS) {
		for (unsigned int i = 1; i < r->n; i++)
			if (i >= r->n / 2 || i % 2 == 0)
				r->reading[to++] = r->reading[i];
		r->n = to;
	}
	r->reading[r->n++] = *reading;
	r->taken++;
}

/* Ticks since the first reading, and how late the host's clock is for the nominal rate, ns. */
static void place(const struct relation *r, unsigned int i, double ns_per_tick, double *x, double *y)
{
	const struct relation_reading *first = &r->reading[0], *now = &r->reading[i];

	*x = (double)(int64_t)(now->counter - first->counter);
	*y = (double)(int64_t)(now->host_ns - first->host_ns) - *x * ns_per_tick;
}

/* How far readings are from the line y = @a + @b * x, at most. */
static double farthest(const struct relation *r, double ns_per_tick, double a, double b)
{
	double most = 0, x, y, far;

	for (unsigned int i = 0; i < r->n; i++) {
		place(r, i, ns_per_tick, &x, &y);
		far = magnitude(y - a - b * x) + (double)r->reading[i].width_ns / 2;
		if (far > most)
			most = far;
	}
	return most;
}

/* Readings whose interval is short count for more. Return: false when they are all at one moment. */
static bool least_squares(const struct relation *r, double ns_per_tick, double *a, double *b)
{
	double sum = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0, x, y, weight;

	for (int turn = 0; turn < 2; turn++) {
		for (unsigned int i = 0; i < r->n; i++) {
			double width = (double)r->reading[i].width_ns;

			place(r, i, ns_per_tick, &x, &y);
			weight = 1 / (1 + width * width);
			if (!turn) {
				sum += weight;
				mean_x += weight * x;
				mean_y += weight * y;
			} else {
				xx += weight * (x - mean_x) * (x - mean_x);
				xy += weight * (x - mean_x) * (y - mean_y);
			}
		}
		if (!turn) {
			mean_x /= sum;
			mean_y /= sum;
		}
	}
	if (!(xx > 0))
		return false;
	*b = xy / xx;
	*a = mean_y - *b * mean_x;
	return true;
}

bool relation_fit(const struct relation *r, uint32_t khz, struct relation_line *line)
{
	double nominal = 1e6 / khz, a = 0, b = 0, error, fitted;

	if (!r->n)
		return false;
	*line = (struct relation_line){
		.counter = r->reading[0].counter,
		.host_ns = r->reading[0].host_ns,
		.micro_hz = (uint64_t)khz * 1000000000u,
	};
	error = farthest(r, nominal, 0, 0);
	if (r->n > 1 && least_squares(r, nominal, &a, &b) && magnitude(b / nominal) < DRIFT_MOST) {
		fitted = farthest(r, nominal, a, b);
		if (fitted < error) {
			error = fitted;
			line->host_ns += (uint64_t)whole(a);
			line->micro_hz = (uint64_t)whole(1e15 / (nominal + b));
			line->drift_ppb = whole((nominal / (nominal + b) - 1) * 1e9);
		}
	}
	line->error_ns = (uint64_t)error + ((double)(uint64_t)error < error);
	return true;
}
