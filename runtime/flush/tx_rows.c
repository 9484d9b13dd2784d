/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/tx_rows.h"

#include <string.h>
#include <unistd.h>

#include "annotate/thread.h"
#include "format/rows.h"
#include "format/utf8.h"
#include "mstx/domain.h"

#define GIVE_BACK (256u << 10) /* bytes after which a producer may have its room again */

void tx_reader_reset(struct tx_reader *r)
{
	struct clock_pair pair;

	r->pid = (uint32_t)getpid();
	r->recording++;
	r->map.n = 0;
	clock_take_pair(&pair);
	clock_map_add(&r->map, &pair);
	for (struct tx_thread *t = tx_threads(); t; t = t->next)
		atomic_store_explicit(&t->tail, atomic_load_explicit(&t->head, memory_order_acquire),
				      memory_order_release);
}

_Static_assert(TX_KINDS <= SLICE_KINDS, "kinds of rows");

static const enum row_tx_event event_of[TX_KINDS] = {
	[TX_KIND_MARK] = ROW_TX_MARK,
	[TX_KIND_PUSH_POP] = ROW_TX_PUSH_POP,
	[TX_KIND_RANGE] = ROW_TX_RANGE,
	[TX_KIND_MSTX_MARK] = ROW_TX_MARK,
	[TX_KIND_MSTX_RANGE] = ROW_TX_RANGE,
	[TX_KIND_MARK_EX] = ROW_TX_MARK_EX,
};

unsigned int tx_tensor_kind_of(const void *data)
{
	(void)data;
	return TX_KIND_TENSOR;
}

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

/* All but the message. */
static void fill(struct row_tx *row, const struct tx_reader *r, const struct tx_record *rec, uint32_t tid)
{
	memset(row, 0, offsetof(struct row_tx, message));
	row->magic = ROW_MAGIC;
	row->level = ROW_TX_LEVEL;
	row->report_tid = tid;
	row->data_len = ROW_TX_DATA_LEN;
	row->magic2 = ROW_MAGIC;
	row->tag = ROW_TX_TAG;
	row->pid = r->pid;
	row->tid = tid;
	row->event = event_of[rec->kind];
	row->start = clock_map_raw(&r->map, rec->start);
	row->end = rec->end == rec->start ? row->start : clock_map_raw(&r->map, rec->end);
	row->stamp = row->end;
}

static void see(struct run_tx *seen, unsigned int kind, uint64_t start, uint64_t end)
{
	if (!seen->first_ns[kind] || start < seen->first_ns[kind])
		seen->first_ns[kind] = start;
	if (end > seen->last_ns[kind])
		seen->last_ns[kind] = end;
}

static void put(struct tx_reader *r, const struct tx_record *rec, uint32_t tid, struct run *run)
{
	uint32_t room;
	struct row_tx *row = slice_reserve(&run->tx, &room);
	const char *message = rec->body;
	size_t len;

	if (!row) {
		slice_lose(&run->tx, 1, rec->kind);
		return;
	}
	fill(row, r, rec, tid);
	if (rec->has == TX_BODY_DETAILED) {
		const struct tx_details *details = (const void *)rec->body;

		row->category = details->category;
		row->payload_type = details->payload_type;
		row->payload = details->payload;
		message += sizeof(*details);
	}
	len = utf8_copy(row->message, ROW_TX_MESSAGE_MAX, message, rec->message_len);
	memset(row->message + len, 0, sizeof(row->message) - len);
	see(&run->tx_seen, rec->kind, row->start, row->end);
	slice_commit(&run->tx, 1, rec->kind);
}

/* Bytes of valid UTF-8 that one row takes: as many as fit, up to a character's end. */
static size_t segment_bytes(const char *text, size_t len)
{
	size_t n = ROW_TX_MESSAGE_MAX;

	if (len <= n)
		return len;
	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static uint32_t segments(const char *text, size_t len)
{
	uint32_t n = 1;

	for (size_t at = segment_bytes(text, len); at < len; n++)
		at += segment_bytes(text + at, len - at);
	return n;
}

static void put_extended(struct tx_reader *r, const struct tx_record *rec, uint32_t tid, struct run *run)
{
	const struct tx_extension *x = (const void *)rec->body;
	size_t len = utf8_copy(r->text, sizeof(r->text), rec->body + sizeof(*x), rec->message_len);
	uint32_t rows = segments(r->text, len);
	struct row_tx *row;

	if (x->domain->noted_in != r->recording) {
		dictionary_add(&run->dictionary, x->domain->hash, x->domain->name);
		x->domain->noted_in = r->recording;
	}
	row = slice_reserve_event(&run->tx, rows);
	if (!row) {
		slice_lose(&run->tx, 1, rec->kind);
		return;
	}
	fill(row, r, rec, tid);
	row->info_type = ROW_TX_INFO_SEGMENT;
	row->tid = x->tid;
	row->mark_id = x->mark_id;
	row->domain = x->domain->hash;
	for (size_t i = 0, at = 0, n; i < rows; i++, at += n) {
		if (i)
			memcpy(&row[i], row, offsetof(struct row_tx, message));
		row[i].segment = (uint16_t)i;
		n = segment_bytes(r->text + at, len - at);
		memcpy(row[i].message, r->text + at, n);
		memset(row[i].message + n, 0, sizeof(row[i].message) - n);
	}
	see(&run->tx_seen, rec->kind, row->start, row->end);
	slice_commit_event(&run->tx, rows, rec->kind);
}

/* One row for every few tensors, or one without any. */
static void put_launch(struct tx_reader *r, const struct tx_record *rec, uint32_t tid, struct run *run)
{
	const struct tx_launch *launch = (const void *)rec->body;
	uint64_t stamp = clock_map_raw(&r->map, rec->start);
	uint32_t done = 0, room;

	do {
		uint32_t nr = launch->nr - done < ROW_TENSORS ? launch->nr - done : ROW_TENSORS;
		struct row_tensors *row = slice_reserve(&run->tensors, &room);

		if (row) {
			*row = (struct row_tensors){
				.magic = ROW_MAGIC,
				.level = ROW_NODE_LEVEL,
				.type = ROW_TENSOR_TYPE,
				.tid = tid,
				.data_len = (uint32_t)(offsetof(struct row_tensors, tensor) -
						       offsetof(struct row_tensors, op_name) +
						       nr * sizeof(row->tensor[0])),
				.stamp = stamp,
				.op_name = launch->op_name,
				.nr = nr,
			};
			memcpy(row->tensor, &launch->tensor[done], nr * sizeof(row->tensor[0]));
			slice_commit(&run->tensors, 1, TX_KIND_TENSOR);
		} else {
			slice_lose(&run->tensors, 1, TX_KIND_TENSOR);
		}
		done += nr;
	} while (done < launch->nr);
	see(&run->tx_seen, TX_KIND_TENSOR, stamp, stamp);
}

static void read_ring(struct tx_reader *r, struct tx_thread *t, uint64_t head, struct run *run)
{
	uint64_t tail = atomic_load_explicit(&t->tail, memory_order_relaxed), given = tail;

	while (tail != head) {
		const struct tx_record *rec = (const void *)(t->ring + (tail & (TX_RING_BYTES - 1)));

		tail += rec->len;
		if (rec->kind != TX_RECORD_PAD) {
			if (rec->has == TX_BODY_EXTENDED)
				put_extended(r, rec, t->tid, run);
			else if (rec->has == TX_BODY_LAUNCH)
				put_launch(r, rec, t->tid, run);
			else
				put(r, rec, t->tid, run);
		}
		if (tail - given >= GIVE_BACK || tail == head) {
			atomic_store_explicit(&t->tail, tail, memory_order_release);
			given = tail;
		}
	}
}

bool tx_read(struct tx_reader *r, struct run *run)
{
	bool any = false;

	for (struct tx_thread *t = tx_threads(); t; t = t->next) {
		uint64_t head = atomic_load_explicit(&t->head, memory_order_acquire);
		struct clock_pair pair;

		if (head != atomic_load_explicit(&t->tail, memory_order_relaxed)) {
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
