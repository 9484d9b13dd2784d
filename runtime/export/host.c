/* SPDX-License-Identifier: Apache-2.0 */
#include "export/host_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/text.h"
#include "export/timebase.h"
#include "format/escape.h"

/* ---- lines ---- */

bool host_lines_slice(struct host_view *v, struct host_lines *l)
{
	free(l->text);
	l->text = l->at = NULL;
	while (l->next < l->s->nr) {
		const struct slice *slice = &l->s->slice[l->next++];

		if (!slice->size)
			continue;
		l->text = malloc(slice->size + 1);
		if (!l->text) {
			v->failed = true;
			return false;
		}
		memcpy(l->text, slice->map.begin, slice->size);
		l->text[slice->size] = '\0';
		l->at = l->text;
		l->name = slice->name;
		return true;
	}
	return false;
}

char *host_lines_next(struct host_lines *l)
{
	char *line = l->at, *end = line ? strchr(line, '\n') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	l->at = end + 1;
	return line;
}

void host_lines_free(struct host_lines *l)
{
	free(l->text);
	l->text = l->at = NULL;
}

void host_each_line(struct host_view *v, enum slices_kind kind,
		    void (*each)(struct host_view *v, void *arg, uint64_t ns, char *line), void *arg)
{
	struct host_lines l = { .s = &v->part->table[kind] };

	while (host_lines_slice(v, &l)) {
		uint64_t ns = 0;
		char *line;

		while ((line = host_lines_next(&l))) {
			if (!strncmp(line, "time ", 5))
				ns = strtoull(line + 5, NULL, 10);
			else if (ns)
				each(v, arg, ns, line);
		}
	}
	host_lines_free(&l);
}

unsigned int host_words(char *line, char **word, unsigned int max)
{
	unsigned int n = 0;
	char *save, *one;

	for (one = strtok_r(line, " \t", &save); one && n < max; one = strtok_r(NULL, " \t", &save))
		word[n++] = one;
	return n;
}

/* ---- series ---- */

static struct host_series *series_of(struct host_view *v, const char *name, const char *key)
{
	struct host_series *more;

	for (unsigned int i = 0; i < v->nr_series; i++)
		if (!strcmp(v->series[i].name, name) && !strcmp(v->series[i].key, key))
			return &v->series[i];
	more = realloc(v->series, (v->nr_series + 1) * sizeof(*more));
	if (!more)
		return NULL;
	v->series = more;
	more += v->nr_series++;
	*more = (struct host_series){ .key = key };
	snprintf(more->name, sizeof(more->name), "%s", name);
	return more;
}

struct host_point *host_add(struct host_view *v, const char *name, const char *key, uint64_t ns, double value)
{
	struct host_series *s = series_of(v, name, key);

	if (s && s->nr == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct host_point *more = realloc(s->point, room * sizeof(*more));

		if (more) {
			s->point = more;
			s->room = room;
		}
	}
	if (!s || s->nr == s->room) {
		v->failed = true;
		return NULL;
	}
	s->point[s->nr] = (struct host_point){ timebase_raw(&v->part->time, ns), value, 0 };
	return &s->point[s->nr++];
}

void host_values_add(struct host_view *v, struct host_values *list, double value)
{
	if (list->nr == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		double *more = realloc(list->value, room * sizeof(*more));

		if (!more) {
			v->failed = true;
			return;
		}
		list->value = more;
		list->room = room;
	}
	list->value[list->nr++] = value;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

bool host_values_peak(struct host_values *list, double *peak, double *recommended)
{
	size_t none = 0, n;
	double rank;

	if (!list->nr)
		return false;
	qsort(list->value, list->nr, sizeof(*list->value), by_value);
	while (none < list->nr && list->value[none] <= 0)
		none++;
	n = list->nr - none;
	*peak = list->value[list->nr - 1];
	*recommended = 0;
	if (!n)
		return true;
	rank = (double)(n - 1) * 0.98;
	n = (size_t)rank;
	n += (double)n < rank;
	*recommended = list->value[none + n] / 0.8;
	return true;
}

/* ---- tables ---- */

static void append(struct host_view *v, enum host_table_id id, const char *s, size_t n)
{
	struct host_table *t = &v->table[id];

	if (t->room - t->len < n) {
		size_t room = 2 * (t->len + n) + 256;
		char *more = realloc(t->text, room);

		if (!more) {
			v->failed = true;
			return;
		}
		t->text = more;
		t->room = room;
	}
	memcpy(t->text + t->len, s, n);
	t->len += n;
}

void host_heading(struct host_view *v, enum host_table_id id, const char *heading)
{
	if (v->table[id].text)
		return;
	append(v, id, "Device_id,", 10);
	append(v, id, heading, strlen(heading));
	append(v, id, "\nhost", 5);
}

static void cell(struct host_view *v, enum host_table_id id, const char *s, size_t n)
{
	const struct host_table *t = &v->table[id];

	if (t->len && t->text[t->len - 1] == '\n')
		append(v, id, "host", 4);
	append(v, id, ",", 1);
	append(v, id, s, n);
}

void host_cell_text(struct host_view *v, enum host_table_id id, const char *text)
{
	char safe[ESCAPE_ROOM(256)];
	size_t n = strlen(text);

	n = n > 256 ? 256 : n;
	cell(v, id, safe, (size_t)(escape_csv(safe, text, n) - safe));
}

void host_cell_u64(struct host_view *v, enum host_table_id id, uint64_t value)
{
	char text[TEXT_NUMBER];

	cell(v, id, text, (size_t)(text_u64(text, value) - text));
}

void host_cell_repr(struct host_view *v, enum host_table_id id, double value)
{
	char text[DECIMAL_TEXT];

	cell(v, id, text, (size_t)(decimal_repr(text, value) - text));
}

void host_cell_round3(struct host_view *v, enum host_table_id id, double value)
{
	char text[DECIMAL_TEXT];

	cell(v, id, text, (size_t)(decimal_round3(text, value) - text));
}

void host_row_end(struct host_view *v, enum host_table_id id)
{
	append(v, id, "\n", 1);
	v->table[id].rows++;
}

/* ---- all ---- */

const char *host_table_name(enum host_table_id id)
{
	static const char *const names[HOST_TABLES] = {
		[HOST_TABLE_CPU] = "host_cpu_usage",
		[HOST_TABLE_MEM] = "host_mem_usage",
		[HOST_TABLE_DISK] = "host_disk_usage",
		[HOST_TABLE_NETWORK] = "host_network_usage",
		[HOST_TABLE_SYS_CPU] = "cpu_usage",
		[HOST_TABLE_SYS_MEM] = "sys_mem",
		[HOST_TABLE_PROCESS_CPU] = "process_cpu_usage",
		[HOST_TABLE_PROCESS_MEM] = "process_mem",
		[HOST_TABLE_COUNTERS] = "host_counters",
		[HOST_TABLE_CALLS] = "os_runtime_statistic",
		[HOST_TABLE_DISKS] = "host_disks",
		[HOST_TABLE_PMUS] = "host_pmus",
		[HOST_TABLE_NUMA] = "host_numa",
	};

	return names[id];
}

int host_view_load(struct host_view *v, const struct prof_part *part, struct diag *diag)
{
	*v = (struct host_view){ .part = part };
	if (!part)
		return 0;
	host_load_cpu(v);
	host_load_mem(v);
	host_load_disk(v);
	host_load_network(v);
	host_load_sys_cpu(v);
	host_load_sys_mem(v);
	host_load_process_cpu(v);
	host_load_process_mem(v);
	host_load_counters(v);
	host_load_calls(v);
	host_load_disks(v);
	host_load_pmus(v);
	host_load_numa(v);
	return v->failed ? diag_fail(diag, "%s: out of memory", part->path) : 0;
}

void host_view_free(struct host_view *v)
{
	for (unsigned int i = 0; i < v->nr_series; i++)
		free(v->series[i].point);
	free(v->series);
	free(v->call);
	free(v->counter);
	for (int k = 0; k < HOST_TABLES; k++)
		free(v->table[k].text);
	*v = (struct host_view){ 0 };
}
