/* SPDX-License-Identifier: Apache-2.0 */
#include "export/filter.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export/host.h"
#include "export/timebase.h"
#include "export/tx.h"

#define NS_PER_S 1000000000

#define COPIES_MOST 4096

struct filter_name {
	bool expression;
	regex_t regex;
	char *pattern;
};

/* What a kind is of decides which groups have it. */
static const struct {
	const char *name;
	bool counter;
} kinds[] = {
	{ "mark", false },	 { "push_pop", false },	   { "range", false }, { "mark_ex", false },
	{ "mstx_mark", false },	 { "mstx_range", false },  { "other", false }, { "tensor_info", false },
	{ "api", false },	 { "event", false },	   { "syscall", false }, { "pthread", false },
	{ "llc", true },	 { "hbm", true },	   { "soc_profile", true }, { "host", true },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* ---- times ---- */

/* Digits with decimals as nanoseconds of @unit; NULL: no such number. */
static const char *decimal_ns(const char *s, int64_t *ns)
{
	int64_t whole = 0, part = NS_PER_S, fraction = 0;

	if (!isdigit((unsigned char)*s))
		return NULL;
	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, *s - '0', &whole))
			return NULL;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++) {
			part /= 10;
			fraction += (*s - '0') * part;
		}
	if (__builtin_mul_overflow(whole, (int64_t)NS_PER_S, ns) || __builtin_add_overflow(*ns, fraction, ns))
		return NULL;
	return s;
}

static bool parse_relative(const char *text, int64_t *ns)
{
	static const struct {
		const char *unit;
		int64_t divisor;
	} units[] = { { "", 1 }, { "s", 1 }, { "ms", 1000 }, { "us", 1000000 }, { "ns", NS_PER_S } };
	const char *end = decimal_ns(text, ns);

	for (size_t i = 0; end && i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(end, units[i].unit)) {
			*ns /= units[i].divisor;
			return true;
		}
	}
	return false;
}

/* 2027-01-15T08:00:00.25Z */
static bool parse_utc(const char *text, int64_t *ns)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:", &tm);
	int64_t seconds;

	end = end ? decimal_ns(end, ns) : NULL;
	return end && !strcmp(end, "Z") && *ns < 61LL * NS_PER_S &&
	       !__builtin_mul_overflow((int64_t)timegm(&tm), (int64_t)NS_PER_S, &seconds) &&
	       !__builtin_add_overflow(*ns, seconds, ns);
}

const char *filter_add_time(struct filter *f, bool to, const char *text)
{
	struct filter_time *t = to ? &f->to : &f->from;
	const char *end;

	t->relative = parse_relative(text, &t->ns);
	if (!t->relative) {
		end = *text == '@' ? decimal_ns(text + 1, &t->ns) : NULL;
		if (!(end && !*end) && !parse_utc(text, &t->ns))
			return "a time was expected, such as 1.5s, 20ms, @1800000000.25 or 2027-01-15T08:00:00Z";
	}
	t->given = true;
	f->active = true;
	return NULL;
}

void filter_origin(struct filter *f, int64_t first)
{
	for (int i = 0; i < 2; i++) {
		struct filter_time *t = i ? &f->to : &f->from;

		if (t->relative && __builtin_add_overflow(first, t->ns, &t->ns))
			t->ns = INT64_MAX;
		t->relative = false;
	}
}

/* ---- numbers, names, kinds ---- */

static const char *add_number(struct filter *f, uint32_t *list, unsigned int *nr, const char *text)
{
	unsigned long long v;
	char *end;

	do {
		errno = 0;
		v = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : ULLONG_MAX;
		if (v > UINT32_MAX || errno || (*end && *end != ','))
			return "a number was expected, or several with commas";
		if (*nr == FILTER_MOST)
			return "at most 64 values were expected";
		list[(*nr)++] = (uint32_t)v;
		text = end + 1;
	} while (*end);
	f->active = true;
	return NULL;
}

const char *filter_add_pid(struct filter *f, const char *text)
{
	return add_number(f, f->pid, &f->nr_pids, text);
}

const char *filter_add_tid(struct filter *f, const char *text)
{
	return add_number(f, f->tid, &f->nr_tids, text);
}

/* Behind a bracket expression that begins at @s */
static const char *behind_brackets(const char *s)
{
	s += s[1] == '^' ? 2 : 1;
	if (*s == ']')
		s++;
	while (*s && *s != ']')
		s++;
	return *s ? s + 1 : s;
}

/* The larger number of "n,m}" */
static uint64_t most_times(const char **s)
{
	uint64_t most = 1, n;

	while (**s && **s != '}') {
		char *end;

		n = strtoull(*s, &end, 10);
		if (n > most)
			most = n;
		*s = end > *s ? end : *s + 1;
	}
	return most;
}

/*
 * The C library copies what is repeated by + or {n}, and copies of copies where repetitions are
 * nested: a few of them take all memory. Return: how many times something is copied at most.
 */
static uint64_t copies(const char *s)
{
	uint64_t n = 1, times;
	bool group = false, repeated = false; /* what is in front, which may have copies in it */

	while (*s && n <= COPIES_MOST) {
		char c = *s++;

		if (c == '{') {
			times = most_times(&s);
			n *= times < COPIES_MOST ? times : COPIES_MOST + 1;
		} else if (c == '+') {
			n *= repeated ? 4 : group ? 2 : 1; /* as the library's time grows */
		}
		group = c == ')';
		repeated = strchr("*+?{", c);
		if (c == '\\' && *s)
			s++;
		else if (c == '[')
			s = behind_brackets(s - 1);
	}
	return n;
}

const char *filter_add_name(struct filter *f, const char *text)
{
	size_t len = strlen(text);
	struct filter_name *grown = realloc(f->name, (f->nr_names + 1) * sizeof(*grown));
	struct filter_name n = { .expression = len > 2 && text[0] == '/' && text[len - 1] == '/' };

	if (!grown)
		return "less was expected: out of memory";
	f->name = grown;
	n.pattern = n.expression ? strndup(text + 1, len - 2) : strdup(text);
	if (!n.pattern)
		return "less was expected: out of memory";
	if (n.expression && copies(n.pattern) > COPIES_MOST) {
		free(n.pattern);
		return "a regular expression with fewer repetitions in repetitions was expected";
	}
	if (n.expression && regcomp(&n.regex, n.pattern, REG_EXTENDED | REG_NOSUB)) {
		free(n.pattern);
		return "a regular expression was expected between the slashes";
	}
	f->name[f->nr_names++] = n;
	f->active = true;
	return NULL;
}

static uint64_t kind_bits(const char *name, size_t len)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < NR_KINDS; i++) {
		const char *group = kinds[i].counter ? "counters" : "annotations";

		if ((strlen(kinds[i].name) == len && !memcmp(kinds[i].name, name, len)) ||
		    (strlen(group) == len && !memcmp(group, name, len)))
			bits |= 1ULL << i;
	}
	return bits;
}

const char *filter_add_kind(struct filter *f, const char *text)
{
	for (;;) {
		size_t len = strcspn(text, ",");
		uint64_t bits = kind_bits(text, len);

		if (!bits)
			return "annotations, counters, or some of mark, push_pop, range, mark_ex, mstx_mark, "
			       "mstx_range, other, tensor_info, api, event, syscall, pthread, llc, hbm, soc_profile, host were expected";
		f->kinds |= bits;
		f->active = true;
		if (!text[len])
			return NULL;
		text += len + 1;
	}
}

void filter_free(struct filter *f)
{
	for (unsigned int i = 0; i < f->nr_names; i++) {
		if (f->name[i].expression)
			regfree(&f->name[i].regex);
		free(f->name[i].pattern);
	}
	free(f->name);
	*f = (struct filter){ 0 };
}

/* ---- asked ---- */

bool filter_wants_kind(const struct filter *f, const char *kind)
{
	return !f || !f->kinds || f->kinds & kind_bits(kind, strlen(kind));
}

bool filter_wants_time(const struct filter *f, int64_t start, int64_t end)
{
	if (!f)
		return true;
	if (f->to.given && start >= f->to.ns)
		return false;
	return !f->from.given || start >= f->from.ns || end > f->from.ns;
}

static bool has(const uint32_t *list, unsigned int nr, uint32_t v)
{
	bool found = !nr;

	for (unsigned int i = 0; i < nr && !found; i++)
		found = list[i] == v;
	return found;
}

bool filter_wants_thread(const struct filter *f, uint32_t pid, uint32_t tid)
{
	return !f || (has(f->pid, f->nr_pids, pid) && has(f->tid, f->nr_tids, tid));
}

/* '*' any bytes, '?' one. Goes back to the last '*' only: no more than length times length steps. */
static bool matches(const char *pattern, const char *s, size_t len)
{
	const char *end = s + len, *star = NULL, *retry = NULL;

	while (s < end) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = s;
		} else if (*pattern && (*pattern == '?' || *pattern == *s)) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool filter_wants_name(const struct filter *f, const char *name, size_t len)
{
	bool found = !f || !f->nr_names;

	for (unsigned int i = 0; !found && i < f->nr_names; i++) {
		regmatch_t range = { 0, (regoff_t)(len < INT_MAX ? len : INT_MAX) };

		found = f->name[i].expression ? !regexec(&f->name[i].regex, name, 1, &range, REG_STARTEND) :
						matches(f->name[i].pattern, name, len);
	}
	return found;
}

bool filter_wants_row(const struct filter *f, const struct timebase *tb, const struct row_tx *row)
{
	int64_t start;

	if (!f)
		return true;
	if (!filter_wants_kind(f, tx_account_name(tx_account_of(row))) || !filter_wants_thread(f, row->pid, row->tid))
		return false;
	start = timebase_host(tb, row->start);
	return filter_wants_time(f, start, timebase_host(tb, row->end));
}

/* Its process is not told. */
bool filter_wants_syscall(const struct filter *f, const struct host_call *c)
{
	return !f || (!f->nr_pids && has(f->tid, f->nr_tids, c->tid) && filter_wants_kind(f, c->kind) &&
		      filter_wants_name(f, c->name, strlen(c->name)) &&
		      filter_wants_time(f, c->wall, c->wall + (int64_t)c->ns));
}

bool filter_wants_counter(const struct filter *f, const char *kind, int64_t wall)
{
	return !f || (!f->nr_pids && !f->nr_tids && filter_wants_kind(f, kind) && filter_wants_time(f, wall, wall));
}
