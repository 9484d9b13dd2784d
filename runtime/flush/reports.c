/* SPDX-License-Identifier: Apache-2.0 */
#include "flush/reports.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/types.h"
#include "format/rows.h"

#define BUF_BYTES (64u << 10)
#define NO_NAME "invalid"

/* What rows of a sink are counted by: events are in one file with calls. */
enum { ROWS, ROWS_EVENT };

struct report_sink {
	enum tx_kind kind;
	bool stays;
	bool named; /* else for all types that have no name of their own */
	uint64_t key; /* level and type; 0: any */
	struct slice_sink sink;
};

/* What all reported rows begin with. */
static uint64_t key_of(const void *row)
{
	const struct row_compact *r = row;

	return type_key(r->level, r->type);
}

static unsigned int api_kind_of(const void *row)
{
	return ((const struct row_api *)row)->end == ROW_API_EVENT ? ROWS_EVENT : ROWS;
}

static uint32_t row_bytes(enum tx_kind kind)
{
	switch (kind) {
	case TX_KIND_API:
	case TX_KIND_EVENT:
		return sizeof(struct row_api);
	case TX_KIND_COMPACT:
		return sizeof(struct row_compact);
	default:
		return sizeof(struct row_additional);
	}
}

void reports_init(struct reports *r, struct slice_store *store, int dir_fd)
{
	*r = (struct reports){ .store = store, .dir_fd = dir_fd };
	dictionary_init(&r->types, store, dir_fd, DICTIONARY_TYPES);
}

static bool is_call(enum tx_kind kind)
{
	return kind == TX_KIND_API || kind == TX_KIND_EVENT;
}

static void make_tag(char *tag, size_t size, enum tx_kind kind, bool stays, const char *name)
{
	const char *group = is_call(kind) ? "api_event" : kind == TX_KIND_COMPACT ? "compact" : "additional";

	snprintf(tag, size, "%s.%s.%s", stays ? "unaging" : "aging", group, is_call(kind) ? "data" : name);
}

static struct report_sink *add(struct reports *r, const struct report_sink *like, const char *tag)
{
	struct report_sink *s = malloc(sizeof(*s));

	if (s)
		*s = *like;
	if (!s || !slice_sink_init(&s->sink, r->store, r->dir_fd, tag, row_bytes(s->kind), BUF_BYTES)) {
		if (s) {
			r->store->sinks = s->sink.next;
			slice_sink_free(&s->sink);
		}
		free(s);
		slice_fail(r->store, "buffering", tag, ENOMEM);
		return NULL;
	}
	s->sink.stays = s->stays;
	s->sink.kind_of = is_call(s->kind) ? api_kind_of : NULL;
	r->sink[r->nr++] = s;
	return s;
}

/* Two types may have one name. */
static struct report_sink *by_tag(const struct reports *r, const char *tag)
{
	for (unsigned int i = 0; i < r->nr; i++)
		if (!strcmp(r->sink[i]->sink.tag, tag))
			return r->sink[i];
	return NULL;
}

static struct report_sink *sink_of(struct reports *r, enum tx_kind kind, bool stays, const void *row)
{
	struct report_sink like = { .kind = is_call(kind) ? TX_KIND_API : kind, .stays = stays };
	struct report_sink *s;
	const char *name = NULL;
	char tag[64];

	if (!is_call(kind))
		like.key = key_of(row);
	for (unsigned int i = 0; i < r->nr; i++) {
		s = r->sink[i];
		if (s->kind == like.kind && s->stays == stays && s->key == like.key)
			return s;
	}
	/* The last few places are for rows without a name, of which there are three kinds, twice. */
	if (!is_call(kind))
		name = types_file_name(((const struct row_compact *)row)->level, ((const struct row_compact *)row)->type);
	if (!name || r->nr + 8 > REPORTS_MAX) {
		name = NO_NAME;
		like.key = 0;
	}
	make_tag(tag, sizeof(tag), kind, stays, name);
	s = by_tag(r, tag);
	return s ? s : add(r, &like, tag);
}

void reports_note_types(struct reports *r)
{
	const struct type *newest;

	if (!r->nr)
		return;
	newest = types_newest();
	for (const struct type *t = newest; t && t != r->types_noted; t = t->next)
		if (!atomic_load_explicit(&t->replaced, memory_order_acquire))
			dictionary_add_type(&r->types, (uint16_t)(t->key >> 32), (uint32_t)t->key, t->name);
	r->types_noted = newest;
}

void reports_put(struct reports *r, enum tx_kind kind, bool stays, const void *row)
{
	struct report_sink *s = r->store->error && !r->nr ? NULL : sink_of(r, kind, stays, row);
	unsigned int counted = kind == TX_KIND_EVENT ? ROWS_EVENT : ROWS;
	struct row_api *to;
	uint32_t room;

	if (!s) {
		r->lost[kind]++;
		return;
	}
	to = slice_reserve(&s->sink, &room);
	if (!to) {
		slice_lose(&s->sink, 1, counted);
		return;
	}
	memcpy(to, row, s->sink.row_bytes);
	to->magic = ROW_MAGIC;
	if (kind == TX_KIND_EVENT)
		to->end = ROW_API_EVENT;
	slice_commit(&s->sink, 1, counted);
}

struct slice_sum reports_sum(const struct reports *r, enum tx_kind kind)
{
	unsigned int counted = kind == TX_KIND_EVENT ? ROWS_EVENT : ROWS;
	struct slice_sum sum = { .taken = r->lost[kind] };

	for (unsigned int i = 0; i < r->nr; i++) {
		const struct report_sink *s = r->sink[i];

		if (s->kind != (is_call(kind) ? TX_KIND_API : kind))
			continue;
		sum.taken += s->sink.taken[counted];
		sum.written += slice_written(&s->sink, counted);
		sum.aged += s->sink.aged[counted];
	}
	return sum;
}

static void each(struct reports *r, void (*fn)(struct slice_sink *s))
{
	for (unsigned int i = 0; i < r->nr; i++)
		fn(&r->sink[i]->sink);
}

void reports_flush(struct reports *r)
{
	each(r, slice_flush);
}

void reports_settle(struct reports *r)
{
	each(r, slice_settle);
}

void reports_finish(struct reports *r)
{
	each(r, slice_finish);
	dictionary_finish(&r->types);
}

void reports_free(struct reports *r)
{
	each(r, slice_sink_free);
	for (unsigned int i = 0; i < r->nr; i++)
		free(r->sink[i]);
	r->nr = 0;
	dictionary_free(&r->types);
}
