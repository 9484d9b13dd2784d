/* SPDX-License-Identifier: Apache-2.0 */
#include "export/jsonl.h"

#include <stdlib.h>
#include <string.h>

#include "export/counters.h"
#include "export/decimal.h"
#include "export/out.h"
#include "export/text.h"
#include "export/calls.h"
#include "export/tx.h"
#include "format/escape.h"

#define ROOM 4096 /* bytes of a line, without foreign text */

struct lines {
	struct out out;
	uint64_t nr;
	uint64_t dir; /* number of the directory */
	int device; /* whose counters come */
	const struct account *account;
};

/* ---- pieces: a key with what follows it ---- */

static char *put_key(char *to, const char *key)
{
	*to++ = ',';
	*to++ = '"';
	to = text_copy(to, key, strlen(key));
	return text_literal(to, "\":");
}

static char *put_u64(char *to, const char *key, uint64_t v)
{
	return text_u64(put_key(to, key), v);
}

static char *put_i64(char *to, const char *key, int64_t v)
{
	return text_i64(put_key(to, key), v);
}

static char *put_text(char *to, const char *key, const char *s, size_t n)
{
	to = put_key(to, key);
	*to++ = '"';
	to = escape_json(to, s, n);
	*to++ = '"';
	return to;
}

/* Text of any length, where a line has got to @to. Return: where it goes on; NULL: out of memory */
static char *put_long_text(struct lines *l, char *to, const char *key, const char *s, size_t n)
{
	char *buf, *end;

	if (ESCAPE_ROOM(n) <= OUT_ROOM - ROOM) {
		out_used(&l->out, to);
		return put_text(out_room(&l->out, ESCAPE_ROOM(n) + ROOM), key, s, n);
	}
	buf = malloc(ESCAPE_ROOM(n) + ROOM);
	if (!buf)
		return NULL;
	end = put_text(buf, key, s, n);
	out_used(&l->out, to);
	out_text(&l->out, buf, (size_t)(end - buf));
	free(buf);
	return out_room(&l->out, ROOM);
}

static char *begin_line(struct lines *l, const char *kind)
{
	char *to = text_literal(out_room(&l->out, ROOM), "{\"kind\":\"");

	to = text_copy(to, kind, strlen(kind));
	return text_u64(text_literal(to, "\",\"dir\":"), l->dir);
}

static void end_line(struct lines *l, char *to)
{
	*to++ = '}';
	*to++ = '\n';
	out_used(&l->out, to);
	l->nr++;
}

/* ---- annotations ---- */

static int write_event(struct lines *l, const struct tx *tx, const struct tx_event *e)
{
	const char *category = e->extended ? NULL : account_category(l->account, e->row.category);
	char *to = begin_line(l, tx_account_name(tx_account_of(&e->row)));

	to = put_u64(to, "pid", e->row.pid);
	to = put_u64(to, "tid", e->row.tid);
	to = put_i64(to, "start_ns", timebase_host(&tx->host->time, e->row.start));
	if (e->kind != TX_MARK)
		to = put_i64(to, "end_ns", timebase_host(&tx->host->time, e->row.end));
	to = put_long_text(l, to, "name", e->message, e->message_len);
	if (!to)
		return -1;
	if (e->extended) {
		to = put_u64(to, "mark_id", e->row.mark_id);
		to = put_long_text(l, to, "domain", e->domain, e->domain_len);
		if (!to)
			return -1;
	} else {
		if (e->row.category)
			to = put_u64(to, "category", e->row.category);
		if (category)
			to = put_text(to, "category_name", category, strlen(category));
		if (e->row.payload_type || e->row.payload) {
			to = put_i64(to, "payload_type", e->row.payload_type);
			to = put_u64(to, "payload", e->row.payload);
		}
		if (e->row.message_type)
			to = put_i64(to, "message_type", e->row.message_type);
	}
	end_line(l, to);
	return 0;
}

static int write_annotations(struct lines *l, const struct prof_part *host, struct diag *diag)
{
	struct tx_event e;
	struct tx tx;
	int ret = tx_load(&tx, host, TX_ORDER_TRACE, diag);

	for (size_t i = 0; i < tx.nr && !ret && !l->out.error; i++) {
		tx_get(&tx, i, &e);
		if (write_event(l, &tx, &e))
			ret = diag_fail(diag, "%s: out of memory", host->path);
	}
	tx_free(&tx);
	return ret;
}

/* ---- calls ---- */

struct call_lines {
	struct lines *l;
	const struct calls *calls;
};

static int write_call(void *arg, const struct call *c)
{
	const struct call_lines *w = arg;
	const struct prof_part *host = w->calls->host;
	struct call_text name, type, item;
	char *to = begin_line(w->l, c->events ? "event" : "api");

	calls_name(w->calls, c, &name);
	calls_type(w->calls, c, &type);
	calls_item(w->calls, c, &item);
	to = put_u64(to, "pid", host->control.pid);
	to = put_u64(to, "tid", c->tid);
	to = put_i64(to, "start_ns", timebase_host(&host->time, c->start));
	to = put_i64(to, "end_ns", timebase_host(&host->time, c->end));
	to = put_text(to, "level", calls_level(c->level), strlen(calls_level(c->level)));
	to = put_long_text(w->l, to, "name", name.s, name.len);
	to = to ? put_long_text(w->l, to, "type", type.s, type.len) : NULL;
	to = to ? put_long_text(w->l, to, "item", item.s, item.len) : NULL;
	if (!to)
		return -1;
	if (c->events)
		to = put_u64(to, "request_id", c->request);
	end_line(w->l, to);
	return w->l->out.error ? 1 : 0;
}

static int write_calls(struct lines *l, const struct prof_part *host, struct diag *diag)
{
	struct calls calls;
	struct call_lines w = { l, &calls };
	int ret = calls_load(&calls, host, diag);

	if (!ret && calls_each(&calls, write_call, &w) < 0)
		ret = diag_fail(diag, "%s: out of memory", host->path);
	calls_free(&calls);
	return ret;
}

/* ---- tensors ---- */

static char *put_tensor(char *to, const struct row_tensor *t)
{
	unsigned int nr = 0;

	while (nr < ROW_TENSOR_DIMS && t->shape[nr])
		nr++;
	to = text_literal(to, "{\"output\":");
	to = t->type ? text_literal(to, "true") : text_literal(to, "false");
	to = put_u64(to, "format", t->format);
	to = put_u64(to, "data_type", t->data_type);
	to = text_literal(to, ",\"shape\":[");
	for (unsigned int i = 0; i < nr; i++) {
		if (i)
			*to++ = ',';
		to = text_u64(to, t->shape[i]);
	}
	return text_literal(to, "]}");
}

static bool wants_tensors(const struct prof_part *host, const struct row_tensors *row, const char *name, size_t len)
{
	const struct filter *f = host->filter;
	int64_t wall = timebase_host(&host->time, row->stamp);

	return row->magic == ROW_MAGIC && row->level == ROW_NODE_LEVEL && row->nr <= ROW_TENSORS &&
	       filter_wants_kind(f, "tensor_info") && filter_wants_time(f, wall, wall) &&
	       filter_wants_thread(f, (uint32_t)host->control.pid, row->tid) && filter_wants_name(f, name, len);
}

/* Rows of one launch stay rows here; they have the same time, thread and name. */
static int write_tensors(struct lines *l, const struct prof_part *host, struct diag *diag)
{
	struct names names;
	struct slices_cursor c;
	const void *data;
	int ret = 0;

	if (!host->table[SLICES_TENSORS].rows)
		return 0;
	if (names_load(&names, host))
		ret = diag_fail(diag, "%s: out of memory", host->path);
	slices_rewind(&c, &host->table[SLICES_TENSORS]);
	while (!ret && !l->out.error && (data = slices_next(&c))) {
		struct row_tensors row;
		const char *name;
		size_t len = 0;
		char *to;

		memcpy(&row, data, sizeof(row));
		name = names_find(&names, row.op_name, &len);
		if (!name)
			name = "";
		if (!wants_tensors(host, &row, name, len))
			continue;
		to = begin_line(l, "tensor_info");
		to = put_u64(to, "pid", host->control.pid);
		to = put_u64(to, "tid", row.tid);
		to = put_i64(to, "start_ns", timebase_host(&host->time, row.stamp));
		to = put_long_text(l, to, "name", name, len);
		if (!to) {
			ret = diag_fail(diag, "%s: out of memory", host->path);
			break;
		}
		to = text_literal(to, ",\"tensors\":[");
		for (unsigned int i = 0; i < row.nr; i++) {
			if (i)
				*to++ = ',';
			to = put_tensor(to, &row.tensor[i]);
		}
		*to++ = ']';
		end_line(l, to);
	}
	names_free(&names);
	return ret;
}

/* ---- counters ---- */

static int write_counter(void *arg, const struct counter *c)
{
	struct lines *l = arg;
	char *to = begin_line(l, c->kind);

	to = put_i64(to, "device", l->device);
	to = put_i64(to, "start_ns", c->wall);
	to = put_text(to, "name", c->name, c->name_len);
	to = put_text(to, "key", c->key, strlen(c->key));
	to = put_key(to, "value");
	if (c->type == COUNTER_THOUSANDTHS)
		to = text_thousandths(to, c->thousandths);
	else if (c->type == COUNTER_EXACT)
		to = decimal_repr(to, c->real);
	else
		to = c->type == COUNTER_REAL ? decimal_round3(to, c->real) : text_u64(to, c->integer);
	end_line(l, to);
	return l->out.error;
}

static void write_syscalls(struct lines *l, const struct host_view *v)
{
	for (size_t i = 0; i < v->nr_calls && !l->out.error; i++) {
		const struct host_call *c = &v->call[i];
		char *to;

		if (!filter_wants_syscall(v->part->filter, c))
			continue;
		to = begin_line(l, c->kind);
		to = put_u64(to, "tid", c->tid);
		to = put_i64(to, "start_ns", c->wall);
		to = put_i64(to, "end_ns", c->wall + (int64_t)c->ns);
		to = put_text(to, "name", c->name, strlen(c->name));
		end_line(l, to);
	}
}

static int write_counters(struct lines *l, const struct prof_part *part, struct diag *diag)
{
	struct counters c;
	int ret = counters_load(&c, part, diag);

	l->device = part->device;
	if (!ret) {
		write_syscalls(l, &c.host);
		counters_each(&c, write_counter, l);
	}
	counters_free(&c);
	return ret;
}

/* ---- a directory ---- */

static void write_directory(struct lines *l, const struct prof *prof)
{
	const struct control *c = &prof->part[0].control;
	char *to = begin_line(l, "directory");

	out_used(&l->out, to);
	to = out_room(&l->out, ESCAPE_ROOM(strlen(prof->name)) + ESCAPE_ROOM(sizeof(c->hostname)) +
				       ESCAPE_ROOM(sizeof(c->pid_name)) + ROOM);
	to = put_text(to, "name", prof->name, strlen(prof->name));
	to = put_text(to, "host", c->hostname, strlen(c->hostname));
	to = put_u64(to, "pid", c->pid);
	to = put_text(to, "comm", c->pid_name, strlen(c->pid_name));
	to = put_i64(to, "start_ns", prof->start);
	end_line(l, to);
}

static void write_accounts(struct lines *l)
{
	for (unsigned int i = 0; i < l->account->nr_kinds && !l->out.error; i++) {
		const struct account_kind *k = &l->account->kind[i];
		char *to = begin_line(l, "account");

		to = put_text(to, "of", k->name, strlen(k->name));
		to = put_i64(to, "device", k->device);
		to = put_u64(to, "produced", k->produced);
		to = put_u64(to, "written", k->written);
		to = put_u64(to, "dropped", k->dropped);
		to = put_u64(to, "open", k->open);
		end_line(l, to);
	}
}

static int write_prof(struct lines *l, const struct prof *prof, struct diag *diag)
{
	const struct prof_part *host = prof_host(prof);

	l->account = &prof->account;
	write_directory(l, prof);
	if (host && (write_annotations(l, host, diag) || write_calls(l, host, diag) || write_tensors(l, host, diag)))
		return -1;
	for (unsigned int i = 0; i < prof->nr_parts && !l->out.error; i++)
		if (write_counters(l, &prof->part[i], diag))
			return -1;
	write_accounts(l);
	l->dir++;
	return prof_check(prof, diag);
}

int jsonl_export(const struct prof_set *set, const char *path, uint64_t *lines, struct diag *diag)
{
	struct lines l = { 0 };

	if (out_open(&l.out, path, diag))
		return -1;
	for (unsigned int i = 0; i < set->nr && !l.out.error; i++) {
		if (write_prof(&l, &set->prof[i], diag)) {
			out_abort(&l.out);
			return -1;
		}
	}
	*lines = l.nr;
	return out_commit(&l.out, diag);
}
