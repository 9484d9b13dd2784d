/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/tx_rows.h"

#include <string.h>
#include <unistd.h>

#include "annotate/thread.h"
#include "format/rows.h"
#include "format/utf8.h"

#define GIVE_BACK (256u << 10) /* bytes after which a producer may have its room again */

void tx_reader_reset(struct tx_reader *r)
{
	struct clock_pair pair;

	r->pid = (uint32_t)getpid();
	r->map.n = 0;
	clock_take_pair(&pair);
	clock_map_add(&r->map, &pair);
	for (struct tx_thread *t = tx_threads(); t; t = t->next)
		atomic_store_explicit(&t->tail, atomic_load_explicit(&t->head, memory_order_acquire),
				      memory_order_release);
}

static void fill(struct row_tx *row, const struct tx_reader *r, const struct tx_record *rec, uint32_t tid)
{
	size_t len;

	memset(row, 0, offsetof(struct row_tx, message));
	row->magic = ROW_MAGIC;
	row->level = ROW_TX_LEVEL;
	row->report_tid = tid;
	row->data_len = ROW_TX_DATA_LEN;
	row->magic2 = ROW_MAGIC;
	row->tag = ROW_TX_TAG;
	row->pid = r->pid;
	row->tid = tid;
	row->event = rec->event;
	row->start = clock_map_raw(&r->map, rec->start);
	row->end = rec->end == rec->start ? row->start : clock_map_raw(&r->map, rec->end);
	row->stamp = row->end;
	len = utf8_copy(row->message, ROW_TX_MESSAGE_MAX, rec->message, rec->message_len);
	memset(row->message + len, 0, sizeof(row->message) - len);
}

static void see(struct run_tx *seen, unsigned int kind, uint64_t start, uint64_t end)
{
	if (!seen->first_ns[kind] || start < seen->first_ns[kind])
		seen->first_ns[kind] = start;
	if (end > seen->last_ns[kind])
		seen->last_ns[kind] = end;
}

static void read_ring(struct tx_reader *r, struct tx_thread *t, uint64_t head, struct slice_sink *sink,
		      struct run_tx *seen)
{
	uint64_t tail = atomic_load_explicit(&t->tail, memory_order_relaxed), given = tail;

	while (tail != head) {
		const struct tx_record *rec = (const void *)(t->ring + (tail & (TX_RING_BYTES - 1)));
		struct row_tx *row;
		uint32_t room;

		tail += rec->len;
		if (rec->event != TX_RECORD_PAD) {
			row = slice_reserve(sink, &room);
			if (row) {
				fill(row, r, rec, t->tid);
				see(seen, rec->event, row->start, row->end);
				slice_commit(sink, 1, rec->event);
			} else {
				slice_lose(sink, 1, rec->event);
			}
		}
		if (tail - given >= GIVE_BACK || tail == head) {
			atomic_store_explicit(&t->tail, tail, memory_order_release);
			given = tail;
		}
	}
}

bool tx_read(struct tx_reader *r, struct slice_sink *sink, struct run_tx *seen)
{
	bool any = false;

	for (struct tx_thread *t = tx_threads(); t; t = t->next) {
		uint64_t head = atomic_load_explicit(&t->head, memory_order_acquire);
		struct clock_pair pair;

		if (head != atomic_load_explicit(&t->tail, memory_order_relaxed)) {
			/* Taken after the head: no record in reach is younger. */
			clock_take_pair(&pair);
			clock_map_add(&r->map, &pair);
			read_ring(r, t, head, sink, seen);
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
