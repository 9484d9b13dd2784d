/* SPDX-License-Identifier: Apache-2.0 */
#include "export/walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "export/filter.h"

#define MESSAGE sizeof(((struct row_tx *)0)->message)

/* An event of several rows; more may come. */
struct open_event {
	struct row_tx row;
	uint64_t began; /* 0: this place is free */
	char *text;
	size_t len, room;
};

struct walker {
	const struct prof_part *host;
	int (*each)(void *arg, const struct walk_event *event);
	void *arg;
	struct open_event open[WALK_OPEN];
	unsigned int last; /* the one that had a row last */
	uint64_t nr_began;
};

static int give(struct walker *w, const struct row_tx *row, const char *message, size_t len)
{
	struct walk_event e = {
		.kind = tx_event_kind(row->event),
		.start = timebase_host(&w->host->time, row->start),
		.end = timebase_host(&w->host->time, row->end),
		.message = message,
		.len = len,
	};

	memcpy(&e.row, row, offsetof(struct row_tx, message));
	if (e.end < e.start)
		e.end = e.start;
	return w->each(w->arg, &e);
}

static int finish(struct walker *w, struct open_event *o)
{
	o->began = 0;
	return give(w, &o->row, o->text, o->len);
}

static struct open_event *find_open(struct walker *w, uint64_t mark_id)
{
	struct open_event *o = &w->open[w->last];

	if (o->began && o->row.mark_id == mark_id)
		return o;
	for (o = w->open; o < w->open + WALK_OPEN; o++)
		if (o->began && o->row.mark_id == mark_id)
			return o;
	return NULL;
}

/* The place of the event that began first, which is given out. Return: NULL with *@ret set */
static struct open_event *make_room(struct walker *w, int *ret)
{
	struct open_event *oldest = w->open;

	for (struct open_event *o = w->open; o < w->open + WALK_OPEN; o++)
		if (o->began < oldest->began)
			oldest = o;
	*ret = oldest->began ? finish(w, oldest) : 0;
	return *ret ? NULL : oldest;
}

static int add_text(struct open_event *o, const char *message, size_t len)
{
	char *grown;

	if (o->room - o->len < len || !o->text) {
		o->room = 2 * o->room + MESSAGE;
		grown = realloc(o->text, o->room);
		if (!grown)
			return -1;
		o->text = grown;
	}
	memcpy(o->text + o->len, message, len);
	o->len += len;
	return 0;
}

static int add_segment(struct walker *w, const struct row_tx *head, const char *message, size_t len)
{
	struct open_event *o = find_open(w, head->mark_id);
	int ret;

	if (!o) {
		o = make_room(w, &ret);
		if (!o)
			return ret;
		o->began = ++w->nr_began;
		o->len = 0;
		memcpy(&o->row, head, offsetof(struct row_tx, message));
	}
	w->last = (unsigned int)(o - w->open);
	return add_text(o, message, len);
}

static int give_rows(struct walker *w, uint64_t *bad_rows)
{
	const struct slices *s = &w->host->table[SLICES_TX];
	int ret = 0;

	for (unsigned int i = 0; i < s->nr && !ret; i++) {
		size_t rows = s->slice[i].size / sizeof(struct row_tx);

		for (size_t j = 0; j < rows && !ret; j++) {
			const char *row = s->slice[i].map.begin + j * sizeof(struct row_tx);
			const char *message = row + offsetof(struct row_tx, message);
			struct row_tx head;

			memcpy(&head, row, offsetof(struct row_tx, message));
			if (head.magic != ROW_MAGIC || head.magic2 != ROW_MAGIC || head.info_type > 1)
				++*bad_rows;
			else if (head.info_type)
				ret = add_segment(w, &head, message, strnlen(message, MESSAGE));
			else
				ret = give(w, &head, message, strnlen(message, MESSAGE));
		}
		/* or large directories would fill the process */
		if (s->slice[i].map.begin)
			madvise(s->slice[i].map.begin, s->slice[i].size, MADV_DONTNEED);
	}
	return ret;
}

/* What may still have had more rows, in the order of its begin. */
static int give_rest(struct walker *w)
{
	int ret;

	for (;;) {
		struct open_event *first = NULL;

		for (struct open_event *o = w->open; o < w->open + WALK_OPEN; o++)
			if (o->began && (!first || o->began < first->began))
				first = o;
		if (!first)
			return 0;
		ret = finish(w, first);
		if (ret)
			return ret;
	}
}

int walk(const struct prof_part *host, int (*each)(void *arg, const struct walk_event *event), void *arg,
	 uint64_t *bad_rows)
{
	struct walker w = { .host = host, .each = each, .arg = arg };
	int ret;

	*bad_rows = 0;
	if (!host)
		return 0;
	ret = give_rows(&w, bad_rows);
	if (!ret)
		ret = give_rest(&w);
	for (struct open_event *o = w.open; o < w.open + WALK_OPEN; o++)
		free(o->text);
	return ret;
}

bool walk_wants(const struct prof_part *host, const struct walk_event *e)
{
	return filter_wants_row(host->filter, &host->time, &e->row) &&
	       filter_wants_name(host->filter, e->message, e->len);
}

/* ---- counts ---- */

void walk_see(struct walk_seen *s, const struct walk_event *e)
{
	enum tx_account a = tx_account_of(&e->row);

	if (!s->events[a] || e->start < s->first[a])
		s->first[a] = e->start;
	if (!s->events[a] || e->end > s->last[a])
		s->last[a] = e->end;
	s->events[a]++;
	s->backward += e->row.end < e->row.start;
}

static int see(void *arg, const struct walk_event *e)
{
	walk_see(arg, e);
	return 0;
}

int walk_count(const struct prof_part *host, struct walk_seen *s)
{
	*s = (struct walk_seen){ 0 };
	return walk(host, see, s, &s->bad_rows);
}
