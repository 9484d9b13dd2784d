/* SPDX-License-Identifier: Apache-2.0 */
#include "export/account.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/control.h"
#include "export/host.h"
#include "format/json_read.h"
#include "format/rows.h"

#define ACCOUNT_FILE "ascprof.json"
#define MOST 4096 /* kinds, and sources: far above what devices there can be */

static void text(const struct json_doc *doc, const struct json_node *in, const char *key, char *out,
		 size_t size)
{
	if (json_get_string(doc, json_find(doc, in, key), out, size) < 0)
		out[0] = 0;
}

static uint64_t number(const struct json_doc *doc, const struct json_node *in, const char *key)
{
	uint64_t v;

	return json_get_u64(doc, json_find(doc, in, key), &v) ? v : 0;
}

static int device(const struct json_doc *doc, const struct json_node *in)
{
	int64_t v;

	return json_get_i64(doc, json_find(doc, in, "device"), &v) && v >= ACCOUNT_HOST && v < 1 << 20 ?
		       (int)v : ACCOUNT_HOST;
}

/* Elements of an array, or keys and values of an object; 0 for anything else. */
static unsigned int count(const struct json_doc *doc, const struct json_node *list)
{
	unsigned int n = 0;

	if (!list)
		return 0;
	for (const struct json_node *e = json_first(doc, list); e; e = json_next(doc, list, e))
		n++;
	return n;
}

static bool read_reasons(struct account_kind *k, const struct json_doc *doc,
			 const struct json_node *dropped)
{
	const struct json_node *key, *value;

	if (!dropped || dropped->type != JSON_OBJECT)
		return true;
	k->reason = calloc(count(doc, dropped) / 2 + 1, sizeof(*k->reason));
	if (!k->reason)
		return false;
	for (key = json_first(doc, dropped); key; key = json_next(doc, dropped, value)) {
		struct account_reason *r = &k->reason[k->nr_reasons];

		value = doc->node + key->end;
		if (json_get_string(doc, key, r->name, sizeof(r->name)) < 0)
			strcpy(r->name, "?");
		if (!json_get_u64(doc, value, &r->count) || !r->count)
			continue;
		k->nr_reasons++;
		k->dropped += r->count;
	}
	return true;
}

static bool read_kinds(struct account *a, const struct json_doc *doc, const struct json_node *list)
{
	if (!list || list->type != JSON_ARRAY)
		return true;
	a->kind = calloc(count(doc, list) + 1, sizeof(*a->kind));
	if (!a->kind)
		return false;
	for (const struct json_node *e = json_first(doc, list); e; e = json_next(doc, list, e)) {
		struct account_kind *k = &a->kind[a->nr_kinds];
		char unit[16];

		if (a->nr_kinds++ == MOST)
			return false;
		text(doc, e, "kind", k->name, sizeof(k->name));
		k->device = device(doc, e);
		text(doc, e, "unit", unit, sizeof(unit));
		k->bytes = !strcmp(unit, "bytes");
		text(doc, e, "file", k->file, sizeof(k->file));
		k->row_bytes = number(doc, e, "row_bytes");
		k->produced = number(doc, e, "produced");
		k->written = number(doc, e, "written");
		k->open = number(doc, e, "open");
		k->first_ns = number(doc, e, "first_ns");
		k->last_ns = number(doc, e, "last_ns");
		if (!read_reasons(k, doc, json_find(doc, e, "dropped")))
			return false;
	}
	return true;
}

static bool read_sources(struct account *a, const struct json_doc *doc,
			 const struct json_node *list)
{
	if (!list || list->type != JSON_ARRAY)
		return true;
	a->source = calloc(count(doc, list) + 1, sizeof(*a->source));
	if (!a->source)
		return false;
	for (const struct json_node *e = json_first(doc, list); e; e = json_next(doc, list, e)) {
		struct account_source *s = &a->source[a->nr_sources];

		if (a->nr_sources++ == MOST)
			return false;
		s->device = device(doc, e);
		if (s->device == (int)HOST_DEVICE) /* as 0.1.0 wrote it */
			s->device = ACCOUNT_HOST;
		text(doc, e, "source", s->source, sizeof(s->source));
		text(doc, e, "kind", s->kind, sizeof(s->kind));
		text(doc, e, "note", s->note, sizeof(s->note));
	}
	return true;
}

static bool read_clocks(struct account *a, const struct json_doc *doc, const struct json_node *list)
{
	if (!list || list->type != JSON_ARRAY)
		return true;
	a->clocks = calloc(count(doc, list) + 1, sizeof(*a->clocks));
	if (!a->clocks)
		return false;
	for (const struct json_node *e = json_first(doc, list); e; e = json_next(doc, list, e)) {
		struct account_clock *c = &a->clocks[a->nr_clocks];

		if (a->nr_clocks++ == MOST)
			return false;
		c->device = device(doc, e);
		c->counter = number(doc, e, "counter");
		c->host_ns = number(doc, e, "host_ns");
		c->micro_hz = number(doc, e, "micro_hz");
		c->error_ns = number(doc, e, "error_ns");
	}
	return true;
}

const struct account_clock *account_clock(const struct account *a, int wanted)
{
	for (unsigned int i = 0; i < a->nr_clocks; i++)
		if (a->clocks[i].device == wanted && a->clocks[i].micro_hz)
			return &a->clocks[i];
	return NULL;
}

static bool read_categories(struct account *a, const struct json_doc *doc,
			    const struct json_node *list)
{
	if (!list || list->type != JSON_ARRAY)
		return true;
	a->category = calloc(count(doc, list) + 1, sizeof(*a->category));
	if (!a->category)
		return false;
	for (const struct json_node *e = json_first(doc, list); e; e = json_next(doc, list, e)) {
		struct account_category *c = &a->category[a->nr_categories];

		if (a->nr_categories++ == MOST)
			return false;
		c->number = (uint32_t)number(doc, e, "category");
		text(doc, e, "name", c->name, sizeof(c->name));
	}
	return true;
}

const char *account_category(const struct account *a, uint32_t wanted)
{
	for (unsigned int i = 0; i < a->nr_categories; i++)
		if (a->category[i].number == wanted)
			return a->category[i].name;
	return NULL;
}

static bool read_all(struct account *a, const struct json_doc *doc)
{
	const struct json_node *root = doc->node;
	const struct json_node *writer = json_find(doc, root, "writer");
	const struct json_node *start = json_find(doc, root, "start");
	const struct json_node *end = json_find(doc, root, "end");

	text(doc, root, "state", a->state, sizeof(a->state));
	text(doc, root, "error", a->error, sizeof(a->error));
	text(doc, root, "comm", a->comm, sizeof(a->comm));
	text(doc, root, "record", a->record, sizeof(a->record));
	text(doc, writer, "backend", a->backend, sizeof(a->backend));
	text(doc, writer, "reason", a->backend_reason, sizeof(a->backend_reason));
	text(doc, json_find(doc, root, "clock"), "source", a->clock, sizeof(a->clock));
	a->running = !strcmp(a->state, "running");
	a->pid = number(doc, root, "pid");
	a->refused = number(doc, root, "refused");
	a->start_raw_ns = number(doc, start, "raw_ns");
	a->start_real_ns = number(doc, start, "real_ns");
	a->end_raw_ns = number(doc, end, "raw_ns");
	a->end_real_ns = number(doc, end, "real_ns");
	return read_sources(a, doc, json_find(doc, root, "sources")) &&
	       read_clocks(a, doc, json_find(doc, root, "clocks")) &&
	       read_categories(a, doc, json_find(doc, root, "categories")) &&
	       read_kinds(a, doc, json_find(doc, root, "accounting"));
}

void account_read(struct account *a, int dir_fd, const char *dir, struct diag *diag)
{
	struct json_doc doc;
	size_t len;
	char *buf;

	*a = (struct account){ 0 };
	buf = control_load(dir_fd, ACCOUNT_FILE, CONTROL_MAX_BYTES, &len);
	if (!buf) {
		if (errno != ENOENT)
			diag_warn(diag, "%s/" ACCOUNT_FILE ": %s", dir, strerror(errno));
		return;
	}
	if (!json_read(&doc, buf, len, CONTROL_MAX_BYTES)) {
		diag_warn(diag, "%s/" ACCOUNT_FILE ": not JSON at byte %zu: %s", dir, doc.error_at,
			  doc.error);
	} else {
		a->exists = read_all(a, &doc);
		if (!a->exists) {
			diag_warn(diag, "%s/" ACCOUNT_FILE ": out of memory, or too many entries",
				  dir);
			account_free(a);
		}
		json_doc_free(&doc);
	}
	free(buf);
}

void account_free(struct account *a)
{
	for (unsigned int i = 0; i < a->nr_kinds; i++)
		free(a->kind[i].reason);
	free(a->kind);
	free(a->source);
	free(a->category);
	free(a->clocks);
	*a = (struct account){ 0 };
}

/*
 * It has ended, and its parent has not waited for it yet. A first thread that ended before the
 * others looks the same, but for them.
 */
static bool unwaited(uint64_t pid)
{
	char path[64], line[1024], state = 0;
	const char *after;
	long threads = 0;
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	len = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	line[len] = 0;
	after = strrchr(line, ')');
	return after && sscanf(after + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld",
			       &state, &threads) == 2 &&
	       (state == 'Z' || state == 'X') && threads < 2;
}

bool account_alive(const struct account *a)
{
	char path[64], comm[64] = "";
	FILE *f;

	if (!a->running || !a->pid || (kill((pid_t)a->pid, 0) && errno == ESRCH) || unwaited(a->pid))
		return false;
	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", a->pid);
	f = fopen(path, "re");
	if (!f)
		return true;
	if (fgets(comm, sizeof(comm), f))
		comm[strcspn(comm, "\n")] = 0;
	fclose(f);
	return !strncmp(comm, a->comm, 15);
}

const char *account_source_place(const struct account_source *s, char *place, size_t size)
{
	if (s->device == ACCOUNT_HOST)
		snprintf(place, size, "host");
	else
		snprintf(place, size, "device %d", s->device);
	return place;
}
