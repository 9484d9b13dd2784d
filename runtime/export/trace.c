/* SPDX-License-Identifier: Apache-2.0 */
#include "export/trace.h"

#include <stdlib.h>
#include <string.h>

#include "export/decimal.h"
#include "export/out.h"
#include "export/text.h"
#include "export/timeline.h"
#include "export/trace_pieces.h"
#include "format/escape.h"

#define DOMAIN_MAX 4096 /* bytes shown */
#define CALL_TEXT_MAX 1024 /* of each text of a call */

#define TRACKS 16

struct track_text {
	uint64_t pid, tid;
	size_t len; /* 0: nothing yet */
	char text[64];
};

/* The end of an annotation without details: its track, and what kind it is. */
struct end_text {
	uint64_t pid, tid;
	uint32_t row_tid;
	uint32_t event;
	size_t len; /* 0: nothing yet */
	char text[128];
};

struct trace {
	struct out out;
	int64_t origin; /* wall clock of ts 0, ns */
	uint64_t events; /* without metadata */
	uint64_t next_id; /* of ranges that found no lane */
	struct text_clock ts;
	struct track_text track[TRACKS]; /* that were written before, as these */
	struct end_text end[TRACKS];
};

static void on_process(void *sink, uint64_t pid, const char *name, const char *label, uint64_t order)
{
	struct trace *t = sink;

	trace_metadata(&t->out, "process_name", "name", pid, 0, name);
	trace_metadata(&t->out, "process_labels", "labels", pid, 0, label);
	trace_sort_index(&t->out, pid, order);
}

static void on_thread(void *sink, uint64_t pid, uint64_t tid, const char *name, bool lane)
{
	struct trace *t = sink;

	(void)lane;
	trace_metadata(&t->out, "thread_name", "name", pid, tid, name);
}

static bool has_failed(const void *sink)
{
	return ((const struct trace *)sink)->out.error;
}

static char *put_track(char *to, struct trace *t, uint64_t pid, uint64_t tid)
{
	struct track_text *k = &t->track[(tid ^ tid >> 22) % TRACKS];

	if (!k->len || k->pid != pid || k->tid != tid) {
		k->pid = pid;
		k->tid = tid;
		k->len = (size_t)(trace_put_track(k->text, pid, tid) - k->text);
	}
	return text_kept(to, k->text, k->len, 48);
}

static inline char *put_clock(char *to, struct trace *t, int64_t wall)
{
	return text_clock(to, &t->ts, timeline_span(t->origin, wall));
}

static char *put_ts(char *to, struct trace *t, int64_t wall)
{
	return put_clock(text_literal(to, ",\"ts\":"), t, wall);
}

static char *put_details(char *to, const struct row_tx *row)
{
	if (row->category) {
		to = text_literal(to, ",\"category\":");
		to = text_u64(to, row->category);
	}
	if (row->payload_type || row->payload) {
		to = text_literal(to, ",\"payload_type\":");
		to = text_i64(to, row->payload_type);
		to = text_literal(to, ",\"payload\":");
		to = trace_put_integer(to, row->payload);
	}
	if (row->message_type) {
		to = text_literal(to, ",\"message_type\":");
		to = text_i64(to, row->message_type);
	}
	return to;
}

static char *put_type(char *to, const struct tx_event *e)
{
	to = text_literal(to, ",\"args\":{\"event_type\":\"");
	if (e->row.event == ROW_TX_MARK_EX)
		return text_literal(to, "marker_ex\"");
	switch (e->kind) {
	case TX_MARK:
		return text_literal(to, "marker\"");
	case TX_PUSH_POP:
		return text_literal(to, "push/pop\"");
	case TX_RANGE:
		to = text_literal(to, "start/end\",\"thread\":");
		return text_u64(to, e->row.tid);
	default:
		return text_literal(to, "\"");
	}
}

/* What follows the place of an event, up to its end. */
static char *put_args(char *to, const struct timeline_event *e)
{
	const struct tx_event *tx = e->tx;
	size_t len = tx->domain_len < DOMAIN_MAX ? tx->domain_len : DOMAIN_MAX;

	to = put_type(to, tx);
	if (tx->extended) {
		to = text_literal(to, ",\"mark_id\":");
		to = trace_put_integer(to, tx->row.mark_id);
		to = text_literal(to, ",\"domain\":\"");
		to = escape_json(to, tx->domain, len);
		*to++ = '"';
	} else {
		to = put_details(to, &tx->row);
	}
	if (e->category) {
		to = text_literal(to, ",\"category_name\":\"");
		to = escape_json(to, e->category, strlen(e->category));
		*to++ = '"';
	}
	return text_literal(to, "}}");
}

static inline bool has_details(const struct timeline_event *e)
{
	const struct row_tx *row = &e->tx->row;

	return e->tx->extended | (e->category != NULL) |
	       ((row->category | (uint32_t)row->payload_type | (uint32_t)row->message_type | row->payload) != 0);
}

static char *put_end(char *to, struct trace *t, const struct timeline_event *e)
{
	const struct row_tx *row = &e->tx->row;
	struct end_text *k = &t->end[(e->tid ^ e->tid >> 22 ^ (uint64_t)row->event << 2) % TRACKS];
	size_t len;

	if (has_details(e))
		return put_args(put_track(to, t, e->pid, e->tid), e);
	if (k->len && !((k->tid ^ e->tid) | (k->pid ^ e->pid) | (k->row_tid ^ row->tid) | (k->event ^ row->event)))
		return text_kept(to, k->text, k->len, 96);
	*k = (struct end_text){ .pid = e->pid, .tid = e->tid, .row_tid = row->tid, .event = row->event };
	len = (size_t)(put_args(put_track(to, t, e->pid, e->tid), e) - to);
	if (len <= sizeof(k->text)) {
		memcpy(k->text, to, len);
		k->len = len;
	}
	return to + len;
}

static size_t args_room(const struct timeline_event *e)
{
	return TRACE_ROOM + (e->category ? ESCAPE_ROOM(strlen(e->category)) : 0) +
	       (e->tx->extended ? ESCAPE_ROOM(DOMAIN_MAX) : 0);
}

/* A name of any length: in pieces */
static __attribute__((noinline)) char *begin_long_event(struct trace *t, const struct timeline_event *e)
{
	char *buf = malloc(ESCAPE_ROOM(e->tx->message_len)), *to;

	if (!buf)
		return NULL;
	to = escape_json(buf, e->tx->message, e->tx->message_len);
	out_text(&t->out, ",\n{\"name\":\"", 11);
	out_text(&t->out, buf, (size_t)(to - buf));
	free(buf);
	return out_room(&t->out, args_room(e));
}

/* Opens an event with its name. Return: where the rest of it goes; NULL: out of memory */
static inline char *begin_event(struct trace *t, const struct timeline_event *e)
{
	size_t room = ESCAPE_ROOM(e->tx->message_len) + args_room(e);
	char *to;

	if (room > OUT_ROOM)
		return begin_long_event(t, e);
	to = text_literal(out_room(&t->out, room), ",\n{\"name\":\"");
	return escape_json(to, e->tx->message, e->tx->message_len);
}

static void end_event(struct trace *t, char *to)
{
	out_used(&t->out, to);
	t->events++;
}

/* A range that fits no lane: an asynchronous pair, which may overlap anything. */
static int write_pair(struct trace *t, const struct timeline_event *e)
{
	uint64_t id = t->next_id++;

	for (int i = 0; i < 2; i++) {
		char *to = begin_event(t, e);

		if (!to)
			return -1;
		to = text_literal(to, "\",\"cat\":\"range\",\"ph\":\"");
		*to++ = i ? 'e' : 'b';
		to = text_literal(to, "\",\"id\":");
		to = text_u64(to, id);
		to = put_ts(to, t, i ? e->end : e->start);
		to = put_track(to, t, e->pid, e->tid);
		end_event(t, put_args(to, e));
	}
	return 0;
}

static int on_event(void *sink, const struct timeline_event *e)
{
	struct trace *t = sink;
	char *to;

	if (e->alone)
		return write_pair(t, e);
	to = begin_event(t, e);
	if (!to)
		return -1;
	if (e->tx->kind == TX_MARK) {
		to = text_literal(to, "\",\"ph\":\"I\",\"s\":\"t\",\"ts\":");
		to = put_clock(to, t, e->start);
	} else {
		to = text_literal(to, "\",\"ph\":\"X\",\"ts\":");
		to = put_clock(to, t, e->start);
		to = text_literal(to, ",\"dur\":");
		to = text_thousandths(to, timeline_span(e->start, e->end));
	}
	end_event(t, put_end(to, t, e));
	return 0;
}

static int on_counter(void *sink, uint64_t pid, const struct counter *c)
{
	struct trace *t = sink;
	char *to = out_room(&t->out, TRACE_ROOM + ESCAPE_ROOM(COUNTER_NAME));

	to = text_literal(to, ",\n{\"name\":\"");
	to = escape_json(to, c->name, c->name_len);
	to = text_literal(to, "\",\"ph\":\"C\"");
	to = put_ts(to, t, c->wall);
	to = put_track(to, t, pid, 0);
	to = text_literal(to, ",\"args\":{");
	to = trace_put_key(to, c->key);
	if (c->type == COUNTER_THOUSANDTHS)
		to = text_thousandths(to, c->thousandths);
	else if (c->type == COUNTER_EXACT)
		to = decimal_repr(to, c->real);
	else
		to = c->type == COUNTER_REAL ? decimal_round3(to, c->real) : trace_put_integer(to, c->integer);
	end_event(t, text_literal(to, "}}"));
	return 0;
}

static char *put_text(char *to, const char *key, const char *s, size_t len)
{
	*to++ = ',';
	to = trace_put_key(to, key);
	*to++ = '"';
	to = escape_json(to, s, len < CALL_TEXT_MAX ? len : CALL_TEXT_MAX);
	*to++ = '"';
	return to;
}

/* Named as the public parser does. */
static int on_call(void *sink, const struct timeline_call *c)
{
	const char *layer = calls_layer(c->call->level), *level = calls_level(c->call->level);
	size_t len = c->name.len < CALL_TEXT_MAX ? c->name.len : CALL_TEXT_MAX;
	struct trace *t = sink;
	char *to = out_room(&t->out, 2 * TRACE_ROOM + 3 * ESCAPE_ROOM(CALL_TEXT_MAX));

	to = text_literal(to, ",\n{\"name\":\"");
	to = text_copy(to, layer, strlen(layer));
	*to++ = '@';
	to = escape_json(to, c->name.s, len);
	to = text_literal(to, "\",\"ph\":\"X\"");
	to = put_ts(to, t, c->start);
	to = text_literal(to, ",\"dur\":");
	to = text_thousandths(to, timeline_span(c->start, c->end));
	to = put_track(to, t, c->pid, c->tid);
	to = text_literal(to, ",\"args\":{\"level\":\"");
	to = text_copy(to, level, strlen(level));
	*to++ = '"';
	to = put_text(to, "type", c->type.s, c->type.len);
	to = put_text(to, "item", c->item.s, c->item.len);
	if (c->call->events) {
		to = text_literal(to, ",\"request_id\":");
		to = text_u64(to, c->call->request);
	}
	end_event(t, text_literal(to, "}}"));
	return 0;
}

static int on_syscall(void *sink, const struct timeline_syscall *c)
{
	struct trace *t = sink;
	char *to = out_room(&t->out, TRACE_ROOM);

	to = text_literal(to, ",\n{\"name\":\"");
	to = escape_json(to, c->call->name, strlen(c->call->name));
	to = text_literal(to, "\",\"ph\":\"X\"");
	to = put_ts(to, t, c->call->wall);
	to = text_literal(to, ",\"dur\":");
	to = text_thousandths(to, c->call->ns > INT64_MAX ? INT64_MAX : (int64_t)c->call->ns);
	to = put_track(to, t, c->pid, c->call->tid);
	end_event(t, text_literal(to, ",\"args\":{}}"));
	return 0;
}

int trace_export(const struct prof_set *set, const char *path, struct trace_total *total,
		 struct diag *diag)
{
	static const struct timeline_ops ops = { on_process, on_thread, on_event, on_counter, has_failed, on_call,
						 on_syscall };
	struct trace t = { 0 };
	struct timeline line;
	int ret = -1;

	*total = (struct trace_total){ 0 };
	if (timeline_open(&line, set, diag) || out_open(&t.out, path, diag))
		goto out;
	t.origin = line.origin;
	trace_put_origin(&t.out, t.origin);
	if (timeline_write(&line, &ops, &t, path, diag)) {
		out_abort(&t.out);
		goto out;
	}
	out_text(&t.out, "\n]\n", 3);
	out_flush(&t.out);
	total->events = t.events;
	total->bytes = t.out.total;
	ret = out_commit(&t.out, diag);
out:
	timeline_close(&line);
	return ret;
}
