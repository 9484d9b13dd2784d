/* SPDX-License-Identifier: Apache-2.0 */
#include "export/report_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/escape.h"

void report_time(char *out, int64_t wall, enum report_time_form form)
{
	time_t seconds = (time_t)(wall / 1000000000);
	int ns = (int)(wall % 1000000000);
	char date[24], zone[8];
	struct tm tm;

	if (ns < 0) {
		ns += 1000000000;
		seconds--;
	}
	if (!localtime_r(&seconds, &tm)) {
		strcpy(out, "?");
		return;
	}
	strftime(date, sizeof(date), form == REPORT_CLOCK ? "%H:%M:%S" :
		 form == REPORT_DATE ? "%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M:%S", &tm);
	if (form == REPORT_DATE) {
		strcpy(out, date);
		return;
	}
	if (form != REPORT_FULL) {
		snprintf(out, REPORT_TIME, "%s.%03d", date, ns / 1000000);
		return;
	}
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(out, REPORT_TIME, "%s.%06d %s", date, ns / 1000, zone);
}

void report_safe(char *out, const char *text, unsigned int columns)
{
	unsigned int used;

	*escape_terminal(out, text, strlen(text), columns, &used) = 0;
}

const char *report_duration(char *out, uint64_t ns)
{
	static const char *const units[] = { "us", "ms", "s" };
	double v = (double)ns / 1e3;
	unsigned int unit = 0;

	if (ns < 1000) {
		snprintf(out, REPORT_TIME, "%" PRIu64 "ns", ns);
		return out;
	}
	for (; v >= 999.5 && unit < 2; unit++)
		v /= 1e3;
	snprintf(out, REPORT_TIME, "%.*f%s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[unit]);
	return out;
}

void report_number(FILE *to, double v)
{
	double size = v < 0 ? -v : v;

	if (size < 1e6)
		fprintf(to, " %9.*f", v == (double)(int64_t)v ? 0 : size < 1e3 ? 3 : 1, v);
	else if (size < 1e9)
		fprintf(to, " %9.0f", v);
	else
		fprintf(to, " %9.3e", v);
}

/* What the other columns leave for the name. */
static unsigned int name_room(unsigned int columns)
{
	return columns - 58;
}

void report_names_heading(FILE *to, unsigned int columns)
{
	fprintf(to, "\n  %-*s %-5s %7s%7s%7s%7s%7s%7s%7s\n", (int)name_room(columns), "name", "kind", "count", "total",
		"self", "min", "p50", "p99", "max");
}

static const char *quantile_text(char *out, struct quantile *q, unsigned int permille)
{
	char text[REPORT_TIME];

	snprintf(out, REPORT_TIME, "%s%.60s", quantile_exact(q) ? "" : "~",
		 report_duration(text, quantile_get(q, permille)));
	return out;
}

void report_name(FILE *to, struct summary_row *r, unsigned int columns)
{
	static const char *const kinds[TX_KINDS] = { "mark", "push", "range", "other" };
	unsigned int room = name_room(columns), used;
	size_t len = r->len < 4 * room + 4 ? r->len : 4 * room + 4; /* more than @room characters */
	char *text = malloc(ESCAPE_ROOM(len)), number[6][REPORT_TIME];

	if (!text)
		return;
	*escape_terminal(text, r->text, len, room, &used) = 0;
	fprintf(to, "  %s%*s %-5s %7" PRIu64, text, (int)(room - used), "", kinds[r->kind], r->count);
	free(text);
	if (r->kind == TX_MARK) {
		fprintf(to, "%7s%7s\n", "-", "-");
		return;
	}
	fprintf(to, "%7s%7s%7s%7s%7s%7s\n", report_duration(number[0], r->total), report_duration(number[1], r->self),
		report_duration(number[2], r->min), quantile_text(number[3], &r->durations, 500),
		quantile_text(number[4], &r->durations, 990), report_duration(number[5], r->max));
}

/* ---- totals ---- */

static struct report_total *total_of(struct report_totals *t, const char *kind)
{
	struct report_total *grown;

	for (unsigned int i = 0; i < t->nr; i++)
		if (!strcmp(t->total[i].kind, kind))
			return &t->total[i];
	grown = realloc(t->total, (t->nr + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	t->total = grown;
	grown += t->nr++;
	*grown = (struct report_total){ .first = INT64_MAX, .last = INT64_MIN };
	strcpy(grown->kind, kind);
	return grown;
}

static int add_wrong(struct report_totals *t, const struct prof *prof, const struct tally_row *r,
		     const char *why)
{
	char **grown = realloc(t->wrong, (t->nr_wrong + 1) * sizeof(*grown));
	char device[32] = "";

	if (!grown)
		return -1;
	t->wrong = grown;
	if (r->device >= 0)
		snprintf(device, sizeof(device), " of device %d", r->device);
	if (asprintf(&grown[t->nr_wrong], "%s: %s%s: %s", prof->name, r->kind, device, why) < 0)
		return -1;
	t->nr_wrong++;
	return 0;
}

int report_add(struct report_totals *t, const struct prof *prof, const struct tally *tally)
{
	char why[160];

	t->unknown += !prof->account.exists || prof->account.running;
	for (unsigned int i = 0; i < tally->nr; i++) {
		const struct tally_row *r = &tally->row[i];
		struct report_total *sum = total_of(t, r->kind);

		if (!sum)
			return -1;
		sum->written += tally_written(r);
		if (r->account) {
			sum->produced += r->account->produced;
			sum->dropped += r->account->dropped;
		} else if (r->rows || prof->account.running || !prof->account.exists) {
			sum->unknown = true;
		}
		if (r->first < sum->first)
			sum->first = r->first;
		if (r->first != INT64_MAX && r->last > sum->last)
			sum->last = r->last;
		if (tally_mismatch(r, why, sizeof(why)) && add_wrong(t, prof, r, why))
			return -1;
	}
	return 0;
}

static void print_total(FILE *to, const struct report_total *r)
{
	char kind[ESCAPE_ROOM(ACCOUNT_KIND_LEN)];
	char produced[24] = "-", dropped[24] = "-";
	char first[REPORT_TIME] = "-", last[REPORT_TIME] = "-";

	report_safe(kind, r->kind, 12);
	if (!r->unknown) {
		snprintf(produced, sizeof(produced), "%" PRIu64, r->produced);
		snprintf(dropped, sizeof(dropped), "%" PRIu64, r->dropped);
	}
	if (r->first != INT64_MAX) {
		report_time(first, r->first, REPORT_DATE);
		report_time(last, r->last, REPORT_DATE);
	}
	fprintf(to, "  %-12s %10s %10" PRIu64 " %8s  %-14s %s\n", kind, produced, r->written,
		dropped, first, last);
}

void report_totals(FILE *to, const struct prof_set *set, const struct report_totals *t)
{
	char safe[ESCAPE_ROOM(512)];

	fprintf(to, "Total of %u %s\n", set->nr, set->nr == 1 ? "directory" : "directories");
	fprintf(to, "  %-12s %10s %10s %8s  %-14s %s\n", "kind", "produced", "written", "dropped",
		"first", "last");
	for (unsigned int i = 0; i < t->nr; i++)
		print_total(to, &t->total[i]);
	if (t->unknown)
		fprintf(to, "  %u of %u %s no final accounting: what was produced and dropped\n  is unknown\n",
			t->unknown, set->nr, t->unknown == 1 ? "has" : "have");
	for (unsigned int i = 0; i < t->nr_wrong; i++) {
		report_safe(safe, t->wrong[i], 200);
		fprintf(to, "MISMATCH %s\n", safe);
	}
	if (!t->nr_wrong && t->unknown < set->nr)
		fprintf(to, "  checked: written = rows in the slice files, "
			    "produced = written + dropped\n");
}

void report_totals_free(struct report_totals *t)
{
	for (unsigned int i = 0; i < t->nr_wrong; i++)
		free(t->wrong[i]);
	free(t->wrong);
	free(t->total);
	*t = (struct report_totals){ 0 };
}
