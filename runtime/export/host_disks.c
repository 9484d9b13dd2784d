/* SPDX-License-Identifier: Apache-2.0 */
/* ascprof.disks: what each disk of the machine read and wrote, and how long it was busy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/host_parts.h"

enum { READ, WRITTEN, BUSY, COLUMNS }; /* bytes, bytes, ms */

struct disk {
	char name[40];
	uint64_t ns, first_ns;
	uint64_t first[COLUMNS], last[COLUMNS];
};

struct disks {
	struct disk *disk;
	size_t nr;
};

static struct disk *disk_of(struct host_view *v, struct disks *d, const char *name)
{
	struct disk *more;

	for (size_t i = 0; i < d->nr; i++)
		if (!strcmp(d->disk[i].name, name))
			return &d->disk[i];
	more = realloc(d->disk, (d->nr + 1) * sizeof(*more));
	if (!more) {
		v->failed = true;
		return NULL;
	}
	d->disk = more;
	more += d->nr++;
	*more = (struct disk){ 0 };
	snprintf(more->name, sizeof(more->name), "%s", name);
	return more;
}

static double busy_percent(uint64_t ms, uint64_t ns)
{
	double percent = (double)ms * 1e8 / (double)ns;

	return percent > 100 ? 100 : percent; /* the kernel counts in steps of its own */
}

static void interval(struct host_view *v, const struct disk *d, uint64_t ns, const uint64_t now[COLUMNS])
{
	double seconds = (double)(ns - d->ns) / 1e9;
	char name[64];

	for (int i = READ; i <= WRITTEN; i++) {
		snprintf(name, sizeof(name), "Disk %.32s %s", d->name, i == READ ? "Read" : "Write");
		host_add(v, name, i == READ ? "Read(KB/s)" : "Write(KB/s)", d->ns,
			 (double)(now[i] - d->last[i]) / 1024 / seconds);
	}
	snprintf(name, sizeof(name), "Disk %.32s Busy", d->name);
	host_add(v, name, "Busy(%)", d->ns, busy_percent(now[BUSY] - d->last[BUSY], ns - d->ns));
}

static void disk_line(struct host_view *v, void *arg, uint64_t ns, char *line)
{
	struct disks *disks = arg;
	uint64_t now[COLUMNS];
	char *word[COLUMNS + 1];
	struct disk *d;

	if (host_words(line, word, COLUMNS + 1) <= COLUMNS || !(d = disk_of(v, disks, word[0])))
		return;
	for (int i = 0; i < COLUMNS; i++)
		now[i] = strtoull(word[i + 1], NULL, 10);
	if (d->ns && ns <= d->ns) /* the copy that a slice begins with */
		return;
	if (d->ns) {
		interval(v, d, ns, now);
	} else {
		memcpy(d->first, now, sizeof(now));
		d->first_ns = ns;
	}
	memcpy(d->last, now, sizeof(now));
	d->ns = ns;
}

void host_load_disks(struct host_view *v)
{
	struct disks disks = { 0 };

	host_each_line(v, SLICES_DISKS, disk_line, &disks);
	for (size_t i = 0; i < disks.nr; i++) {
		const struct disk *d = &disks.disk[i];

		host_heading(v, HOST_TABLE_DISKS, "Disk,Read(KB),Written(KB),Busy(%)");
		host_cell_text(v, HOST_TABLE_DISKS, d->name);
		host_cell_u64(v, HOST_TABLE_DISKS, (d->last[READ] - d->first[READ]) / 1024);
		host_cell_u64(v, HOST_TABLE_DISKS, (d->last[WRITTEN] - d->first[WRITTEN]) / 1024);
		host_cell_round3(v, HOST_TABLE_DISKS, d->ns > d->first_ns ?
				 busy_percent(d->last[BUSY] - d->first[BUSY], d->ns - d->first_ns) : 0);
		host_row_end(v, HOST_TABLE_DISKS);
	}
	free(disks.disk);
}
