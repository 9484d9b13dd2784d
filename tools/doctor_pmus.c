/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the machine that the module could sample. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/pmus.h"
#include "tools/doctor.h"

struct skips {
	unsigned int nr;
	char first[160];
};

static void skipped(void *arg, const char *pmu, const char *event, const char *why)
{
	struct skips *s = arg;

	if (!s->nr++)
		snprintf(s->first, sizeof(s->first), "%s%s%s: %s", pmu, event ? "/" : "", event ? event : "", why);
}

/* Counters of one kind stand together no more than their names do. */
static void say_kind(struct doctor *d, const struct pmus *found, const char *what)
{
	const struct pmus_counter *last = NULL;
	unsigned int pmus = 0, counters = 0;
	char first[PMUS_NAME] = "";

	for (unsigned int i = 0; i < found->nr; i++) {
		const struct pmus_counter *c = &found->counters[i];

		if (strcmp(c->what, what))
			continue;
		if (!last)
			snprintf(first, sizeof(first), "%s", c->pmu);
		pmus += !last || strcmp(last->pmu, c->pmu);
		counters++;
		last = c;
	}
	doctor_say(d, DOCTOR_OK, "pmus", "%s: %u counters of %u PMUs (%s%s)", what, counters, pmus, first,
		   pmus > 1 ? ", ..." : "");
}

static bool is_first(const struct pmus *found, unsigned int at)
{
	for (unsigned int i = 0; i < at; i++)
		if (!strcmp(found->counters[i].what, found->counters[at].what))
			return false;
	return true;
}

void doctor_pmus(struct doctor *d)
{
	struct skips skips = { 0 };
	struct npus_one npus[NPUS_MAX];
	struct pmus *found = malloc(sizeof(*found));
	char sys[300];
	struct pmus_query query = { .root = sys, .per_cpu = true, .skipped = skipped, .arg = &skips };
	int err;

	if (!found) {
		d->no_memory = true;
		return;
	}
	snprintf(sys, sizeof(sys), "%s/sys", d->root);
	if (doctor_find_npus(d, npus)) {
		query.npu = true;
		query.at = npus[0].at;
	}
	err = pmus_find(&query, found);
	for (unsigned int i = 0; i < found->nr; i++)
		if (is_first(found, i))
			say_kind(d, found, found->counters[i].what);
	if (err == E2BIG)
		doctor_say(d, DOCTOR_NOTE, "pmus", "there are more than the %d counters that a stream takes", PMUS_MAX);
	else if (err)
		doctor_say(d, DOCTOR_NOTE, "pmus", "/sys/bus/event_source/devices: %s", strerror(err));
	else if (!found->nr)
		doctor_say(d, DOCTOR_NOTE, "pmus", "none that is known here: virtual machines mostly have none");
	if (skips.nr)
		doctor_say(d, DOCTOR_NOTE, "pmus", "%u left out, the first: %s", skips.nr, skips.first);
	free(found);
}
