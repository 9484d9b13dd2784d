/* SPDX-License-Identifier: Apache-2.0 */
#include "export/calls.h"

#include <stdlib.h>
#include <string.h>

#include "export/filter.h"
#include "export/text.h"

#define LEVEL_ACL 20000
#define LEVEL_MODEL 15000
#define LEVEL_NODE 10000
#define LEVEL_RUNTIME 5000
#define OPEN_FIRST 64 /* places of the table of events, a power of two */

/* Places of events that have had their second are free for others: level 0. */
struct waiting {
	struct call *call;
	size_t places, used;
};

static const struct {
	uint16_t level;
	const char *name, *layer;
} levels[] = {
	{ 30000, "pytorch_tx", "Pytorch_tx" }, { 25000, "pta", "Pta" },
	{ 20500, "msproftx", "Msproftx" },     { LEVEL_ACL, "acl", "AscendCL" },
	{ LEVEL_MODEL, "model", "Model" },     { LEVEL_NODE, "node", "Node" },
	{ 6000, "aicpu", "Aicpu" },	       { 5500, "communication", "Communication" },
	{ LEVEL_RUNTIME, "runtime", "Runtime" },
};

const char *calls_level(uint16_t level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (levels[i].level == level)
			return levels[i].name;
	return "other";
}

const char *calls_layer(uint16_t level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (levels[i].level == level)
			return levels[i].layer;
	return "Other";
}

int calls_load(struct calls *c, const struct prof_part *host, struct diag *diag)
{
	*c = (struct calls){ .host = host };
	if (!host || !host->table[SLICES_CALLS].rows)
		return 0;
	if (names_load(&c->texts, host) || names_load_types(&c->types, host))
		return diag_fail(diag, "%s: out of memory", host->path);
	return 0;
}

void calls_free(struct calls *c)
{
	names_free(&c->texts);
	names_free(&c->types);
	*c = (struct calls){ 0 };
}

/* ---- names ---- */

static void find(const struct names *names, uint64_t number, uint64_t shown, struct call_text *text)
{
	text->s = names_find(names, number, &text->len);
	if (text->s)
		return;
	text->s = text->number;
	text->len = (size_t)(text_u64(text->number, shown) - text->number);
}

static bool has_names(const struct names *types, uint16_t level)
{
	for (size_t i = 0; i < types->nr; i++) /* sorted by level */
		if (types->entry[i].number >> 32 >= level)
			return types->entry[i].number >> 32 == level;
	return false;
}

void calls_item(const struct calls *c, const struct call *call, struct call_text *item)
{
	find(&c->texts, call->item, call->item, item);
}

void calls_type(const struct calls *c, const struct call *call, struct call_text *type)
{
	find(&c->types, (uint64_t)call->level << 32 | call->type, call->type, type);
}

void calls_name(const struct calls *c, const struct call *call, struct call_text *name)
{
	uint64_t key = (uint64_t)call->level << 32 | call->type;

	switch (call->level) {
	case LEVEL_ACL:
		/* Where nobody has named a type of AscendCL, the parser shows all of them as 0. */
		find(&c->types, key, has_names(&c->types, LEVEL_ACL) ? call->type : 0, name);
		break;
	case LEVEL_MODEL:
	case LEVEL_NODE:
	case LEVEL_RUNTIME:
		find(&c->types, key, call->type, name);
		break;
	default:
		calls_item(c, call, name);
		break;
	}
}

/* ---- rows ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t hash_of(const struct call *a)
{
	return mix(mix(mix((uint64_t)a->level << 32 | a->type, a->tid), a->request), a->item);
}

static bool belong_together(const struct call *a, const struct call *b)
{
	return a->level == b->level && a->type == b->type && a->tid == b->tid && a->request == b->request &&
	       a->item == b->item;
}

/* The place of the event that belongs to @e, or the empty one where it would be. */
static struct call *place_of(const struct waiting *w, const struct call *e)
{
	size_t at = hash_of(e) & (w->places - 1);

	while (w->call[at].level && !belong_together(&w->call[at], e))
		at = (at + 1) & (w->places - 1);
	return &w->call[at];
}

static int grow(struct waiting *w)
{
	struct waiting more = { .places = w->places ? 2 * w->places : OPEN_FIRST };

	more.call = calloc(more.places, sizeof(*more.call));
	if (!more.call)
		return -1;
	for (size_t i = 0; i < w->places; i++) {
		/* What has had its second (start 0) is left behind. */
		if (w->call[i].level && w->call[i].start) {
			*place_of(&more, &w->call[i]) = w->call[i];
			more.used++;
		}
	}
	free(w->call);
	*w = more;
	return 0;
}

/* Return: 1 with @e a pair, 0: it waits for its second, -1: no memory. */
static int pair(struct waiting *w, struct call *e)
{
	struct call *first;

	if (2 * w->used >= w->places && grow(w))
		return -1;
	first = place_of(w, e);
	if (first->level && first->start) {
		e->end = e->start;
		e->start = first->start;
		first->start = 0;
		return 1;
	}
	w->used += !first->level;
	*first = *e;
	return 0;
}

static bool wanted(const struct calls *c, const struct call *call)
{
	const struct prof_part *host = c->host;
	struct call_text name;

	if (!host->filter || !host->filter->active)
		return true;
	if (!filter_wants_kind(host->filter, call->events ? "event" : "api") ||
	    !filter_wants_thread(host->filter, (uint32_t)host->control.pid, call->tid) ||
	    !filter_wants_time(host->filter, timebase_host(&host->time, call->start),
			       timebase_host(&host->time, call->end)))
		return false;
	calls_name(c, call, &name);
	return filter_wants_name(host->filter, name.s, name.len);
}

int calls_each(struct calls *c, int (*each)(void *arg, const struct call *call), void *arg)
{
	struct waiting waiting = { 0 };
	struct slices_cursor cursor;
	const void *at;
	int ret = 0;

	if (!c->host)
		return 0;
	slices_rewind(&cursor, &c->host->table[SLICES_CALLS]);
	while (!ret && (at = slices_next(&cursor))) {
		struct row_api row;
		struct call call;

		memcpy(&row, at, sizeof(row));
		if (row.magic != ROW_MAGIC || !row.level || !row.start)
			continue;
		call = (struct call){ .level = row.level, .type = row.type, .tid = row.tid, .start = row.start,
				      .end = row.end, .item = row.item };
		if (row.end == ROW_API_EVENT) {
			call.request = row.request;
			call.events = true;
			ret = pair(&waiting, &call);
			if (ret <= 0)
				continue;
			ret = 0;
		}
		if (wanted(c, &call))
			ret = each(arg, &call);
	}
	free(waiting.call);
	return ret;
}

struct earliest {
	const struct calls *c;
	int64_t wall;
};

static int see(void *arg, const struct call *call)
{
	struct earliest *e = arg;
	int64_t wall = timebase_host(&e->c->host->time, call->start);

	if (wall < e->wall)
		e->wall = wall;
	return 0;
}

int64_t calls_first(struct calls *c)
{
	struct earliest e = { c, INT64_MAX };

	calls_each(c, see, &e);
	return e.wall;
}
