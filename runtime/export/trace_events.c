/* SPDX-License-Identifier: Apache-2.0 */
#include "export/trace_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/escape.h"
#include "export/text.h"
#include "export/trace_pieces.h"

#define LANE_TID_STEP (1ULL << 22) /* rows of ranges: beyond all thread ids */
#define DOMAIN_MAX 4096 /* bytes shown */

/* Opens an event with its name, and leaves room for the rest of it. */
static int begin_event(struct trace *t, const char *name, size_t len)
{
	char *buf, *to;

	out_text(&t->out, ",\n{\"name\":\"", 11);
	if (ESCAPE_ROOM(len) <= OUT_ROOM) {
		to = out_room(&t->out, ESCAPE_ROOM(len));
		out_used(&t->out, escape_json(to, name, len));
		return 0;
	}
	buf = malloc(ESCAPE_ROOM(len));
	if (!buf)
		return -1;
	to = escape_json(buf, name, len);
	out_text(&t->out, buf, (size_t)(to - buf));
	free(buf);
	return 0;
}

/* ---- metadata ---- */

static void name_process(struct trace *t, const struct prof_part *host, uint64_t shown,
			 uint32_t pid)
{
	const struct control *c = &host->control;
	char text[640];

	snprintf(text, sizeof(text), "%s", c->pid_name[0] && c->pid == pid ? c->pid_name :
									     "process");
	if (shown != pid)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %u on %s", pid,
			 c->hostname);
	trace_metadata(t, "process_name", "name", shown, 0, text);
	trace_metadata(t, "process_labels", "labels", shown, 0, "CPU");
	trace_sort_index(t, shown, 0);
}

struct track *trace_process(struct trace *t, const struct prof_part *host, int id, uint32_t pid)
{
	struct track *process = tracks_process(&t->tracks, id, pid);

	if (process && !process->named) {
		name_process(t, host, process->pid, pid);
		process->named = true;
	}
	return process;
}

static void name_thread(struct trace *t, uint64_t shown, uint32_t tid)
{
	char text[64];

	snprintf(text, sizeof(text), "Thread %u", tid);
	trace_metadata(t, "thread_name", "name", shown, tid, text);
}

static void name_lane(struct trace *t, uint64_t shown, uint32_t tid, unsigned int lane)
{
	char text[64];

	snprintf(text, sizeof(text), lane ? "Ranges of thread %u (%u)" : "Ranges of thread %u", tid,
		 lane + 1);
	trace_metadata(t, "thread_name", "name", shown, tid + (lane + 1) * LANE_TID_STEP, text);
}

void trace_begin(struct trace *t, int64_t fallback)
{
	char *to;
	char utc[48];
	struct tm tm;
	time_t seconds;
	int64_t ns;

	if (t->origin == INT64_MAX)
		t->origin = fallback;
	seconds = (time_t)(t->origin / 1000000000);
	ns = t->origin % 1000000000;
	if (ns < 0) {
		ns += 1000000000;
		seconds--;
	}
	if (!gmtime_r(&seconds, &tm))
		memset(&tm, 0, sizeof(tm));
	snprintf(utc, sizeof(utc), "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", tm.tm_year + 1900,
		 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)ns);

	to = out_room(&t->out, TRACE_ROOM);
	to = text_literal(to, "[\n{\"name\":\"ascprof_origin\",\"ph\":\"M\",\"ts\":0.000");
	to = trace_put_track(to, 0, 0);
	to = text_literal(to, ",\"args\":{\"wall_clock_us\":\"");
	to = text_thousandths(to, t->origin);
	to = text_literal(to, "\",\"utc\":\"");
	to = text_copy(to, utc, strlen(utc));
	to = text_literal(to, "\"}}");
	out_used(&t->out, to);
}

void trace_end(struct trace *t)
{
	out_text(&t->out, "\n]\n", 3);
}

/* ---- annotations ---- */

static char *put_args(char *to, const struct tx_event *e)
{
	static const char names[TX_KINDS][12] = { "marker", "push/pop", "start/end", "" };
	const char *name = e->row.event == ROW_TX_MARK_EX ? "marker_ex" : names[e->kind];

	to = text_literal(to, ",\"args\":{\"event_type\":\"");
	to = text_copy(to, name, strlen(name));
	*to++ = '"';
	if (e->kind == TX_RANGE) {
		to = text_literal(to, ",\"thread\":");
		to = text_u64(to, e->row.tid);
	}
	if (e->extended) {
		to = text_literal(to, ",\"mark_id\":");
		return trace_put_integer(to, e->row.mark_id);
	}
	if (e->row.category) {
		to = text_literal(to, ",\"category\":");
		to = text_u64(to, e->row.category);
	}
	if (e->row.payload_type || e->row.payload) {
		to = text_literal(to, ",\"payload_type\":");
		to = text_i64(to, e->row.payload_type);
		to = text_literal(to, ",\"payload\":");
		to = trace_put_integer(to, e->row.payload);
	}
	if (e->row.message_type) {
		to = text_literal(to, ",\"message_type\":");
		to = text_i64(to, e->row.message_type);
	}
	return to;
}

static void end_event(struct trace *t, char *to, const struct tx_event *e)
{
	size_t len = e->domain_len < DOMAIN_MAX ? e->domain_len : DOMAIN_MAX;
	bool named = !e->extended && e->row.category;
	const char *category = named ? account_category(t->account, e->row.category) : NULL;

	to = put_args(to, e);
	if (category) {
		to = text_literal(to, ",\"category_name\":\"");
		out_used(&t->out, to);
		to = out_room(&t->out, ESCAPE_ROOM(strlen(category)));
		to = escape_json(to, category, strlen(category));
		*to++ = '"';
	}
	if (e->extended) {
		to = text_literal(to, ",\"domain\":\"");
		out_used(&t->out, to);
		to = out_room(&t->out, ESCAPE_ROOM(len));
		to = escape_json(to, e->domain, len);
		*to++ = '"';
	}
	to = text_literal(to, "}}");
	out_used(&t->out, to);
	t->events++;
}

/* A range that fits no lane: an asynchronous pair, which may overlap anything. */
static int write_pair(struct trace *t, const struct tx_event *e, int64_t start, int64_t end,
		      uint64_t pid)
{
	uint64_t id = t->next_id++;

	for (int i = 0; i < 2; i++) {
		char *to;

		if (begin_event(t, e->message, e->message_len))
			return -1;
		to = out_room(&t->out, TRACE_ROOM);
		to = text_literal(to, "\",\"cat\":\"range\",\"ph\":\"");
		*to++ = i ? 'e' : 'b';
		to = text_literal(to, "\",\"id\":");
		to = text_u64(to, id);
		to = trace_put_ts(to, t, i ? end : start);
		to = trace_put_track(to, pid, e->row.tid);
		end_event(t, to, e);
	}
	return 0;
}

static int write_tx(struct trace *t, const struct tx *tx, const struct tx_event *e,
		    struct track *thread)
{
	int64_t start = timebase_host(&tx->host->time, e->row.start);
	int64_t end = timebase_host(&tx->host->time, e->row.end);
	uint64_t tid = e->row.tid;
	char *to;

	if (end < start)
		end = start;
	if (e->kind == TX_RANGE) {
		int lane = tracks_lane(thread, start, end);

		if (lane < 0)
			return write_pair(t, e, start, end, thread->pid);
		if (!thread->lane[lane].named)
			name_lane(t, thread->pid, e->row.tid, (unsigned int)lane);
		thread->lane[lane].named = true;
		tid += ((uint64_t)lane + 1) * LANE_TID_STEP;
	} else if (!thread->named) {
		name_thread(t, thread->pid, e->row.tid);
		thread->named = true;
	}
	if (begin_event(t, e->message, e->message_len))
		return -1;
	to = out_room(&t->out, TRACE_ROOM);
	if (e->kind == TX_MARK)
		to = text_literal(to, "\",\"ph\":\"i\",\"s\":\"t\"");
	else
		to = text_literal(to, "\",\"ph\":\"X\"");
	to = trace_put_ts(to, t, start);
	if (e->kind != TX_MARK) {
		to = text_literal(to, ",\"dur\":");
		to = text_thousandths(to, trace_span(start, end));
	}
	to = trace_put_track(to, thread->pid, tid);
	end_event(t, to, e);
	return 0;
}

int trace_tx(struct trace *t, const struct prof *prof, struct tx *tx)
{
	const struct prof_part *host = prof_host(prof);
	struct track *thread = NULL;
	struct tx_event e;
	uint32_t pid = 0;
	int id;

	if (!tx->nr)
		return 0;
	t->account = &prof->account;
	id = tracks_host(&t->tracks, host->control.hostname);
	if (id < 0)
		return -1;
	for (size_t i = 0; i < tx->nr && !t->out.error; i++) {
		tx_get(tx, i, &e);
		if (!thread || thread->thread != e.row.tid || pid != e.row.pid) {
			pid = e.row.pid;
			if (!trace_process(t, host, id, pid))
				return -1;
			thread = tracks_thread(&t->tracks, id, pid, e.row.tid);
			if (!thread)
				return -1;
		}
		if (write_tx(t, tx, &e, thread))
			return -1;
	}
	return 0;
}
