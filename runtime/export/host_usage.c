/* SPDX-License-Identifier: Apache-2.0 */
/* host_mem.data, host_disk.data, host_network.data */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/host_parts.h"

#define MILLION 1000000
#define BYTES_PER_MBIT 125000 /* and second */

/* ---- memory ---- */

void host_load_mem(struct host_view *v)
{
	struct host_lines l = { .s = &v->part->table[SLICES_HOST_MEM] };
	uint64_t total = v->part->control.memory_kb;
	struct host_values list = { 0 };
	double peak, recommended;

	while (total && host_lines_slice(v, &l)) {
		char *line, *word[3];
		uint64_t last = 0;

		while ((line = host_lines_next(&l))) {
			int128 kb;
			double usage;

			if (host_words(line, word, 3) < 3)
				continue;
			kb = (int128)strtoull(word[2], NULL, 10) * 4;
			usage = (double)(int64_t)div_half_even(kb * 100 * MILLION, (int128)total) / MILLION;
			if (last) {
				host_add(v, "Memory Usage", "Usage(%)", last, usage);
				host_values_add(v, &list, usage);
			}
			last = strtoull(word[0], NULL, 10);
		}
	}
	host_lines_free(&l);
	if (host_values_peak(&list, &peak, &recommended)) {
		host_heading(v, HOST_TABLE_MEM, "Total Memory(KB),Peak Used Memory(KB),Recommend Memory(KB)");
		host_cell_u64(v, HOST_TABLE_MEM, total);
		host_cell_round3(v, HOST_TABLE_MEM, peak * (double)total / 100);
		host_cell_round3(v, HOST_TABLE_MEM, recommended * (double)total / 100);
		host_row_end(v, HOST_TABLE_MEM);
	}
	free(list.value);
}

static void peak_cells(struct host_view *v, enum host_table_id id, struct host_values *list)
{
	double peak, recommended;

	if (host_values_peak(list, &peak, &recommended)) {
		host_cell_repr(v, id, peak);
		host_cell_repr(v, id, recommended);
	} else {
		host_cell_text(v, id, "N/A");
		host_cell_text(v, id, "N/A");
	}
	free(list->value);
}

/* ---- disk: lines of iotop, one for each interval ---- */

/* "12.34", "K/s" as KB/s */
static double rate(const char *number, const char *unit)
{
	static const struct {
		char letter;
		double kb;
	} units[] = { { 'B', 1.0 / 1024 }, { 'K', 1 }, { 'M', 1024 }, { 'G', 1024 * 1024 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (*unit == units[i].letter)
			return strtod(number, NULL) * units[i].kb;
	return strtod(number, NULL);
}

static void disk_slice(struct host_view *v, struct host_lines *l, struct host_values list[2])
{
	uint64_t hz = v->part->control.disk_hz, begin = 0, n = 0;
	char *line;

	while ((line = host_lines_next(l))) {
		bool known = !strstr(line, "unavailable");
		char *word[12];
		unsigned int words = host_words(line, word, 12);
		uint64_t ns;
		double kb[2];

		if (words < 2 || !isdigit((unsigned char)*word[1]))
			continue;
		if (!strcmp(word[0], "start_time")) {
			begin = strtoull(word[1], NULL, 10);
			continue;
		}
		if (words < 8)
			continue;
		ns = begin + n++ * 1000000000u / hz;
		for (int k = 0; k < 2; k++) {
			kb[k] = rate(word[4 + 2 * k], word[5 + 2 * k]);
			host_values_add(v, &list[k], kb[k]);
		}
		host_add(v, "Disk Read", "Read(KB/s)", ns, kb[0]);
		host_add(v, "Disk Write", "Write(KB/s)", ns, kb[1]);
		if (known && words >= 11)
			host_add(v, "Disk Usage", "Usage(%)", ns, strtod(word[10], NULL));
	}
}

void host_load_disk(struct host_view *v)
{
	struct host_lines l = { .s = &v->part->table[SLICES_HOST_DISK] };
	struct host_values list[2] = { 0 };

	while (v->part->control.disk_hz && host_lines_slice(v, &l))
		disk_slice(v, &l, list);
	host_lines_free(&l);
	if (!l.s->rows)
		return;
	host_heading(v, HOST_TABLE_DISK, "Peak Disk Read(KB/s),Recommend Disk Read(KB/s),"
					 "Peak Disk Write(KB/s),Recommend Disk Write(KB/s)");
	peak_cells(v, HOST_TABLE_DISK, &list[0]);
	peak_cells(v, HOST_TABLE_DISK, &list[1]);
	host_row_end(v, HOST_TABLE_DISK);
}

/* ---- network: cards whose speed is known ---- */

struct traffic {
	uint64_t ns;
	uint64_t rx[CONTROL_CARDS], tx[CONTROL_CARDS];
	bool has[CONTROL_CARDS];
	int last; /* card that came last */
};

static void card_line(const struct control *c, struct traffic *t, char *line)
{
	char *word[13];

	if (host_words(line, word, 13) < 12 || word[0][strlen(word[0]) - 1] != ':')
		return;
	word[0][strlen(word[0]) - 1] = '\0';
	for (unsigned int i = 0; i < c->nr_cards; i++) {
		if (strcmp(c->card[i].name, word[0]))
			continue;
		t->rx[i] = strtoull(word[1], NULL, 10);
		t->tx[i] = strtoull(word[9], NULL, 10);
		t->has[i] = true;
		t->last = (int)i;
	}
}

static void traffic_interval(struct host_view *v, const struct traffic *a, const struct traffic *b,
			     struct host_values *list)
{
	const struct control *c = &v->part->control;
	double begin = (double)a->ns / 1e9, end = (double)b->ns / 1e9;
	struct host_point *point;
	unsigned int cards = 0;
	uint64_t bytes = 0;
	long double speed;

	for (unsigned int i = 0; i < c->nr_cards; i++) {
		if (!a->has[i] || !b->has[i] || b->rx[i] < a->rx[i] || b->tx[i] < a->tx[i])
			continue;
		bytes += b->rx[i] - a->rx[i] + b->tx[i] - a->tx[i];
		cards++;
	}
	if (!cards)
		return;
	/* The parser's steps: seconds as doubles, the rest in decimals. */
	speed = end > begin ? (long double)bytes / cards / (long double)(end - begin) : 0;
	host_values_add(v, list, (double)speed * cards / 1024);
	point = host_add(v, "Network Usage", "Usage(%)", a->ns,
			 (double)(rintl(speed * 100 / (c->card[b->last].mbit * BYTES_PER_MBIT) * MILLION) / MILLION));
	if (point)
		point->bytes_per_s = (double)speed * cards;
}

void host_load_network(struct host_view *v)
{
	struct host_lines l = { .s = &v->part->table[SLICES_HOST_NETWORK] };
	const struct control *c = &v->part->control;
	struct host_values list = { 0 };
	double speed = 0;

	while (host_lines_slice(v, &l)) {
		struct traffic last = { 0 }, now = { 0 };
		char *line;

		while ((line = host_lines_next(&l))) {
			if (strncmp(line, "time", 4)) {
				card_line(c, &now, line);
				continue;
			}
			if (last.ns)
				traffic_interval(v, &last, &now, &list);
			last = now;
			now = (struct traffic){ .ns = strtoull(line + 4, NULL, 10) };
		}
		if (last.ns)
			traffic_interval(v, &last, &now, &list);
	}
	host_lines_free(&l);
	if (!l.s->rows)
		return;
	for (unsigned int i = 0; i < c->nr_cards; i++)
		speed += (double)c->card[i].mbit * BYTES_PER_MBIT / 1024;
	host_heading(v, HOST_TABLE_NETWORK, "Netcard Speed(KB/s),Peak Used Speed(KB/s),Recommend Speed(KB/s)");
	if (c->nr_cards)
		host_cell_repr(v, HOST_TABLE_NETWORK, speed);
	else
		host_cell_u64(v, HOST_TABLE_NETWORK, 0);
	peak_cells(v, HOST_TABLE_NETWORK, &list);
	host_row_end(v, HOST_TABLE_NETWORK);
}
