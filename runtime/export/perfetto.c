/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto.h"

#include <string.h>

#include "export/intern.h"
#include "export/out.h"
#include "export/perfetto_fields.h"
#include "export/proto.h"
#include "export/text.h"
#include "export/timeline.h"
#include "format/escape.h"

/* Keys of details, whose interned number is one more. */
enum key { KEY_CATEGORY, KEY_CATEGORY_NAME, KEY_PAYLOAD, KEY_MESSAGE_TYPE, KEY_MARK_ID, KEY_DOMAIN, KEY_THREAD,
	   KEY_LEVEL, KEY_TYPE, KEY_ITEM, KEYS };

static const char *const keys[KEYS] = { "category", "category_name", "payload", "message_type",
					"mark_id",  "domain",	     "thread",
					"level",    "type",	     "item" };
/* Categories behind those of annotations. */
enum { CATEGORY_CALL = TX_ACCOUNTS + 1, CATEGORY_EVENT, CATEGORY_SYSCALL, CATEGORY_PTHREAD };

#define SEQUENCE 1
#define ROOM 1024 /* bytes of a packet, without foreign text */
#define TEXT_MAX 8192 /* bytes of foreign text that are shown */
#define NAMES_MOST 65536 /* names that get a number; all others are written out */
#define NAMES_BYTES (8u << 20)

struct perfetto {
	struct out out;
	struct intern names, counters;
	uint64_t events;
	uint64_t alone; /* ranges that got a track of their own */
};

/* ---- packets ---- */

struct packet {
	char *to;
	char *begin, *inner;
};

/* @room: for foreign text */
static struct packet begin_packet(struct perfetto *p, size_t room, unsigned int field)
{
	struct packet k;

	k.to = proto_begin(out_room(&p->out, ROOM + room), TRACE_PACKET, &k.begin);
	k.to = proto_u64(k.to, PACKET_SEQUENCE, SEQUENCE);
	k.to = proto_begin(k.to, field, &k.inner);
	return k;
}

static void end_inner(struct packet *k)
{
	proto_end(k->to, k->inner);
}

static void end_packet(struct perfetto *p, struct packet *k)
{
	proto_end(k->to, k->begin);
	out_used(&p->out, k->to);
}

/* Closes an event, and says when it was. */
static void end_event(struct perfetto *p, struct packet *k, int64_t wall)
{
	end_inner(k);
	k->to = proto_u64(k->to, PACKET_TIMESTAMP, wall > 0 ? (uint64_t)wall : 0);
	k->to = proto_u64(k->to, PACKET_FLAGS, FLAG_NEEDS_STATE);
	end_packet(p, k);
}

/* Any bytes as a string, which must be UTF-8; three times @n bytes of room. */
static char *put_text(char *to, unsigned int field, const char *s, size_t n)
{
	char *begin;

	if (n > TEXT_MAX)
		for (n = TEXT_MAX; n > TEXT_MAX - 4 && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
			; /* between characters */
	to = proto_begin(to, field, &begin);
	to = escape_utf8(to, s, n);
	proto_end(to, begin);
	return to;
}

static size_t text_room(size_t n)
{
	return 3 * (n < TEXT_MAX ? n : TEXT_MAX);
}

/* Distinct numbers for distinct tracks, the same in every run. */
static uint64_t track_id(uint64_t a, uint64_t b, uint64_t kind)
{
	uint64_t h = a * 0x9e3779b97f4a7c15ULL ^ (b + kind) * 0xc2b2ae3d27d4eb4fULL;

	h ^= h >> 31;
	h *= 0xbf58476d1ce4e5b9ULL;
	return (h ^ h >> 29) | 1; /* 0 is the whole trace's */
}

enum { TRACK_OF_PROCESS = 1, TRACK_OF_THREAD, TRACK_ALONE, TRACK_OF_COUNTER };

static uint64_t process_track(uint64_t pid)
{
	return track_id(pid, 0, TRACK_OF_PROCESS);
}

static uint64_t thread_track(uint64_t pid, uint64_t tid)
{
	return track_id(pid, tid, TRACK_OF_THREAD);
}

/* ---- what there is ---- */

static void on_process(void *sink, uint64_t pid, const char *name, const char *label, uint64_t order)
{
	struct perfetto *p = sink;
	struct packet k = begin_packet(p, text_room(strlen(name)) + text_room(strlen(label)), PACKET_TRACK);
	char *begin;

	k.to = proto_u64(k.to, TRACK_UUID, process_track(pid));
	if (order) { /* a device is no process here: its counters have a track to be below */
		k.to = put_text(k.to, TRACK_NAME, name, strlen(name));
	} else {
		k.to = proto_begin(k.to, TRACK_PROCESS, &begin);
		k.to = proto_u64(k.to, PROCESS_PID, pid & INT32_MAX);
		k.to = put_text(k.to, PROCESS_NAME, name, strlen(name));
		k.to = put_text(k.to, PROCESS_LABEL, label, strlen(label));
		proto_end(k.to, begin);
	}
	end_inner(&k);
	end_packet(p, &k);
}

static void add_track(struct perfetto *p, uint64_t id, uint64_t parent, const char *name)
{
	struct packet k = begin_packet(p, text_room(strlen(name)), PACKET_TRACK);

	k.to = proto_u64(k.to, TRACK_UUID, id);
	k.to = proto_u64(k.to, TRACK_PARENT, parent);
	k.to = put_text(k.to, TRACK_NAME, name, strlen(name));
	end_inner(&k);
	end_packet(p, &k);
}

static void on_thread(void *sink, uint64_t pid, uint64_t tid, const char *name, bool lane)
{
	struct perfetto *p = sink;
	struct packet k;
	char *begin;

	if (lane) {
		add_track(p, thread_track(pid, tid), process_track(pid), name);
		return;
	}
	k = begin_packet(p, text_room(strlen(name)), PACKET_TRACK);
	k.to = proto_u64(k.to, TRACK_UUID, thread_track(pid, tid));
	k.to = proto_begin(k.to, TRACK_THREAD, &begin);
	k.to = proto_u64(k.to, THREAD_PID, pid & INT32_MAX);
	k.to = proto_u64(k.to, THREAD_TID, tid & INT32_MAX);
	k.to = put_text(k.to, THREAD_NAME, name, strlen(name));
	proto_end(k.to, begin);
	end_inner(&k);
	end_packet(p, &k);
}

/* ---- annotations ---- */

static char *begin_detail(char *to, enum key key, char **begin)
{
	to = proto_begin(to, EVENT_DETAIL, begin);
	return proto_u64(to, DETAIL_KEY, (uint64_t)key + 1);
}

static char *put_number(char *to, enum key key, uint64_t v)
{
	char *begin;

	to = proto_u64(begin_detail(to, key, &begin), DETAIL_UINT, v);
	proto_end(to, begin);
	return to;
}

static char *put_string(char *to, enum key key, const char *s, size_t n)
{
	char *begin;

	to = put_text(begin_detail(to, key, &begin), DETAIL_TEXT, s, n);
	proto_end(to, begin);
	return to;
}

/* The payload as what its type says it is. */
static char *put_payload(char *to, const struct row_tx *row)
{
	char *begin;
	double real;
	float small;

	to = begin_detail(to, KEY_PAYLOAD, &begin);
	switch (row->payload_type) {
	case 2:
		to = proto_u64(to, DETAIL_INT, row->payload);
		break;
	case 3:
		memcpy(&real, &row->payload, sizeof(real));
		to = proto_double(to, DETAIL_DOUBLE, real);
		break;
	case 5:
		to = proto_u64(to, DETAIL_INT, (uint64_t)(int64_t)(int32_t)row->payload);
		break;
	case 6:
		memcpy(&small, &row->payload, sizeof(small));
		to = proto_double(to, DETAIL_DOUBLE, (double)small);
		break;
	default:
		to = proto_u64(to, DETAIL_UINT, row->payload);
	}
	proto_end(to, begin);
	return to;
}

static char *put_details(char *to, const struct timeline_event *e)
{
	const struct row_tx *row = &e->tx->row;

	if (e->tx->kind == TX_RANGE)
		to = put_number(to, KEY_THREAD, row->tid);
	if (e->tx->extended) {
		to = put_number(to, KEY_MARK_ID, row->mark_id);
		return put_string(to, KEY_DOMAIN, e->tx->domain, e->tx->domain_len);
	}
	if (row->category)
		to = put_number(to, KEY_CATEGORY, row->category);
	if (e->category)
		to = put_string(to, KEY_CATEGORY_NAME, e->category, strlen(e->category));
	if (row->payload_type || row->payload)
		to = put_payload(to, row);
	return row->message_type ? put_number(to, KEY_MESSAGE_TYPE, (uint32_t)row->message_type) : to;
}

static void intern_name(struct perfetto *p, unsigned int field, uint64_t iid, const char *s, size_t n)
{
	struct packet k = begin_packet(p, text_room(n), PACKET_INTERNED);
	char *begin;

	k.to = proto_begin(k.to, field, &begin);
	k.to = proto_u64(k.to, INTERNED_IID, iid);
	k.to = put_text(k.to, INTERNED_TEXT, s, n);
	proto_end(k.to, begin);
	end_inner(&k);
	k.to = proto_u64(k.to, PACKET_FLAGS, FLAG_NEEDS_STATE);
	end_packet(p, &k);
}

/* Number of the name; 0: it has none, and is written out. */
static uint64_t name_number(struct perfetto *p, const char *s, size_t n)
{
	bool room = p->names.nr < NAMES_MOST && p->names.bytes + n < NAMES_BYTES;
	size_t nr = p->names.nr;
	int64_t id = intern_id(&p->names, s, n, room);

	if (p->names.nr > nr)
		intern_name(p, INTERNED_NAME, (uint64_t)id + 1, s, n);
	return (uint64_t)(id + 1);
}

static void end_slice(struct perfetto *p, uint64_t track, int64_t wall)
{
	struct packet k = begin_packet(p, 0, PACKET_EVENT);

	k.to = proto_u64(k.to, EVENT_TYPE, TYPE_END);
	k.to = proto_u64(k.to, EVENT_TRACK, track);
	end_event(p, &k, wall);
}

static int on_event(void *sink, const struct timeline_event *e)
{
	struct perfetto *p = sink;
	const struct tx_event *tx = e->tx;
	bool instant = tx->kind == TX_MARK;
	uint64_t track = thread_track(e->pid, e->tid);
	uint64_t name = name_number(p, tx->message, tx->message_len);
	struct packet k;

	if (e->alone) {
		track = track_id(e->pid, p->alone++, TRACK_ALONE);
		add_track(p, track, process_track(e->pid), "Ranges that overlap");
	}
	k = begin_packet(p, (name ? 0 : text_room(tx->message_len)) + text_room(tx->domain_len) +
			 (e->category ? text_room(strlen(e->category)) : 0), PACKET_EVENT);
	k.to = proto_u64(k.to, EVENT_TYPE, instant ? TYPE_INSTANT : TYPE_BEGIN);
	k.to = proto_u64(k.to, EVENT_TRACK, track);
	k.to = proto_u64(k.to, EVENT_CATEGORY, (uint64_t)tx_account_of(&tx->row) + 1);
	k.to = name ? proto_u64(k.to, EVENT_NAME_IID, name) :
		      put_text(k.to, EVENT_NAME, tx->message, tx->message_len);
	k.to = put_details(k.to, e);
	end_event(p, &k, e->start);
	if (!instant)
		end_slice(p, track, e->end);
	p->events++;
	return 0;
}

/* ---- calls ---- */

/* Named as the public parser does. */
static int on_call(void *sink, const struct timeline_call *c)
{
	const char *layer = calls_layer(c->call->level), *level = calls_level(c->call->level);
	size_t most = c->name.len < TEXT_MAX ? c->name.len : TEXT_MAX, len = strlen(layer);
	uint64_t track = thread_track(c->pid, c->tid), number;
	struct perfetto *p = sink;
	char name[TEXT_MAX + 32];
	struct packet k;

	memcpy(name, layer, len);
	name[len++] = '@';
	memcpy(name + len, c->name.s, most);
	len += most;
	number = name_number(p, name, len);
	k = begin_packet(p, (number ? 0 : text_room(len)) + text_room(c->type.len) + text_room(c->item.len),
			 PACKET_EVENT);
	k.to = proto_u64(k.to, EVENT_TYPE, TYPE_BEGIN);
	k.to = proto_u64(k.to, EVENT_TRACK, track);
	k.to = proto_u64(k.to, EVENT_CATEGORY, c->call->events ? CATEGORY_EVENT : CATEGORY_CALL);
	k.to = number ? proto_u64(k.to, EVENT_NAME_IID, number) : put_text(k.to, EVENT_NAME, name, len);
	k.to = put_string(k.to, KEY_LEVEL, level, strlen(level));
	k.to = put_string(k.to, KEY_TYPE, c->type.s, c->type.len);
	k.to = put_string(k.to, KEY_ITEM, c->item.s, c->item.len);
	end_event(p, &k, c->start);
	end_slice(p, track, c->end);
	p->events++;
	return 0;
}

static int on_syscall(void *sink, const struct timeline_syscall *c)
{
	uint64_t track = thread_track(c->pid, c->call->tid), number;
	size_t len = strlen(c->call->name);
	struct perfetto *p = sink;
	struct packet k;

	number = name_number(p, c->call->name, len);
	k = begin_packet(p, number ? 0 : text_room(len), PACKET_EVENT);
	k.to = proto_u64(k.to, EVENT_TYPE, TYPE_BEGIN);
	k.to = proto_u64(k.to, EVENT_TRACK, track);
	k.to = proto_u64(k.to, EVENT_CATEGORY, strcmp(c->call->kind, "pthread") ? CATEGORY_SYSCALL : CATEGORY_PTHREAD);
	k.to = number ? proto_u64(k.to, EVENT_NAME_IID, number) : put_text(k.to, EVENT_NAME, c->call->name, len);
	end_event(p, &k, c->call->wall);
	end_slice(p, track, c->call->wall + (int64_t)c->call->ns);
	p->events++;
	return 0;
}

/* ---- counters ---- */

/* Two parts of text as one name: the device's number and the counter's. */
static size_t counter_key(char *to, uint64_t pid, const struct counter *c)
{
	memcpy(to, &pid, sizeof(pid));
	memcpy(to + sizeof(pid), c->name, c->name_len);
	return sizeof(pid) + c->name_len;
}

static const char *unit_of(const char *key, size_t *n)
{
	const char *open = strchr(key, '('); /* "Read(MB/s)" */
	const char *unit = open ? open + 1 : key;

	*n = strcspn(unit, ")");
	return unit;
}

static int on_counter(void *sink, uint64_t pid, const struct counter *c)
{
	struct perfetto *p = sink;
	char key[sizeof(pid) + COUNTER_NAME];
	size_t nr = p->counters.nr, unit_len;
	int64_t id = intern_id(&p->counters, key, counter_key(key, pid, c), true);
	const char *unit = unit_of(c->key, &unit_len);
	struct packet k;
	uint64_t track;
	char *begin;

	if (id < 0)
		return -1;
	track = track_id(pid, (uint64_t)id, TRACK_OF_COUNTER);
	if (p->counters.nr > nr) {
		k = begin_packet(p, text_room(COUNTER_NAME), PACKET_TRACK);
		k.to = proto_u64(k.to, TRACK_UUID, track);
		k.to = proto_u64(k.to, TRACK_PARENT, process_track(pid));
		k.to = put_text(k.to, TRACK_NAME, c->name, c->name_len);
		k.to = proto_begin(k.to, TRACK_COUNTER, &begin);
		k.to = put_text(k.to, COUNTER_UNIT_NAME, unit, unit_len);
		proto_end(k.to, begin);
		end_inner(&k);
		end_packet(p, &k);
	}
	k = begin_packet(p, 0, PACKET_EVENT);
	k.to = proto_u64(k.to, EVENT_TYPE, TYPE_COUNTER);
	k.to = proto_u64(k.to, EVENT_TRACK, track);
	if (c->type == COUNTER_INTEGER)
		k.to = proto_u64(k.to, EVENT_COUNT, c->integer);
	else
		k.to = proto_double(k.to, EVENT_REAL,
				    c->type == COUNTER_REAL || c->type == COUNTER_EXACT ? c->real : (double)c->thousandths / 1000);
	end_event(p, &k, c->wall);
	p->events++;
	return 0;
}

static bool has_failed(const void *sink)
{
	return ((const struct perfetto *)sink)->out.error;
}

/* ---- the beginning ---- */

static char *put_interned(char *to, unsigned int field, uint64_t iid, const char *text)
{
	char *begin;

	to = proto_begin(to, field, &begin);
	to = proto_u64(to, INTERNED_IID, iid);
	to = proto_bytes(to, INTERNED_TEXT, text, strlen(text));
	proto_end(to, begin);
	return to;
}

/* Makes what follows complete: nothing before it is needed. */
static void write_state(struct perfetto *p)
{
	struct packet k = begin_packet(p, 0, PACKET_INTERNED);
	char *begin;

	for (int i = 0; i < TX_ACCOUNTS; i++)
		k.to = put_interned(k.to, INTERNED_CATEGORY, (uint64_t)i + 1, tx_account_name(i));
	k.to = put_interned(k.to, INTERNED_CATEGORY, CATEGORY_CALL, "api");
	k.to = put_interned(k.to, INTERNED_CATEGORY, CATEGORY_EVENT, "event");
	k.to = put_interned(k.to, INTERNED_CATEGORY, CATEGORY_SYSCALL, "syscall");
	k.to = put_interned(k.to, INTERNED_CATEGORY, CATEGORY_PTHREAD, "pthread");
	for (int i = 0; i < KEYS; i++)
		k.to = put_interned(k.to, INTERNED_KEY, (uint64_t)i + 1, keys[i]);
	end_inner(&k);
	k.to = proto_u64(k.to, PACKET_FLAGS, FLAG_CLEARED);
	k.to = proto_u64(k.to, PACKET_FIRST, 1);
	k.to = proto_begin(k.to, PACKET_DEFAULTS, &begin);
	k.to = proto_u64(k.to, DEFAULTS_CLOCK, CLOCK_REALTIME_ID);
	proto_end(k.to, begin);
	end_packet(p, &k);
}

static char *put_clock(char *to, uint64_t id, int64_t ns)
{
	char *begin;

	to = proto_begin(to, CLOCKS_CLOCK, &begin);
	to = proto_u64(to, CLOCK_ID, id);
	to = proto_u64(to, CLOCK_TIME, ns > 0 ? (uint64_t)ns : 0);
	proto_end(to, begin);
	return to;
}

/* Clocks at the first directory's start. Others may be of other hosts, with another raw clock. */
static void write_clocks(struct perfetto *p, const struct prof_set *set)
{
	const struct prof *prof = &set->prof[0];
	struct packet k = begin_packet(p, 0, PACKET_CLOCKS);

	k.to = put_clock(k.to, CLOCK_REALTIME_ID, prof->start);
	if (set->nr == 1)
		k.to = put_clock(k.to, CLOCK_MONOTONIC_RAW_ID, (int64_t)prof->part[0].control.begin_raw_ns);
	k.to = proto_u64(k.to, CLOCKS_PRIMARY, CLOCK_REALTIME_ID);
	end_inner(&k);
	end_packet(p, &k);
}

int perfetto_export(const struct prof_set *set, const char *path, struct trace_total *total,
		    struct diag *diag)
{
	static const struct timeline_ops ops = { on_process, on_thread, on_event, on_counter, has_failed, on_call, on_syscall };
	struct perfetto p = { 0 };
	struct timeline line;
	int ret = -1;

	intern_init(&p.names);
	intern_init(&p.counters);
	if (timeline_open(&line, set, diag) || out_open(&p.out, path, diag))
		goto out;
	write_state(&p);
	write_clocks(&p, set);
	if (timeline_write(&line, &ops, &p, path, diag)) {
		out_abort(&p.out);
		goto out;
	}
	out_flush(&p.out);
	*total = (struct trace_total){ p.events, p.out.total };
	ret = out_commit(&p.out, diag);
out:
	timeline_close(&line);
	intern_free(&p.names);
	intern_free(&p.counters);
	return ret;
}
