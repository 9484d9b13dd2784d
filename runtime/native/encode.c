/* SPDX-License-Identifier: Apache-2.0 */
#include "native/encode.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "format/crc32c.h"
#include "native/zstd.h"

#define CHUNK_EVENTS 4096u
#define VARINT_MAX 10u
#define COLUMN_ROOM (NATIVE_FILL + 64u)
#define TEXT_ROOM (NATIVE_FILL + NATIVE_TEXT_MAX + 64u)
#define BUCKETS (2 * NATIVE_TEXTS)

struct text {
	uint64_t hash;
	uint32_t at; /* in `texts` */
	uint32_t len;
};

struct native_encoder {
	uint32_t pid;
	int level;
	struct native_zstd *zstd;

	/* the slice's texts */
	struct text text[NATIVE_TEXTS];
	uint32_t nr_texts;
	uint32_t texts_len;
	uint32_t bucket[BUCKETS]; /* number + 1, 0: empty; open addressing */
	char texts[NATIVE_TEXT_BYTES];
	char before[NATIVE_TEXT_MAX]; /* the last new text */
	uint32_t before_len;
	uint32_t again; /* number of the text that was used last, or NO_TEXT */

	/* the chunk being filled */
	uint32_t tid;
	uint32_t events;
	uint64_t last_end;
	uint64_t last_mark;
	uint32_t len[NATIVE_COLUMNS];
	uint8_t tag[CHUNK_EVENTS];
	uint8_t time[COLUMN_ROOM];
	uint8_t id[COLUMN_ROOM];
	uint8_t fresh[TEXT_ROOM];
	uint8_t extra[COLUMN_ROOM];

	/* the block being filled */
	uint32_t kinds[NATIVE_KINDS];
	uint32_t raw_len;
	uint8_t raw[NATIVE_RAW_MAX];
};

#define NO_TEXT UINT32_MAX

struct native_encoder *native_encoder_new(uint32_t pid, int level)
{
	/* Mapped: most of it is touched only by sessions with many texts. */
	struct native_encoder *e = mmap(NULL, sizeof(*e), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (e == MAP_FAILED)
		return NULL;
	madvise(e, sizeof(*e), MADV_DONTFORK);
	e->pid = pid;
	e->level = level;
	e->again = NO_TEXT;
	if (level) {
		e->zstd = native_zstd_new(level, false);
		if (!e->zstd) {
			native_encoder_free(e);
			return NULL;
		}
	}
	return e;
}

void native_encoder_free(struct native_encoder *e)
{
	if (!e)
		return;
	native_zstd_free(e->zstd);
	munmap(e, sizeof(*e));
}

void native_new_slice(struct native_encoder *e)
{
	if (e->nr_texts)
		memset(e->bucket, 0, sizeof(e->bucket));
	e->nr_texts = 0;
	e->texts_len = 0;
	e->before_len = 0;
	e->again = NO_TEXT;
}

static inline uint32_t varint(uint8_t *to, uint64_t v)
{
	return (uint32_t)(native_varint(to, v) - to);
}

/* ---- texts ---- */

static inline uint64_t hash_of(const char *text, uint32_t len)
{
	const uint64_t odd = 0x9E3779B97F4A7C15u;
	uint64_t h = len * odd;

	if (len < 8) {
		uint64_t tail = 0;

		for (uint32_t i = 0; i < len; i++)
			tail = tail << 8 | (unsigned char)text[i];
		h = (h ^ tail) * odd;
		return h ^ h >> 32;
	}
	for (uint32_t i = 0; i + 8 < len; i += 8) {
		h = (h ^ word_at(text + i)) * odd;
		h ^= h >> 29;
	}
	h = (h ^ word_at(text + len - 8)) * odd;
	return h ^ h >> 32;
}

static inline bool is_text(const struct native_encoder *e, uint32_t number, const char *text, uint32_t len)
{
	return e->text[number].len == len && native_equal(e->texts + e->text[number].at, text, len);
}

/* The number of @text, or NO_TEXT and where it could go. */
static inline uint32_t find(const struct native_encoder *e, const char *text, uint32_t len, uint64_t hash,
			    uint32_t *bucket)
{
	uint32_t b = (uint32_t)hash & (BUCKETS - 1);

	for (; e->bucket[b]; b = (b + 1) & (BUCKETS - 1)) {
		uint32_t number = e->bucket[b] - 1;

		if (e->text[number].hash == hash && is_text(e, number, text, len))
			return number;
	}
	*bucket = b;
	return NO_TEXT;
}

static uint32_t shared(const struct native_encoder *e, const char *text, uint32_t len)
{
	uint32_t most = len < e->before_len ? len : e->before_len, i = 0;

	while (i + 8 <= most && word_at(text + i) == word_at(e->before + i))
		i += 8;
	while (i < most && text[i] == e->before[i])
		i++;
	return i;
}

static void number_text(struct native_encoder *e, const char *text, uint32_t len, uint64_t hash, uint32_t bucket)
{
	if (e->nr_texts == NATIVE_TEXTS || len > NATIVE_TEXT_BYTES - e->texts_len) {
		e->again = NO_TEXT;
		return;
	}
	memcpy(e->texts + e->texts_len, text, len);
	e->text[e->nr_texts] = (struct text) { hash, e->texts_len, len };
	e->texts_len += len;
	e->again = e->nr_texts++;
	e->bucket[bucket] = e->nr_texts;
}

static void put_new_text(struct native_encoder *e, const char *text, uint32_t len)
{
	uint32_t same = shared(e, text, len);
	uint8_t *to = e->fresh + e->len[NATIVE_TEXT];

	to += varint(to, same);
	to += varint(to, len - same);
	memcpy(to, text + same, len - same);
	e->len[NATIVE_TEXT] = (uint32_t)(to + (len - same) - e->fresh);
	memcpy(e->before + same, text + same, len - same);
	e->before_len = len;
}

/* Return: NATIVE_NEW when it is, and 0 when it has a number already, which is then `again`. */
static uint8_t put_if_new(struct native_encoder *e, const char *text, uint32_t len)
{
	uint64_t hash = hash_of(text, len);
	uint32_t bucket = 0, number = find(e, text, len, hash, &bucket);

	if (number == NO_TEXT) {
		number_text(e, text, len, hash, bucket);
		put_new_text(e, text, len);
		return NATIVE_NEW;
	}
	e->again = number;
	return 0;
}

/* The same, with its number. */
static uint8_t put_text(struct native_encoder *e, const char *text, uint32_t len)
{
	if ((e->again == NO_TEXT || !is_text(e, e->again, text, len)) && put_if_new(e, text, len))
		return NATIVE_NEW;
	e->len[NATIVE_ID] += varint(e->id + e->len[NATIVE_ID], e->again);
	return 0;
}

/* ---- events ---- */

static void put_extra(struct native_encoder *e, const struct native_event *event)
{
	uint8_t *to = e->extra + e->len[NATIVE_EXTRA];

	if (event->bits & NATIVE_MARKED) {
		to += varint(to, native_zigzag(event->mark_id - e->last_mark));
		e->last_mark = event->mark_id;
		to += varint(to, event->begin_tid);
		memcpy(to, &event->domain, sizeof(event->domain));
		to += sizeof(event->domain);
	}
	if (event->bits & NATIVE_TAGGED) {
		to += varint(to, event->category);
		to += varint(to, native_zigzag((uint64_t)(int64_t)event->payload_type));
		to += varint(to, event->payload);
	}
	e->len[NATIVE_EXTRA] = (uint32_t)(to - e->extra);
}

static void end_chunk(struct native_encoder *e)
{
	const uint8_t *column[NATIVE_COLUMNS] = { e->tag, e->time, e->id, e->fresh, e->extra };
	uint8_t *to = e->raw + e->raw_len;

	if (!e->events)
		return;
	e->len[NATIVE_TAG] = e->events;
	to += varint(to, e->tid);
	to += varint(to, e->events);
	for (int c = 0; c < NATIVE_COLUMNS; c++)
		to += varint(to, e->len[c]);
	for (int c = 0; c < NATIVE_COLUMNS; c++) {
		memcpy(to, column[c], e->len[c]);
		to += e->len[c];
		e->len[c] = 0;
	}
	e->raw_len = (uint32_t)(to - e->raw);
	e->events = 0;
	e->last_end = 0;
	e->last_mark = 0;
}

/* Bytes of the block; heads of chunks have at most nine numbers' room. */
static uint32_t filled(const struct native_encoder *e)
{
	return e->raw_len + e->events + e->len[NATIVE_TIME] + e->len[NATIVE_ID] + e->len[NATIVE_TEXT] +
	       e->len[NATIVE_EXTRA];
}

bool native_put(struct native_encoder *e, const struct native_event *event)
{
	uint8_t *time, tag = (uint8_t)(event->kind | event->bits);

	if (e->events == CHUNK_EVENTS || event->tid != e->tid) {
		end_chunk(e);
		e->tid = event->tid;
	}
	time = e->time + e->len[NATIVE_TIME];
	time += varint(time, native_zigzag(event->end - e->last_end));
	e->last_end = event->end;
	if (event->end != event->start) {
		tag |= NATIVE_LASTS;
		time += varint(time, event->end - event->start);
	}
	e->len[NATIVE_TIME] = (uint32_t)(time - e->time);
	tag |= put_text(e, event->text, event->text_len);
	if (event->bits)
		put_extra(e, event);
	e->tag[e->events++] = tag;
	e->kinds[event->kind]++;
	return filled(e) >= NATIVE_FILL;
}

/* ---- runs ---- */

#define EVENT_MOST (1u + 2 * VARINT_MAX + 3) /* bytes: a tag, two times, a number of a text */

/* What the last text is known by from now on. */
static void use_text(const struct native_encoder *e, struct native_run *r)
{
	uint8_t bytes[VARINT_MAX] = { 0 };

	r->text = NULL;
	if (e->again == NO_TEXT)
		return;
	r->text = e->texts + e->text[e->again].at;
	r->text_len = e->text[e->again].len;
	r->id_len = varint(bytes, e->again);
	memcpy(&r->id_bytes, bytes, sizeof(r->id_bytes));
}

void native_run_begin(struct native_encoder *e, uint32_t tid, struct native_run *r)
{
	uint32_t used;

	if (e->events == CHUNK_EVENTS || tid != e->tid) {
		end_chunk(e);
		e->tid = tid;
	}
	used = filled(e);
	*r = (struct native_run) {
		.room = used < NATIVE_FILL ? (NATIVE_FILL - used - 1) / EVENT_MOST + 1 : 0,
		.tag = e->tag + e->events,
		.time = e->time + e->len[NATIVE_TIME],
		.id = e->id + e->len[NATIVE_ID],
		.last_end = e->last_end,
	};
	if (r->room > CHUNK_EVENTS - e->events)
		r->room = CHUNK_EVENTS - e->events;
	use_text(e, r);
}

uint8_t native_run_text(struct native_encoder *e, struct native_run *r, const char *text, uint32_t len)
{
	uint8_t fresh = put_if_new(e, text, len);
	uint32_t takes = len / EVENT_MOST + 1;

	use_text(e, r);
	if (fresh) /* it is one event less for each that its text takes the room of, but this one is begun */
		r->room = r->room > takes ? r->room - takes : 1;
	return fresh;
}

bool native_run_end(struct native_encoder *e, const struct native_run *r, const uint32_t events[NATIVE_KINDS])
{
	e->events = (uint32_t)(r->tag - e->tag);
	e->len[NATIVE_TIME] = (uint32_t)(r->time - e->time);
	e->len[NATIVE_ID] = (uint32_t)(r->id - e->id);
	e->last_end = r->last_end;
	for (unsigned int k = 0; k < NATIVE_KINDS; k++)
		e->kinds[k] += events[k];
	return filled(e) >= NATIVE_FILL;
}

bool native_pending(const struct native_encoder *e)
{
	return e->raw_len || e->events;
}

void native_drop(struct native_encoder *e, uint32_t events[NATIVE_KINDS])
{
	end_chunk(e);
	memcpy(events, e->kinds, sizeof(e->kinds));
	memset(e->kinds, 0, sizeof(e->kinds));
	e->raw_len = 0;
}

size_t native_take(struct native_encoder *e, void *to, uint32_t events[NATIVE_KINDS])
{
	struct native_header *h = to;
	char *payload = (char *)to + sizeof(*h);
	size_t used, block;

	end_chunk(e);
	*h = (struct native_header) {
		.magic = NATIVE_MAGIC,
		.version = NATIVE_VERSION,
		.header_bytes = sizeof(*h),
		.raw_bytes = e->raw_len,
		.codec = NATIVE_PLAIN,
		.pid = e->pid,
	};
	h->stored_bytes = e->zstd ? native_zstd_pack(e->zstd, payload, e->raw_len, e->raw, e->raw_len) : 0;
	if (h->stored_bytes) {
		h->codec = NATIVE_ZSTD;
	} else { /* also when it would be no smaller */
		h->stored_bytes = e->raw_len;
		memcpy(payload, e->raw, e->raw_len);
	}
	native_drop(e, events);
	memcpy(h->events, events, sizeof(h->events));

	used = sizeof(*h) + h->stored_bytes;
	block = (used + NATIVE_PAGE - 1) / NATIVE_PAGE * NATIVE_PAGE;
	memset((char *)to + used, 0, block - used);
	h->block_bytes = (uint32_t)block;
	h->crc = crc32c(crc32c(~0u, h, sizeof(*h)), payload, h->stored_bytes);
	return block;
}
