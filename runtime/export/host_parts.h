/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of host data share; for the files that host.c puts together. */
#ifndef ASCPROF_HOST_PARTS_H
#define ASCPROF_HOST_PARTS_H

#include "export/decimal.h"
#include "export/host.h"

/* The lines of a kind, slice by slice. */
struct host_lines {
	const struct slices *s;
	unsigned int next;
	const char *name; /* of the slice */
	char *text; /* of the slice */
	char *at;
};

/* The next slice that holds something; false: there is none, or no memory (v->failed). */
bool host_lines_slice(struct host_view *v, struct host_lines *l);
/* Terminated and without its end; what is no whole line is left out. NULL: the slice ends. */
char *host_lines_next(struct host_lines *l);
void host_lines_free(struct host_lines *l);
/* Calls @each for the lines of all samples that begin with "time <ns>", but those. */
void host_each_line(struct host_view *v, enum slices_kind kind,
		    void (*each)(struct host_view *v, void *arg, uint64_t ns, char *line), void *arg);

/*
 * Adds a point; where the series is new it is made. @key: lives for ever. Return: the point, valid until
 * another is added, or NULL (v->failed).
 */
struct host_point *host_add(struct host_view *v, const char *name, const char *key, uint64_t ns, double value);

/* Adds to the table; @heading comes first when it is new. */
void host_heading(struct host_view *v, enum host_table_id id, const char *heading);
void host_cell_text(struct host_view *v, enum host_table_id id, const char *text);
void host_cell_u64(struct host_view *v, enum host_table_id id, uint64_t value);
void host_cell_repr(struct host_view *v, enum host_table_id id, double value);
void host_cell_round3(struct host_view *v, enum host_table_id id, double value);
void host_row_end(struct host_view *v, enum host_table_id id);

/* Growing list of values, for the peak and what is recommended. */
struct host_values {
	double *value;
	size_t nr, room;
};

void host_values_add(struct host_view *v, struct host_values *list, double value);
/* The highest, and 98 percent of those above 0, with a quarter more. Return: false: there is none. */
bool host_values_peak(struct host_values *list, double *peak, double *recommended);

/* Words of @line, at most @max; what is between blanks. */
unsigned int host_words(char *line, char **word, unsigned int max);

void host_load_cpu(struct host_view *v);
void host_load_mem(struct host_view *v);
void host_load_disk(struct host_view *v);
void host_load_network(struct host_view *v);
void host_load_sys_cpu(struct host_view *v);
void host_load_sys_mem(struct host_view *v);
void host_load_process_cpu(struct host_view *v);
void host_load_process_mem(struct host_view *v);
void host_load_counters(struct host_view *v);
void host_load_calls(struct host_view *v);
void host_load_disks(struct host_view *v);
void host_load_pmus(struct host_view *v);
void host_load_numa(struct host_view *v);

#endif /* ASCPROF_HOST_PARTS_H */
