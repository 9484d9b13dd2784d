/* SPDX-License-Identifier: Apache-2.0 */
#include "export/tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/calls_table.h"
#include "export/decimal.h"
#include "format/escape.h"
#include "export/hbm.h"
#include "export/host.h"
#include "export/llc.h"
#include "export/out.h"
#include "export/text.h"
#include "export/tx.h"

enum { TABLE_TX, TABLE_CALLS, TABLE_LLC, TABLE_HBM, TABLE_HOST, TABLES = TABLE_HOST + HOST_TABLES };

struct table {
	struct out out;
	char *path;
	uint64_t rows;
};

struct folder {
	char *path;
	bool made; /* by us */
	struct table table[TABLES];
};

/* ---- msprof_tx.csv ---- */

#define TX_ROOM 512 /* bytes of a row, without foreign text */

#define THREADS 16 /* whose cells are kept as text */

struct thread_cells {
	uint32_t pid, tid;
	size_t len; /* 0: nothing yet */
	char text[48];
};

/* What rows of a table have in common with those before. */
struct tx_row {
	const struct tx *tx;
	struct text_clock clock;
	struct thread_cells thread[THREADS];
};

static char *comma(char *to)
{
	*to = ',';
	return to + 1;
}

static char *field_u64(char *to, uint64_t v)
{
	return comma(text_u64(to, v));
}

static char *field_thread(char *to, struct tx_row *r, uint32_t pid, uint32_t tid)
{
	struct thread_cells *t = &r->thread[tid % THREADS];

	if (!t->len || t->pid != pid || t->tid != tid) {
		t->pid = pid;
		t->tid = tid;
		t->len = (size_t)(field_u64(field_u64(text_literal(t->text, "host,"), pid), tid) - t->text);
	}
	return text_kept(to, t->text, t->len, 32);
}

static char *field_time(char *to, struct tx_row *r, uint64_t stamp)
{
	to = text_clock(to, &r->clock, timebase_parser_host(&r->tx->host->time, stamp));
	return text_literal(to, "\t,");
}

/* Type names of the table; an unknown type is an empty cell. */
static char *field_type(char *to, uint32_t event)
{
	switch (event) {
	case ROW_TX_MARK:
		return text_literal(to, "marker,");
	case ROW_TX_PUSH_POP:
		return text_literal(to, "push/pop,");
	case ROW_TX_RANGE:
		return text_literal(to, "start/end,");
	case ROW_TX_MARK_EX:
		return text_literal(to, "marker_ex,");
	default:
		return comma(to);
	}
}

static char *field_times(char *to, struct tx_row *r, const struct row_tx *row)
{
	char *start = to;

	to = field_time(to, r, row->start);
	return row->end == row->start ? text_copy(to, start, (size_t)(to - start)) : field_time(to, r, row->end);
}

/* Cells between thread and times */
static char *field_details(char *to, const struct tx_event *e)
{
	const struct row_tx *row = &e->row;

	if (e->extended)
		return text_literal(field_type(text_literal(to, "N/A,"), row->event), "N/A,N/A,");
	if (!row->category && !row->payload_type && !row->payload)
		return text_literal(field_type(text_literal(to, "0,"), row->event), "0,0,");
	to = field_type(field_u64(to, row->category), row->event);
	return field_u64(comma(text_i64(to, row->payload_type)), row->payload);
}

/* All cells before the message */
static char *tx_cells(char *to, struct tx_row *r, const struct tx_event *e)
{
	to = field_thread(to, r, e->row.pid, e->row.tid);
	to = field_details(to, e);
	to = field_times(to, r, &e->row);
	if (e->extended)
		return text_literal(to, "N/A,");
	return e->row.message_type ? comma(text_i64(to, e->row.message_type)) : text_literal(to, "0,");
}

/* A row with a message of any length: in pieces */
static int put_long_row(struct out *o, struct tx_row *r, const struct tx_event *e)
{
	size_t room = ESCAPE_ROOM(e->message_len > e->domain_len ? e->message_len : e->domain_len);
	char *buf = malloc(room);

	if (!buf)
		return -1;
	out_used(o, tx_cells(out_room(o, TX_ROOM), r, e));
	out_text(o, buf, (size_t)(escape_csv(buf, e->message, e->message_len) - buf));
	out_text(o, ",", 1);
	if (e->extended)
		out_text(o, buf, (size_t)(escape_csv(buf, e->domain, e->domain_len) - buf));
	else
		out_text(o, "N/A", 3);
	out_text(o, ",N/A,N/A\n", 9);
	free(buf);
	return 0;
}

static int put_row(struct out *o, struct tx_row *r, const struct tx_event *e)
{
	size_t room = TX_ROOM + ESCAPE_ROOM(e->message_len) + ESCAPE_ROOM(e->domain_len);
	char *to;

	if (room > OUT_ROOM)
		return put_long_row(o, r, e);
	to = tx_cells(out_room(o, room), r, e);
	to = comma(escape_csv(to, e->message, e->message_len));
	if (e->extended)
		to = text_literal(escape_csv(to, e->domain, e->domain_len), ",N/A,N/A\n");
	else
		to = text_literal(to, "N/A,N/A,N/A\n");
	out_used(o, to);
	return 0;
}

static int write_tx(struct table *t, const struct prof *prof, struct diag *diag)
{
	static const char heading[] =
		"Device_id,pid,tid,category,event_type,payload_type,payload_value,"
		"Start_time(us),End_time(us),message_type,message,domain,"
		"Device Start_time(us),Device End_time(us)\n";
	struct out *o = &t->out;
	struct tx_event e;
	struct tx tx;
	struct tx_row r = { .tx = &tx };
	int ret = tx_load(&tx, prof_host(prof), TX_ORDER_TABLE, diag);

	if (!ret && tx.nr) {
		ret = out_open(o, t->path, diag);
		if (!ret)
			out_text(o, heading, sizeof(heading) - 1);
	}
	for (size_t i = 0; i < tx.nr && !ret && !o->error; i++) {
		tx_get(&tx, i, &e);
		if (put_row(o, &r, &e))
			ret = diag_fail(diag, "%s: out of memory", t->path);
		t->rows++;
	}
	tx_free(&tx);
	return ret;
}

/* ---- llc_read_write.csv ---- */

/* Percent of an average in millionths, as a double: the parser's steps. */
static double percent(int64_t millionths)
{
	return (double)millionths / 1e6 * 100;
}

static void llc_line(struct table *t, int device, const char *mode, const char *task, double hit,
		     double throughput)
{
	char *to = out_room(&t->out, 256);

	to = field_u64(to, (uint64_t)device);
	to = comma(text_copy(to, mode, strlen(mode)));
	to = comma(text_copy(to, task, strlen(task)));
	to = comma(decimal_round3(to, hit));
	to = decimal_round3(to, throughput);
	*to++ = '\n';
	out_used(&t->out, to);
	t->rows++;
}

static int write_llc(struct table *t, const struct prof_part *part, struct diag *diag)
{
	static const char heading[] = "Device_id,Mode,Task,Hit Rate(%),Throughput(MB/s)\n";
	double hit = 0, throughput = 0, nr = 0;
	struct llc llc;
	int ret = llc_load(&llc, part, diag);

	for (unsigned int i = 0; i < llc.nr_units; i++) {
		if (!llc.unit[i].nr)
			continue;
		hit += percent(llc.unit[i].hit);
		throughput += (double)llc.unit[i].throughput / 1e6;
		nr++;
	}
	if (!ret && nr && !out_is_open(&t->out)) {
		ret = out_open(&t->out, t->path, diag);
		if (!ret)
			out_text(&t->out, heading, sizeof(heading) - 1);
	}
	if (!ret && nr) {
		llc_line(t, part->device, llc.mode, "Average", hit / nr, throughput / nr);
		for (unsigned int i = 0; i < llc.nr_units; i++) {
			char id[2] = { (char)('0' + i), 0 };

			if (llc.unit[i].nr)
				llc_line(t, part->device, llc.mode, id, percent(llc.unit[i].hit),
					 (double)llc.unit[i].throughput / 1e6);
		}
	}
	llc_free(&llc);
	return ret;
}

/* ---- hbm.csv ---- */

/*
 * The parser prints three decimals, with these exceptions that are kept: where
 * no bytes were read the cell shows the write bandwidth, unrounded; where
 * nothing was written it is 0.0; without any write sample it is empty.
 */
static char *hbm_cell(char *to, const struct hbm_mean *mean, const struct hbm_mean *write)
{
	if (mean->nr && mean->sum != 0)
		return decimal_round3(to, mean->sum / (double)mean->nr);
	return write->nr ? decimal_repr(to, write->sum / (double)write->nr) : to;
}

static int write_hbm(struct table *t, const struct prof_part *part, struct diag *diag)
{
	static const char heading[] = "Device_id,Metric,Read(MB/s),Write(MB/s)\n";
	struct hbm hbm;
	int ret = hbm_load(&hbm, part, diag);
	char *to;

	if (!ret && hbm.nr_units && !out_is_open(&t->out)) {
		ret = out_open(&t->out, t->path, diag);
		if (!ret)
			out_text(&t->out, heading, sizeof(heading) - 1);
	}
	if (!ret && hbm.nr_units) {
		to = field_u64(out_room(&t->out, 256), (uint64_t)part->device);
		to = text_literal(to, "Average,");
		to = comma(text_thousandths(to, hbm_average(&hbm, false)));
		to = text_thousandths(to, hbm_average(&hbm, true));
		*to++ = '\n';
		out_used(&t->out, to);
		t->rows++;
	}
	for (unsigned int i = 0; i < HBM_UNITS && !ret; i++) {
		const struct hbm_unit *u = &hbm.unit[i];

		if (!hbm_has(&hbm, i))
			continue;
		to = field_u64(out_room(&t->out, 256), (uint64_t)part->device);
		to = field_u64(to, i);
		to = comma(hbm_cell(to, &u->read, &u->write));
		to = hbm_cell(to, &u->write, &u->write);
		*to++ = '\n';
		out_used(&t->out, to);
		t->rows++;
	}
	hbm_free(&hbm);
	return ret;
}

/* ---- host data ---- */

static int write_host(struct table *tables, const struct prof *prof, struct diag *diag)
{
	struct host_view v;
	int ret = host_view_load(&v, prof_host(prof), diag);

	for (int k = 0; k < HOST_TABLES && !ret; k++) {
		if (!v.table[k].rows)
			continue;
		ret = out_open(&tables[k].out, tables[k].path, diag);
		if (ret)
			break;
		out_text(&tables[k].out, v.table[k].text, v.table[k].len);
		tables[k].rows = v.table[k].rows;
	}
	host_view_free(&v);
	return ret;
}

/* ---- folders ---- */

static int make_folder(struct folder *f, struct diag *diag)
{
	struct stat st;

	if (!mkdir(f->path, 0777)) {
		f->made = true;
		return 0;
	}
	if (errno != EEXIST)
		return diag_fail(diag, "%s: cannot be made: %s", f->path, strerror(errno));
	if (stat(f->path, &st) || !S_ISDIR(st.st_mode))
		return diag_fail(diag, "%s: a folder was expected", f->path);
	return 0;
}

static int write_tables(struct folder *f, const struct prof *prof, struct diag *diag)
{
	static const char *const names[TABLE_HOST] = { "msprof_tx", "api_statistic", "llc_read_write", "hbm" };
	struct table *calls = &f->table[TABLE_CALLS];
	int ret = make_folder(f, diag);

	for (int k = 0; k < TABLES && !ret; k++)
		if (asprintf(&f->table[k].path, "%s/%s.csv", f->path,
			     k < TABLE_HOST ? names[k] : host_table_name((enum host_table_id)(k - TABLE_HOST))) < 0) {
			f->table[k].path = NULL;
			ret = diag_fail(diag, "%s: out of memory", f->path);
		}
	if (!ret)
		ret = write_tx(&f->table[TABLE_TX], prof, diag);
	if (!ret)
		ret = calls_table_write(&calls->out, calls->path, &calls->rows, prof, diag);
	if (!ret)
		ret = write_host(&f->table[TABLE_HOST], prof, diag);
	for (unsigned int i = 0; i < prof->nr_parts && !ret; i++) {
		if (prof->part[i].device < 0)
			continue;
		ret = write_llc(&f->table[TABLE_LLC], &prof->part[i], diag);
		if (!ret)
			ret = write_hbm(&f->table[TABLE_HBM], &prof->part[i], diag);
	}
	for (int k = 0; k < TABLES && !ret; k++)
		if (out_is_open(&f->table[k].out))
			ret = out_close(&f->table[k].out, diag);
	return ret ? ret : prof_check(prof, diag);
}

static int commit(struct folder *f, struct tables_total *total, struct diag *diag)
{
	for (int k = 0; k < TABLES; k++) {
		struct table *t = &f->table[k];

		if (!out_is_open(&t->out)) {
			if (unlink(t->path) && errno != ENOENT)
				return diag_fail(diag, "%s: cannot be removed: %s", t->path,
						 strerror(errno));
			continue;
		}
		if (out_commit(&t->out, diag))
			return -1;
		total->files++;
		total->rows += t->rows;
	}
	f->made = false; /* it stays */
	return 0;
}

static void close_folder(struct folder *f)
{
	for (int k = 0; k < TABLES; k++) {
		if (out_is_open(&f->table[k].out))
			out_abort(&f->table[k].out);
		free(f->table[k].path);
	}
	if (f->made)
		rmdir(f->path);
	free(f->path);
}

/* The name of directory @i below the export folder; equal names get a number. */
static char *folder_path(const struct prof_set *set, unsigned int i, const char *out)
{
	const char *name = set->prof[i].name;
	unsigned int same = 1;
	char *path;

	for (unsigned int j = 0; j < i; j++)
		same += !strcmp(set->prof[j].name, name);
	if ((same > 1 ? asprintf(&path, "%s/%s_%u", out, name, same) :
			asprintf(&path, "%s/%s", out, name)) < 0)
		return NULL;
	return path;
}

int tables_export(const struct prof_set *set, const char *out, struct tables_total *total,
		  struct diag *diag)
{
	/* folder[0] is the export folder; it holds the tables of a single directory */
	struct folder *folder = calloc(set->nr + 1, sizeof(*folder));
	unsigned int first = set->one ? 0 : 1, nr = 0;
	int ret = -1;

	*total = (struct tables_total){ 0 };
	if (!folder || !(folder[nr++].path = strdup(out))) {
		diag_fail(diag, "%s: out of memory", out);
		goto out;
	}
	ret = first ? make_folder(&folder[0], diag) : 0;
	for (unsigned int i = 0; i < set->nr && !ret; i++) {
		if (first) {
			folder[nr].path = folder_path(set, i, out);
			ret = folder[nr++].path ? 0 : diag_fail(diag, "%s: out of memory", out);
		}
		if (!ret)
			ret = write_tables(&folder[i + first], &set->prof[i], diag);
	}
	for (unsigned int i = first; i < nr && !ret; i++)
		ret = commit(&folder[i], total, diag);
	if (!ret)
		folder[0].made = false;
out:
	while (nr--)
		close_folder(&folder[nr]);
	free(folder);
	return ret;
}
