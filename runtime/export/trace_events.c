/* SPDX-License-Identifier: Apache-2.0 */
#include "export/trace_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export/decimal.h"
#include "export/escape.h"
#include "export/text.h"

#define LANE_TID_STEP (1ULL << 22) /* rows of ranges: beyond all thread ids */
#define SAFE_INTEGER (1ULL << 53) /* what viewers keep exact */
#define REST_ROOM 512 /* of an event, without foreign text */

/* ---- pieces ---- */

static char *put_key(char *to, const char *key)
{
	*to++ = '"';
	to = text_copy(to, key, strlen(key));
	return text_literal(to, "\":");
}

static int64_t span(int64_t from, int64_t to)
{
	int64_t v;

	return __builtin_sub_overflow(to, from, &v) ? INT64_MAX : v;
}

static char *put_ts(char *to, const struct trace *t, int64_t wall)
{
	to = text_literal(to, ",\"ts\":");
	return text_thousandths(to, span(t->origin, wall));
}

static char *put_track(char *to, uint64_t pid, uint64_t tid)
{
	to = text_literal(to, ",\"pid\":");
	to = text_u64(to, pid);
	to = text_literal(to, ",\"tid\":");
	return text_u64(to, tid);
}

static char *put_integer(char *to, uint64_t v)
{
	if (v <= SAFE_INTEGER)
		return text_u64(to, v);
	*to++ = '"';
	to = text_u64(to, v);
	*to++ = '"';
	return to;
}

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

static void metadata(struct trace *t, const char *what, const char *key, uint64_t pid, uint64_t tid,
		     const char *value)
{
	char *to = out_room(&t->out, ESCAPE_ROOM(strlen(value)) + REST_ROOM);

	to = text_literal(to, ",\n{\"name\":\"");
	to = text_copy(to, what, strlen(what));
	to = text_literal(to, "\",\"ph\":\"M\"");
	to = put_track(to, pid, tid);
	to = text_literal(to, ",\"args\":{");
	to = put_key(to, key);
	*to++ = '"';
	to = escape_json(to, value, strlen(value));
	to = text_literal(to, "\"}}");
	out_used(&t->out, to);
}

static void sort_index(struct trace *t, uint64_t pid, uint64_t index)
{
	char *to = out_room(&t->out, REST_ROOM);

	to = text_literal(to, ",\n{\"name\":\"process_sort_index\",\"ph\":\"M\"");
	to = put_track(to, pid, 0);
	to = text_literal(to, ",\"args\":{\"sort_index\":");
	to = text_u64(to, index);
	to = text_literal(to, "}}");
	out_used(&t->out, to);
}

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
	metadata(t, "process_name", "name", shown, 0, text);
	metadata(t, "process_labels", "labels", shown, 0, "CPU");
	sort_index(t, shown, 0);
}

static void name_thread(struct trace *t, uint64_t shown, uint32_t tid)
{
	char text[64];

	snprintf(text, sizeof(text), "Thread %u", tid);
	metadata(t, "thread_name", "name", shown, tid, text);
}

static void name_lane(struct trace *t, uint64_t shown, uint32_t tid, unsigned int lane)
{
	char text[64];

	snprintf(text, sizeof(text), lane ? "Ranges of thread %u (%u)" : "Ranges of thread %u", tid,
		 lane + 1);
	metadata(t, "thread_name", "name", shown, tid + (lane + 1) * LANE_TID_STEP, text);
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

	to = out_room(&t->out, REST_ROOM);
	to = text_literal(to, "[\n{\"name\":\"ascprof_origin\",\"ph\":\"M\",\"ts\":0.000");
	to = put_track(to, 0, 0);
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
		return put_integer(to, e->row.mark_id);
	}
	if (e->row.category) {
		to = text_literal(to, ",\"category\":");
		to = text_u64(to, e->row.category);
	}
	if (e->row.payload_type || e->row.payload) {
		to = text_literal(to, ",\"payload_type\":");
		to = text_i64(to, e->row.payload_type);
		to = text_literal(to, ",\"payload\":");
		to = put_integer(to, e->row.payload);
	}
	if (e->row.message_type) {
		to = text_literal(to, ",\"message_type\":");
		to = text_i64(to, e->row.message_type);
	}
	return to;
}

static int end_event(struct trace *t, char *to, const struct tx_event *e)
{
	to = put_args(to, e);
	if (e->extended) {
		to = text_literal(to, ",\"domain\":\"");
		out_used(&t->out, to);
		if (ESCAPE_ROOM(e->domain_len) > OUT_ROOM)
			return -1; /* no name of a domain is that long */
		to = out_room(&t->out, ESCAPE_ROOM(e->domain_len));
		to = escape_json(to, e->domain, e->domain_len);
		*to++ = '"';
	}
	to = text_literal(to, "}}");
	out_used(&t->out, to);
	t->events++;
	return 0;
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
		to = out_room(&t->out, REST_ROOM);
		to = text_literal(to, "\",\"cat\":\"range\",\"ph\":\"");
		*to++ = i ? 'e' : 'b';
		to = text_literal(to, "\",\"id\":");
		to = text_u64(to, id);
		to = put_ts(to, t, i ? end : start);
		to = put_track(to, pid, e->row.tid);
		if (end_event(t, to, e))
			return -1;
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
	to = out_room(&t->out, REST_ROOM);
	if (e->kind == TX_MARK)
		to = text_literal(to, "\",\"ph\":\"i\",\"s\":\"t\"");
	else
		to = text_literal(to, "\",\"ph\":\"X\"");
	to = put_ts(to, t, start);
	if (e->kind != TX_MARK) {
		to = text_literal(to, ",\"dur\":");
		to = text_thousandths(to, span(start, end));
	}
	to = put_track(to, thread->pid, tid);
	return end_event(t, to, e);
}

int trace_tx(struct trace *t, const struct prof *prof, struct tx *tx)
{
	const struct prof_part *host = prof_host(prof);
	struct track *thread = NULL, *process;
	struct tx_event e;
	uint32_t pid = 0;
	int id;

	if (!tx->nr)
		return 0;
	id = tracks_host(&t->tracks, host->control.hostname);
	if (id < 0)
		return -1;
	for (size_t i = 0; i < tx->nr && !t->out.error; i++) {
		tx_get(tx, i, &e);
		if (!thread || thread->thread != e.row.tid || pid != e.row.pid) {
			pid = e.row.pid;
			process = tracks_process(&t->tracks, id, pid);
			if (!process)
				return -1;
			if (!process->named)
				name_process(t, host, process->pid, pid);
			process->named = true;
			thread = tracks_thread(&t->tracks, id, pid, e.row.tid);
			if (!thread)
				return -1;
		}
		if (write_tx(t, tx, &e, thread))
			return -1;
	}
	return 0;
}

/* ---- counters ---- */

static char *begin_counter(struct trace *t)
{
	return text_literal(out_room(&t->out, REST_ROOM), ",\n{\"name\":\"");
}

/* Behind the name; leaves off where the number goes. */
static char *put_counter(char *to, const struct trace *t, uint64_t pid, int64_t wall,
			 const char *key)
{
	to = text_literal(to, "\",\"ph\":\"C\"");
	to = put_ts(to, t, wall);
	to = put_track(to, pid, 0);
	to = text_literal(to, ",\"args\":{");
	return put_key(to, key);
}

static void end_counter(struct trace *t, char *to)
{
	to = text_literal(to, "}}");
	out_used(&t->out, to);
	t->events++;
}

static char *llc_name(char *to, const struct llc *llc, unsigned int unit)
{
	to = text_literal(to, "LLC ");
	to = text_u64(to, unit);
	return text_copy(to, strcmp(llc->mode, "read") ? " Write/" : " Read/",
			 strcmp(llc->mode, "read") ? 7 : 6);
}

static void write_llc(struct trace *t, uint64_t pid, const struct llc *llc)
{
	for (unsigned int u = 0; u < llc->nr_units; u++) {
		for (size_t i = 0; i < llc->unit[u].nr; i++) {
			const struct llc_sample *s = &llc->unit[u].sample[i];
			char *to = llc_name(begin_counter(t), llc, u);

			to = text_literal(to, "Throughput");
			to = put_counter(to, t, pid, s->wall, "Throughput(MB/s)");
			end_counter(t, text_thousandths(to, s->throughput));

			/* The parser's own timeline shows a fraction under this key. */
			to = llc_name(begin_counter(t), llc, u);
			to = text_literal(to, "Hit Rate");
			to = put_counter(to, t, pid, s->wall, "Hit Rate(%)");
			end_counter(t, text_thousandths(to, s->hit < INT64_MAX / 100 ?
								    s->hit * 100 : INT64_MAX));
		}
	}
}

static void write_hbm(struct trace *t, uint64_t pid, const struct hbm *hbm)
{
	for (size_t i = 0; i < hbm->nr; i++) {
		const struct hbm_sample *s = &hbm->sample[i];
		char *to = text_literal(begin_counter(t), "HBM ");

		to = text_u64(to, s->unit);
		to = s->write ? text_literal(to, "/Write") : text_literal(to, "/Read");
		to = put_counter(to, t, pid, s->wall, s->write ? "Write(MB/s)" : "Read(MB/s)");
		end_counter(t, decimal_round3(to, s->bandwidth));
	}
}

static void write_soc(struct trace *t, uint64_t pid, const struct prof_part *part)
{
	struct soc_reader r;
	struct soc_sample s;

	soc_rewind(&r, part);
	while (soc_next(&r, &s)) {
		for (unsigned int i = 0; i < s.nr; i++) {
			const struct soc_value *v = &s.value[i];
			char *to = text_copy(begin_counter(t), s.group, strlen(s.group));

			if (s.unit >= 0) {
				*to++ = ' ';
				to = text_u64(to, (uint64_t)s.unit);
				*to++ = '/';
			}
			to = text_copy(to, v->name, strlen(v->name));
			to = put_counter(to, t, pid, s.wall, v->key);
			end_counter(t, s.thousandths ? text_thousandths(to, (int64_t)v->value) :
						       put_integer(to, v->value));
		}
	}
}

int trace_device(struct trace *t, const struct prof_part *part, const struct llc *llc,
		 const struct hbm *hbm)
{
	int id = tracks_host(&t->tracks, part->control.hostname);
	struct track *device;
	char name[320], label[32];

	if (!llc->mode && !hbm->nr && !part->table[SLICES_SOC].rows)
		return 0;
	device = id < 0 ? NULL : tracks_device(&t->tracks, id, (unsigned int)part->device);
	if (!device)
		return -1;
	if (!device->named) {
		device->named = true;
		snprintf(name, sizeof(name), part->control.source[0] ? "NPU %d, %s" : "NPU %d",
			 part->device, part->control.source);
		snprintf(label, sizeof(label), "NPU %d", part->device);
		metadata(t, "process_name", "name", device->pid, 0, name);
		metadata(t, "process_labels", "labels", device->pid, 0, label);
		sort_index(t, device->pid, 1 + (uint64_t)part->device);
	}
	write_llc(t, device->pid, llc);
	write_hbm(t, device->pid, hbm);
	write_soc(t, device->pid, part);
	return 0;
}
