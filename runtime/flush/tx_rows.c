/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/tx_rows.h"

#include <string.h>
#include <unistd.h>

#include "annotate/thread.h"
#include "flush/stream.h"
#include "flush/tx_native.h"
#include "format/rows.h"
#include "format/utf8.h"
#include "format/words.h"
#include "mstx/domain.h"

#define GIVE_BACK (256u << 10) /* bytes after which a producer may have its room again */

void tx_reader_reset(struct tx_reader *r)
{
	struct clock_pair pair;

	r->pid = (uint32_t)getpid();
	r->recording++;
	native_rows_plain(&r->plain, r->pid);
	/* In a child that was forked meanwhile there is what its parent had begun. */
	r->filled = r->room = 0;
	memset(r->events, 0, sizeof(r->events));
	clock_map_reset(&r->map);
	clock_take_pair(&pair);
	clock_map_add(&r->map, &pair);
	for (struct tx_thread *t = tx_threads(); t; t = t->next)
		atomic_store_explicit(&t->tail, atomic_load_explicit(&t->head, memory_order_acquire),
				      memory_order_release);
}

_Static_assert(offsetof(struct row_compact, stamp) == offsetof(struct row_api, start) &&
	       offsetof(struct row_additional, stamp) == offsetof(struct row_api, start), "first stamps");
_Static_assert(TX_KIND_TENSOR <= SLICE_KINDS, "kinds of rows");
_Static_assert((int)TX_KIND_MARK == NATIVE_MARK && (int)TX_KIND_PUSH_POP == NATIVE_PUSH_POP &&
	       (int)TX_KIND_RANGE == NATIVE_RANGE && (int)TX_KIND_MSTX_MARK == NATIVE_MSTX_MARK &&
	       (int)TX_KIND_MSTX_RANGE == NATIVE_MSTX_RANGE && (int)TX_KIND_MARK_EX == NATIVE_MARK_EX, "kinds of events");

unsigned int tx_kind_of(const void *data)
{
	const struct row_tx *row = data;

	if (row->info_type == ROW_TX_INFO_STAMP)
		return row->event < TX_KIND_MSTX_MARK ? row->event : TX_KIND_MARK;
	if (row->segment)
		return SLICE_PART;
	if (row->event == ROW_TX_MARK_EX)
		return TX_KIND_MARK_EX;
	return row->event == ROW_TX_RANGE ? TX_KIND_MSTX_RANGE : TX_KIND_MSTX_MARK;
}

static void see(struct run_tx *seen, unsigned int kind, uint64_t start, uint64_t end)
{
	if (!seen->first_ns[kind] || start < seen->first_ns[kind])
		seen->first_ns[kind] = start;
	if (end > seen->last_ns[kind])
		seen->last_ns[kind] = end;
}

/* The domain's name is in the directory before the first row that needs it. */
static void note_domain(struct tx_reader *r, struct tx_domain *domain, struct run *run)
{
	if (domain->noted_in == r->recording)
		return;
	dictionary_add(&run->dictionary, domain->hash, domain->name);
	domain->noted_in = r->recording;
}

static void event_of(struct native_event *e, struct tx_reader *r, const struct tx_record *rec, uint32_t tid,
		     struct run *run)
{
	const struct tx_extension *x = (const void *)rec->body;
	const struct tx_details *details = (const void *)rec->body;

	*e = (struct native_event) { .kind = rec->kind, .tid = tid, .text = rec->body, .text_len = rec->message_len };
	e->start = clock_map_raw(&r->map, rec->start);
	e->end = rec->end == rec->start ? e->start : clock_map_raw(&r->map, rec->end);
	if (rec->has == TX_BODY_EXTENDED) {
		note_domain(r, x->domain, run);
		e->bits = NATIVE_MARKED;
		e->text += sizeof(*x);
		e->begin_tid = x->tid;
		e->mark_id = x->mark_id;
		e->domain = x->domain->hash;
	} else if (rec->has == TX_BODY_DETAILED) {
		e->bits = NATIVE_TAGGED;
		e->text += sizeof(*details);
		e->category = details->category;
		e->payload_type = details->payload_type;
		e->payload = details->payload;
	}
}

static void put_rows(struct tx_reader *r, const struct native_event *e, struct run *run)
{
	size_t len = native_rows_text(e, r->text);
	uint32_t rows = native_rows_count(e, r->text, len);
	struct row_tx *row = slice_reserve_event(&run->tx, rows);

	if (!row) {
		slice_lose(&run->tx, 1, e->kind);
		return;
	}
	native_rows_fill(row, rows, r->pid, e, r->text, len);
	see(&run->tx_seen, e->kind, e->start, e->end);
	slice_commit_event(&run->tx, rows, e->kind);
}

/* ---- rows of stamps without details: most of all, and each by itself ---- */

static void commit_rows(struct tx_reader *r, struct run *run)
{
	if (r->filled) {
		stream_done();
		slice_commit_block(&run->tx, r->filled, r->events);
		memset(r->events, 0, sizeof(r->events));
	}
	r->filled = 0;
	r->room = 0;
}

/* A row to be filled; NULL when nothing can be written. */
static inline struct row_tx *next_row(struct tx_reader *r, struct run *run)
{
	if (r->filled == r->room) {
		commit_rows(r, run);
		r->rows = slice_reserve(&run->tx, &r->room);
		if (!r->rows) {
			r->room = 0;
			return NULL;
		}
	}
	return &r->rows[r->filled];
}

/* Copies a message up to the next multiple of eight bytes. Return: whether all of it is ASCII. */
static inline bool copy_ascii(char *to, const char *from, uint32_t len)
{
	uint64_t word, all = 0;

	for (uint32_t i = 0; i < len; i += 8) {
		memcpy(&word, from + i, 8);
		memcpy(to + i, &word, 8);
		all |= word;
	}
	return !(all & 0x8080808080808080u);
}

_Static_assert((int)TX_KIND_MARK == ROW_TX_MARK && (int)TX_KIND_PUSH_POP == ROW_TX_PUSH_POP &&
	       (int)TX_KIND_RANGE == ROW_TX_RANGE, "events of stamps");
_Static_assert(TX_MESSAGE_MAX < sizeof(((struct row_tx *)0)->message) / 8 * 8, "messages of stamps");

/* Once built, they are copied to where they belong: past the caches, if the device will fetch them from memory. */
static void put_plain(struct tx_reader *r, const struct tx_record *rec, struct run *run)
{
	_Alignas(64) struct row_tx row = r->plain;
	struct row_tx *to = next_row(r, run);

	if (!to) {
		slice_lose(&run->tx, 1, rec->kind);
		return;
	}
	row.event = rec->kind;
	row.start = clock_map_raw(&r->map, rec->start);
	row.end = rec->end == rec->start ? row.start : clock_map_raw(&r->map, rec->end);
	row.stamp = row.end;
	if (!copy_ascii(row.message, rec->body, rec->message_len)) {
		size_t n = utf8_copy(row.message, ROW_TX_MESSAGE_MAX, rec->body, rec->message_len);

		memset(row.message + n, 0, sizeof(row.message) - n);
	}
	if (slice_is_direct(&run->tx))
		stream_copy(to, &row, sizeof(row));
	else
		memcpy(to, &row, sizeof(row));
	r->filled++;
	r->events[rec->kind]++;
	see(&run->tx_seen, rec->kind, row.start, row.end);
}

static void put(struct tx_reader *r, const struct tx_record *rec, uint32_t tid, struct run *run)
{
	struct native_event e;

	if (rec->has == TX_BODY_PLAIN && !run->native) {
		put_plain(r, rec, run);
		return;
	}

	event_of(&e, r, rec, tid, run);
	if (!run->native) {
		commit_rows(r, run);
		put_rows(r, &e, run);
		return;
	}
	tx_native_put(run, &e);
	see(&run->tx_seen, rec->kind, e.start, e.end);
}

/* One row for every few tensors, or one without any. Return: how many. */
static uint32_t put_launch(struct tx_reader *r, const struct tx_record *rec, uint32_t tid, struct run *run)
{
	const struct tx_launch *launch = (const void *)rec->body;
	uint64_t stamp = clock_map_raw(&r->map, rec->start);
	uint32_t done = 0, rows = 0;

	do {
		uint32_t nr = launch->nr - done < ROW_TENSORS ? launch->nr - done : ROW_TENSORS;
		struct row_tensors row = {
			.level = ROW_NODE_LEVEL,
			.type = ROW_TENSOR_TYPE,
			.tid = tid,
			.data_len = (uint32_t)(offsetof(struct row_tensors, tensor) -
					       offsetof(struct row_tensors, op_name) + nr * sizeof(row.tensor[0])),
			.stamp = stamp,
			.op_name = launch->op_name,
			.nr = nr,
		};

		memcpy(row.tensor, &launch->tensor[done], nr * sizeof(row.tensor[0]));
		reports_put(&run->reports, TX_KIND_TENSOR, false, &row);
		done += nr;
		rows++;
	} while (done < launch->nr);
	see(&run->tx_seen, TX_KIND_TENSOR, stamp, stamp);
	return rows;
}

static void put_report(const struct tx_report *report, struct run *run)
{
	enum tx_kind kind = (enum tx_kind)report->kind;
	const struct row_api *row = (const void *)report->row; /* all have their first stamp in one place */

	reports_put(&run->reports, kind, report->stays, row);
	see(&run->tx_seen, kind, row->start, kind == TX_KIND_API ? row->end : row->start);
}

/* Return: how many rows its account has for it. */
static uint32_t put_record(struct tx_reader *r, const struct tx_record *rec, uint32_t tid, struct run *run)
{
	if (rec->has == TX_BODY_LAUNCH)
		return put_launch(r, rec, tid, run);
	if (rec->has == TX_BODY_REPORT)
		put_report((const struct tx_report *)rec, run);
	else
		put(r, rec, tid, run);
	return 1;
}

/*
 * Events without length, which have the head and the text of the one before, and end no earlier:
 * a loop of its own, all of whose values find room in registers. Return: the first that is not.
 */
static __attribute__((noinline)) const char *read_same(struct native_run *run, const char *at, const char *last,
							const struct clock_point *line, uint64_t head)
{
	const uint64_t ticks = line->at.ticks, raw = line->at.raw, rate = line->rate;
	const uint32_t len = run->text_len, room = run->room;
	const bool in_two = len >= 16 && len <= 32;
	const bytes16 front = in_two ? sixteen_at(run->text) : (bytes16){ 0 };
	const bytes16 back = in_two ? sixteen_at(run->text + len - 16) : (bytes16){ 0 };
	uint64_t last_end = run->last_end;
	uint8_t *time = run->time, *id = run->id;
	uint32_t n = 0;

	for (; at < last && n < room; at += (uint32_t)head) {
		const struct tx_record *rec = (const void *)at;
		const uint64_t end_ticks = rec->end;
		uint64_t end;

		if (((word_at(at) ^ head) | (rec->start ^ end_ticks)) != 0 || end_ticks < ticks)
			break;
		if (in_two) {
			words2 other = (words2)((sixteen_at(rec->body) ^ front) | (sixteen_at(rec->body + len - 16) ^ back));

			if (other[0] | other[1])
				break;
		} else if (!native_equal(rec->body, run->text, len)) {
			break;
		}
		end = raw + clock_map_since(end_ticks - ticks, rate);
		if (end < last_end)
			break;
		memcpy(id, &run->id_bytes, sizeof(run->id_bytes));
		id += run->id_len;
		time = native_varint(time, (end - last_end) << 1);
		last_end = end;
		run->tag[n++] = (uint8_t)head_kind(head);
	}
	run->tag += n;
	run->room -= n;
	run->time = time;
	run->id = id;
	run->last_end = last_end;
	return at;
}

/* Whether read_same() is worth its call for the record at @at: texts that are not the same mostly differ at their end. */
static inline bool may_be_same(const struct native_run *run, const char *at, uint64_t head)
{
	const struct tx_record *rec = (const void *)at;
	const uint32_t len = run->text_len;

	return run->text && word_at(at) == head && len == head_message_len(head) && rec->start == rec->end &&
	       (len < 8 || word_at(rec->body + len - 8) == word_at(run->text + len - 8));
}

/*
 * Into the native layout: records from @tail on, as long as they have no
 * details, begin before @to and fit the block. Return: where the next one is.
 */
static uint64_t read_run(struct tx_reader *r, struct tx_thread *t, uint64_t tail, uint64_t to, struct run *run)
{
	const struct clock_point line = r->map.youngest;
	struct run_tx seen = run->tx_seen;
	uint32_t events[NATIVE_KINDS] = { 0 };
	struct native_encoder *encoder = run->native;
	const char *const begin = t->ring + (tail & (TX_RING_BYTES - 1)), *at = begin;
	const uint64_t lap_left = TX_RING_BYTES - (tail & (TX_RING_BYTES - 1)); /* it ends with padding */
	const char *const last = at + (to - tail < lap_left ? to - tail : lap_left);
	struct native_run native, around; /* the first is in registers, for its address is not taken */

	tx_native_run_begin(run, t->tid, &around);
	native = around;
	while (at < last && native.room) {
		const struct tx_record *rec = (const void *)at;
		uint64_t start, end, head;
		unsigned int kind;

		memcpy(&head, rec, sizeof(head));
		kind = head_kind(head);
		if (kind == TX_RECORD_PAD || !head_is_plain(head))
			break;
		start = clock_map_raw_by(&r->map, &line, rec->start);
		end = rec->end == rec->start ? start : clock_map_raw_by(&r->map, &line, rec->end);
		native_run_put(&native, kind, start, end, rec->body, head_message_len(head), encoder);
		see(&seen, kind, start, end);
		events[kind]++;
		at += (uint32_t)head;
		if (at < last && may_be_same(&native, at, head)) {
			struct native_run copy = native;

			at = read_same(&copy, at, last, &line, head);
			events[kind] += native.room - copy.room;
			native = copy;
			see(&seen, kind, native.last_end, native.last_end);
		}
	}
	around = native;
	tx_native_run_end(run, &around, events);
	run->tx_seen = seen;
	for (unsigned int k = 0; k < NATIVE_KINDS; k++)
		t->taken[k] += events[k];
	return tail + (uint64_t)(at - begin);
}

static void read_ring(struct tx_reader *r, struct tx_thread *t, uint64_t head, struct run *run)
{
	uint64_t tail = atomic_load_explicit(&t->tail, memory_order_relaxed), given = tail;

	r->plain.report_tid = r->plain.tid = t->tid;
	while (tail != head) {
		const struct tx_record *rec = (const void *)(t->ring + (tail & (TX_RING_BYTES - 1)));

		if (run->native && rec->kind != TX_RECORD_PAD && rec->has == TX_BODY_PLAIN) {
			tail = read_run(r, t, tail, head - given > GIVE_BACK ? given + GIVE_BACK : head, run);
		} else {
			tail += rec->len;
			if (rec->kind != TX_RECORD_PAD)
				t->taken[rec->kind] += put_record(r, rec, t->tid, run);
		}
		if (tail - given >= GIVE_BACK || tail == head) {
			atomic_store_explicit(&t->tail, tail, memory_order_release);
			given = tail;
			tx_ring_ahead(t, atomic_load_explicit(&t->head, memory_order_relaxed));
		}
	}
	commit_rows(r, run);
}

bool tx_read(struct tx_reader *r, struct run *run)
{
	bool any = false;

	for (struct tx_thread *t = tx_threads(); t; t = t->next) {
		uint64_t head = atomic_load_explicit(&t->head, memory_order_acquire);
		struct clock_pair pair;

		if (head != atomic_load_explicit(&t->tail, memory_order_relaxed)) {
			tx_ring_ahead(t, head);
			/* Taken after the head: no record in reach is younger. */
			clock_take_pair(&pair);
			clock_map_add(&r->map, &pair);
			read_ring(r, t, head, run);
			any = true;
		}
		tx_recycle(t);
	}
	return any;
}

bool tx_pending(void)
{
	for (struct tx_thread *t = tx_threads(); t; t = t->next)
		if (atomic_load_explicit(&t->head, memory_order_acquire) !=
		    atomic_load_explicit(&t->tail, memory_order_relaxed))
			return true;
	return false;
}
