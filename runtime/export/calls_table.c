/* SPDX-License-Identifier: Apache-2.0 */
#include "export/calls_table.h"

#include <stdlib.h>
#include <string.h>

#include "export/calls.h"
#include "export/decimal.h"
#include "export/text.h"
#include "format/escape.h"

#define NAME_MAX_BYTES 8192 /* of a name, in a cell; longer ones are cut */
#define FIRST_ROOM 64

/* Calls of one name; numbers are us, as the parser's doubles. */
struct row {
	uint16_t level;
	char *name;
	size_t len;
	uint64_t count;
	double sum, least, most;
	double average, deviations;
};

struct sums {
	struct calls calls;
	struct row **table; /* by name */
	size_t room, nr;
	int64_t total; /* ns */
	bool second; /* time round: deviations from the average */
};

static uint64_t hash_of(const char *s, size_t n, uint64_t h)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

static struct row **place_of(const struct sums *s, uint16_t level, const char *name, size_t len)
{
	size_t at = hash_of(name, len, level) & (s->room - 1);
	struct row *r;

	while ((r = s->table[at]) && (r->level != level || r->len != len || memcmp(r->name, name, len)))
		at = (at + 1) & (s->room - 1);
	return &s->table[at];
}

static int grow(struct sums *s)
{
	struct sums more = { .room = s->room ? 2 * s->room : FIRST_ROOM };

	more.table = calloc(more.room, sizeof(*more.table));
	if (!more.table)
		return -1;
	for (size_t i = 0; i < s->room; i++) {
		struct row *r = s->table[i];

		if (r)
			*place_of(&more, r->level, r->name, r->len) = r;
	}
	free(s->table);
	s->table = more.table;
	s->room = more.room;
	return 0;
}

static struct row *row_of(struct sums *s, const struct call *call)
{
	struct call_text name;
	struct row **place, *r;

	if (2 * s->nr >= s->room && grow(s))
		return NULL;
	calls_name(&s->calls, call, &name);
	place = place_of(s, call->level, name.s, name.len);
	r = *place;
	if (r)
		return r;
	r = calloc(1, sizeof(*r) + name.len);
	if (!r)
		return NULL;
	r->level = call->level;
	r->name = memcpy((char *)(r + 1), name.s, name.len);
	r->len = name.len;
	*place = r;
	s->nr++;
	return r;
}

static double rounded(double v)
{
	return (double)decimal_round_thousandths(v) / 1000;
}

static int add(void *arg, const struct call *call)
{
	struct sums *s = arg;
	int64_t ns = (int64_t)(call->end - call->start);
	double us = (double)ns / 1000;
	struct row *r;

	if (call->events) /* only the timeline has them */
		return 0;
	r = row_of(s, call);
	if (!r)
		return -1;
	if (s->second) {
		r->deviations += rounded((us - r->average) * (us - r->average));
		return 0;
	}
	s->total += ns;
	if (!r->count || us < r->least)
		r->least = us;
	if (!r->count || us > r->most)
		r->most = us;
	r->count++;
	r->sum += us;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	int diff = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	if (diff)
		return diff;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return strcmp(calls_level(x->level), calls_level(y->level));
}

/* Empty places of the table go; the rest is sorted. */
static void sort(struct sums *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->room; i++)
		if (s->table[i])
			s->table[n++] = s->table[i];
	s->room = n;
	if (n)
		qsort(s->table, n, sizeof(*s->table), by_name);
}

static char *number(char *to, double v)
{
	*to++ = ',';
	return decimal_round3(to, v);
}

static void put_row(struct out *o, const struct row *r)
{
	size_t len = r->len < NAME_MAX_BYTES ? r->len : NAME_MAX_BYTES;
	const char *level = calls_level(r->level);
	char *to = out_room(o, 512 + ESCAPE_ROOM(len));

	to = text_literal(to, "host,");
	to = text_copy(to, level, strlen(level));
	*to++ = ',';
	to = number(escape_csv(to, r->name, len), r->sum);
	*to++ = ',';
	to = text_u64(to, r->count);
	to = number(to, r->average);
	to = number(to, r->least);
	to = number(to, r->most);
	to = number(to, r->deviations / (double)r->count);
	*to++ = '\n';
	out_used(o, to);
}

static int sum_up(struct sums *s)
{
	if (calls_each(&s->calls, add, s))
		return -1;
	for (size_t i = 0; i < s->room; i++) {
		struct row *r = s->table[i];

		if (r) {
			r->sum = rounded(r->sum);
			r->average = rounded(r->sum / (double)r->count);
		}
	}
	s->second = true;
	return calls_each(&s->calls, add, s);
}

int calls_table_write(struct out *o, const char *path, uint64_t *rows, const struct prof *prof, struct diag *diag)
{
	static const char heading[] = "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n";
	struct sums s = { 0 };
	int ret = calls_load(&s.calls, prof_host(prof), diag);

	if (!ret && sum_up(&s))
		ret = diag_fail(diag, "%s: out of memory", path);
	sort(&s);
	if (!ret && s.total) {
		ret = out_open(o, path, diag);
		if (!ret)
			out_text(o, heading, sizeof(heading) - 1);
		for (size_t i = 0; i < s.room && !ret && !o->error; i++, ++*rows)
			put_row(o, s.table[i]);
	}
	for (size_t i = 0; i < s.room; i++)
		free(s.table[i]);
	free(s.table);
	calls_free(&s.calls);
	return ret;
}
