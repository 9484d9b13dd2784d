// SPDX-License-Identifier: Apache-2.0
/* The native layout: what is written is what is read, and nothing else is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/native.h"
#include "format/crc32c.h"
#include "native/encode.h"
#include "native/zstd.h"

#define EVENTS 200000

struct made {
	struct native_event *event;
	size_t nr, seen;
	uint64_t kinds[NATIVE_KINDS];
	char *text; /* all texts */
	size_t text_len;
};

struct file {
	unsigned char *data;
	size_t len;
	size_t blocks;
};

static uint64_t state;

static uint64_t any(uint64_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % below;
}

static void make(struct made *m, size_t nr, int texts)
{
	uint64_t now = 5000000000000u;

	*m = (struct made) { .event = calloc(nr, sizeof(*m->event)), .nr = nr };
	m->text = malloc(nr * 160 + 4 * NATIVE_TEXT_MAX);
	assert_true(m->event && m->text);
	for (size_t i = 0; i < nr; i++) {
		struct native_event *e = &m->event[i];
		char *text = m->text + m->text_len;

		now += any(50) ? any(2000) : any(1u << 30);
		e->kind = (uint32_t)any(6);
		e->tid = 1000 + (uint32_t)(any(300) ? i / 7000 : any(5));
		e->end = now;
		e->start = any(2) ? now : now - any(1u << 20);
		e->text = text;
		if (texts)
			e->text_len = (uint32_t)sprintf(text, "forward/layer_%02d/step", (int)any((uint64_t)texts));
		else
			e->text_len = (uint32_t)sprintf(text, "iteration %zu of the training", i);
		if (!any(1000))
			e->text_len = 0;
		if (!any(20000)) {
			e->text_len = NATIVE_TEXT_MAX - (uint32_t)any(3);
			memset(text, 'a' + (int)any(26), e->text_len);
			m->text_len += e->text_len;
		} else {
			m->text_len += 160;
		}
		if (m->text_len > nr * 160 + 3 * NATIVE_TEXT_MAX)
			m->nr = nr = i + 1;
		if (e->kind >= 3) {
			e->bits |= NATIVE_MARKED;
			e->mark_id = i + (any(100) ? 0 : any(UINT32_MAX));
			e->begin_tid = any(3) ? e->tid : (uint32_t)any(UINT32_MAX);
			e->domain = any(3) * 0x123456789abcdefu;
		}
		if (!any(10)) {
			e->bits |= NATIVE_TAGGED;
			e->category = (uint32_t)any(UINT32_MAX);
			e->payload_type = (int32_t)any(5) - 2;
			e->payload = any(UINT32_MAX) << any(32);
		}
		m->kinds[e->kind]++;
	}
	/* the edges of what fits */
	m->event[0].start = 0;
	m->event[0].end = UINT64_MAX;
	m->event[nr - 1].start = m->event[nr - 1].end = 0;
}

static void drop(struct made *m, struct file *f)
{
	free(m->event);
	free(m->text);
	free(f->data);
}

static void take(struct native_encoder *e, struct file *f, uint64_t kinds[NATIVE_KINDS])
{
	uint32_t events[NATIVE_KINDS];

	f->data = realloc(f->data, f->len + NATIVE_BLOCK_MAX);
	assert_non_null(f->data);
	f->len += native_take(e, f->data + f->len, events);
	assert_int_equal(f->len % NATIVE_PAGE, 0);
	f->blocks++;
	for (int k = 0; k < NATIVE_KINDS; k++)
		kinds[k] += events[k];
	assert_false(native_pending(e));
}

/* Events from @i on, in a run where they may be. Return: how many; @full: as native_put(). */
static size_t put_some(struct native_encoder *e, const struct made *m, size_t i, bool runs, bool *full)
{
	const struct native_event *event = &m->event[i];
	uint32_t events[NATIVE_KINDS] = { 0 };
	struct native_run r;
	size_t n = 0;

	if (!runs || event->bits) {
		*full = native_put(e, event);
		return 1;
	}
	native_run_begin(e, event->tid, &r);
	for (; r.room && i + n < m->nr && !event->bits && event->tid == m->event[i].tid && any(3000); n++, event++) {
		native_run_put(&r, event->kind, event->start, event->end, event->text, event->text_len, e);
		events[event->kind]++;
	}
	*full = native_run_end(e, &r, events);
	return n;
}

static void write_all(const struct made *m, int level, bool runs, struct file *f)
{
	bool full;

	struct native_encoder *e = native_encoder_new(42, level);
	uint64_t kinds[NATIVE_KINDS] = { 0 };

	*f = (struct file) { 0 };
	assert_non_null(e);
	for (size_t i = 0; i < m->nr;) {
		i += put_some(e, m, i, runs, &full);
		if (full || (native_pending(e) && !any(20000)))
			take(e, f, kinds);
	}
	if (native_pending(e))
		take(e, f, kinds);
	native_encoder_free(e);
	assert_memory_equal(kinds, m->kinds, sizeof(kinds));
}

static int compare(void *arg, const struct native_event *got)
{
	struct made *m = arg;
	const struct native_event *e = &m->event[m->seen++];

	assert_in_range(m->seen, 1, m->nr);
	assert_int_equal(got->text_len, e->text_len);
	assert_memory_equal(got->text, e->text, e->text_len);
	assert_true(got->kind == e->kind && got->tid == e->tid && got->bits == e->bits);
	assert_true(got->start == e->start && got->end == e->end);
	assert_true(got->begin_tid == e->begin_tid && got->mark_id == e->mark_id && got->domain == e->domain);
	assert_true(got->category == e->category && got->payload_type == e->payload_type &&
		    got->payload == e->payload);
	return 0;
}

static size_t round_trip(int texts, int level, bool runs)
{
	struct native_reading r;
	struct made m;
	struct file f;
	size_t len;

	make(&m, EVENTS, texts);
	write_all(&m, level, runs, &f);
	assert_int_equal(native_read(f.data, f.len, compare, &m, &r), 0);
	assert_null(r.wrong);
	assert_int_equal(m.seen, m.nr);
	assert_int_equal(r.good_bytes, f.len);
	assert_int_equal(r.blocks, f.blocks);
	assert_int_equal(r.pid, 42);
	assert_memory_equal(r.events, m.kinds, sizeof(r.events));
	len = f.len;
	drop(&m, &f);
	return len;
}

static void comes_back(void **unused)
{
	(void)unused;
	for (int runs = 0; runs < 2; runs++) {
		round_trip(1, 0, runs);
		round_trip(60, 0, runs);
		/* more texts than have numbers */
		round_trip(0, 0, runs);
	}
}

static void comes_back_compressed(void **unused)
{
	size_t plain, packed;

	(void)unused;
	if (*native_zstd_missing()) {
		print_message("skipped: %s\n", native_zstd_missing());
		skip();
	}
	plain = round_trip(60, 0, false);
	packed = round_trip(60, 1, false);
	assert_in_range(packed, 1, plain - 1);
	round_trip(0, 3, true);
}

/* Frames of what is stored as it is are frames, of as many blocks as it takes. */
static void stored_comes_back(void **unused)
{
	static const uint32_t lens[] = {
		0, 1, 255, 256, 70000, NATIVE_ZSTD_BLOCK, NATIVE_ZSTD_BLOCK + 1, 2 * NATIVE_ZSTD_BLOCK, 3 * NATIVE_ZSTD_BLOCK + 7,
	};

	(void)unused;
	if (*native_zstd_missing()) {
		print_message("skipped: %s\n", native_zstd_missing());
		skip();
	}
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		uint32_t len = lens[i];
		char *plain = malloc(len + 1), *packed = malloc(NATIVE_ZSTD_STORED(len)), *back = malloc(len + 1);
		size_t n;

		for (uint32_t j = 0; j < len; j++)
			plain[j] = (char)(j * 2654435761u >> 24);
		n = native_zstd_store(packed, plain, len);
		assert_in_range(n, len, NATIVE_ZSTD_STORED(len));
		assert_int_equal(native_zstd_frame(packed, n), n);
		assert_int_equal(native_zstd_frame(packed, n - 1), 0);
		assert_int_equal(native_zstd_unpack(back, len + 1, packed, n), len);
		assert_memory_equal(back, plain, len);
		free(plain);
		free(packed);
		free(back);
	}
}

static void slices_stand_alone(void **unused)
{
	struct native_encoder *e = native_encoder_new(1, 0);
	uint64_t kinds[NATIVE_KINDS] = { 0 };
	struct file f = { 0 };
	struct native_reading r;
	struct made m;

	(void)unused;
	make(&m, 1000, 5);
	for (size_t i = 0; i < m.nr; i++)
		native_put(e, &m.event[i]);
	take(e, &f, kinds);
	f.len = 0;
	native_new_slice(e);
	for (size_t i = 0; i < m.nr; i++)
		native_put(e, &m.event[i]);
	take(e, &f, kinds);
	assert_int_equal(native_read(f.data, f.len, compare, &m, &r), 0);
	assert_null(r.wrong);
	assert_int_equal(m.seen, m.nr);
	native_encoder_free(e);
	drop(&m, &f);
}

static int count(void *arg, const struct native_event *e)
{
	(void)e;
	(*(size_t *)arg)++;
	return 0;
}

/* A file that ends anywhere gives the events of its whole blocks, and says so. */
static void cut_anywhere(void **unused)
{
	struct native_reading r, whole;
	struct made m;
	struct file f;
	size_t seen = 0;

	(void)unused;
	make(&m, 30000, 10);
	write_all(&m, 0, false, &f);
	assert_true(f.blocks > 1);
	for (size_t len = 0; len < f.len; len += 1 + any(997)) {
		unsigned char *exact = malloc(len + 1);

		memcpy(exact, f.data, len);
		seen = 0;
		assert_int_equal(native_read(exact, len, count, &seen, &r), 0);
		assert_in_range(r.good_bytes, 0, len);
		assert_true((r.wrong != NULL) == (r.good_bytes < len));
		assert_int_equal(native_read(exact, r.good_bytes, NULL, NULL, &whole), 0);
		assert_null(whole.wrong);
		assert_memory_equal(whole.events, r.events, sizeof(r.events));
		free(exact);
	}
	drop(&m, &f);
}

static void flipped_bits_are_seen(void **unused)
{
	struct native_reading r;
	struct made m;
	struct file f;
	size_t used;

	(void)unused;
	make(&m, 300, 10);
	write_all(&m, 0, false, &f);
	used = sizeof(struct native_header) + ((struct native_header *)f.data)->stored_bytes;
	for (size_t i = 0; i < used; i++) {
		size_t seen = 0;

		unsigned char was = f.data[i];

		f.data[i] ^= (unsigned char)(1u << any(8));
		assert_int_equal(native_read(f.data, f.len, count, &seen, &r), 0);
		assert_non_null(r.wrong);
		assert_int_equal(seen, 0);
		f.data[i] = was;
	}
	drop(&m, &f);
}

/* Blocks with a right checksum and nonsense inside: an error, or events, never a crash. */
static void nonsense_with_a_checksum(void **unused)
{
	struct made m;
	struct file f;
	unsigned int refused = 0;

	(void)unused;
	make(&m, 400, 10);
	write_all(&m, 0, false, &f);
	for (int round = 0; round < 20000; round++) {
		unsigned char *copy = malloc(f.len);
		struct native_header *h = (void *)copy;
		struct native_reading r;
		size_t seen = 0;

		memcpy(copy, f.data, f.len);
		for (uint64_t n = 1 + any(4); n; n--)
			copy[sizeof(*h) + any(any(2) ? h->stored_bytes : 24)] = (unsigned char)any(256);
		if (!any(4))
			h->raw_bytes = h->stored_bytes = (uint32_t)any(h->stored_bytes + 1);
		h->crc = 0;
		h->crc = crc32c(crc32c(~0u, h, sizeof(*h)), copy + sizeof(*h), h->stored_bytes);
		assert_int_equal(native_read(copy, f.len, count, &seen, &r), 0);
		refused += r.wrong != NULL;
		free(copy);
	}
	assert_in_range(refused, 1000, 20000);
	drop(&m, &f);
}

static int stop_at_three(void *arg, const struct native_event *e)
{
	(void)e;
	return ++*(int *)arg == 3 ? 77 : 0;
}

static void reading_can_be_stopped(void **unused)
{
	struct native_reading r;
	struct made m;
	struct file f;
	int seen = 0;

	(void)unused;
	make(&m, 100, 3);
	write_all(&m, 0, false, &f);
	assert_int_equal(native_read(f.data, f.len, stop_at_three, &seen, &r), 77);
	assert_int_equal(seen, 3);
	drop(&m, &f);
}

static void checksums(void **unused)
{
	unsigned char data[300];

	(void)unused;
	/* RFC 3720 B.4, before its final inversion */
	memset(data, 0, 32);
	assert_int_equal(~crc32c(~0u, data, 32), 0x8A9136AA);
	memset(data, 0xff, 32);
	assert_int_equal(~crc32c(~0u, data, 32), 0x62A8AB43);
	for (int i = 0; i < 32; i++)
		data[i] = (unsigned char)i;
	assert_int_equal(~crc32c(~0u, data, 32), 0x46DD794E);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)any(256);
	for (size_t n = 0; n <= sizeof(data); n++)
		assert_int_equal(crc32c(~0u, data, n), crc32c_plain(~0u, data, n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(comes_back_compressed),
		cmocka_unit_test(stored_comes_back),
		cmocka_unit_test(slices_stand_alone),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(flipped_bits_are_seen),
		cmocka_unit_test(nonsense_with_a_checksum),
		cmocka_unit_test(reading_can_be_stopped),
		cmocka_unit_test(checksums),
	};

	return cmocka_run_group_tests_name("native layout", tests, NULL, NULL);
}
